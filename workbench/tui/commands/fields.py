"""What holds in the fields and choices of a screen, while one is filled in."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command("field.take", "field", ("ctrl+s",), "take", "take", "Take what is written.", priority=True),
    Command("field.unfold", "field", ("ctrl+o",), "unfold", "unfold", "Show a folded text whole."),
    Command("field.leave", "field", ("escape",), "leave", "leave", "Leave it; nothing changes."),
    Command(
        "filter.complete", "filter", ("tab",), "complete(1)", "complete", "Complete the word; again: another."
    ),
    Command(
        "filter.complete_back", "filter", ("shift+tab",), "complete(-1)", "one back", "The completion before."
    ),
    Command("form.next", "values", ("tab", "enter"), "next_field", "next field", "Go to the next field.", 3),
    Command("form.previous", "values", ("shift+tab",), "previous_field", "before", "Go back."),
    Command("form.null", "values", ("ctrl+n",), "null", "null", "Let the field be null, or empty again.", 5),
    Command("form.remove", "values", ("ctrl+r",), "remove", "take out", "Take the item out of its list.", 6),
    Command("form.undo", "values", ("ctrl+z",), "undo", "undo", "Take the last change back.", 8),
    Command("form.switch", "values", ("ctrl+t",), "switch", "JSON", "Show JSON instead of fields.", 7),
    Command("form.add", "adder", ("enter", "space"), "add", "add one", "Add an item to the list."),
    Command("option.before", "option", ("left",), "choose(-1)", "before", "Choose the one before."),
    Command("option.after", "option", ("right", "space"), "choose(1)", "after", "Choose the next one."),
    Command("always.before", "choice", ("left", "h"), "turn(-1)", "before", "Choose the word before."),
    Command("always.after", "choice", ("right", "l"), "turn(1)", "after", "Choose the next word."),
    Command("always.confirm", "always", ("enter",), "confirm", "confirm", "Remember what is proposed."),
    Command("always.up", "always", ("up",), "step(-1)", "up", "Go to the field above."),
    Command("always.down", "always", ("down",), "step(1)", "down", "Go to the field below."),
)
