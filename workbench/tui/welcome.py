"""What an empty conversation says."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from workbench.tui import events
from workbench.tui.commands import key_text_of
from workbench.tui.render import Span
from workbench.tui.words import missing_key_words
from workbench.visible import visible_line

_ASKS: Final = {
    "careful": "it asks before anything but reading",
    "strict": "it asks before every call",
    "open": "it asks for nothing",
}
_COLUMN: Final = 11
_KEYS: Final = (
    ("app.approval_mode", "ask for every call, risky ones, or none"),
    ("app.next_panel", "next panel: conversation, trace, tools"),
    ("app.palette", "find a command by name"),
    ("app.help", "every key"),
)


def welcome(ready: events.AgentReady) -> tuple[str, list[list[Span]]]:
    """Title and lines: who answers, what asks, and the keys to begin with."""
    offline = ready.model.startswith("offline")
    who = "offline answers (no language model)" if offline else f"{model_text(ready.model)} answers"
    asks = _ASKS.get(ready.approval, "your own rules decide what asks")
    lines: list[list[Span]] = [[(f"{who}, {asks}.", "muted")], []]
    if ready.missing_key:
        text = f"{model_text(ready.model)} has no key. {missing_key_words(ready.missing_key)}"
        lines = [[(f"{asks[0].upper()}{asks[1:]}.", "muted")], [], [(text, "warning")], []]
    keys = [("/", "commands: /help /model /new /theme /quit")]
    keys += [(key_text_of(command), meaning) for command, meaning in _KEYS]
    if offline and ready.trial:
        lines += [[(f"{'try':<{_COLUMN}}", "subtle"), (visible_line(ready.trial), "text")], []]
    lines += [[(f"{key:<{_COLUMN}}", "subtle"), (meaning, "muted")] for key, meaning in keys if key]
    return f"{visible_line(ready.agent)} is ready", lines


def model_text(model: str) -> str:
    """A model's name for people: of a file only its own name."""
    shown = visible_line(model)
    kind, colon, path = shown.partition(":")
    return f"{kind}:{Path(path).stem}" if colon and "/" in path else shown
