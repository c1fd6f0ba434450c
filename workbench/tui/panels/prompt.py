"""The message being written: several lines, Enter sends, ctrl+j begins a new one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from workbench.tui.offer_list import OfferList
from workbench.tui.palette import Palette
from workbench.tui.pastes import is_long
from workbench.tui.prompt_area import PromptArea, PromptReport
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.tui.completion import Completer

_DRAFT_LINES = 500
_DRAFT_CHARACTERS = 50_000


class Prompt(Horizontal):
    """The prompt with its sign and the list of what can be taken. Posts ``PromptArea.Sent``."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")

    @dataclass
    class Edited(PromptReport):
        """The draft is another one; ``wants_files``: a file is being named and can be completed."""

        wants_files: bool

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self.offers = OfferList(palette)
        self.area = PromptArea(id="prompt-area", offers=self.offers)
        self.completer: Completer | None = None
        self._invitation = ("", "")
        self._placed: str | None = None
        self._closed_at: tuple[int, int] | None = None

    def compose(self) -> ComposeResult:
        """The list, the sign, and the area, which takes the focus."""
        yield self.offers
        yield Static("❯", id="prompt-sign", markup=False)
        yield self.area

    @property
    def palette(self) -> Palette:
        """The colours of the list."""
        return self.offers.palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self.offers.palette = palette
        self.area.restyle()

    @property
    def draft(self) -> str:
        """What is written and not sent, whole."""
        return self.area.whole

    @draft.setter
    def draft(self, text: str) -> None:
        self.area.load_text("")
        if is_long(text, _DRAFT_LINES, _DRAFT_CHARACTERS):
            text = self.area.pastes.fold(text)
        self._placed = text
        self.area.text = text
        self.area.move_cursor(self.area.document.end)
        self.offers.show(None)

    def invite(self, text: str, hint: str = "") -> None:
        """What an empty prompt says; ``hint`` only where there is room for all of it."""
        self._invitation = visible_line(text), hint
        self._show_invitation()

    def _show_invitation(self) -> None:
        text, hint = self._invitation
        whole = f"{text}   {hint}" if hint else text
        self.area.placeholder = Content(whole if cell_len(whole) < self.area.size.width else text)

    # what can be taken

    def on_text_area_changed(self) -> None:
        """Offer what fits now."""
        self._placed = self._placed if self.area.text == self._placed else None
        self.offer()
        offers = self.offers.offers
        self.post_message(self.Edited(offers is not None and offers.kind == "file"))

    def on_text_area_selection_changed(self) -> None:
        """Offer what fits where the cursor is."""
        self.offer()

    def on_prompt_area_closed(self, message: PromptArea.Closed) -> None:
        """The person wants none of it; the next word may be offered something again."""
        message.stop()
        if self.offers.offers is not None:
            self._closed_at = (self.area.cursor_location[0], self.offers.offers.start)
        self.offers.show(None)

    def on_prompt_area_taken(self, message: PromptArea.Taken) -> None:
        """Write what was chosen in the place of the word."""
        message.stop()
        offers, offer = self.offers.offers, self.offers.current
        if offers is None or offer is None:
            return
        row, column = self.area.cursor_location
        text = offer.text
        if self.area.document.get_line(row)[column : column + 1].isspace():
            text = text.removesuffix(" ")
        self.area.replace(text, (row, offers.start), (row, column), maintain_selection_offset=False)
        self.offers.show(None)
        if message.send:
            # as the area itself: a message that its parent posts for it goes no further than the parent
            self.area.call_next(self.area.action_send)

    def on_offer_list_chosen(self, message: OfferList.Chosen) -> None:
        """A click takes, as Tab does."""
        message.stop()
        self.area.action_take_offer()
        self.area.focus()

    def offer(self) -> None:
        """Bring the list in line with what is written before the cursor."""
        row, column = self.area.cursor_location
        offers = None
        written = self.completer is not None and self._placed is None and self.area.selection.is_empty
        if written and self.completer is not None:
            line = self.area.document.get_line(row)
            if not line[column : column + 1].strip():
                offers = self.completer.offers(line[:column], first=row == 0)
        if offers is None or (row, offers.start) != self._closed_at:
            self._closed_at = None if offers is None else self._closed_at
            self.offers.show(offers)

    def on_resize(self, event: events.Resize) -> None:
        """The list stays right above; the hint of the empty prompt needs room."""
        self.offers.place()
        self._show_invitation()
