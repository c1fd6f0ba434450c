"""The one table of commands: keys, hint line, palette, slash commands and help all come from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from textual.binding import Binding, BindingType

Scope = Literal[
    "app",
    "prompt",
    "conversation",
    "list",
    "trace",
    "tools",
    "approval",
    "inspector",
    "question",
    "models",
    "grants",
    "help",
]
"""Where a command holds: everywhere, or while that panel or screen has the focus."""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing that a person can do.

    ``keys`` are Textual key names, the first one is shown. ``label`` is one or two lower-case words for
    the hint line; ``help`` a sentence. ``hint`` orders the hint line (1 first; 0 is not shown there).
    ``slash`` is the word after ``/`` in the prompt, empty where there is none. ``palette`` lists it in
    the command palette. ``action`` is the Textual action that does it;
    where ``takes`` names an argument, the slash command hands it on. ``priority`` keys hold before those
    of the widget that has the focus.
    """

    id: str
    scope: Scope
    keys: tuple[str, ...]
    action: str
    label: str
    help: str
    hint: int = 0
    slash: str = ""
    palette: bool = False
    takes: str = ""
    priority: bool = False


TABLE: Final[tuple[Command, ...]] = (
    # everywhere
    Command(
        "app.stop", "app", ("escape",), "stop", "stop", "Stop the running turn.", palette=True, slash="stop"
    ),
    Command(
        "app.next_panel", "app", ("tab",), "next_panel", "next panel", "Move the focus to the next panel.", 80
    ),
    Command("app.previous_panel", "app", ("shift+tab",), "previous_panel", "previous panel", "Move it back."),
    Command("app.palette", "app", ("ctrl+p",), "command_palette", "palette", "Find any command by name.", 90),
    Command(
        "app.help",
        "app",
        ("f1",),
        "help",
        "help",
        "Show every key, grouped by where it holds.",
        91,
        "help",
        True,
    ),
    Command(
        "app.theme", "app", ("f4",), "change_theme", "theme", "Choose a theme.", slash="theme", palette=True
    ),
    Command(
        "app.model",
        "app",
        (),
        "model",
        "model",
        "Choose the model that answers from now on; /model NAME without the list.",
        slash="model",
        palette=True,
        takes="NAME",
    ),
    Command(
        "app.set",
        "app",
        (),
        "set",
        "parameters",
        "Show the model's parameters; /set temperature 0.2 sets one.",
        slash="set",
        palette=True,
        takes="NAME VALUE",
    ),
    Command(
        "app.grants",
        "app",
        (),
        "grants",
        "grants",
        "List what may run without asking, and take it back.",
        slash="grants",
        palette=True,
    ),
    Command("app.reset", "app", (), "reset", "new", "Start a new conversation.", slash="new", palette=True),
    Command(
        "app.reload",
        "app",
        ("f5",),
        "reload",
        "reload",
        "Load every tool file again.",
        slash="reload",
        palette=True,
    ),
    Command(
        "app.repaint", "app", ("ctrl+l",), "repaint", "repaint", "Draw the whole screen again.", palette=True
    ),
    Command(
        "app.interrupt",
        "app",
        ("ctrl+c",),
        "interrupt",
        "interrupt",
        "Copy what is selected, or clear the draft, or stop the turn, or leave.",
        priority=True,
    ),
    Command("app.quit", "app", ("ctrl+q",), "quit", "quit", "Leave Workbench.", slash="quit", palette=True),
    # prompt
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
    # conversation
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
    # any list of rows
    Command("list.up", "list", ("up", "k"), "cursor_up", "up", "Go to the row above."),
    Command("list.down", "list", ("down", "j"), "cursor_down", "down", "Go to the row below."),
    Command("list.page_up", "list", ("pageup",), "page_up", "page up", "Go one screen up."),
    Command("list.page_down", "list", ("pagedown",), "page_down", "page down", "Go one screen down."),
    Command("list.first", "list", ("home",), "first", "first", "Go to the first row."),
    Command("list.last", "list", ("end",), "last", "last", "Go to the last row."),
    # trace
    Command(
        "trace.inspect",
        "trace",
        ("enter",),
        "inspect",
        "inspect",
        "Show all of the entry; fold a turn or iteration.",
        1,
    ),
    Command("trace.fold", "trace", ("space",), "fold", "fold", "Fold or unfold the turn or iteration.", 2),
    Command("trace.follow", "trace", ("f",), "follow", "follow", "Keep the newest entry in view.", 3),
    Command("trace.next_error", "trace", ("e",), "next_error", "next error", "Go to the next error.", 4),
    Command("trace.previous_error", "trace", ("E",), "previous_error", "previous error", "Go back to one."),
    Command(
        "trace.filter",
        "trace",
        ("slash",),
        "filter",
        "filter",
        "Show only what fits: tool:search status:error >200ms, or any text.",
        5,
    ),
    Command("trace.unfilter", "trace", ("escape",), "unfilter", "show all", "Leave the filter."),
    Command("trace.close", "trace", ("left",), "close", "fold", "Fold, or go to what the row belongs to."),
    Command("trace.open", "trace", ("right",), "open", "unfold", "Unfold the turn or iteration."),
    # tools
    Command(
        "tools.toggle", "tools", ("space", "enter"), "switch", "on or off", "Switch the tool or group.", 1
    ),
    Command("tools.close", "tools", ("left",), "close", "fold", "Fold the group or the tool.", 2),
    Command(
        "tools.open", "tools", ("right",), "open", "unfold", "Unfold the group, or all about the tool.", 3
    ),
    # approval
    Command(
        "approval.run", "approval", ("y",), "approve", "run", "Run this call, go to the next undecided.", 1
    ),
    Command(
        "approval.reject", "approval", ("n",), "reject", "reject", "Reject it, go to the next undecided.", 2
    ),
    Command("approval.edit", "approval", ("e",), "edit", "edit", "Edit the arguments as JSON.", 3),
    Command(
        "approval.rest",
        "approval",
        ("escape",),
        "reject_rest",
        "reject rest",
        "Reject what is undecided, submit; the model goes on.",
        4,
    ),
    Command(
        "approval.reason", "approval", ("r",), "reason", "reason", "Reject with a reason for the model.", 5
    ),
    Command(
        "approval.always",
        "approval",
        ("a",),
        "always",
        "always…",
        "Remember, after showing what it covers.",
        6,
    ),
    Command(
        "approval.run_all", "approval", ("Y",), "approve_rest", "run all", "Run all that are undecided.", 7
    ),
    Command(
        "approval.reject_all",
        "approval",
        ("N",),
        "refuse_rest",
        "reject all",
        "Reject all that are undecided.",
        8,
    ),
    Command("approval.stop", "approval", ("x",), "stop_turn", "stop", "Reject everything, stop the turn.", 9),
    Command("approval.copy", "approval", ("c",), "copy", "copy", "Copy the arguments as JSON.", 10),
    Command(
        "approval.submit", "approval", ("enter",), "submit", "submit", "Submit once every call has a verdict."
    ),
    Command("approval.up", "approval", ("up", "k"), "move(-1)", "up", "Highlight the call above."),
    Command("approval.down", "approval", ("down", "j"), "move(1)", "down", "Highlight the call below."),
    Command("approval.left", "approval", ("left",), "turn_tab(-1)", "tab", "Show the tab on the left."),
    Command("approval.right", "approval", ("right",), "turn_tab(1)", "tab", "Show the tab on the right."),
    Command(
        "approval.line_up", "approval", ("ctrl+up",), "scroll_lines(-1)", "line up", "Scroll the tab up."
    ),
    Command(
        "approval.line_down",
        "approval",
        ("ctrl+down",),
        "scroll_lines(1)",
        "line down",
        "Scroll the tab down.",
    ),
    Command(
        "approval.page_up", "approval", ("pageup",), "scroll_pages(-1)", "page up", "A page up in the tab."
    ),
    Command(
        "approval.page_down",
        "approval",
        ("pagedown",),
        "scroll_pages(1)",
        "page down",
        "A page down in the tab.",
    ),
    Command("approval.top", "approval", ("home",), "scroll_pages(-999999)", "top", "The tab's first line."),
    Command("approval.end", "approval", ("end",), "scroll_pages(999999)", "end", "The tab's last line."),
    Command("approval.take", "approval", ("ctrl+s",), "take", "take", "While editing: take the arguments."),
    # question
    Command("question.answer", "question", ("enter",), "answer", "answer", "Give the line to the code.", 1),
    Command("question.end", "question", ("ctrl+d",), "end", "no more input", "Tell it that none comes.", 2),
    Command("question.stop", "question", ("escape",), "stop_turn", "stop the turn", "Stop the turn.", 3),
    Command("question.up", "question", ("up",), "scroll_text(-1)", "up", "Scroll the question up."),
    Command("question.down", "question", ("down",), "scroll_text(1)", "down", "Scroll the question down."),
    Command("question.page_up", "question", ("pageup",), "scroll_text(-5)", "page up", "The same, faster."),
    Command("question.page_down", "question", ("pagedown",), "scroll_text(5)", "page down", "The same."),
    # inspector
    Command("inspector.back", "inspector", ("escape",), "back", "back", "Go back to the trace.", 1),
    Command(
        "inspector.page", "inspector", ("tab", "right"), "next_page", "next tab", "Show the next tab.", 2
    ),
    Command(
        "inspector.page_back",
        "inspector",
        ("shift+tab", "left"),
        "previous_page",
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
    Command("inspector.copy", "inspector", ("y",), "copy", "copy", "Copy what the tab shows.", 6),
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
    # models
    Command("models.choose", "models", ("enter",), "choose", "choose", "Take the model, or unfold.", 1),
    Command("models.close", "models", ("escape",), "close", "close", "Keep the model.", 2),
    Command("models.up", "models", ("up",), "move(-1)", "up", "Go to the row above."),
    Command("models.down", "models", ("down",), "move(1)", "down", "Go to the row below."),
    Command("models.page_up", "models", ("pageup",), "page(-1)", "page up", "Go one screen up."),
    Command("models.page_down", "models", ("pagedown",), "page(1)", "page down", "Go one screen down."),
    # grants
    Command("grants.revoke", "grants", ("x", "delete"), "revoke", "take back", "Let the tool ask again.", 1),
    Command("grants.close", "grants", ("escape",), "close", "close", "Go back.", 2),
    # help
    Command("help.close", "help", ("escape", "f1"), "close", "close", "Go back.", 1),
    Command("help.up", "help", ("up",), "lines(-1)", "up", "Scroll one row up.", priority=True),
    Command("help.down", "help", ("down",), "lines(1)", "down", "Scroll one row down.", priority=True),
    Command(
        "help.page_up", "help", ("pageup",), "pages(-1)", "page up", "Scroll one screen up.", priority=True
    ),
    Command(
        "help.page_down",
        "help",
        ("pagedown",),
        "pages(1)",
        "page down",
        "Scroll one screen down.",
        priority=True,
    ),
    Command("help.first", "help", ("home",), "ends(0)", "first", "Scroll to the first row.", priority=True),
    Command("help.last", "help", ("end",), "ends(1)", "last", "Scroll to the last row.", priority=True),
)


def commands(scope: Scope) -> tuple[Command, ...]:
    """The table's rows for one scope, in the table's order."""
    return tuple(command for command in TABLE if command.scope == scope)


def bindings(scope: Scope) -> list[BindingType]:
    """Textual bindings for one scope; each carries the command's id, so that a keymap can move it."""
    return [
        Binding(
            ",".join(command.keys),
            command.action,
            command.label,
            id=command.id,
            show=False,
            tooltip=command.help,
            priority=command.priority,
        )
        for command in commands(scope)
        if command.keys
    ]


_KEY_NAMES: Final[dict[str, str]] = {
    "escape": "esc",
    "question_mark": "?",
    "slash": "/",
    "at": "@",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
}


def key_text(key: str) -> str:
    """A key as the screen shows it: ``^j``, ``esc``, ``f1``, ``shift+tab``."""
    if key.startswith("ctrl+"):
        return "^" + key.removeprefix("ctrl+")
    return _KEY_NAMES.get(key, key)


def hints(scopes: Iterable[Scope]) -> list[Command]:
    """The commands for the hint line of the scopes that hold now, most useful first."""
    held = [command for scope in scopes for command in commands(scope) if command.hint]
    return sorted(held, key=lambda command: command.hint)
