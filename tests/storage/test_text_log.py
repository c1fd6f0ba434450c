"""The plain log: one safe line per event."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.storage.fake_agent import FakeAgent
from workbench.engine.llm import TokenUsage
from workbench.errors import ProviderError
from workbench.storage.masking import Masker
from workbench.storage.text_log import TextLog

NOON = 1764763200.25


def new_log(root: Path, **environ: str) -> TextLog:
    return TextLog(root, mask=Masker(environ), clock=lambda: NOON)


def lines(root: Path, name: str = "tester") -> list[str]:
    return (root / f".workbench/logs/{name}.log").read_text().splitlines()


def test_each_event_has_a_line_with_the_utc_time(tmp_path: Path) -> None:
    agent = FakeAgent(new_log(tmp_path))
    agent.turn("what is 2+3?", "5 it is")
    assert lines(tmp_path) == [
        "2025-12-03T12:00:00.250Z user   what is 2+3?",
        "2025-12-03T12:00:00.250Z llm    offline 0 calls in 0 ms, 15 tokens",
        "2025-12-03T12:00:00.250Z tool   add({}) success in 1.5 ms: 5",
        "2025-12-03T12:00:00.250Z answer 5 it is",
        "2025-12-03T12:00:00.250Z turn   1 success in 2500 ms, 12 ms of it waiting, 15 tokens, cost $0.0000",
    ]


def test_errors_of_tools_and_turns_are_said(tmp_path: Path) -> None:
    agent = FakeAgent(new_log(tmp_path))
    agent.begin("x")
    agent.trace(
        {"type": "tool_execution", "tool_name": "boom", "arguments": {"a": 1}, "status": "error"}
        | {"error": "it broke", "error_type": "ValueError"}
    )
    agent.end("", status="error", error=RuntimeError("no model"))
    text = "\n".join(lines(tmp_path))
    assert 'boom({"a": 1}) error: ValueError: it broke' in text
    assert "error  RuntimeError: no model" in text


def test_what_a_handler_raised_has_its_traceback_and_what_is_said_on_purpose_has_none(tmp_path: Path) -> None:
    assert new_log(tmp_path).path is None
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    for error in (ProviderError("no answer"), KeyError("gone")):
        agent.begin("x")
        try:
            raise error
        except (ProviderError, KeyError) as caught:
            agent.end("", status="error", error=caught)
    assert log.path == tmp_path / ".workbench/logs/tester.log"
    said = [line.partition("Z ")[2] for line in lines(tmp_path)]
    assert said.count("error  Traceback (most recent call last):") == 1
    assert "error      raise error" in said[said.index("error  KeyError: 'gone'") :]


def test_control_characters_never_reach_the_file(tmp_path: Path) -> None:
    hostile = "a\nb\x1b[2J\x9b\u202e\u2028\ud800\0\r"
    agent = FakeAgent(new_log(tmp_path))
    agent.begin(hostile)
    agent.call("c1", hostile, hostile, arguments={hostile: hostile})
    agent.trace({"type": hostile, "usage": TokenUsage()})
    agent.end(hostile)
    raw = (tmp_path / ".workbench/logs/tester.log").read_text()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e\ud800-\udfff]", raw)
    assert all(line.startswith("2025-12-03T") for line in raw.splitlines())


def test_long_texts_are_cut_and_say_how_long_they_were(tmp_path: Path) -> None:
    FakeAgent(new_log(tmp_path)).turn("y" * 1_000_000)
    assert lines(tmp_path)[0].endswith("y… (1,000,000 characters)")
    assert len(lines(tmp_path)[0]) < 2_100


def test_a_secret_at_the_place_of_the_cut_is_covered_whole(tmp_path: Path) -> None:
    FakeAgent(new_log(tmp_path, A_TOKEN="abcdefgh-12345678")).turn("y" * 1_990 + "abcdefgh-12345678")
    assert "abcdefgh" not in "\n".join(lines(tmp_path))


def test_sessions_append_to_one_private_file(tmp_path: Path) -> None:
    FakeAgent(new_log(tmp_path)).turn("first")
    FakeAgent(new_log(tmp_path)).turn("second")
    assert sum(" user " in line for line in lines(tmp_path)) == 2
    assert (tmp_path / ".workbench/logs/tester.log").stat().st_mode & 0o777 == 0o600


def test_a_folder_that_refuses_ends_no_turn_and_the_log_says_what_it_misses(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ".workbench").write_text("a file in the way")
    agent = FakeAgent(new_log(tmp_path))
    agent.turn()
    assert len(caplog.records) == 1
    (tmp_path / ".workbench").unlink()
    agent.turn("back again")
    assert "5 lines before this one could not be written" in lines(tmp_path)[0]
    assert "back again" in lines(tmp_path)[1]
