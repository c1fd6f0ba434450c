"""The message being written: several lines, Enter sends, ctrl+j begins a new one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static, TextArea

from workbench.tui.commands import bindings
from workbench.visible import visible_line


class PromptArea(TextArea):
    """The text area inside; Enter is taken from it, everything else is Textual's."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("prompt")

    @dataclass
    class Sent(Message):
        """The person sent ``text``."""

        text: str

    @dataclass
    class RecallQueued(Message):
        """Up was pressed in an empty prompt."""

    def action_send(self) -> None:
        """Hand the text over, without blank lines around it, and empty the area."""
        text = self.text.strip()
        self.load_text("")  # undo does not bring back what was sent
        self.post_message(self.Sent(text))

    def action_newline(self) -> None:
        """Begin a new line at the cursor, in the place of what is selected."""
        self.replace("\n", *self.selection, maintain_selection_offset=False)

    def action_recall(self) -> None:
        """In an empty prompt ask for what is queued; else go up a line."""
        if self.text:
            self.action_cursor_up()
        else:
            self.post_message(self.RecallQueued())

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.action_send()
        else:
            await super()._on_key(event)


class Prompt(Horizontal):
    """The prompt with its sign. Posts ``PromptArea.Sent``."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self.area = PromptArea(
            id="prompt-area", highlight_cursor_line=False, soft_wrap=True, tab_behavior="focus"
        )

    def compose(self) -> ComposeResult:
        """The sign and the area, which takes the focus."""
        yield Static("❯", id="prompt-sign", markup=False)
        yield self.area

    @property
    def draft(self) -> str:
        """What is written and not sent."""
        return self.area.text

    @draft.setter
    def draft(self, text: str) -> None:
        self.area.text = text
        self.area.move_cursor(self.area.document.end)

    def invite(self, text: str) -> None:
        """What an empty prompt says."""
        self.area.placeholder = Content(visible_line(text))
