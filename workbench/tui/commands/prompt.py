"""What holds in the prompt, and in the list of what was sent before."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command("prompt.send", "prompt", ("enter",), "send", "send", "Send the message.", 1),
    Command("prompt.newline", "prompt", ("ctrl+j",), "newline", "newline", "Begin a new line.", 2),
    Command(
        "prompt.older",
        "prompt",
        ("up",),
        "older",
        "before",
        "From the first line: take back what is queued, else go to the message sent before.",
    ),
    Command(
        "prompt.newer", "prompt", ("down",), "newer", "after", "From the last line: back towards the draft."
    ),
    Command(
        "prompt.history",
        "prompt",
        ("ctrl+r",),
        "want('history')",
        "history",
        "Look for a message that was sent before, in this project.",
        3,
    ),
    Command(
        "prompt.editor",
        "prompt",
        ("ctrl+g",),
        "want('editor')",
        "editor",
        "Write the message in your editor: VISUAL or EDITOR.",
        4,
    ),
    Command(
        "prompt.unfold",
        "prompt",
        ("ctrl+o",),
        "unfold",
        "unfold",
        "Show the pasted text at the cursor whole, or fold it again.",
    ),
    Command(
        "prompt.undo", "prompt", ("ctrl+underscore",), "undo", "undo", "Undo the last change of the draft."
    ),
    Command(
        "prompt.take",
        "prompt",
        ("tab",),
        "take_offer",
        "take",
        "While files or commands are offered: take the marked one.",
    ),
    Command(
        "prompt.close", "prompt", ("escape",), "close_offers", "close", "Close the list of what is offered."
    ),
    Command("history.choose", "history", ("enter",), "choose", "take", "Take it into the prompt.", 1),
    Command("history.close", "history", ("escape",), "close", "close", "Leave the draft as it is.", 2),
    Command("history.older", "history", ("up",), "move(-1)", "up", "Go to the row above."),
    Command("history.newer", "history", ("down",), "move(1)", "down", "Go to the row below."),
    Command("history.next", "history", ("ctrl+r",), "move(1)", "next", "Go to the next that fits."),
    Command("history.page_up", "history", ("pageup",), "page(-1)", "page up", "Go one screen up."),
    Command("history.page_down", "history", ("pagedown",), "page(1)", "page down", "Go one screen down."),
)
