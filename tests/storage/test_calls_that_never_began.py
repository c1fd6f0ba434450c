"""After a program was killed, its calls are told apart: those that began, and those that never did."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.storage.fake_agent import FakeAgent, new_log, path_of
from workbench.storage.journal import journal_path
from workbench.storage.private_file import append
from workbench.storage.session_file import read_session, recover

ROOT = Path(__file__).parents[2]
NOT_RUN = "Not run: the program ended before this call began."
LOST = "may have had effects"
PROGRAM = """
import sys, threading
from workbench.engine import Agent, before_tools
from workbench.engine.llm import LLMResponse, ToolCall
from workbench.registry import ToolMetadata
from workbench.storage.session_log import SessionLog

situation, folder = sys.argv[1:]
log = SessionLog(folder)

class Model:
    def complete(self, messages, tools=None):
        return LLMResponse(tool_calls=[ToolCall(name, {}, name) for name in ("quick", "slow", "other")])

def tell_and_hang():
    print(log.path, flush=True)
    threading.Event().wait()

def quick() -> str:
    return "quickly"

def slow() -> str:
    tell_and_hang()

async def aslow() -> str:
    tell_and_hang()

def other() -> str:
    return "never"

@before_tools
def approve(agent):
    if situation == "asked":
        tell_and_hang()

agent = Agent("helper", [quick, other], llm=Model(), observers=[log], on_events=[approve])
agent.tools.register(aslow if situation == "async" else slow, name="slow")
agent.input("go")
"""


def killed(situation: str, folder: Path) -> Path:
    """The session file of a program that was killed with SIGKILL while it hung in the situation."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, situation, str(folder)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        path = Path(process.stdout.readline().strip())
        process.send_signal(signal.SIGKILL)
    return path


def answers(path: Path) -> dict[str, str]:
    """What the reopened session says of each call."""
    (turn,) = recover(path).turns
    assert turn.status == "interrupted"
    return {m["tool_call_id"]: m["content"] for m in turn.messages if m["role"] == "tool"}


def test_no_call_of_a_batch_that_was_still_to_be_approved_has_run(tmp_path: Path) -> None:
    path = killed("asked", tmp_path)
    assert answers(path) == dict.fromkeys(("quick", "slow", "other"), NOT_RUN)


@pytest.mark.parametrize("situation", ["running", "async"])
def test_only_the_call_that_ran_may_have_had_effects(situation: str, tmp_path: Path) -> None:
    found = answers(killed(situation, tmp_path))
    assert found["quick"] == "quickly"
    assert LOST in found["slow"]
    assert found["other"] == NOT_RUN


def asked_for(folder: Path) -> tuple[Path, bytes]:
    """A session that ended after its call ``c1`` was asked for, and its journal."""
    log = new_log(folder)
    agent = FakeAgent(log)
    agent.begin("go")
    agent.call("c1", "delete", None)
    path = path_of(log)
    log.close()
    return path, journal_path(path).read_bytes()


@pytest.mark.parametrize(
    ("change", "answer"),
    [
        ((b"", b""), NOT_RUN),
        ((b'"boot": "', b'"boot": "another '), LOST),  # the machine went down, and lines with it
        ((b'"boot": "', b'"formerly": "'), LOST),
    ],
)
def test_a_journal_that_may_lack_lines_does_not_say_that_nothing_ran(
    change: tuple[bytes, bytes], answer: str, tmp_path: Path
) -> None:
    path, journal = asked_for(tmp_path)
    journal_path(path).write_bytes(journal.replace(*change))
    assert answer in read_session(path).messages[-1]["content"]


def test_a_torn_journal_does_not_say_that_nothing_ran(tmp_path: Path) -> None:
    path, journal = asked_for(tmp_path)
    journal_path(path).write_bytes(journal + b'{"type": "call", "i')
    assert LOST in read_session(path).messages[-1]["content"]


def test_a_call_of_a_session_that_still_runs_may_begin_at_any_moment(tmp_path: Path) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.begin("go")
    agent.call("c1", "delete", None)
    assert LOST in read_session(path_of(log)).messages[-1]["content"]


def test_a_start_that_the_disk_refused_is_written_with_what_comes_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = new_log(tmp_path)
    agent = FakeAgent(log)
    agent.begin("go")
    agent.call("c1", "delete", None)

    def refuse(descriptor: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("workbench.storage.journal.append", refuse)
        agent.start_call("c1")
        assert log.problem == "No space left on device"
    monkeypatch.setattr("workbench.storage.journal.append", append)
    agent.trace({"type": "note", "timestamp": 1002.0})
    path = path_of(log)
    log.close()
    assert LOST in read_session(path).messages[-1]["content"]
