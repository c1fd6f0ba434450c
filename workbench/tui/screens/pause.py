"""The pause at a breakpoint: what stands still, and what shall become of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message

from workbench.engine.breakpoints import Action, Resume
from workbench.tui.commands import Command, bindings, commands, key_text
from workbench.tui.inspector_pages import fact_lines
from workbench.tui.json_view import editable_text
from workbench.tui.key_hints import hint_spans
from workbench.tui.line_view import LineView
from workbench.tui.palette import Palette
from workbench.tui.panels.status import Line
from workbench.tui.pause import PauseRequest
from workbench.tui.pause_lines import facts, page_lines
from workbench.tui.render import Span, arguments_text, clip, name_spans, spans_width, time_cells
from workbench.tui.row_view import RowView
from workbench.tui.screens.approval_fields import EditField, Left
from workbench.tui.screens.held import HeldScreen
from workbench.tui.steady_area import SteadyArea
from workbench.tui.title_row import TitleRow
from workbench.tui.wrapped import Line as FactLine

NARROW: Final = 104
LOW: Final = 16
_FACTS: Final = 38

Decide = Callable[[Resume | None], None]
_BEFORE_ONLY: Final = frozenset({"pause.skip"})
_AFTER_ONLY: Final = frozenset({"pause.result", "pause.again"})
_WHILE_EDITING: Final = (("ctrl+s", "take"), ("esc", "leave"))
_PASSED: Final = ("app.help", "app.repaint", "app.interrupt")


class ResultField(Vertical):
    """A text that the model will read as the call's result."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("ctrl+s", "take", show=False, priority=True),
    ]

    class Taken(Message):
        """This shall be the result."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, text: str) -> None:
        super().__init__(id="result")
        self._area = SteadyArea(text, soft_wrap=len(text) < 50_000, compact=True, tab_behavior="focus")

    def compose(self) -> ComposeResult:
        """The text alone: any is right."""
        yield self._area

    def on_mount(self) -> None:
        """Type here."""
        self._area.focus()

    def action_take(self) -> None:
        """Take it."""
        self.post_message(self.Taken(self._area.text))

    def action_leave(self) -> None:
        """Leave the field; nothing changes."""
        self.post_message(Left())


class _Keys(Line):
    """What can be done, and the one button."""

    background = "background"
    said = ""
    editing = False
    shown: tuple[Command, ...] = ()

    def spans(self, width: int) -> list[Span]:
        pairs = [(key_text(each.keys[0]), each.label) for each in self.shown[1:]]
        if self.editing:
            pairs = [*_WHILE_EDITING]
        button: list[Span] = [] if self.editing else [(" Continue  enter ", "on_accent on:accent")]
        room = width - 4 - spans_width(button)
        if self.said and not self.editing:
            return self._ended([("  ", "text"), (clip(self.said, room), "warning")], button, width)
        return self._ended([("  ", "text"), *hint_spans(pairs, room - 2)], button, width)

    @staticmethod
    def _ended(left: list[Span], button: list[Span], width: int) -> list[Span]:
        blanks = width - 2 - spans_width(left) - spans_width(button)
        return [*left, (" " * max(1, blanks), "text"), *button]


class PauseScreen(HeldScreen):
    """Shows a paused call and reports through ``decide`` how to go on, once.

    A screen that something else takes away reports None. ``clock`` is monotonic, ``now`` gives Unix time,
    both in seconds.
    """

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("pause"),
        *(
            Binding(",".join(command.keys), f"app.{command.action}", command.label, show=False)
            for command in commands("app")
            if command.id in _PASSED
        ),
    ]

    def __init__(
        self,
        request: PauseRequest,
        decide: Decide,
        palette: Palette,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(clock=clock)
        self.request = request
        self.arguments: Mapping[str, Any] = request.arguments
        self.mode: Literal["keys", "arguments", "result"] = "keys"
        self._decide: Decide | None = decide
        self._palette = palette
        self._now = now
        self._top = TitleRow(self._top_spans, palette, "background")
        self._subject = TitleRow(self._subject_spans, palette, "background")
        self._subject.id = "subject"
        self._page = LineView(palette, id="page")
        self._facts: RowView[FactLine] = RowView(
            lambda line, _: line, palette, background="surface", id="facts"
        )
        self._keys = _Keys(palette)
        self._keys.shown = tuple(
            command for command in commands("pause") if command.hint and self._holds(command)
        )

    def compose(self) -> ComposeResult:
        """Where it is, what it is, the page beside the facts, the keys."""
        yield self._top
        yield self._subject
        with Horizontal(id="body"):
            yield self._page
            yield self._facts
        yield self._keys

    def on_mount(self) -> None:
        """Call the person."""
        self._facts.can_focus = False
        self.app.bell()
        self.set_interval(1, self._top.refresh)

    def on_unmount(self) -> None:
        """However the screen went away: without an answer, the turn stops."""
        self._answer(None)

    def on_resize(self, event: events.Resize) -> None:
        """Below 104 columns the facts are on the page."""
        self.set_class(event.size.width < NARROW, "-narrow")
        self.set_class(event.size.height < LOW, "-low")
        self._show()

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self._top.restyle(palette, "background")
        self._subject.restyle(palette, "background")
        for part in (self._page, self._facts, self._keys):
            part.palette = palette

    # what is shown

    def _show(self) -> None:
        self._page.show(page_lines(self.request, self.arguments, narrow=self.has_class("-narrow")))
        self._facts.show(fact_lines(facts(self.request), _FACTS))
        self._subject.refresh()

    def _top_spans(self, width: int) -> list[Span]:
        request = self.request
        seconds = max(0, int(self._now() - request.opened))
        waited = f"{seconds} s" if seconds < 60 else time_cells(seconds * 1000).strip()
        right: list[Span] = [("◇ ", "warning"), (f"paused {waited}", "warning")]
        agent = clip(request.agent, width - spans_width(right) - 6)
        left: list[Span] = [("  ", "text"), (agent, "text strong")]
        where: Span = (f"   turn {request.turn}   iteration {request.iteration}", "subtle")
        if spans_width([*left, where, *right]) + 4 <= width:
            left.append(where)
        return [*left, (" " * max(1, width - 2 - spans_width([*left, *right])), "text"), *right]

    def _subject_spans(self, width: int) -> list[Span]:
        request = self.request
        failed = request.error is not None
        word = request.when if not failed else "after, failed"
        spans: list[Span] = [("  ◇ ", "warning"), (word + " ", "error" if failed else "warning")]
        spans += [(text, f"{key} strong" if key == "text" else key) for text, key in name_spans(request.tool)]
        said = clip(arguments_text(self.arguments), width - spans_width(spans) - 4)
        return [*spans, ("  " + said, "muted")]

    # keys and clicks

    @property
    def takes_text(self) -> bool:
        """Whether a field is open."""
        return self.mode != "keys"

    def _holds(self, command: Command) -> bool:
        return command.id not in (_AFTER_ONLY if self.request.when == "before" else _BEFORE_ONLY)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a field is open, the keys are its own; some hold before the call only, some after it."""
        mine = [command for command in commands("pause") if command.action.partition("(")[0] == action]
        if not mine:
            return True
        if action == "take":
            return self.mode != "keys"
        return self.mode == "keys" and all(map(self._holds, mine))

    def on_key(self, event: events.Key) -> None:
        """A key that means nothing here says what would."""
        if self.mode == "keys" and event.key not in self.active_bindings:
            event.stop()
            self._say("enter continues, s steps, esc stops the turn")

    def kept(self) -> None:
        """Say where the keys go, and what ends it."""
        self._say("Keys go to your draft until you pause; tab: decide now")

    def _say(self, text: str) -> None:
        self._keys.said = text
        self._keys.refresh()
        self.set_timer(4, self._hush)

    def _hush(self) -> None:
        self._keys.said = ""
        self._keys.refresh()

    def on_click(self, event: events.Click) -> None:
        """The button is Enter, except for a click that only brings the window to the front."""
        button = len(" Continue  enter ")
        right = self.size.width - 2
        on_button = event.screen_y == self.size.height - 1 and right - button <= event.screen_x < right
        if on_button and self.mode == "keys" and self.takes_clicks:
            self.action_go_on()

    # what becomes of the call

    def action_go_on(self) -> None:
        """Go on with what is shown."""
        self._resume("continue")

    def action_step(self) -> None:
        """Go on and pause at the next call."""
        self._resume("step")

    def action_again(self) -> None:
        """Run the call once more."""
        self._resume("again")

    def action_stop_turn(self) -> None:
        """Stop the turn."""
        self._answer(Resume("stop"))

    def action_edit(self) -> None:
        """Edit the arguments: for this run before the call, for the next one after it."""
        self._open("arguments", EditField(self.arguments, self.request.check, self._palette))

    def action_skip(self) -> None:
        """Make a result up; the tool does not run."""
        self._open("result", ResultField(""))

    def action_edit_result(self) -> None:
        """Edit what the model will read."""
        result = self.request.error if self.request.result is None else self.request.result
        self._open("result", ResultField(result or ""))

    def action_take(self) -> None:
        """Take what is written in the field."""
        for field in self.query("EditField, ResultField"):
            if isinstance(field, EditField | ResultField):
                field.action_take()

    def _open(self, mode: Literal["arguments", "result"], field: EditField | ResultField) -> None:
        self.mode = mode
        self._keys.editing = True
        self._keys.refresh()
        self.query_one("#body").mount(field, before=0)
        self._page.display = False

    def _close_field(self) -> None:
        self.mode = "keys"
        self._keys.editing = False
        self._keys.refresh()
        self._page.display = True
        self.query("EditField, ResultField").remove()
        self.set_focus(None)

    @on(Left)
    def _field_left(self, event: Left) -> None:
        event.stop()
        self._close_field()

    @on(EditField.Taken)
    def _arguments_taken(self, event: EditField.Taken) -> None:
        event.stop()
        self.arguments = event.arguments
        self._close_field()
        self._show()
        if self.request.when == "after":
            self._say("a runs the call again with these arguments")

    @on(ResultField.Taken)
    def _result_taken(self, event: ResultField.Taken) -> None:
        event.stop()
        action: Action = "skip" if self.request.when == "before" else "continue"
        self._answer(Resume(action, result=event.text))

    def _resume(self, action: Action) -> None:
        edited = editable_text(self.arguments) != editable_text(self.request.arguments)
        self._answer(Resume(action, arguments=self.arguments if edited else None))

    def _answer(self, resume: Resume | None) -> None:
        decide, self._decide = self._decide, None
        if decide is not None:
            decide(resume)

    # scrolling

    def action_lines(self, count: int) -> None:
        """Scroll by lines."""
        self._page.go_to(self._page.scroll_offset.y + count)

    def action_screens(self, count: int) -> None:
        """Scroll by screens."""
        self.action_lines(count * max(1, self._page.size.height - 1))

    def action_ends(self, end: int) -> None:
        """To the first (0) or the last (1) line."""
        self._page.go_to(end * self._page.max_scroll_y)
