"""What is typed and pasted in a real terminal arrives whole, and the terminal is lent to the editor."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual._xterm_parser import XTermParser
from textual.message import Message

from tests.tui.program import Program
from tests.tui.test_leaving import sane
from workbench.tui.terminal_input import QuickPaste, read_terminal

BEGIN, END = "\x1b[200~", "\x1b[201~"


def told(messages: list[Message]) -> list[tuple[str, str]]:
    """The messages as plain data."""
    return [
        ("paste", message.text) if isinstance(message, events.Paste) else ("key", getattr(message, "key", ""))
        for message in messages
    ]


def fed(parser: XTermParser, pieces: list[str]) -> list[tuple[str, str]]:
    messages = [message for piece in pieces if piece for message in parser.feed(piece)]
    if isinstance(parser, QuickPaste):
        messages += parser.rest()
    return told(messages)


def cut(text: str, at: list[int]) -> list[str]:
    """The text in pieces."""
    places = sorted({place % (len(text) + 1) for place in at} | {0, len(text)})
    return [text[left:right] for left, right in pairwise(places)]


KEYS = st.sampled_from(["a", "é", "\r", "\x1b[A", "\x1b[20~", "\x1b[3~", "日"])
PASTES = st.text(st.sampled_from("ab\n\r\t\x1b[20~1日\x00"), min_size=1, max_size=20).filter(
    lambda text: END not in text and not (text + END[:-1]).endswith(END)
)


@given(st.lists(st.one_of(KEYS, PASTES.map(lambda text: BEGIN + text + END)), max_size=8))
def test_keys_and_pastes_mean_what_they_meant(parts: list[str]) -> None:
    keys_only = [part for part in parts if not part.startswith(BEGIN)]
    quick = fed(QuickPaste(), ["".join(parts)])
    assert [key for kind, key in quick if kind == "key"] == [
        key for kind, key in fed(XTermParser(), ["".join(keys_only)]) if kind == "key"
    ]
    assert [text for kind, text in quick if kind == "paste"] == [
        part.removeprefix(BEGIN).removesuffix(END).replace("\0", "")
        for part in parts
        if part.startswith(BEGIN)
    ]


@given(PASTES, st.lists(st.integers(0, 60), max_size=6))
def test_a_paste_that_comes_in_pieces_is_the_same_one(text: str, at: list[int]) -> None:
    # wherever it is cut, except within the two characters that may be a key of their own
    head, tail = "x" + BEGIN[:3], BEGIN[3:] + text + END + "y"
    pieces = cut(tail, at)
    assert fed(QuickPaste(), [head + pieces[0], *pieces[1:]]) == [
        ("key", "x"),
        ("paste", text.replace("\0", "")),
        ("key", "y"),
    ]


def test_what_could_have_become_a_paste_is_a_key_when_nothing_more_comes() -> None:
    parser = QuickPaste()
    assert list(parser.feed("\x1b[20")) == []
    list(parser.rest())
    assert told(list(parser.feed("~"))) == [("key", "f9")]


def test_bytes_that_are_no_text_do_not_end_the_reading() -> None:
    read, write = os.pipe()
    taken: list[Message] = []
    ended = threading.Event()
    reader = threading.Thread(target=read_terminal, args=(read, ended, QuickPaste(), taken.append))
    reader.start()
    os.write(write, b"a\xff\xfeb")
    while ("key", "b") not in told(taken):
        assert reader.is_alive()
    ended.set()
    os.close(write)
    reader.join(60)
    os.close(read)
    assert [key for _, key in told(taken)][::3] == ["a", "b"]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Program]:
    script = tmp_path / "editor.py"
    script.write_text(
        "import os, pathlib, sys\n"
        "assert all(os.isatty(fd) for fd in (0, 1, 2))\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "print('THE EDITOR HAS', len(path.read_text()), flush=True)\n"
        "path.write_text(sys.stdin.readline())\n"
    )
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")
    it = Program(tmp_path)
    yield it
    it.close()


def test_a_megabyte_is_pasted_and_edited_in_the_editor_which_has_the_terminal_meanwhile(
    program: Program,
) -> None:
    program.see(b"is ready")
    text = b"0123456789abcde\n" * 65_536
    writer = threading.Thread(target=os.write, args=(program.master, b"\x1b[200~" + text + b"\x1b[201~"))
    writer.start()
    program.see(b"[pasted 65,536 lines]")
    writer.join()
    program.press(b"\x07")
    program.see(b"THE EDITOR HAS 1048576")
    assert sane(program)
    program.received = b""
    program.press(b"add(a=2, b=40)\n")
    program.see(b"\x1b[?1049h")
    program.see(b"add(a=2, b=40)")
    program.press(b"\r")
    program.see(b"returned")
    program.press(b"\x11\x11")
    assert program.end() == 0
    assert sane(program)
