"""Calling a tool by hand: a form made from its schema, and the result beneath."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final

from textual import events
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget

from workbench.tui.commands import bindings, hints
from workbench.tui.form_fields import LEFT_OUT, faults_by_field, fields_of, sketch
from workbench.tui.inspector_pages import result_page
from workbench.tui.lab_wishes import Inspect, Wanted
from workbench.tui.page_view import PageView
from workbench.tui.palette import Palette
from workbench.tui.render import Span, clip, fit, name_spans, spans_width, time_cells
from workbench.tui.rerun import HandRun
from workbench.tui.screens.form_parts import FormField
from workbench.tui.screens.full import FullScreen
from workbench.tui.states import GLYPHS
from workbench.tui.title_row import TitleRow
from workbench.tui.trace_records import Entry
from workbench.tui.wrapped import Line, wrapped
from workbench.visible import visible_line

_INVITE: Final = (
    ("Not called yet.", "subtle"),
    ("^s calls it. Hooks and permissions are those of a call that the model makes.", "muted"),
)


class CallForm(FullScreen[None]):
    """``values`` are those of the last call. ``check`` says what is wrong with arguments, or None.

    ``run`` begins a call, and ``refresh_run`` says that there is news of it; ``stop`` ends it. ``traced``
    finds it in the trace once it ended.
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
    ) -> None:
        super().__init__(palette)
        self._tool = tool
        self._description = description
        self._check = check
        self._begin = run
        self._stop = stop
        self._traced = traced
        self._run: HandRun | None = None
        self._rest = ""
        self._fields = [
            FormField(spec, _first(spec.default, values.get(spec.name, LEFT_OUT)), "", palette)
            if spec.name in values or spec.default is not LEFT_OUT
            else FormField(spec, LEFT_OUT, sketch(parameters, spec.name), palette)
            for spec in fields_of(parameters)
        ]
        self._box = VerticalScroll(*self._fields, can_focus=False, id="fields")
        self._verdict = TitleRow(self._verdict_spans, palette)
        self._view = PageView(palette, "surface", "result")
        self._view.empty = _INVITE
        self._view.can_focus = False

    def body(self) -> Iterable[Widget]:
        """The fields, what it gave."""
        return self._box, self._verdict, self._view

    def dress(self, palette: Palette) -> None:
        """All of them are painted anew."""
        self._verdict.palette = self._view.palette = palette
        for field in self._fields:
            field.palette = palette

    def on_mount(self) -> None:
        """Begin with the first field."""
        self._judge()
        if self._fields:
            self._fields[0].editor.focus(scroll_visible=False)
        else:
            self._view.can_focus = True
            self._view.focus()

    def on_resize(self, event: events.Resize) -> None:
        """Lines are broken anew."""
        self.refresh_run()

    # the fields

    def on_form_field_filled(self, event: FormField.Filled) -> None:
        """Say what is wrong as one types."""
        event.stop()
        self._judge()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A field that is filled in shows its heading too."""
        for field in self._fields:
            if field.editor is event.widget:
                self._box.scroll_to_widget(field, animate=False)
        self._show_hints()

    def _show_hints(self) -> None:
        """The key for null stands there where null is a value."""
        field = self._field
        takes_null = field is not None and field.takes_null
        self._hints.show(key for key in hints(["form"]) if key.id != "form.null" or takes_null)

    @property
    def _field(self) -> FormField | None:
        """The field that is filled in."""
        return next((field for field in self._fields if field.editor.has_focus), None)

    def _judge(self) -> Mapping[str, Any] | None:
        """Say beside each field what is wrong with it; the arguments if nothing is."""
        arguments: dict[str, Any] = {}
        faults: dict[str, str] = {}
        for field in self._fields:
            value, fault = field.read()
            if fault:
                faults[field.spec.name] = fault
            elif value is not LEFT_OUT:
                arguments[field.spec.name] = value
        self._rest = ""
        if not faults:
            names = tuple(field.spec.name for field in self._fields)
            faults, self._rest = faults_by_field(self._check(arguments) or "", names)
        for field in self._fields:
            field.say(faults.get(field.spec.name, ""))
        self._verdict.refresh()
        return None if faults or self._rest else arguments

    # what it gave

    def refresh_run(self) -> None:
        """Show what has become of the call."""
        run = self._run
        width = max(20, self.size.width)
        self._view.show(_result_lines(run.data, width) if run is not None and run.data else [])
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
        wrong = sum(bool(field.fault) for field in self._fields)
        if self._rest or wrong:
            said = self._rest or f"{wrong} field{'s' * (wrong > 1)} to put right"
            return [*left, (fit(clip("✗ " + visible_line(said), room - 2), room, right=True), "error")]
        data = self._run.data if self._run is not None else None
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
            wrong = next((field for field in self._fields if field.fault), None)
            if wrong is not None:
                wrong.editor.focus()
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

    def action_next_field(self) -> None:
        """Go to the next field."""
        self.focus_next()

    def action_previous_field(self) -> None:
        """Go to the field before."""
        self.focus_previous()

    def action_null(self) -> None:
        """Let the field be null, or empty again."""
        if (field := self._field) is not None:
            field.turn_null()

    def action_inspect(self) -> None:
        """Show all of the call."""
        entry = self._traced(self._run) if self._run is not None and self._run.data else None
        if entry is not None:
            self.post_message(Wanted(Inspect(entry)))


def _first(default: Any, value: Any) -> Any:
    return default if value is LEFT_OUT else value


def _result_lines(data: Mapping[str, Any], width: int) -> list[Line]:
    if data.get("error"):
        kind = visible_line(str(data.get("error_type") or "Error"))
        head: list[Line] = [(("  " + kind, "error strong"),)]
        return [*head, *wrapped(str(data["error"]), width, "error")]
    return result_page(str(data.get("result", "")), width)
