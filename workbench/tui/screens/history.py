"""What was sent before in this project, newest first, with a line to look for words in it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Resize
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input

from workbench.storage.prompt_history import SentMessage
from workbench.tui.commands import bindings, commands, key_text
from workbench.tui.palette import Palette
from workbench.tui.panels.status import Line
from workbench.tui.render import Span, clip, spans_width
from workbench.tui.rows import RowList
from workbench.tui.screens.grants import ago
from workbench.visible import visible_line

FULL_BELOW: Final = 104
"""Cells of width under which the list takes the whole screen."""

_EMPTY: Final[tuple[Span, ...]] = (
    ("Nothing was sent that fits.", "subtle"),
    ("Every message that you send in this project stands here from then on.", "muted"),
)
_AGO: Final = 12
_AGO_FROM: Final = 56
_SEEN: Final = 2_000
"""Characters of a message that are looked at for its row."""


class _List(RowList[SentMessage], can_focus=False):
    """The rows. The line above has the keys all the time, so the cursor looks as if the list had them."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, palette: Palette, now: Callable[[], float]) -> None:
        super().__init__(self._draw_message, palette, background="raised", empty=_EMPTY)
        self.set_reactive(Widget.has_focus, True)
        self.words: Sequence[str] = ()
        self._now = now

    def _draw_message(self, message: SentMessage, width: int) -> list[Span]:
        when = f"{ago(self._now() - message.at):>{_AGO}}" if width >= _AGO_FROM and message.at else ""
        lines = message.text.count("\n")
        more = f"  +{lines:,} line{'s' * (lines != 1)}" if lines else ""
        room = width - 4 - len(more) - (len(when) + 1 if when else 0)
        spans = _marked(clip(_row_text(message.text, self.words), room), self.words)
        blanks = room - spans_width(spans)
        return [("  ", "text"), *spans, (more, "muted"), (" " * (blanks + 1), "text"), (when, "muted")]

    def on_resize(self) -> None:
        """The cursor stays in view."""
        super().on_resize()
        self._reveal()


class _Title(Line):
    background = "raised"
    count = 0

    def spans(self, width: int) -> list[Span]:
        spans: list[Span] = [("  History", "text strong"), (f"  {self.count:,}", "muted")]
        how = "   type to find"
        return [*spans, (how, "muted")] if spans_width(spans) + len(how) < width else spans


class _Foot(Line):
    background = "raised"

    def spans(self, width: int) -> list[Span]:
        spans: list[Span] = [("  ", "text")]
        for command in commands("history")[:2]:
            spans += [(key_text(command.keys[0]), "subtle"), (f" {command.label}   ", "muted")]
        how = "nothing is sent by it"
        return [*spans, (how, "muted")] if spans_width(spans) + len(how) <= width else spans


class HistoryScreen(ModalScreen[str | None]):
    """Ends with the text of a message, or with None. ``messages`` are newest first; ``now`` in Unix time."""

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("history")

    def __init__(
        self, messages: Sequence[SentMessage], palette: Palette, *, now: Callable[[], float] = time.time
    ) -> None:
        super().__init__()
        self._messages = list(messages)
        self._lower = [message.text.lower() for message in self._messages]
        self._palette = palette
        self._title = _Title(palette)
        self._line = Input(placeholder="words of the message", id="history-line", compact=True)
        self._list = _List(palette, now)
        self._foot = _Foot(palette)

    def compose(self) -> ComposeResult:
        """Title, the line, rows, keys."""
        with Vertical(id="history-box"):
            yield self._title
            yield self._line
            yield self._list
            yield self._foot

    def on_mount(self) -> None:
        """The line takes the keys."""
        self._line.focus()
        self._find("")

    def on_resize(self, event: Resize) -> None:
        """Small screens are filled."""
        self.set_class(event.size.width < FULL_BELOW, "-full")

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        for part in (self._title, self._list, self._foot):
            part.palette = palette

    def _find(self, text: str) -> None:
        words = text.lower().split()
        self._list.words = words
        found = [
            message
            for message, lower in zip(self._messages, self._lower, strict=True)
            if all(word in lower for word in words)
        ]
        self._list.show(found)
        self._list.go_to(0)
        self._title.count = len(found)
        self._title.refresh()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._find(event.value)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_choose()

    @on(RowList.Clicked)
    def _clicked(self, event: RowList.Clicked) -> None:
        event.stop()
        self.action_choose()

    def action_choose(self) -> None:
        """Take the message under the cursor."""
        current = self._list.current
        if current is not None:
            self.dismiss(current.text)

    def action_close(self) -> None:
        """Take none."""
        self.dismiss(None)

    def action_move(self, step: int) -> None:
        """A row up or down."""
        if step < 0:
            self._list.action_cursor_up()
        else:
            self._list.action_cursor_down()

    def action_page(self, step: int) -> None:
        """A screen up or down."""
        if step < 0:
            self._list.action_page_up()
        else:
            self._list.action_page_down()


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
