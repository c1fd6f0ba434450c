"""What holds in the tools panel."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command(
        "tools.toggle", "tools", ("space", "enter"), "switch", "on or off", "Switch the tool or group.", 1
    ),
    Command("tools.close", "tools", ("left",), "close", "fold", "Fold the group or the tool.", 2),
    Command(
        "tools.open", "tools", ("right",), "open", "unfold", "Unfold the group, or all about the tool.", 3
    ),
)
