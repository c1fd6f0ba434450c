"""What holds everywhere in the app."""

from __future__ import annotations

from typing import Final

from workbench.tui.commands.command import Command

ROWS: Final[tuple[Command, ...]] = (
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
        "app.do('app.model')",
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
        "app.do('app.set')",
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
        "app.do('app.grants')",
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
        "app.do('app.reload')",
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
)
