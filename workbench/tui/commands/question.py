"""What holds while a tool asks something."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command("question.answer", "question", ("enter",), "answer", "answer", "Give the line to the code.", 1),
    Command("question.end", "question", ("ctrl+d",), "end", "no more input", "Tell it that none comes.", 2),
    Command("question.stop", "question", ("escape",), "stop_turn", "stop the turn", "Stop the turn.", 3),
    Command("question.up", "question", ("up",), "scroll_text(-1)", "up", "Scroll the question up."),
    Command("question.down", "question", ("down",), "scroll_text(1)", "down", "Scroll the question down."),
    Command("question.page_up", "question", ("pageup",), "scroll_text(-5)", "page up", "The same, faster."),
    Command("question.page_down", "question", ("pagedown",), "scroll_text(5)", "page down", "The same."),
)
