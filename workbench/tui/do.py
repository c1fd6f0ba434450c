"""How a panel or screen has something done that is not its own business."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from workbench.tui.events import BreakRow, FaultRow, GrantRow


class Errand(Message):
    """Something to be done by whoever does it: the app hands every message of this kind to the desks."""


class Do(Errand):
    """The command with this id, as if its slash word had been sent with ``rest`` behind it."""

    def __init__(self, command: str, rest: str = "") -> None:
        super().__init__()
        self.command = command
        self.rest = rest


class TakeOut(Errand):
    """This grant, breakpoint or fault shall hold no longer."""

    def __init__(self, subject: GrantRow | BreakRow | FaultRow) -> None:
        super().__init__()
        self.subject = subject
