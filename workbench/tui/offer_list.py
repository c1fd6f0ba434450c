"""The list above the prompt: what can be taken for the word that is being written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from workbench.tui.key_hints import hint
from workbench.tui.painted import Painted
from workbench.tui.palette import Palette
from workbench.tui.render import Span, clip, fit, row, spans_width
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.tui.completion import Offer, Offers

_ROWS: Final = 8
_ROWS_LOW: Final = 4
_EDGE: Final = 2
_ABOUT_FROM: Final = 48


class OfferList(Painted):
    """Lies above the conversation and moves nothing. Its cursor is on the first row until one moves it."""

    DEFAULT_CSS = Path(__file__).with_suffix(".tcss").read_text(encoding="utf-8")

    @dataclass
    class Chosen(Message):
        """A row was clicked; the cursor is on it."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self._cursor = 0
        self._top = 0
        self._moved = False
        self.offers: Offers | None = None
        self.display = False

    @property
    def current(self) -> Offer | None:
        """The row with the cursor."""
        items = self.offers.items if self.offers is not None else ()
        return items[self._cursor] if self._cursor < len(items) else None

    @property
    def enter_takes(self) -> bool:
        """Whether Enter means the row with the cursor, and not the message."""
        return self.current is not None and self.offers is not None and (self.offers.eager or self._moved)

    def show(self, offers: Offers | None) -> None:
        """Offer these, or nothing."""
        if offers is not None and not offers.items and not offers.note:
            offers = None
        if offers == self.offers:
            return
        self.offers = offers
        self._cursor, self._top, self._moved = 0, 0, False
        self.place()

    def move(self, step: int) -> None:
        """The row above or below; from the last one on to the first."""
        count = len(self.offers.items) if self.offers is not None else 0
        if count:
            self._moved = True
            self._cursor = (self._cursor + step) % count
            self._top = max(self._cursor - self._shown + 1, min(self._top, self._cursor))
            self.refresh()

    @property
    def _low(self) -> bool:
        return self.app.size.height < 16

    @property
    def _shown(self) -> int:
        count = len(self.offers.items) if self.offers is not None else 0
        return max(1, min(count, _ROWS_LOW if self._low else _ROWS))

    def place(self) -> None:
        """Stand right above the prompt, as wide as it."""
        self.display = self.offers is not None
        prompt = self.parent
        if self.offers is None or not isinstance(prompt, Widget):
            return
        height = self._shown + (0 if self._low else 1)
        self.styles.width = prompt.outer_size.width
        self.styles.height = height
        self.styles.offset = (-prompt.gutter.left, -height - prompt.gutter.top)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """A row to take, or the keys at the end."""
        width, offers = self.size.width, self.offers
        if offers is None:
            # a frame may still be painted before the list is gone
            return row([], width, self._palette, "raised")
        if y >= self._shown:
            return row(self._foot(offers, width), width, self._palette, "raised")
        index = self._top + y
        if index >= len(offers.items):
            return row([("  ", "muted"), (offers.note, "muted")], width, self._palette, "raised")
        chosen = index == self._cursor
        ground, bar = ("selected", "accent") if chosen else ("raised", None)
        spans = _offer_spans(offers, offers.items[index], width, "subtle" if chosen else "muted")
        return row(spans, width, self._palette, ground, bar=bar)

    def _foot(self, offers: Offers, width: int) -> list[Span]:
        keys: list[Span] = [("  ", "text")]
        if self.current is not None and self.current.runs and self.enter_takes:
            keys += hint("enter", "run", "   ")
        if offers.items:
            up, space = hint("up", "")
            keys += [*hint("tab", "take", "   "), up, space, *hint("down", "choose", "   ")]
        keys += hint("escape", "close")
        count = len(offers.items)
        place = f"{self._cursor + 1} of {count}" if count > self._shown else ""
        blanks = width - spans_width(keys) - len(place) - _EDGE
        return keys if blanks < 1 else [*keys, (" " * blanks, "text"), (place, "muted")]

    def on_click(self, event: events.Click) -> None:
        """Take the row under the mouse."""
        if event.y < self._shown:
            event.stop()
        items = self.offers.items if self.offers is not None else ()
        if event.y < self._shown and self._top + event.y < len(items):
            self._cursor = self._top + event.y
            self.post_message(self.Chosen())

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel moves among the rows."""
        event.stop()
        self.move(1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel moves among the rows."""
        event.stop()
        self.move(-1)


def _offer_spans(offers: Offers, offer: Offer, width: int, quiet: str) -> list[Span]:
    """One row; ``quiet`` is the key of what matters less."""
    room = width - 2 * _EDGE
    label = visible_line(offer.label)
    if offers.kind == "file":
        folder, slash, name = label.rpartition("/")
        # the name is what one looks for: a folder that finds no room is cut at its beginning
        over = cell_len(label) - room
        if over > 0:
            folder = "…" + folder[over + 1 :] if over < len(folder) else "…"
        return [("  ", "text"), (folder + slash, quiet), (clip(name, room), "text")]
    if offer.about and width >= _ABOUT_FROM:
        labels = [cell_len(visible_line(item.label)) for item in offers.items]
        column = min(max(labels, default=0) + 3, room // 2)
        about = clip(visible_line(offer.about), room - column)
        return [("  ", "text"), (fit(label, column), "text"), (about, quiet)]
    return [("  ", "text"), (clip(label, room), "text")]
