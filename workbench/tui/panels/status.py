"""The lines that frame the screen: who answers and what it costs, what is going on, which keys help."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events as textual_events
from textual.message import Message
from textual.strip import Strip

from workbench.tui.commands import Command, key_text
from workbench.tui.lanes import meter
from workbench.tui.painted import Painted
from workbench.tui.palette import Palette
from workbench.tui.render import Span, clip, cost_text, count_text, row, spans_width, time_cells

_METER_WIDTH = 12
_COMPACT_METER_WIDTH = 8


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
    """What the top line shows. None means not known."""

    agent: str = ""
    model: str = ""
    approval: str = ""
    context_percent: float | None = 0.0
    tokens: int = 0
    cost: float | None = 0.0


class TopLine(Line):
    """Agent, model and approval on the left; context, tokens and cost on the right."""

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own name
        super().__init__(palette, id=id)
        self.status = Status()
        self.compact = False

    def spans(self, width: int) -> list[Span]:
        """Both halves; what does not fit goes, from the least useful on."""
        gap = "  " if self.compact else "   "
        status = self.status
        parts = self._right(status)
        while len(parts) > 1 and width - 4 - _joined_width(parts, gap) - 2 < min(cell_len(status.agent), 12):
            parts.pop(len(parts) - 2)
        right = [span for index, part in enumerate(parts) for span in ([(gap, "text")] * bool(index) + part)]
        room = width - 4 - spans_width(right) - 2
        left: list[Span] = [(clip(status.agent, max(0, room)), "text strong")]
        for spans in (
            [(gap, "text"), (status.model, "subtle")],
            [(gap, "text"), ("" if self.compact else "approval ", "muted"), (status.approval, "subtle")],
        ):
            if spans[-1][0] and spans_width(left) + spans_width(spans) <= room:
                left += spans
        blanks = width - 4 - spans_width(left) - spans_width(right)
        return [("  ", "text"), *left, (" " * max(1, blanks), "text"), *right]

    def _right(self, status: Status) -> list[list[Span]]:
        """Context, tokens, cost."""
        percent = status.context_percent
        context: list[Span] = [] if self.compact else [("context ", "muted")]
        if percent is None:
            context.append(("unknown", "muted"))
        else:
            context += meter(_COMPACT_METER_WIDTH if self.compact else _METER_WIDTH, percent / 100)
            context.append((f" {percent:.0f}%", "subtle" if percent < 80 else "warning"))
        return [
            context,
            [(count_text(status.tokens), "subtle"), (" tok", "muted")],
            [(cost_text(status.cost), "subtle" if status.cost is not None else "muted")],
        ]


def _joined_width(parts: Sequence[Sequence[Span]], gap: str) -> int:
    return sum(spans_width(part) for part in parts) + len(gap) * (len(parts) - 1)


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
        for panel, title, count in self.tabs:
            active = panel == self.active
            page = " on:background" if active and panel == "conversation" else " on:surface" if active else ""
            title_key = ("accent strong" if self.focused_page else "text strong") if active else "subtle"
            spans += [
                ("  " + title, title_key + page),
                ((" " + count if count else "") + "  ", "muted" + page),
            ]
        return spans

    def on_click(self, event: textual_events.Click) -> None:
        """Choose the tab under the mouse."""
        end = 0
        for panel, title, count in self.tabs:
            end += 4 + cell_len(title) + (1 + cell_len(count) if count else 0)
            if event.x < end:
                self.post_message(self.Chosen(panel))
                return


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
        """Glyph, what, details, time; the stop key at the right."""
        activity = self._activity
        if activity is None:
            return []
        left: list[Span] = [("  ", "text"), (activity.glyph + " ", activity.tone), (activity.what, "text")]
        if activity.tone == "warning":
            left[2] = (activity.what, "warning")
        details = list(activity.details)
        if activity.since is not None:
            details.append(time_cells(max(0.0, self._now - activity.since) * 1000).strip())
        right: list[Span] = [("esc ", "subtle"), ("stop", "muted")] if activity.stoppable else []
        room = width - 2 - spans_width(right) - 2
        for index, detail in enumerate(details):
            spans: Span = (("  " if index == 0 else "   ") + detail, "muted")
            if spans_width([*left, spans]) <= room:
                left.append(spans)
        blanks = width - 2 - spans_width(left) - spans_width(right)
        return [*left, (" " * max(1, blanks), "text"), *right]


class HintLine(Line):
    """The keys that help where the focus is; what does not fit is dropped whole, from the least useful on."""

    @dataclass
    class Pressed(Message):
        """The person clicked a hint."""

        action: str

    def __init__(self, palette: Palette, *, id: str | None = None) -> None:  # noqa: A002  # Textual's own name
        super().__init__(palette, id=id)
        self._commands: Sequence[Command] = ()
        self._places: list[tuple[int, int, str]] = []

    def show(self, commands: Iterable[Command]) -> None:
        """Draw these from now on."""
        self._commands = tuple(commands)
        self.refresh()

    def spans(self, width: int) -> list[Span]:
        """Local hints from the left, those that hold everywhere at the right."""
        local = [command for command in self._commands if command.scope != "app"]
        everywhere = [command for command in self._commands if command.scope == "app"]
        room = width - 4
        kept: list[Command] = []
        for command in sorted(self._commands, key=lambda command: command.hint):
            cells = _hint_width(command) + (3 if kept else 0)
            if cells <= room:
                kept.append(command)
                room -= cells
        self._places = []
        left = self._draw([command for command in local if command in kept], 2)
        right_commands = [command for command in everywhere if command in kept]
        right_width = sum(_hint_width(command) + 3 for command in right_commands) - 3 if right_commands else 0
        start = width - 2 - right_width
        blanks = start - 2 - spans_width(left)
        return [("  ", "text"), *left, (" " * max(0, blanks), "text"), *self._draw(right_commands, start)]

    def on_click(self, event: textual_events.Click) -> None:
        """Do what the hint under the mouse says."""
        for start, end, action in self._places:
            if start <= event.x < end:
                self.post_message(self.Pressed(action))

    def _draw(self, commands: Sequence[Command], x: int) -> list[Span]:
        spans: list[Span] = []
        for index, command in enumerate(commands):
            if index:
                spans.append(("   ", "text"))
                x += 3
            self._places.append((x, x + _hint_width(command), command.action))
            x += _hint_width(command)
            spans += [(key_text(command.keys[0]), "subtle"), (" " + command.label, "muted")]
        return spans


def _hint_width(command: Command) -> int:
    return cell_len(key_text(command.keys[0])) + 1 + cell_len(command.label)
