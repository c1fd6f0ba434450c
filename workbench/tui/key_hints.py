"""Keys and what they do, in one line at the foot of a screen; a click on such a hint is the key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from textual.content import Content
from textual.style import Style

from workbench.tui.commands import Scope, hints, key_text
from workbench.tui.palette import press_key, press_meta
from workbench.tui.render import Span, spans_width

_GAP: Final = "   "


class Hint(NamedTuple):
    """A key, by its name in the command table, and what it does here."""

    key: str
    label: str


def hint(key: str, label: str, gap: str = "") -> list[Span]:
    """One hint, with the blanks behind it; every hint that is drawn comes from here."""
    press = press_key(key)
    return [(key_text(key), f"subtle {press}"), (f" {label}{gap}", f"muted {press}")]


def hint_content(shown: Sequence[Hint], key: str = "", label: str = "") -> Content:
    """The same hints for a widget that is no row of spans; ``key`` and ``label`` are styles, "" for none."""
    content = Content("")
    for each in shown:
        one = Content.assemble((key_text(each.key), key), (f" {each.label}", label))
        gap = _GAP if content else ""
        content = content + gap + one.stylize(Style.from_meta(press_meta(each.key)))
    return content


def hints_of(scope: Scope) -> list[Hint]:
    """What the command table hints at for a scope, most useful first, without commands that have no key."""
    return [Hint(command.keys[0], command.label) for command in hints([scope])]


def hint_spans(shown: Sequence[Hint], room: int, gap: str = _GAP) -> list[Span]:
    """As many hints as fit into ``room`` cells; the last one, which leads away, is never dropped."""
    if not shown:
        return []
    last = hint(*shown[-1])
    spans: list[Span] = []
    for each in shown[:-1]:
        one = hint(*each, gap)
        if spans_width([*spans, *one, *last]) <= room:
            spans += one
    return [*spans, *last]
