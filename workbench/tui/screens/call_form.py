"""Calling a tool by hand: a form made from its schema, and the result beneath."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from textual import events
from textual.binding import BindingType
from textual.timer import Timer
from textual.widget import Widget

from workbench.tui.commands import bindings, hints, labelled
from workbench.tui.inspector_pages import result_page
from workbench.tui.lab_wishes import Inspect, Wanted
from workbench.tui.page_view import PageView
from workbench.tui.palette import Palette
from workbench.tui.render import Span, clip, fit, name_spans, spans_width, time_cells
from workbench.tui.rerun import HandRun
from workbench.tui.screens.arguments_editor import ArgumentsEditor
from workbench.tui.screens.full import FullScreen
from workbench.tui.states import GLYPHS
from workbench.tui.title_row import TitleRow
from workbench.tui.trace_records import Entry
from workbench.tui.words import count_words
from workbench.tui.wrapped import Line, wrapped
from workbench.visible import visible, visible_line

_TICK: Final = 0.5
"""Seconds after which it is shown anew how long a call runs, and what it has printed."""

_INVITE: Final = (
    ("Not called yet.", "subtle"),
    ("^s calls it. Hooks and permissions are those of a call that the model makes.", "muted"),
)


class CallForm(FullScreen[None]):
    """``values`` are those of the last call. ``check`` says what is wrong with arguments, or None.

    ``run`` begins a call, and ``refresh_run`` says that there is news of it; ``stop`` ends it. ``traced``
    finds it in the trace once it ended; ``printed`` is what it has printed while it runs, by its id.
    """

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = bindings("form")
    scope = "form"
    low = 18

    def __init__(
        self,
        tool: str,
        description: str,
        parameters: Mapping[str, Any],
        values: Mapping[str, Any],
        palette: Palette,
        *,
        check: Callable[[Mapping[str, Any]], str | None],
        run: Callable[[HandRun], None],
        stop: Callable[[], object],
        traced: Callable[[HandRun], Entry | None],
        printed: Callable[[str], str] = lambda _: "",
    ) -> None:
        super().__init__(palette)
        self._tool = tool
        self._description = description
        self._check = check
        self._begin = run
        self._stop = stop
        self._traced = traced
        self._printed = printed
        self._timer: Timer | None = None
        self._run: HandRun | None = None
        self._rest = ""
        self.editor = ArgumentsEditor(parameters, values, palette, fields=True)
        self._verdict = TitleRow(self._verdict_spans, palette)
        self._view = PageView(palette, "surface", "result")
        self._view.empty = _INVITE
        self._view.can_focus = False

    def body(self) -> Iterable[Widget]:
        """The fields, what it gave."""
        return self.editor, self._verdict, self._view

    def dress(self, palette: Palette) -> None:
        """All of them are painted anew."""
        self._verdict.palette = self._view.palette = self.editor.palette = palette

    def on_mount(self) -> None:
        """Begin with the first field."""
        self._timer = self.set_interval(_TICK, self.refresh_run, pause=True)
        self._judge()
        if self.editor.form is not None and not self.editor.form.fields:
            self._view.can_focus = True
            self._view.focus()
        else:
            self.editor.begin()

    def on_resize(self, event: events.Resize) -> None:
        """Lines are broken anew."""
        self.refresh_run()

    # the fields

    def on_arguments_editor_changed(self, event: ArgumentsEditor.Changed) -> None:
        """Say what is wrong as one types."""
        event.stop()
        self._judge()
        self._show_hints()

    def on_arguments_editor_refused(self, event: ArgumentsEditor.Refused) -> None:
        """Say why the fields cannot be shown."""
        event.stop()
        self._rest = event.why
        self._verdict.refresh()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Keys stand there where they do something."""
        self._show_hints()

    def _show_hints(self) -> None:
        form = self.editor.form
        field = form.current if form is not None else None
        idle = set() if field is not None and field.takes_null else {"form.null"}
        idle |= set() if form is not None and form.in_item else {"form.remove"}
        idle |= set() if form is not None and form.undoable else {"form.undo"}
        idle |= {"form.run", "form.inspect"} if self._open else set()
        held = [key for key in hints(["form", "values"]) if key.id not in idle]
        self._hints.show(labelled(held, "form.leave", "stop") if self._stoppable else held)

    def _judge(self) -> Mapping[str, Any] | None:
        """Say what is wrong; the arguments if nothing is."""
        arguments, self._rest = self.editor.judge(self._check)
        self._verdict.refresh()
        return arguments

    # what it gave

    @property
    def _open(self) -> bool:
        """Whether a call waits or runs."""
        return self._run is not None and self._run.state != "ended"

    @property
    def _stoppable(self) -> bool:
        return self._run is not None and self._run.state == "running"

    def refresh_run(self) -> None:
        """Show what has become of the call."""
        run = self._run
        width = max(20, self.size.width)
        lines = _result_lines(run.data, width) if run is not None and run.data else []
        if run is not None and self._stoppable:
            printed = visible(self._printed(run.call_id)).strip("\n")
            rows = max(1, self._view.size.height)
            lines = list(wrapped(printed, width, "subtle"))[-rows:] if printed else []
        self._view.show(lines)
        if self._timer is not None:
            (self._timer.resume if self._stoppable else self._timer.pause)()
        self._show_hints()
        if run is not None and run.data is None:
            said = {"pending": "It waits for the turn to end.", "running": "It runs."}.get(
                run.state, "It did not run."
            )
            self._view.empty = ((said, "subtle"),)
        self._view.refresh()
        self._verdict.refresh()

    def top_spans(self, width: int) -> list[Span]:
        """What is called."""
        spans: list[Span] = [("  ", "text"), *name_spans(self._tool, "text strong")]
        first = visible_line(self._description.strip().partition("\n")[0])
        return [*spans, (clip("   " + first, width - spans_width(spans) - 2), "muted")]

    def _verdict_spans(self, width: int) -> list[Span]:
        left: list[Span] = [("  ", "text"), ("Result", "text strong")]
        room = width - spans_width(left) - 2
        wrong = self.editor.wrong
        if self._rest or wrong:
            said = self._rest or f"{count_words(len(wrong), 'field')} to put right"
            return [*left, (fit(clip("✗ " + visible_line(said), room - 2), room, right=True), "error")]
        data = self._run.data if self._run is not None else None
        if self._run is not None and self._stoppable:
            spent = time_cells(1000 * max(0.0, time.time() - self._run.began)).strip()
            return [*left, (fit(f"● running  {spent}", room, right=True), "accent")]
        if data is None:
            return [*left, (fit("✓ fits the schema", room, right=True), "success")]
        glyph, key = GLYPHS.get(str(data.get("status")), ("", "text"))  # type: ignore[call-overload]  # from a trace
        said = f"{glyph} {data.get('status')}  {time_cells(data.get('timing')).strip()}"
        return [*left, (fit(visible_line(said), room, right=True), key)]

    # keys

    def action_run(self) -> None:
        """Call the tool, if the values fit."""
        if self._run is not None and self._run.state != "ended":
            return
        arguments = self._judge()
        if arguments is None:
            if self.editor.wrong:
                self.editor.wrong[0].editor.focus()
            return
        self._run = HandRun(self._tool, arguments)
        self._begin(self._run)
        self.refresh_run()

    def action_leave(self) -> None:
        """Go back; stop what runs first."""
        if self._run is not None and self._run.state == "running":
            self._stop()
        else:
            self.dismiss()

    def action_inspect(self) -> None:
        """Show all of the call."""
        entry = self._traced(self._run) if self._run is not None and self._run.data else None
        if entry is not None:
            self.post_message(Wanted(Inspect(entry)))


def _result_lines(data: Mapping[str, Any], width: int) -> list[Line]:
    if data.get("error"):
        kind = visible_line(str(data.get("error_type") or "Error"))
        head: list[Line] = [(("  " + kind, "error strong"),)]
        return [*head, *wrapped(str(data["error"]), width, "error")]
    return result_page(str(data.get("result", "")), width)
