"""What an empty conversation says."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from workbench.tui import events
from workbench.tui.render import Span
from workbench.visible import visible_line

_ASKS: Final = {
    "careful": "asks before anything but reading",
    "strict": "asks before every call",
    "open": "asks before nothing",
}
_KEYS: Final = (
    ("/", "commands: /help /model /new /theme /quit"),
    ("tab", "next panel: conversation, trace, tools"),
    ("^p", "find a command by name"),
    ("f1", "every key"),
)


def welcome(ready: events.AgentReady) -> tuple[str, list[list[Span]]]:
    """Title and lines: who answers, what asks, and the keys to begin with."""
    offline = ready.model.startswith("offline")
    who = "offline answers (no language model)" if offline else f"{model_text(ready.model)} answers"
    asks = f"{ready.approval} {_ASKS.get(ready.approval, 'decides what asks')}"
    lines: list[list[Span]] = [[(f"{who}, {asks}.", "muted")], []]
    lines += [[(f"{key:<8}", "subtle"), (meaning, "muted")] for key, meaning in _KEYS]
    return f"{visible_line(ready.agent)} is ready", lines


def model_text(model: str) -> str:
    """A model's name for people: of a file only its own name."""
    shown = visible_line(model)
    kind, colon, path = shown.partition(":")
    return f"{kind}:{Path(path).stem}" if colon and "/" in path else shown
