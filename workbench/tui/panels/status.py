"""The lines that frame the screen: who answers and what it costs, what is going on, which keys help."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from textual import events as textual_events
from textual.message import Message
from textual.strip import Strip

from workbench.tui.commands import TABLE, Command, key_of
from workbench.tui.key_hints import hint
from workbench.tui.lanes import meter
from workbench.tui.painted import Painted
from workbench.tui.palette import Palette
from workbench.tui.render import Span, clip, cost_text, count_text, row, spans_width, time_cells

MODES: Final[dict[str, Span]] = {
    "strict": ("ask", "text"),
    "careful": ("ask for risky", "subtle"),
    "open": ("allow", "warning strong"),
    "custom": ("own rules", "accent"),
}
"""The modes of approval as the top line says them; only the one that asks nothing stands out."""

_METER_WIDTH = 12
_COMPACT_METER_WIDTH = 8
_AGENT = 12
"""Cells that an agent's name gets in any case."""
_FULL = 80
"""Percent of the context from which on its number warns."""


class Line(Painted):
    """One row of spans on one background."""

    DEFAULT_CSS = "Line { height: 1; }"
    background = "background"

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self._palette = palette

    def spans(self, width: int) -> list[Span]:
        """The row for a width; subclasses say what is on it."""
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:
        """Draw the row."""
        width = self.size.width
        return row(self.spans(width), width, self._palette, self.background)


@dataclass(slots=True)
class Status:
    """What the top line shows. None means not known. ``faults`` counts tools that fail on purpose,
    ``breakpoints`` those that are on.
    """

    agent: str = ""
    model: str = ""
    approval: str = ""
    context_percent: float | None = 0.0
    tokens: int = 0
    cost: float | None = 0.0
    faults: int = 0
    breakpoints: int = 0
    stepping: bool = False


class TopLine(Line):
    """Agent, model and approval on the left; context, tokens and cost on the right."""

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own name
        super().__init__(palette, id=id)
        self.status = Status()
        self.compact = False

    def spans(self, width: int) -> list[Span]:
        """Both halves; what does not fit goes whole, the mode of approval last."""
        status, gap = self.status, "  " if self.compact else "   "
        model: list[Span] = [(status.model, "subtle")] if status.model else []
        label = [] if self.compact else [("approval ", "muted")]
        mode: list[Span] = [*label, MODES[status.approval]] if status.approval in MODES else []
        context, tokens, cost = _context(status, compact=self.compact), _tokens(status), _cost(status)
        percent = context[-1:]
        room = width - 4 - min(cell_len(status.agent), _AGENT) - 2
        kept: list[list[Span]] = []
        unusual = _unusual(status)
        for part in (*unusual, mode, percent, context, model, cost, tokens):
            # the meter comes with its percent or not at all
            cells = spans_width(part) - (spans_width(percent) if part is context else 0)
            cells += len(gap) * (part is not context)
            if part and cells <= room:
                kept.append(part)
                room -= cells
        if context in kept:
            kept.remove(percent)
        left = _joined([part for part in (model, mode, *unusual) if part in kept], gap, first=True)
        right = _joined([part for part in (percent, context, tokens, cost) if part in kept], gap)
        clipped = clip(status.agent, max(0, width - 4 - spans_width(left) - spans_width(right) - 2))
        left = [(clipped, "text strong"), *left]
        blanks = width - 4 - spans_width(left) - spans_width(right)
        return [("  ", "text"), *left, (" " * max(1, blanks), "text"), *right]


def _unusual(status: Status) -> list[list[Span]]:
    """What makes calls other than they seem: faults on purpose, breakpoints, step mode."""
    counts = (status.faults, "fault"), (status.breakpoints, "breakpoint")
    words = [f"{count} {word}{'s' * (count > 1)} on" for count, word in counts if count]
    return [[(word, "warning")] for word in words + ["step mode"] * status.stepping]


def _context(status: Status, *, compact: bool) -> list[Span]:
    percent = status.context_percent
    label: list[Span] = [] if compact else [("context ", "muted")]
    if percent is None:
        return [*label, ("unknown", "muted")]
    bar = meter(_COMPACT_METER_WIDTH if compact else _METER_WIDTH, percent / 100)
    return [*label, *bar, (f" {percent:.0f}%", "subtle" if percent < _FULL else "warning")]


def _tokens(status: Status) -> list[Span]:
    return [(count_text(status.tokens), "subtle"), (" tok", "muted")]


def _cost(status: Status) -> list[Span]:
    return [(cost_text(status.cost), "subtle" if status.cost is not None else "muted")]


def _joined(parts: Sequence[Sequence[Span]], gap: str, *, first: bool = False) -> list[Span]:
    """The parts with gaps between them, and ahead of the first if so."""
    spans: list[Span] = []
    for part in parts:
        if spans or first:
            spans.append((gap, "text"))
        spans += part
    return spans


