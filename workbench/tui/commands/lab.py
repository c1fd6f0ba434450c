"""What holds where calls run again, are made by hand, and become tests."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
    Command("rerun.back", "rerun", ("escape",), "back", "back", "Go back; while it runs, stop it.", 1),
    Command("rerun.again", "rerun", ("R",), "again", "run again", "Run it once more.", 2),
    Command("rerun.edit", "rerun", ("e", "A"), "edit", "edit", "Run it with other arguments.", 3),
    Command("rerun.inspect", "rerun", ("enter",), "inspect", "inspect", "Show all of the new run.", 4),
    Command("rerun.save", "rerun", ("t",), "save_test", "save as test", "Write a pytest of the new run.", 5),
    Command("rerun.copy", "rerun", ("y",), "copy", "copy", "Copy both results.", 6),
    Command("rerun.up", "rerun", ("up",), "lines(-1)", "up", "Scroll up."),
    Command("rerun.down", "rerun", ("down",), "lines(1)", "down", "Scroll down."),
    Command("rerun.page_up", "rerun", ("pageup",), "screens(-1)", "page up", "Scroll one screen up."),
    Command("rerun.page_down", "rerun", ("pagedown",), "screens(1)", "page down", "Scroll one screen down."),
    Command("rerun.first", "rerun", ("home",), "ends(0)", "first", "Scroll to the first line."),
    Command("rerun.last", "rerun", ("end",), "ends(1)", "last", "Scroll to the last line."),
    Command("reruns.open", "reruns", ("enter",), "open", "compare", "Show both runs of the call.", 1),
    Command("reruns.back", "reruns", ("escape",), "back", "back", "Go back; while calls run, stop them.", 2),
    Command("reruns.again", "reruns", ("R",), "again", "run all again", "Run all of them once more.", 3),
    Command("edit.leave", "edit", ("escape",), "leave", "leave", "Leave it; nothing runs.", 1),
    Command("save_test.write", "save_test", ("enter",), "write", "write", "Write the test.", 1),
    Command(
        "save_test.other", "save_test", ("ctrl+t",), "other", "other run", "Save the other run of the call."
    ),
    Command("save_test.leave", "save_test", ("escape",), "leave", "leave", "Write nothing.", 2),
    Command("form.run", "form", ("ctrl+s",), "run", "run", "Call the tool with these values.", 1),
    Command("form.leave", "form", ("escape",), "leave", "back", "Go back; while it runs, stop it.", 2),
    Command("form.inspect", "form", ("f8",), "inspect", "inspect", "Show all of the call.", 4),
)
