"""What holds in the inspector."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command("inspector.back", "inspector", ("escape",), "back", "back", "Go back to the trace.", 1),
    Command("inspector.page", "inspector", ("tab", "right"), "page(1)", "next tab", "Show the next tab.", 2),
    Command(
        "inspector.page_back",
        "inspector",
        ("shift+tab", "left"),
        "page(-1)",
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
    Command(
        "inspector.copy",
        "inspector",
        ("y",),
        "copy",
        "copy",
        "Copy what is marked, the value under the cursor, or else the tab.",
        6,
    ),
    Command("inspector.copy_all", "inspector", ("Y",), "copy_all", "copy all", "Copy all of the tab."),
    Command("inspector.mark", "inspector", ("v",), "mark", "mark", "Mark lines, to be copied."),
    Command(
        "inspector.view", "inspector", ("f",), "view", "view", "Show it in another way: table, tree, text.", 7
    ),
    Command("inspector.fold", "inspector", ("enter", "space"), "fold", "fold", "Fold or unfold a value."),
    Command("inspector.again", "inspector", ("R",), "again", "run again", "Run the call again.", 8),
    Command(
        "inspector.again_edited",
        "inspector",
        ("e", "A"),
        "again_edited",
        "again, edited",
        "Run the call again with other arguments.",
        9,
    ),
    Command(
        "inspector.save_test",
        "inspector",
        ("t",),
        "save_test",
        "save as test",
        "Write a pytest of the call.",
        10,
    ),
    Command(
        "inspector.source", "inspector", ("o",), "source", "source", "Open the source in your editor.", 11
    ),
    Command(
        "inspector.what_if", "inspector", ("w",), "what_if", "what if", "Go on as if it had ended otherwise."
    ),
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
