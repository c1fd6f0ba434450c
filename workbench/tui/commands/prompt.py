"""What holds in the prompt."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command("prompt.send", "prompt", ("enter",), "send", "send", "Send the message.", 1),
    Command("prompt.newline", "prompt", ("ctrl+j",), "newline", "newline", "Begin a new line.", 2),
    Command(
        "prompt.recall",
        "prompt",
        ("up",),
        "recall",
        "recall",
        "In an empty prompt: take back what is queued.",
    ),
)