class TabLine(Line):
    """The panels as tabs, where the screen is too narrow for two columns."""

    background = "raised"

    @dataclass
    class Chosen(Message):
        """The person clicked the tab of this panel."""

        panel: str

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own name
        super().__init__(palette, id=id)
        self.tabs: Sequence[tuple[str, str, str]] = ()
        self.active = ""
        self.focused_page = False

    def spans(self, width: int) -> list[Span]:
        """Each tab two cells either side; the active one in the colour of the page below."""
        spans: list[Span] = []
        for panel, title, count in self._fitting(width):
            active = panel == self.active
            page = " on:background" if active and panel == "conversation" else " on:surface" if active else ""
            title_key = ("accent strong" if self.focused_page else "text strong") if active else "subtle"
            spans += [
                ("  " + title, title_key + page),
                ((" " + count if count else "") + "  ", "muted" + page),
            ]
        return spans

    def _fitting(self, width: int) -> list[tuple[str, str, str]]:
        """The tabs with their counts, which go whole, from the last on, where there is no room."""
        tabs = list(self.tabs)
        for at in reversed(range(len(tabs))):
            if sum(_tab_width(title, count) for _, title, count in tabs) <= width:
                break
            panel, title, _ = tabs[at]
            tabs[at] = (panel, title, "")
        return tabs

    def on_click(self, event: textual_events.Click) -> None:
        """Choose the tab under the mouse."""
        end = 0
        for panel, title, count in self._fitting(self.size.width):
            end += _tab_width(title, count)
            if event.x < end:
                self.post_message(self.Chosen(panel))
                return


def _tab_width(title: str, count: str) -> int:
    return 4 + cell_len(title) + (1 + cell_len(count) if count else 0)


@dataclass(frozen=True, slots=True)
class Activity:
    """What is going on. ``glyph`` and ``tone`` as for states; ``since`` in Unix seconds, None while idle."""

    glyph: str
    tone: str
    what: str
    details: tuple[str, ...] = ()
    since: float | None = None
    stoppable: bool = True


class ActivityLine(Line):
    """One row above the prompt: empty when nothing is going on."""

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own name
        super().__init__(palette, id=id)
        self.queued = 0
        self._activity: Activity | None = None
        self._now = 0.0

    def show(self, activity: Activity | None, now: float) -> None:
        """Draw this from now on; ``now`` in Unix seconds."""
        if activity is None and self._activity is None:
            return
        self._activity = activity
        self._now = now
        self.refresh()

    def spans(self, width: int) -> list[Span]:
        """Glyph, what, details, time; the stop key at the right. Details go first where there is no room."""
        activity = self._activity
        if activity is None:
            return []
        details = [f"{self.queued} queued"] * bool(self.queued) + list(activity.details)
        time = ""
        if activity.since is not None:
            time = time_cells(max(0.0, self._now - activity.since) * 1000).strip()
        key = key_of("app.stop")
        right = hint(key, "stop") if activity.stoppable and key else []
        room = width - 2 - spans_width(right) - 2
        # what goes on gives way to how long it has been going on and how to stop it
        what = clip(activity.what, room - 4 - (2 + len(time)) * bool(time))
        tone = "warning" if activity.tone == "warning" else "text"
        left: list[Span] = [("  ", "text"), (activity.glyph + " ", activity.tone), (what, tone)]
        left += _fitting(details, time, room - spans_width(left))
        blanks = width - 2 - spans_width(left) - spans_width(right)
        return [*left, (" " * max(1, blanks), "text"), *right]


def _fitting(details: Sequence[str], time: str, room: int) -> list[Span]:
    """Details and time in ``room`` cells: closer together, then without the last details."""
    for count in range(len(details), -1, -1):
        parts = [*details[:count], time] if time else details[:count]
        for gap in ("   ", "  "):
            text = "  " + gap.join(parts)
            if parts and cell_len(text) <= room:
                return [(text, "muted")]
    return []


class HintLine(Line):
    """The keys that help where the focus is; what does not fit is dropped whole, from the least useful on."""

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own name
        super().__init__(palette, id=id)
        self._commands: Sequence[Command] = ()

    def show(self, commands: Iterable[Command]) -> None:
        """Draw these from now on."""
        self._commands = tuple(commands)
        self.refresh()

    def spans(self, width: int) -> list[Span]:
        """Local hints from the left, those that hold everywhere at the right."""
        local = [command for command in self._commands if command.scope != "app"]
        everywhere = [command for command in self._commands if command.scope == "app"]
        everywhere.sort(key=_place)
        room = width - 4
        kept: list[Command] = []
        for command in sorted(self._commands, key=lambda command: command.hint):
            cells = spans_width(_hint(command)) + (3 if kept else 0)
            if cells <= room:
                kept.append(command)
                room -= cells
        parts = ([_hint(command) for command in side if command in kept] for side in (local, everywhere))
        left, right = (_joined(part, "   ") for part in parts)
        blanks = width - 4 - spans_width(left) - spans_width(right)
        return [("  ", "text"), *left, (" " * max(0, blanks), "text"), *right]


def _place(command: Command) -> int:
    """Where a command stands in the table."""
    return next(at for at, row in enumerate(TABLE) if row.id == command.id)


def _hint(command: Command) -> list[Span]:
    return hint(command.keys[0], command.label)
