"""The text area of the prompt: Enter is taken from it, long pastes are one piece, the rest is Textual's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea
from textual.widgets.text_area import Location

from workbench.tui import pasted_paths
from workbench.tui.commands import bindings, commands
from workbench.tui.offer_list import OfferList
from workbench.tui.pastes import (
    FOLD_CHARACTERS,
    FOLD_LINES,
    UNFOLD_CHARACTERS,
    UNFOLD_LINES,
    Pastes,
    cleaned,
    is_long,
)
from workbench.tui.piece_area import PieceArea

Known = Callable[[str, bool], list[tuple[int, int]]]
"""Which parts of a line name something that there is; the flag says whether it is the first line."""


class PromptReport(Message):
    """What the prompt reports to whoever stands behind it."""


_OWN: Final = {key for row in commands("prompt") for key in row.keys}
_PANELS: Final = {"f6", "f7"}
"""Keys of Textual's text areas that lead to the next panel everywhere else, or would select by surprise."""


class PromptArea(PieceArea, inherit_bindings=False):
    """Where the message is written. ``offers`` is the list above, which has some keys while it is open."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("prompt"),
        *(
            key
            for key in TextArea.BINDINGS
            if isinstance(key, Binding) and not set(key.key.split(",")) & (_OWN | _PANELS)
        ),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"prompt-area--piece", "prompt-area--known"}

    @dataclass
    class Sent(Message):
        """The person sent ``text``, whole; ``seen`` is what stood in the prompt, with long pastes folded."""

        text: str
        seen: str

    @dataclass
    class Walked(PromptReport):
        """Up in the first line (``step`` -1) or down in the last one (1): the message before or after."""

        step: int

    @dataclass
    class Taken(Message):
        """The chosen row of the list shall be written; ``send``: and the message sent."""

        send: bool = False

    @dataclass
    class Closed(Message):
        """The list shall go away."""

    @dataclass
    class Wanted(PromptReport):
        """``history`` or ``editor`` shall come up."""

        what: str

    @dataclass
    class TooLong(PromptReport):
        """A piece is too long to be shown here."""

        piece: str

    @dataclass
    class PastedPath(PromptReport):
        """A text was pasted that may be the path of a picture; it begins at ``start``."""

        text: str
        start: tuple[int, int]

    def __init__(self, *, id: str | None = None, offers: OfferList | None = None) -> None:  # noqa: A002  # Textual's own name
        self.pastes = Pastes()
        self.known: Known | None = None
        self._offers = offers
        super().__init__(id=id, highlight_cursor_line=False, soft_wrap=True, tab_behavior="focus")

    @property
    def whole(self) -> str:
        """The text as it is sent: every piece is what was pasted."""
        return self.pastes.whole(self.text)

    @property
    def offering(self) -> bool:
        """Whether the list is open."""
        return self._offers is not None and bool(self._offers.display)

    def load_text(self, text: str) -> None:
        """Begin anew with a text; undo does not bring back what was here."""
        if not text:
            self.pastes.clear()
        super().load_text(text)

    # keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Tab and Esc are the list's while it is open, and mean something else otherwise."""
        return self.offering if action in ("take_offer", "close_offers") else True

    def action_send(self) -> None:
        """Hand the text over, without blank lines around it, and empty the area; or take from the list."""
        if self.offering and self._offers is not None and self._offers.enter_takes:
            offer = self._offers.current
            self.post_message(self.Taken(send=offer is not None and offer.runs))
            return
        text, seen = self.whole.strip(), self.text.strip()
        self.load_text("")
        self.post_message(self.Sent(text, seen))

    def action_newline(self) -> None:
        """Begin a new line at the cursor, in the place of what is selected."""
        self.replace("\n", *self.selection, maintain_selection_offset=False)

    def action_older(self) -> None:
        """A row up in the list or in the text; from the first line to the message before."""
        if self.offering and self._offers is not None:
            self._offers.move(-1)
        elif self.cursor_at_first_line and self.selection.is_empty:
            self.post_message(self.Walked(-1))
        else:
            self.action_cursor_up()

    def action_newer(self) -> None:
        """A row down in the list or in the text; from the last line to the message after."""
        if self.offering and self._offers is not None:
            self._offers.move(1)
        elif self.cursor_at_last_line and self.selection.is_empty:
            self.post_message(self.Walked(1))
        else:
            self.action_cursor_down()

    def action_want(self, what: str) -> None:
        """Have the history or the editor come up."""
        self.post_message(self.Wanted(what))

    def action_take_offer(self) -> None:
        """Write the chosen row of the list."""
        self.post_message(self.Taken())

    def action_close_offers(self) -> None:
        """Close the list."""
        self.post_message(self.Closed())

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.action_send()
        else:
            await super()._on_key(event)

    # pastes

    def paste(self, text: str) -> None:
        """Insert a text at the cursor; a long one as one piece."""
        text = cleaned(text)
        if is_long(text, FOLD_LINES, FOLD_CHARACTERS):
            text = self.pastes.fold(text)
        start = min(self.selection)
        self.replace(text, *self.selection, maintain_selection_offset=False)
        if pasted_paths.may_be_image(text):
            self.post_message(self.PastedPath(text, start))

    def name_file(self, pasted: PastedPath, mention: str) -> None:
        """Write how a file is named in the place of its path, if that still stands where it was pasted."""
        row, column = pasted.start
        line = self.document.get_line(row) if row < self.document.line_count else ""
        end = column + len(pasted.text)
        if line[column:end] == pasted.text:
            apart = "" if line[:column].rstrip(" ([{,;:") != line[:column] or not column else " "
            self.replace(apart + mention, (row, column), (row, end))

    def action_paste(self) -> None:
        """Insert what the app's own clipboard holds."""
        self.paste(self.app.clipboard)

    def action_unfold(self) -> None:
        """Show the piece at the cursor whole, or fold it again; away from all, the first one there is."""
        if self._fold():
            return
        piece = self.piece_near(self.cursor_location)
        if piece is not None:
            self._unfold(*piece)

    def _fold(self) -> bool:
        """Fold the text at the cursor that was unfolded, if there is one."""
        for text in self.pastes.texts:
            at = self.text.find(text)
            while at >= 0:
                start, end = _location(self.text, at), _location(self.text, at + len(text))
                if start <= self.cursor_location <= end:
                    self.replace(self.pastes.fold(text), start, end, maintain_selection_offset=False)
                    return True
                at = self.text.find(text, at + len(text))
        return False

    def _unfold(self, row: int, start: int, end: int) -> None:
        piece = self.document.get_line(row)[start:end]
        text = self.pastes.text(piece)
        if is_long(text, UNFOLD_LINES, UNFOLD_CHARACTERS):
            self.post_message(self.TooLong(piece))
        else:
            self.replace(text, (row, start), (row, end), maintain_selection_offset=False)

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.paste(event.text)

    def on_click(self, event: events.Click) -> None:
        """A click on a piece shows it whole."""
        row, column = self.get_target_document_location(event)
        for start, end in self.pastes.spans(self.document.get_line(row)):
            if start < column < end:
                self._unfold(row, start, end)
                return

    def pieces(self, line: str) -> list[tuple[int, int]]:
        """Where in a line folded pastes stand."""
        return self.pastes.spans(line)

    # looks

    def restyle(self) -> None:
        """What is known, or how it looks, is another thing now."""
        self.notify_style_update()
        self.refresh()

    def get_line(self, line_index: int) -> Text:
        """A line, with its pieces and what it names set off."""
        text = super().get_line(line_index)
        piece = self.get_component_rich_style("prompt-area--piece")
        for start, end in self.pastes.spans(text.plain):
            text.stylize(piece, start, end)
        if self.known is not None:
            known = self.get_component_rich_style("prompt-area--known")
            for start, end in self.known(text.plain, line_index == 0):
                text.stylize(known, start, end)
        return text


def _location(text: str, at: int) -> Location:
    """Row and column of a place in a text."""
    return text.count("\n", 0, at), at - (text.rfind("\n", 0, at) + 1)
