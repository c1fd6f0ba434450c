"""Every key and command, grouped by where it holds, with a filter."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Input

from workbench.tui.commands import Command, Scope, all_commands, bindings, key_text, searched
from workbench.tui.commands.synonyms import GESTURES
from workbench.tui.key_hints import hint_spans, hints_of
from workbench.tui.line_view import Line, LineView
from workbench.tui.palette import Palette
from workbench.tui.panels.status import Line as OneRow
from workbench.tui.render import Span, fit, spans_width
from workbench.tui.screens.box import BoxScreen

GROUPS: Final[dict[Scope, str]] = {
    "app": "everywhere",
    "prompt": "prompt",
    "history": "what was sent before",
    "conversation": "conversation",
    "list": "trace and tools",
    "trace": "trace",
    "tools": "tools",
    "tool": "all about a tool",
    "approval": "approval",
    "question": "questions of tools",
    "inspector": "inspector",
    "models": "choosing a model",
    "themes": "choosing a theme",
    "grants": "grants",
    "rerun": "a call run again",
    "reruns": "calls run again",
    "edit": "other arguments",
    "save_test": "saving a test",
    "form": "calling a tool",
    "sessions": "sessions",
    "what_if": "what if",
    "branches": "comparing sessions",
    "pause": "a pause at a breakpoint",
    "earlier": "a call run again after a pause",
    "breakpoints": "breakpoints",
    "fault": "a fault on purpose",
    "field": "a field that is open",
    "filter": "a filter or a search",
    "values": "arguments that are filled in",
    "adder": "arguments that are filled in",  # of one group with the row above
    "option": "a choice in a form",
    "always": "what to remember",
    "choice": "what to remember",  # of one group with the row above
    "help": "this help",
}

_MOUSE: Final = "mouse"
_ELSEWHERE: Final = "What follows holds in other places; type a word to find it."
_NARROW: Final = 60
_KEYS: Final = 18
_KEYS_NARROW: Final = 10
_EDGE: Final = 2


class _Title(OneRow):
    background = "raised"
    where = ""

    def spans(self, width: int) -> list[Span]:
        right: list[Span] = [*hint_spans(hints_of("help"), width), ("  ", "muted")]
        left: list[Span] = [("  Keys and commands", "text strong")]
        where = (f"   {self.where}", "muted")
        if self.where and spans_width([*left, where, *right]) < width:
            left.append(where)
        blanks = width - spans_width(left) - spans_width(right)
        return [*left, (" " * max(1, blanks), "text"), *right]


class HelpScreen(BoxScreen[None]):
    """What keys and commands there are. The filter has the focus; the keys that scroll hold all the time."""

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("help")

    def __init__(self, palette: Palette, here: Sequence[Scope] = ()) -> None:
        """``here`` are the scopes that hold where the help was asked for: they come first.

        What holds everywhere is next, and what the mouse does.
        """
        super().__init__()
        self._near = dict.fromkeys([*(GROUPS[scope] for scope in here), GROUPS["app"], _MOUSE])
        self._title = _Title(palette)
        self._filter = Input(placeholder="type to find a key or command", id="help-filter", compact=True)
        self._rows = LineView(palette, background="raised", id="help-rows")
        self._width = 0

    def compose(self) -> ComposeResult:
        """Title, filter, rows."""
        with Vertical(id="help-box"):
            yield self._title
            yield self._filter
            yield self._rows

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._rows.palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._title.palette = self._rows.palette = palette

    @on(Input.Changed)
    def _typed(self) -> None:
        self._show()

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        """Other rows are in view, or the rows have another width."""
        event.stop()
        if self._rows.size.width != self._width:
            self._width = self._rows.size.width
            self._show()
        first, last, total = self._rows.window
        self._title.where = f"{first} to {last} of {total}" if last - first + 1 < total else ""
        self._title.refresh()

    def _show(self) -> None:
        narrow = self._rows.size.width < _NARROW
        self._rows.show(list(_lines(self._filter.value.lower().split(), self._near, narrow=narrow)))

    def action_close(self) -> None:
        """Go back."""
        self.dismiss()

    def action_lines(self, lines: int) -> None:
        """Scroll."""
        self._rows.go_to(self._rows.scroll_offset.y + lines)

    def action_pages(self, pages: int) -> None:
        """Scroll by the height; a row stays in view."""
        self.action_lines(pages * max(1, self._rows.size.height - 1))

    def action_ends(self, end: int) -> None:
        """To the first row, or with 1 to the last."""
        self._rows.go_to(end * self._rows.max_scroll_y)


def scopes_here(screen: Screen[Any]) -> list[Scope]:
    """The scopes whose keys hold on a screen, from what has the focus outwards; not those that always do."""
    scope_of = {command.id: command.scope for command in all_commands()}
    held = (scope_of.get(active.binding.id or "", "app") for active in screen.active_bindings.values())
    found = [scope for scope in dict.fromkeys(held) if scope != "app"]
    return sorted(found, key=lambda scope: scope == "list")  # what only this list knows, then what both do


def _lines(words: list[str], near: Collection[str], *, narrow: bool) -> Iterator[Line]:
    """Groups and their commands, those of ``near`` first: where every word is in key, name, help or group."""
    column = _KEYS_NARROW if narrow else _KEYS
    some = False
    for title in dict.fromkeys([*near, *GROUPS.values()]):
        rows = list(_rows_of(title, words))
        if not rows:
            continue
        if some:
            yield Line(background="raised")
        if near and title not in near and not words:
            yield Line(_ELSEWHERE, "muted", background="raised", words=True)
            yield Line(background="raised")
            near = ()
        some = True
        yield Line(title, "text strong", background="raised")
        for keys, text in rows:
            yield from _row_lines(keys, text, column)
    if not some:
        yield Line("No key or command matches.", "muted", background="raised", words=True)


def _rows_of(title: str, words: list[str]) -> Iterator[tuple[str, str]]:
    """The keys and the help of a group's commands that fit.

    A filter with a dot looks for ids, so these are shown then: a keymap is written with them.
    """
    if title == _MOUSE:
        yield from (each for each in GESTURES if _holds(f"{_MOUSE} {' '.join(each)}", words))
    ids = any("." in word for word in words)
    for command in all_commands():
        if GROUPS[command.scope] == title and _matches(command, words):
            yield _keys(command), f"{command.help}  {command.id if ids else ''}".rstrip()


def _row_lines(keys: str, text: str, column: int) -> Iterator[Line]:
    """Keys, and the help beside them; keys that are too long for their column stand above it."""
    hang = _EDGE + column + 2
    edge: Span = (" " * _EDGE, "muted")
    if cell_len(keys) > column:
        yield Line(keys, "subtle", background="raised", words=True)
        keys = ""
    prefix = (edge, (fit(keys, column + 2), "subtle"))
    yield Line(text, "muted", hang, prefix, background="raised", words=True)


def _keys(command: Command) -> str:
    slash = f"/{command.slash}" if command.slash else ""
    return "  ".join(part for part in (*map(key_text, command.keys), slash) if part)


def _matches(command: Command, words: list[str]) -> bool:
    text = f"{_keys(command)} {' '.join(command.keys)} {GROUPS[command.scope]} {searched(command)}"
    return _holds(text, words)


def _holds(text: str, words: list[str]) -> bool:
    return all(word in text.lower() or word.replace("ctrl+", "^") in text.lower() for word in words)
