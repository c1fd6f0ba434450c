"""What holds in the lists that one opens to choose or to take back."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command("models.choose", "models", ("enter",), "choose", "choose", "Take the model, or unfold.", 1),
    Command("models.close", "models", ("escape",), "close", "close", "Keep the model.", 2),
    Command("models.up", "models", ("up",), "move(-1)", "up", "Go to the row above."),
    Command("models.down", "models", ("down",), "move(1)", "down", "Go to the row below."),
    Command("models.page_up", "models", ("pageup",), "page(-1)", "page up", "Go one screen up."),
    Command("models.page_down", "models", ("pagedown",), "page(1)", "page down", "Go one screen down."),
    Command("themes.choose", "themes", ("enter",), "choose", "keep", "Keep the theme.", 1),
    Command("themes.close", "themes", ("escape",), "close", "as before", "Keep the one before.", 2),
    Command("themes.up", "themes", ("up",), "move(-1)", "up", "Look at the theme above."),
    Command("themes.down", "themes", ("down",), "move(1)", "down", "Look at the theme below."),
    Command("themes.page_up", "themes", ("pageup",), "page(-1)", "page up", "Go one screen up."),
    Command("themes.page_down", "themes", ("pagedown",), "page(1)", "page down", "Go one screen down."),
    Command("grants.revoke", "grants", ("x", "delete"), "revoke", "take back", "Let the tool ask again.", 1),
    Command("grants.close", "grants", ("escape",), "close", "close", "Go back.", 2),
)
