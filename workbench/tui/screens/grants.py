"""The list of what may run without asking, from which a grant can be taken back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from workbench.tui.commands import bindings
from workbench.tui.do import Errand
from workbench.tui.events import GrantRow
from workbench.tui.key_hints import hint_spans, hints_of
from workbench.tui.palette import Palette
from workbench.tui.panels.status import Line
from workbench.tui.render import Span, clip, fit, name_spans, spans_width
from workbench.tui.rows import RowList
from workbench.tui.screens.box import BoxScreen
from workbench.tui.words import ago
from workbench.visible import visible_line

_EMPTY: Final[tuple[Span, ...]] = (
    ("No grant is in force.", "subtle"),
    ("What you let run without asking, with a in an approval, stands here until you take it back.", "muted"),
)
_SCOPES: Final = {"once": "once", "session": "until you quit", "project": "this project"}
_SCOPE: Final = 16
_SINCE: Final = 12
_SINCE_FROM: Final = 60
_EDGE: Final = 2


class _Title(Line):
    background = "raised"
    grants: Sequence[GrantRow] = ()

    def spans(self, width: int) -> list[Span]:
        tool, arguments = _widths(width, self.grants)
        name: list[Span] = [("  Grants", "text strong")]
        count: Span = (f"  {len(self.grants)}", "muted")
        if self.grants and spans_width([*name, count]) < tool:
            name.append(count)
        name.append((" " * max(1, _EDGE + tool - spans_width(name)), "muted"))
        heads = fit("arguments", arguments) + fit("holds for", _SCOPE)
        return [*name, (heads + (fit("since", _SINCE) if width >= _SINCE_FROM else ""), "muted")]


class _Foot(Line):
    background = "raised"
    note = ""
    some = False

    def spans(self, width: int) -> list[Span]:
        keys = hints_of("grants")
        shown = hint_spans(keys if self.some else keys[-1:], width - 2 * _EDGE)
        spans: list[Span] = [("  ", "muted"), *shown, ("   ", "muted")]
        return [*spans, (clip(self.note, width - _EDGE - spans_width(spans)), "subtle")]


def _widths(width: int, grants: Sequence[GrantRow]) -> tuple[int, int]:
    """Cells for the tool and for its arguments, the gap behind them included; names go first."""
    room = max(0, width - 2 * _EDGE - _SCOPE - (_SINCE if width >= _SINCE_FROM else 0))
    longest = max((spans_width(_name(grant, width)) for grant in grants), default=0)
    tool = min(max(room * 2 // 5, longest + 2), room * 3 // 5)
    return tool, room - tool


def _name(grant: GrantRow, width: int) -> list[Span]:
    """The tool; of its name only the end where there is little room."""
    return name_spans(grant.tool)[-1:] if width < _SINCE_FROM else name_spans(grant.tool)


class GrantsScreen(BoxScreen[None]):
    """Shows the grants that it is given with ``show``. Taking one back is asked for with ``Revoke``.

    ``now`` gives Unix seconds.
    """

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("grants")

    class Revoke(Errand):
        """The grant with this ``id`` shall hold no longer."""

        def __init__(self, id: str) -> None:  # noqa: A002  # what a grant calls it
            super().__init__()
            self.id = id

    def __init__(
        self, grants: Sequence[GrantRow], palette: Palette, *, now: Callable[[], float] = time.time
    ) -> None:
        super().__init__()
        self._now = now
        self._asked: dict[str, str] = {}
        self._title = _Title(palette)
        self._list: RowList[GrantRow] = RowList(
            self._draw, palette, rows=list(grants), background="raised", empty=_EMPTY
        )
        self._foot = _Foot(palette)
        self._title.grants, self._foot.some = grants, bool(grants)

    def compose(self) -> ComposeResult:
        """Title with the heads, rows, keys."""
        with Vertical(id="grants-box"):
            yield self._title
            yield self._list
            yield self._foot

    def on_mount(self) -> None:
        """The rows take the keys."""
        self._list.focus()

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._list.palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._title.palette = self._list.palette = self._foot.palette = palette

    def show(self, grants: Sequence[GrantRow]) -> None:
        """These are in force now; says of those that were taken back that they ask again."""
        held = {grant.id for grant in grants}
        for gone in [asked for asked in self._asked if asked not in held]:
            self._foot.note = f"{self._asked.pop(gone)} asks again."
        known = {grant.id: grant for grant in self._list.rows}
        self._list.show([known.get(grant.id, grant) for grant in grants])
        self._title.grants, self._foot.some = grants, bool(grants)
        self._title.refresh()
        self._foot.refresh()

    def action_revoke(self) -> None:
        """Ask for the highlighted grant to be taken back."""
        grant = self._list.current
        if grant is not None and grant.id not in self._asked:
            self._asked[grant.id] = visible_line(grant.tool)
            self.post_message(self.Revoke(grant.id))

    def action_close(self) -> None:
        """Go back."""
        self.dismiss()

    def _draw(self, grant: GrantRow, width: int) -> list[Span]:
        tool, arguments = _widths(width, self._title.grants)
        name = _name(grant, width)
        if spans_width(name) > tool - 2:
            name = [(clip("".join(text for text, _ in name), tool - 2), "text")]
        patterns = ", ".join(
            f"{visible_line(key)}={visible_line(pattern)}" for key, pattern in grant.arguments.items()
        )
        spans: list[Span] = [("  ", "muted"), *name, (" " * (tool - spans_width(name)), "muted")]
        spans.append((fit(clip(patterns or "any arguments", arguments - 2), arguments), "muted"))
        spans.append((fit(_SCOPES[grant.scope], _SCOPE), "subtle"))
        if width >= _SINCE_FROM:
            spans.append((fit(ago(self._now() - grant.since), _SINCE), "muted"))
        return spans
