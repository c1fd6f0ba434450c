"""Keys and what they do, in one line at the foot of a screen."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.tui.commands import Scope, commands, key_text
from workbench.tui.render import Span, spans_width

_GAP = "   "


def pairs_of(scope: Scope) -> list[tuple[str, str]]:
    """Key and label of what the command table hints at for a scope, in its order."""
    return [(key_text(command.keys[0]), command.label) for command in commands(scope) if command.hint]


def hint_spans(pairs: Sequence[tuple[str, str]], room: int) -> list[Span]:
    """As many hints as fit into ``room`` cells; the last one, which leads away, is never dropped."""
    last = [(pairs[-1][0], "subtle"), (f" {pairs[-1][1]}", "muted")]
    spans: list[Span] = []
    for key, label in pairs[:-1]:
        hint: list[Span] = [(key, "subtle"), (f" {label}{_GAP}", "muted")]
        if spans_width([*spans, *hint, *last]) <= room:
            spans += hint
    return [*spans, *last]
