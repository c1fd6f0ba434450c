"""What the person sent: their own words, the files that were attached, what was added for the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from workbench.engine.images import ImageFacts
from workbench.tui.attachments import Attachment, split
from workbench.tui.pastes import is_long
from workbench.tui.transcript.blocks import PROMPT_LEAD, TEXT_LEAD, Block
from workbench.tui.transcript.code import pieces
from workbench.tui.transcript.line import Line
from workbench.visible import visible, visible_line

_LONG_LINES: Final = 30
_LONG_CHARACTERS: Final = 4_000
_SHOWN_LINES: Final = 12
_SHOWN_CHARACTERS: Final = 1_500


class UserMessage(Block):
    """Shows a short message whole. A long one, and the text of attached files, are folded with their size.

    ``note`` is what was added for the model, ``images`` are the pictures that went with it, each a line.
    Nothing else is left out: unfolded, all that was sent is shown.
    """

    background = "raised"
    kind = "message"
    folds = True

    def __init__(self, prompt: str, note: str = "", images: Sequence[ImageFacts] = ()) -> None:
        super().__init__()
        self._prompt = prompt
        message, self._attachments = split(prompt)
        self._message = visible(message)
        self._note = visible(note)
        self._images = [(visible_line(facts.name), " ".join(facts.parts)) for facts in images]
        self._long = is_long(self._message, _LONG_LINES, _LONG_CHARACTERS)
        self.foldable = self._long or any(not attached.refused for attached in self._attachments)
        self.stop = self.foldable
        self._folds: set[int] = set()

    def toggle(self) -> None:
        """Show all that was sent, or fold what is long."""
        self.expanded = not self.expanded
        self.forget()

    def opens_at(self, row: int) -> bool:
        """Whether a click on this row, counted from the first, folds or unfolds."""
        return 0 <= row < len(self.rows) and self.rows[row][0] in self._folds

    def build(self, width: int, fresh: bool) -> int:
        """All lines, or those that are shown while it is folded."""
        self.lines, self._folds = [], set()
        self._build_message()
        for name, facts in self._images:
            self._line(f"▣ {name}  {facts}", "muted")
        for attached in self._attachments:
            self._build_attachment(attached)
        if self._note:
            self.lines += [
                Line(part, key="muted", lead=TEXT_LEAD, hang=TEXT_LEAD) for part in self._note.split("\n")
            ]
        return 0

    def _build_message(self) -> None:
        text, total = self._message, self._message.count("\n") + 1
        folded = self._long and not self.expanded
        if folded:
            text = "\n".join(text[:_SHOWN_CHARACTERS].split("\n")[:_SHOWN_LINES])
        for index, part in enumerate(text.split("\n")):
            self._add(part, "text", first=not index)
        if self._long:
            more = total - text.count("\n") - 1
            left = len(self._message) - len(text)
            size = f"{more:,} more lines" if more else f"{left:,} more characters"
            self._fold(size if folded else "all of it")

    def _build_attachment(self, attached: Attachment) -> None:
        path = visible(attached.path)
        if attached.refused:
            reason = visible(attached.refused)
            self._line(f"– {path}  not attached: {reason}", "warning")
            return
        size = f"{len(attached.text):,} character{'s' * (len(attached.text) != 1)}"
        self._fold(f"{path}  {size} attached")
        if self.expanded:
            for part in visible(attached.text).split("\n"):
                self._add(part, "subtle", wrap=True)

    def _add(self, part: str, key: str, *, first: bool = False, wrap: bool = False) -> None:
        for text, joined in pieces(part):
            lead = PROMPT_LEAD if first and not joined else TEXT_LEAD
            self.lines.append(
                Line(text, (), key, lead, TEXT_LEAD, wrap="cells" if wrap else "words", joined=joined)
            )

    def _fold(self, text: str) -> None:
        self._folds.add(len(self.lines))
        self._line(("▾ " if self.expanded else "▸ ") + text, "muted")

    def _line(self, text: str, key: str) -> None:
        self.lines.append(Line(text, (), key, TEXT_LEAD, TEXT_LEAD))

    def size(self) -> tuple[int, int]:
        """A guess before it is built."""
        attached = len(self._attachments) + len(self._images)
        if not self.expanded:
            characters = min(len(self._message), _SHOWN_CHARACTERS) if self._long else len(self._message)
            lines = self._message.count("\n") + 1
            return characters, (min(lines, _SHOWN_LINES) + 1 if self._long else lines) + attached
        texts = [self._message, *(each.text for each in self._attachments)]
        return sum(map(len, texts)), sum(text.count("\n") + 1 for text in texts) + attached

    def source(self) -> str:
        """All that was sent, folded or not."""
        pictures = [f"{name}  {facts}" for name, facts in self._images]
        return "\n".join([visible(self._prompt), *pictures, *([self._note] if self._note else [])])
