"""Every key, grouped by where it holds, with a filter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from workbench.tui.commands import TABLE, Command, Scope, key_text
from workbench.tui.palette import Palette
from workbench.tui.panels.status import Line
from workbench.tui.render import Span, clip, fit, row

_GROUPS: dict[Scope, str] = {
    "app": "everywhere",
    "prompt": "prompt",
    "conversation": "conversation",
    "list": "trace and tools",
    "trace": "trace",
    "tools": "tools",
    "approval": "approval",
    "question": "questions of tools",
    "inspector": "inspector",
    "models": "choosing a model",
}
_KEYS_WIDTH = 18


class _Table(Widget):
    """The rows: a heading a group, then a line a command."""

    DEFAULT_CSS = "_Table { height: auto; }"

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self.find("")

    def find(self, words: str) -> None:
        """Keep only commands in whose key, name or help every word occurs."""
        self._rows = list(_rows(words.lower().split()))
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A cell a row."""
        return max(1, len(self._rows))

    def render_line(self, y: int) -> Strip:
        """Draw one row."""
        spans: list[Span] = [("  No key or command matches.", "muted")] if not self._rows else []
        if y < len(self._rows):
            spans = self._rows[y]
        width = self.size.width
        used = 0
        shown: list[Span] = []
        for text, key in spans:
            text = clip(text, width - 2 - used)
            used += cell_len(text)
            shown.append((text, key))
        return row(shown, width, self._palette, "raised")


def _rows(words: list[str]) -> Iterator[list[Span]]:
    first = True
    for scope, title in _GROUPS.items():
        found = [command for command in TABLE if command.scope == scope and _matches(command, words)]
        if not found:
            continue
        if not first:
            yield []
        first = False
        yield [("  " + title, "text strong")]
        for command in found:
            keys = "  ".join(key_text(key) for key in command.keys)
            slash = f"/{command.slash}" if command.slash else ""
            shown = "  ".join(part for part in (keys, slash) if part)
            yield [("  ", "text"), (fit(shown, _KEYS_WIDTH), "subtle"), ("  " + command.help, "muted")]


def _matches(command: Command, words: list[str]) -> bool:
    keys = " ".join(key_text(key) for key in command.keys)
    text = f"{keys} {command.label} {command.help} {command.slash} {_GROUPS[command.scope]}".lower()
    return all(word in text for word in words)


class _Title(Line):
    background = "raised"

    def spans(self, width: int) -> list[Span]:
        left: list[Span] = [("  Help", "text strong"), ("   type to filter", "muted")]
        right = "esc close"
        blanks = width - 2 - sum(cell_len(text) for text, _ in left) - len(right)
        return [*left, (" " * max(1, blanks), "text"), ("esc", "subtle"), (" close", "muted")]


class HelpScreen(ModalScreen[None]):
    """F1. Esc or F1 closes it."""

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1", "dismiss", "close", show=False),
        Binding("up", "scroll(-1)", "up", show=False),
        Binding("down", "scroll(1)", "down", show=False),
        Binding("pageup", "scroll(-10)", "page up", show=False),
        Binding("pagedown", "scroll(10)", "page down", show=False),
    ]

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette

    def compose(self) -> ComposeResult:
        """Title, filter, rows."""
        with Vertical(id="help-box"):
            yield _Title(self._palette)
            yield Input(placeholder="filter", id="help-filter", compact=True)
            with VerticalScroll(id="help-rows", can_focus=False):
                yield _Table(self._palette)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as one types."""
        self.query_one(_Table).find(event.value)

    def action_scroll(self, rows: int) -> None:
        """Move the rows."""
        self.query_one("#help-rows").scroll_relative(y=rows, animate=False)
