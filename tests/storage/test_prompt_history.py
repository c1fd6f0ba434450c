"""What was sent is kept over sessions: whole, private, by several apps at once, and never without an end."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.storage.prompt_history import MOST_BYTES, PromptHistory


def texts(history: PromptHistory) -> list[str]:
    return [message.text for message in history.load()]


@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=40), max_size=6))
def test_any_text_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, sent: list[str]) -> None:
    history = PromptHistory(tmp_path_factory.mktemp("p") / ".workbench" / "history.jsonl")
    for text in sent:
        history.add(text)
    once = [text for index, text in enumerate(sent) if index + 1 == len(sent) or sent[index + 1] != text]
    assert texts(history) == once


def test_the_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / ".workbench" / "history.jsonl"
    PromptHistory(path).add("hello")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_secrets_are_covered_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / ".workbench" / "history.jsonl"
    history = PromptHistory(path)
    monkeypatch.setenv("SHOP_API_KEY", "pear-4711-secret")
    history.add("use pear-4711-secret")
    assert texts(history) == ["use [masked SHOP_API_KEY]"]


def test_half_a_record_of_a_crash_spoils_neither_what_was_before_nor_what_comes_after(tmp_path: Path) -> None:
    path = tmp_path / ".workbench" / "history.jsonl"
    history = PromptHistory(path)
    history.add("before")
    with path.open("ab") as file:
        file.write(b'{"at": 1, "text": "torn')
    history.add("after")
    assert texts(history) == ["before", "after"]


@pytest.mark.parametrize("line", ["[]", "null", '{"text": 3}', "\udcff", '{"at": 1}', "[" * 200_000])
def test_a_record_that_is_none_is_passed_over(tmp_path: Path, line: str) -> None:
    path = tmp_path / ".workbench" / "history.jsonl"
    history = PromptHistory(path)
    history.add("before")
    with path.open("ab") as file:
        file.write(line.encode("utf-8", "surrogateescape") + b"\n")
    history.add("after")
    assert texts(history) == ["before", "after"]


def test_the_oldest_go_when_the_file_grows_too_large_and_the_newest_stay(tmp_path: Path) -> None:
    path = tmp_path / ".workbench" / "history.jsonl"
    history = PromptHistory(path)
    for number in range(50):
        history.add(f"{number} " + "x" * (MOST_BYTES // 20))
    assert path.stat().st_size <= MOST_BYTES
    kept = [int(text.split()[0]) for text in texts(history)]
    assert kept == list(range(kept[0], 50))
    assert len(kept) >= 9


def test_nothing_is_read_or_written_through_a_symbolic_link(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.txt"
    elsewhere.write_text('{"at": 1, "text": "not ours"}\n')
    (tmp_path / ".workbench").mkdir()
    path = tmp_path / ".workbench" / "history.jsonl"
    path.symlink_to(elsewhere)
    history = PromptHistory(path)
    with pytest.raises(OSError, match=r"symbolic link|Too many levels"):
        history.load()
    with pytest.raises(OSError, match="symbolic link"):
        history.add("mine")
    assert "mine" not in elsewhere.read_text()


def _write(path: Path, name: str) -> None:
    history = PromptHistory(path)
    for number in range(40):
        history.add(f"{name}{number} " + "y" * 60_000)


def test_several_apps_at_once_tear_nothing(tmp_path: Path) -> None:
    path = tmp_path / ".workbench" / "history.jsonl"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(path, name)) for name in "abc"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    found = [text.split()[0] for text in texts(PromptHistory(path))]
    for name in "abc":
        numbers = [int(word[1:]) for word in found if word[0] == name]
        assert numbers == list(range(40))[40 - len(numbers) :]
    assert len(found) > 20
