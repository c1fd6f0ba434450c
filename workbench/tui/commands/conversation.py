"""What holds in the conversation."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command(
        "conversation.expand", "conversation", ("enter",), "expand", "expand", "Show or fold the call.", 1
    ),
    Command(
        "conversation.expand_all",
        "conversation",
        ("ctrl+o",),
        "expand_all",
        "all",
        "Show or fold all calls.",
        2,
    ),
    Command(
        "conversation.previous",
        "conversation",
        ("k",),
        "previous_stop",
        "previous",
        "Go to the call above.",
        3,
    ),
    Command("conversation.next", "conversation", ("j",), "next_stop", "next", "Go to the call below.", 4),
    Command(
        "conversation.copy",
        "conversation",
        ("c",),
        "copy_block",
        "copy",
        "Copy the call or the code here.",
        5,
    ),
    Command(
        "conversation.copy_answer",
        "conversation",
        ("C",),
        "copy_answer",
        "copy answer",
        "Copy the whole answer in view, as Markdown.",
    ),
    Command(
        "conversation.search", "conversation", ("slash",), "search", "search", "Look for a text in it.", 6
    ),
    Command(
        "conversation.previous_turn",
        "conversation",
        ("left_square_bracket",),
        "previous_turn",
        "turn before",
        "Go to your message above.",
    ),
    Command(
        "conversation.next_turn",
        "conversation",
        ("right_square_bracket",),
        "next_turn",
        "next turn",
        "Go to your message below.",
    ),
    Command("conversation.up", "conversation", ("up",), "scroll_up", "up", "Scroll one row up."),
    Command("conversation.down", "conversation", ("down",), "scroll_down", "down", "Scroll one row down."),
    Command(
        "conversation.page_up", "conversation", ("pageup",), "page_up", "page up", "Scroll one screen up."
    ),
    Command(
        "conversation.page_down",
        "conversation",
        ("pagedown",),
        "page_down",
        "page down",
        "Scroll one screen down.",
    ),
    Command(
        "conversation.first", "conversation", ("home",), "scroll_home", "first", "Scroll to the beginning."
    ),
    Command(
        "conversation.last",
        "conversation",
        ("end",),
        "scroll_end",
        "last",
        "Scroll to the end and stay there.",
    ),
)
