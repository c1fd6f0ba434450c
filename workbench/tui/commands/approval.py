"""What holds while a batch waits for a decision."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command(
        "approval.run", "approval", ("y",), "approve", "run", "Run this call, go to the next undecided.", 1
    ),
    Command(
        "approval.reject", "approval", ("n",), "reject", "reject", "Reject it, go to the next undecided.", 2
    ),
    Command("approval.edit", "approval", ("e",), "edit", "edit", "Edit the arguments.", 3),
    Command(
        "approval.editor",
        "approval",
        ("E", "ctrl+g"),
        "open_editor",
        "in editor",
        "Edit the arguments in your editor: VISUAL or EDITOR.",
        11,
    ),
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
    Command(
        "approval.undo",
        "approval",
        ("u", "ctrl+underscore"),
        "undo",
        "undo",
        "Take the last verdict, edit or grant back.",
        12,
    ),
    Command("approval.copy", "approval", ("c",), "copy", "copy", "Copy the arguments as JSON.", 10),
    Command(
        "approval.submit", "approval", ("enter",), "submit", "submit", "Submit once every call has a verdict."
    ),
    Command("approval.up", "approval", ("up", "k"), "move(-1)", "up", "Highlight the call above."),
    Command("approval.down", "approval", ("down", "j"), "move(1)", "down", "Highlight the call below."),
    Command(
        "approval.ten_up", "approval", ("shift+up",), "move(-10)", "ten up", "Highlight ten calls above."
    ),
    Command(
        "approval.ten_down", "approval", ("shift+down",), "move(10)", "ten down", "Highlight ten calls below."
    ),
    Command(
        "approval.first", "approval", ("ctrl+home", "g"), "highlight(0)", "first", "Highlight the first call."
    ),
    Command(
        "approval.last", "approval", ("ctrl+end", "G"), "highlight(-1)", "last", "Highlight the last call."
    ),
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
)
