"""What holds in the help."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command("help.close", "help", ("escape", "f1"), "close", "close", "Go back.", 1),
    Command("help.up", "help", ("up",), "lines(-1)", "up", "Scroll one row up.", priority=True),
    Command("help.down", "help", ("down",), "lines(1)", "down", "Scroll one row down.", priority=True),
    Command(
        "help.page_up", "help", ("pageup",), "pages(-1)", "page up", "Scroll one screen up.", priority=True
    ),
    Command(
        "help.page_down",
        "help",
        ("pagedown",),
        "pages(1)",
        "page down",
        "Scroll one screen down.",
        priority=True,
    ),
    Command("help.first", "help", ("home",), "ends(0)", "first", "Scroll to the first row.", priority=True),
    Command("help.last", "help", ("end",), "ends(1)", "last", "Scroll to the last row.", priority=True),
)
