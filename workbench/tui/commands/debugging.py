"""What holds at a pause, and in the lists of breakpoints and faults."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command("pause.go_on", "pause", ("enter", "c"), "go_on", "continue", "Go on with what is shown.", 1),
    Command("pause.step", "pause", ("s",), "step", "step", "Go on, and pause at the next call.", 2),
    Command("pause.edit", "pause", ("e",), "edit", "edit arguments", "Edit the arguments.", 3),
    Command(
        "pause.skip",
        "pause",
        ("k",),
        "skip",
        "made-up result",
        "Answer with a made-up result; it does not run.",
        4,
    ),
    Command(
        "pause.result", "pause", ("r",), "edit_result", "edit result", "Edit what the model will read.", 4
    ),
    Command(
        "pause.again", "pause", ("a",), "again", "run again", "Run the call once more, and pause again.", 5
    ),
    Command(
        "pause.earlier",
        "pause",
        ("R",),
        "earlier",
        "earlier call",
        "Choose a call of the trace; it runs again once the turn is over.",
    ),
    Command(
        "pause.stop",
        "pause",
        ("escape", "x"),
        "back",
        "stop",
        "Stop the turn; what is marked or looked for goes first.",
        6,
    ),
    Command("pause.page", "pause", ("tab", "right"), "page(1)", "next tab", "Show the next tab.", 7),
    Command(
        "pause.page_back", "pause", ("shift+tab", "left"), "page(-1)", "tab before", "Show the tab before."
    ),
    Command("pause.search", "pause", ("slash",), "search", "search", "Look for a text in it.", 8),
    Command("pause.next_match", "pause", ("n",), "match(1)", "next match", "Go to the next match."),
    Command("pause.previous_match", "pause", ("N",), "match(-1)", "match before", "Go back to one."),
    Command("pause.source", "pause", ("o",), "source", "source", "Open the source in your editor.", 9),
    Command(
        "pause.copy", "pause", ("y",), "copy", "copy", "Copy what is marked, the value, or else the tab.", 10
    ),
    Command("pause.mark", "pause", ("v",), "mark", "mark", "Mark lines, to be copied."),
    Command("pause.view", "pause", ("f",), "view", "view", "Show it in another way: table, tree, text."),
    Command("pause.fold", "pause", ("space",), "fold", "fold", "Fold or unfold a value."),
    Command("pause.up", "pause", ("up",), "lines(-1)", "up", "Scroll up."),
    Command("pause.down", "pause", ("down",), "lines(1)", "down", "Scroll down."),
    Command("pause.page_up", "pause", ("pageup",), "screens(-1)", "page up", "Scroll one screen up."),
    Command("pause.page_down", "pause", ("pagedown",), "screens(1)", "page down", "Scroll one screen down."),
    Command("pause.first", "pause", ("home",), "ends(0)", "first", "Scroll to the first line."),
    Command("pause.last", "pause", ("end",), "ends(1)", "last", "Scroll to the last line."),
    Command("earlier.choose", "earlier", ("enter",), "choose", "run after the turn", "Run it later.", 1),
    Command("earlier.close", "earlier", ("escape",), "close", "close", "Go back to the pause.", 2),
    Command("earlier.up", "earlier", ("up",), "move(-1)", "up", "Go to the row above."),
    Command("earlier.down", "earlier", ("down",), "move(1)", "down", "Go to the row below."),
    Command("earlier.page_up", "earlier", ("pageup",), "page(-1)", "page up", "Go one screen up."),
    Command("earlier.page_down", "earlier", ("pagedown",), "page(1)", "page down", "Go one screen down."),
    Command(
        "breakpoints.toggle",
        "breakpoints",
        ("space", "enter"),
        "switch",
        "on or off",
        "Set the breakpoint, switch it on or off.",
        1,
    ),
    Command("breakpoints.remove", "breakpoints", ("x", "delete"), "take_out", "take out", "Remove it.", 2),
    Command("breakpoints.condition", "breakpoints", ("c",), "condition", "condition", "Type a condition.", 3),
    Command("breakpoints.close", "breakpoints", ("escape",), "close", "close", "Go back.", 4),
    Command("fault.put", "fault", ("enter",), "put", "put it in", "Put the fault into the calls.", 1),
    Command("fault.times", "fault", ("t",), "times", "how often", "In all calls, in one, in three.", 2),
    Command("fault.words", "fault", ("e",), "words", "edit", "Write it in other words.", 3),
    Command("fault.remove", "fault", ("x", "delete"), "take_out", "take out", "Take the fault out.", 4),
    Command("fault.close", "fault", ("escape",), "close", "close", "Go back; nothing changes.", 5),
)
