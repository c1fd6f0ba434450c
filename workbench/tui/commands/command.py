"""One row of the command table: a thing that a person can do, and the keys and words for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Scope = Literal[
    "app",
    "prompt",
    "history",
    "conversation",
    "list",
    "trace",
    "tools",
    "tool",
    "approval",
    "inspector",
    "question",
    "models",
    "themes",
    "grants",
    "rerun",
    "reruns",
    "edit",
    "save_test",
    "form",
    "sessions",
    "what_if",
    "branches",
    "pause",
    "earlier",
    "breakpoints",
    "fault",
    "field",
    "filter",
    "values",
    "adder",
    "option",
    "choice",
    "always",
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
    where ``takes`` names an argument, the slash command hands it on, and ``needs`` says that it can do
    nothing without. ``priority`` keys hold before those
    of the widget that has the focus. An action ``do`` is what the app was given to do under this id.
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
    needs: bool = False
    priority: bool = False
