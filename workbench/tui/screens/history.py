"""What was sent before in this project, newest first, with a line to look for words in it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import ClassVar, Final

from textual.binding import BindingType

from workbench.storage.prompt_history import SentMessage
from workbench.tui.commands import bindings
from workbench.tui.palette import Palette
from workbench.tui.render import Span, clip, spans_width
from workbench.tui.screens.choosing import LOOK, ChoosingScreen, holding
from workbench.tui.words import ago
from workbench.visible import visible_line

_EMPTY: Final[tuple[Span, ...]] = (
    ("Nothing was sent that fits.", "subtle"),
    ("Every message that you send in this project stands here from then on.", "muted"),
)
_AGO: Final = 12
_AGO_FROM: Final = 56
_SEEN: Final = 2_000
"""Characters of a message that are looked at for its row."""


class HistoryScreen(ChoosingScreen[SentMessage, str]):
    """Ends with the text of a message, or with None. ``messages`` are newest first; ``now`` in Unix time."""

    CSS_PATH: ClassVar[list[str | PurePath]] = [LOOK, Path(__file__).with_suffix(".tcss")]
    BINDINGS: ClassVar[list[BindingType]] = bindings("history")

    def __init__(
        self, messages: Sequence[SentMessage], palette: Palette, *, now: Callable[[], float] = time.time
    ) -> None:
        super().__init__("history", palette, placeholder="words of the message", empty=_EMPTY)
        self._messages = list(messages)
        self._lower = [message.text.lower() for message in self._messages]
        self._words: Sequence[str] = ()
        self._now = now

    def on_mount(self) -> None:
        """Begin with all of them."""
        self.narrow("")

    def title_spans(self, width: int) -> list[Span]:
        """How many messages fit."""
        spans: list[Span] = [("  History", "text strong"), (f"  {len(self._list.rows):,}", "muted")]
        how = "   type to find"
        return [*spans, (how, "muted")] if spans_width(spans) + len(how) < width else spans

    def foot_note(self, room: int) -> list[Span]:
        """What taking a message does not do."""
        how = "nothing is sent by it"
        return [(how, "muted")] if len(how) <= room else []

    def draw_row(self, record: SentMessage, width: int) -> list[Span]:
        """One line of a message, with what was looked for set off, and when it was sent."""
        when = f"{ago(self._now() - record.at):>{_AGO}}" if width >= _AGO_FROM and record.at else ""
        lines = record.text.count("\n")
        more = f"  +{lines:,} line{'s' * (lines != 1)}" if lines else ""
        room = width - 4 - len(more) - (len(when) + 1 if when else 0)
        spans = _marked(clip(_row_text(record.text, self._words), room), self._words)
        blanks = room - spans_width(spans)
        return [("  ", "text"), *spans, (more, "muted"), (" " * (blanks + 1), "text"), (when, "muted")]

    def narrow(self, text: str) -> None:
        """Show the messages that hold every word, whatever its case."""
        self._words = words = text.lower().split()
        self._list.show(holding(words, self._messages, self._lower))
        self._list.go_to(0)
        self._title.refresh()

    def take(self, record: SentMessage) -> None:
        """End with its text."""
        self.dismiss(record.text)


def _row_text(text: str, words: Sequence[str]) -> str:
    """What a message's row shows: its first line with something in it, or the first that holds a word."""
    lines = [line.strip() for line in text[:_SEEN].split("\n")]
    shown = next((line for line in lines if line), "")
    if words and not any(word in shown.lower() for word in words):
        at = min((found for word in words if (found := text.lower().find(word)) >= 0), default=-1)
        if at >= 0:
            start = text.rfind("\n", 0, at) + 1
            lead = max(start, at - 30)
            shown = ("…" if lead > start else "") + text[lead : lead + _SEEN].split("\n")[0].strip()
    return visible_line(shown)


def _marked(text: str, words: Sequence[str]) -> list[Span]:
    """The text with what was looked for set off."""
    if not words:
        return [(text, "text")]
    spans: list[Span] = []
    at = 0
    for match in re.finditer("|".join(map(re.escape, words)), text, re.IGNORECASE):
        spans += [(text[at : match.start()], "text"), (match[0], "accent underline")]
        at = match.end()
    return [*spans, (text[at:], "text")]
