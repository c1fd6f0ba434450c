"""How a panel or screen has a command of the table done, or something taken back."""

from __future__ import annotations

from textual.message import Message

from workbench.tui.events import BreakRow, FaultRow, GrantRow


class Do(Message):
    """The command with this id, as if its slash word had been sent with ``rest`` behind it."""

    def __init__(self, command: str, rest: str = "") -> None:
        super().__init__()
        self.command = command
        self.rest = rest


class TakeOut(Message):
    """This grant, breakpoint or fault shall hold no longer."""

    def __init__(self, subject: GrantRow | BreakRow | FaultRow) -> None:
        super().__init__()
        self.subject = subject
