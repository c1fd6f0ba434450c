"""What holds in the inspector."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command("inspector.back", "inspector", ("escape",), "back", "back", "Go back to the trace.", 1),
    Command(
        "inspector.page", "inspector", ("tab", "right"), "next_page", "next tab", "Show the next tab.", 2
    ),
    Command(
        "inspector.page_back",
        "inspector",
        ("shift+tab", "left"),
        "previous_page",
        "previous tab",
        "Show the tab before.",
    ),
    Command("inspector.next", "inspector", ("j",), "next_entry", "next", "Show the next entry.", 3),
    Command(
        "inspector.previous", "inspector", ("k",), "previous_entry", "previous", "Show the entry before.", 4
    ),
    Command("inspector.search", "inspector", ("slash",), "search", "search", "Look for a text in it.", 5),
    Command("inspector.next_match", "inspector", ("n",), "match(1)", "next match", "Go to the next match."),
    Command("inspector.previous_match", "inspector", ("N",), "match(-1)", "match before", "Go back to one."),
    Command("inspector.copy", "inspector", ("y",), "copy", "copy", "Copy what the tab shows.", 6),
    Command("inspector.up", "inspector", ("up",), "lines(-1)", "up", "Scroll up."),
    Command("inspector.down", "inspector", ("down",), "lines(1)", "down", "Scroll down."),
    Command("inspector.page_up", "inspector", ("pageup",), "screens(-1)", "page up", "Scroll one screen up."),
    Command(
        "inspector.page_down",
        "inspector",
        ("pagedown",),
        "screens(1)",
        "page down",
        "Scroll one screen down.",
    ),
    Command("inspector.first", "inspector", ("home",), "ends(0)", "first", "Scroll to the first line."),
    Command("inspector.last", "inspector", ("end",), "ends(1)", "last", "Scroll to the last line."),
)
