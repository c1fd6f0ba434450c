"""Reads the terminal's keys; a paste is taken whole, not character by character."""

from __future__ import annotations

import os
import select
from codecs import getincrementaldecoder
from collections.abc import Callable, Generator, Iterable
from threading import Event
from typing import Final

from textual import events
from textual._xterm_parser import XTermParser
from textual.message import Message

_BEGIN: Final = "\x1b[200~"
_END: Final = "\x1b[201~"
_READ_BYTES: Final = 65_536
_WAIT_MS: Final = 100


class QuickPaste(XTermParser):
    """Textual's parser, around which a bracketed paste is led. A paste of 1 MB costs a few milliseconds."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pasted: list[str] | None = None
        self._held = ""

    def feed(self, data: str) -> Iterable[Message]:
        """What the text means. A beginning that may become a paste is kept until more comes, or ``rest``."""
        if not data:
            yield from super().feed("")
            return
        data, self._held = self._held + data, ""
        while data:
            if self._pasted is not None:
                data = yield from self._paste(self._pasted, data)
                continue
            at = data.find(_BEGIN)
            if at < 0:
                # a lone escape, or one with a bracket, is left to the timing of keys
                kept = next((size for size in (5, 4, 3) if data.endswith(_BEGIN[:size])), 0)
                data, self._held = data[: len(data) - kept], data[len(data) - kept :]
                if data:
                    yield from super().feed(data)
                return
            if at:
                yield from super().feed(data[:at])
            self._pasted, data = [], data[at + len(_BEGIN) :]

    def rest(self) -> Iterable[Message]:
        """Nothing more came: what was kept is a key."""
        held, self._held = self._held, ""
        if held and self._pasted is None:
            yield from super().feed(held)
        elif held:
            self._held = held

    def _paste(self, pasted: list[str], data: str) -> Generator[Message, None, str]:
        """Take the part of ``data`` that belongs to the paste; returns what comes behind."""
        end = data.find(_END)
        if end < 0:
            kept = next((size for size in range(len(_END) - 1, 0, -1) if data.endswith(_END[:size])), 0)
            pasted.append(data[: len(data) - kept])
            self._held = data[len(data) - kept :]
            return ""
        pasted.append(data[:end])
        self._pasted = None
        yield events.Paste("".join(pasted).replace("\x00", ""))
        return data[end + len(_END) :]


def read_terminal(fd: int, ended: Event, parser: QuickPaste, take: Callable[[Message], object]) -> None:
    """Hand on what is typed until ``ended`` is set, and then what still lies there. Blocks."""
    decode = getincrementaldecoder("utf-8")("replace").decode
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    last = False
    while not last:
        last = ended.is_set()
        if poll.poll(_WAIT_MS):
            data = os.read(fd, _READ_BYTES)
            text = decode(data)
            if text:
                for message in parser.feed(text):
                    take(message)
            elif not data:
                ended.wait(_WAIT_MS / 1000)  # a terminal that is gone is always ready
        else:
            for message in parser.rest():
                take(message)
        for message in parser.tick():
            take(message)
    for _ in parser.feed(""):
        pass
