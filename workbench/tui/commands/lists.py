"""What holds in any list of rows."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command("list.up", "list", ("up", "k"), "cursor_up", "up", "Go to the row above."),
    Command("list.down", "list", ("down", "j"), "cursor_down", "down", "Go to the row below."),
    Command("list.page_up", "list", ("pageup",), "page_up", "page up", "Go one screen up."),
    Command("list.page_down", "list", ("pagedown",), "page_down", "page down", "Go one screen down."),
    Command("list.first", "list", ("home",), "first", "first", "Go to the first row."),
    Command("list.last", "list", ("end",), "last", "last", "Go to the last row."),
)
