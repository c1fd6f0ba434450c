"""What holds among sessions: the list of them, going another way, comparing two."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command("sessions.resume", "sessions", ("enter",), "resume", "go on", "Go on with the session.", 1),
    Command("sessions.fork", "sessions", ("f",), "fork", "fork", "Go on in a copy; it stays as it is.", 2),
    Command(
        "sessions.compare", "sessions", ("c",), "compare", "compare", "Compare it with the present one.", 3
    ),
    Command("sessions.export", "sessions", ("x",), "export", "export", "Write it as Markdown.", 4),
    Command(
        "sessions.search", "sessions", ("slash",), "search", "search", "Look for a text in all of them.", 5
    ),
    Command("sessions.close", "sessions", ("escape",), "close", "close", "Go back.", 6),
    Command("what_if.go", "what_if", ("ctrl+s",), "go", "go on from here", "Go on as if it had been so.", 1),
    Command(
        "what_if.fails", "what_if", ("ctrl+t",), "fails", "fails", "Let the call fail with this, or not.", 2
    ),
    Command("what_if.close", "what_if", ("escape",), "close", "close", "Leave it as it was.", 3),
    Command(
        "branches.next", "branches", ("n",), "difference(1)", "next difference", "Go to the next one.", 1
    ),
    Command("branches.previous", "branches", ("N",), "difference(-1)", "before", "Go to the one before.", 2),
    Command("branches.close", "branches", ("escape",), "close", "close", "Go back.", 3),
)
