"""What holds in the tools panel."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command(
        "tools.toggle",
        "tools",
        ("space", "enter"),
        "switch",
        "on or off",
        "Switch the tool or group; read what another row says, whole.",
        1,
    ),
    Command("tools.call", "tools", ("c",), "call", "call", "Call the tool by hand, through a form.", 4),
    Command("tools.break", "tools", ("b",), "break", "break", "Set breakpoints of the tool.", 5),
    Command("tools.fault", "tools", ("f",), "fault", "fault", "Let the tool misbehave on purpose.", 6),
    Command(
        "tools.again", "tools", ("R",), "again", "run again", "Run every call of the tool so far again.", 7
    ),
    Command(
        "tools.take_out",
        "tools",
        ("x", "delete"),
        "take_out",
        "take out",
        "Take back the grant, breakpoint or fault in the row.",
    ),
    Command("tools.filter", "tools", ("slash",), "filter", "filter", "Show only the tools that fit.", 8),
    Command("tools.unfilter", "tools", ("escape",), "unfilter", "show all", "Leave the filter."),
    Command("tools.close", "tools", ("left",), "close", "fold", "Fold the group or the tool.", 2),
    Command(
        "tools.open", "tools", ("right",), "open", "unfold", "Unfold the group, or all about the tool.", 3
    ),
    Command("tool.back", "tool", ("escape", "enter"), "back", "back", "Go back to the tools.", 1),
    Command("tool.copy", "tool", ("y",), "copy", "copy", "Copy all that is said here.", 2),
    Command("tool.up", "tool", ("up", "k"), "lines(-1)", "up", "Scroll up."),
    Command("tool.down", "tool", ("down", "j"), "lines(1)", "down", "Scroll down."),
    Command("tool.page_up", "tool", ("pageup",), "screens(-1)", "page up", "Scroll one screen up."),
    Command("tool.page_down", "tool", ("pagedown",), "screens(1)", "page down", "Scroll one screen down."),
    Command("tool.first", "tool", ("home",), "ends(0)", "first", "Scroll to the first line."),
    Command("tool.last", "tool", ("end",), "ends(1)", "last", "Scroll to the last line."),
)
