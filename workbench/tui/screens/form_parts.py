"""The parts of a form: a field's heading, its editor, and a row of options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult, Location

from workbench.tui.commands import bindings
from workbench.tui.form_fields import EMPTY, LEFT_OUT, MISSING, FieldSpec, read, text_of
from workbench.tui.painted import Painted
from workbench.tui.palette import Palette
from workbench.tui.render import Span, clip, row, spans_width
from workbench.tui.screens.form_heading import Headed, heading_spans
from workbench.tui.screens.form_steps import Step
from workbench.tui.steady_area import SteadyArea
from workbench.tui.title_row import TitleRow
from workbench.visible import visible_line

NOTHING: Final = -1
"""The place of what is chosen while nothing is."""

_GAP: Final = 3

_SHORT: Final = 60
"""Characters up to which a value is selected when its field is gone to: so much is written again easily."""


class Options(Painted, can_focus=True):
    """A few values of which one is chosen; left and right, or a click, choose."""

    DEFAULT_CSS = "Options { height: 1; }"
    BINDINGS: ClassVar[list[BindingType]] = bindings("option")

    class Chosen(Message):
        """Another value is chosen; ``step`` takes it back, None where that is what was done."""

        def __init__(self, step: Step | None = None) -> None:
            super().__init__()
            self.step = step

        @property
        def steps(self) -> tuple[Step, ...]:
            """It, if there is one."""
            return () if self.step is None else (self.step,)

    def __init__(self, texts: Sequence[str], chosen: int, palette: Palette) -> None:
        super().__init__()
        self._palette = palette
        self._texts = [visible_line(text) for text in texts]
        self.chosen = chosen
        self._ends: list[int] = []

    def render_line(self, y: int) -> Strip:
        """All options, or the chosen one with its number where they do not fit."""
        width = self.size.width
        spans: list[Span] = [("  ", "text")]
        self._ends = []
        for index, text in enumerate(self._texts):
            on_it = index == self.chosen
            spans += [("● " if on_it else "○ ", "accent" if on_it else "muted")]
            spans += [(text, "text" if on_it else "subtle"), (" " * _GAP, "text")]
            self._ends.append(spans_width(spans))
        if spans_width(spans) > width:
            self._ends = []
            count = f"  {self.chosen + 1} of {len(self._texts)}"
            chosen = "not chosen" if self.chosen == NOTHING else self._texts[self.chosen]
            shown = clip(chosen, width - 6 - len(count))
            spans = [("  ", "text"), ("‹ ", "muted"), (shown, "text"), (" ›", "muted"), (count, "muted")]
        ground, bar = ("selected", "accent") if self.has_focus else ("raised", None)
        return row(spans, width, self._palette, ground, bar=bar)

    def action_choose(self, step: int) -> None:
        """The next or the previous one, round and round."""
        first = 0 if step > 0 else len(self._texts) - 1
        self._choose(first if self.chosen == NOTHING else (self.chosen + step) % len(self._texts))

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked."""
        for index, end in enumerate(self._ends):
            if event.x < end:
                self._choose(index)
                return

    def _choose(self, index: int) -> None:
        step = Step(self, partial(self._go_back, self.chosen))
        self.chosen = index
        self.refresh()
        self.post_message(self.Chosen(step))

    def _go_back(self, index: int) -> None:
        self.chosen = index
        self.refresh()
        self.post_message(self.Chosen())
        self.focus(scroll_visible=False)


class ValueArea(SteadyArea):
    """Where a value is written. A short one is selected when the field is gone to: typing replaces it.

    ``one_line``: Enter leads on to what comes next, and what is pasted becomes one line.
    """

    class Entered(Message):
        """Enter was pressed in a field of one line."""

    class Undone(Message):
        """The last change shall be taken back, wherever in the form it was."""

    def __init__(self, text: str, *, one_line: bool, placeholder: str) -> None:
        super().__init__(text, compact=True, tab_behavior="focus", soft_wrap=True, placeholder=placeholder)
        self._one_line = one_line
        self._returning = False

    def return_to(self, place: Location) -> None:
        """Take the focus with the cursor there and nothing selected: it was left in the middle of writing."""
        self._returning = True
        self.move_cursor(place)
        self.focus(scroll_visible=False)

    def on_focus(self, event: events.Focus) -> None:
        """Select a short value; not when the focus only comes back to where one was writing."""
        came_back = event.from_app_focus or self._returning
        self._returning = False
        if not came_back and self.document.line_count == 1 and len(self.text) <= _SHORT:
            self.select_all()

    def action_undo(self) -> None:
        """What was done last may have been done in another field."""
        self.post_message(self.Undone())

    def on_key(self, event: events.Key) -> None:
        """Enter never takes a value away."""
        if event.key != "enter":
            return
        if self._one_line:
            event.stop()
            event.prevent_default()
            self.post_message(self.Entered())
        elif self.text and self.selected_text == self.text:
            # Enter adds a line; it is no wish to be rid of a value that was selected by going to its field
            self.move_cursor(self.document.end)

    def edit(self, edit: Edit) -> EditResult:
        """Do an edit; lines become one where there is one only."""
        if self._one_line and edit.text.splitlines() != [edit.text]:
            edit = replace(edit, text=" ".join(line.strip() for line in edit.text.strip().splitlines()))
        return super().edit(edit)


class FormField(Headed):
    """One argument: what it is, how it is filled in, and beside it what is wrong with it."""

    DEFAULT_CSS = """
    FormField {
        height: auto;
        margin: 0 0 1 0;
        & TextArea {
            height: auto;
            max-height: 6;
            padding: 0 2;
            border: none;
            background: $raised;
            color: $foreground;
            scrollbar-size: 1 1;
            & .text-area--cursor { background: $accent; color: $on-accent; text-style: none; }
            & .text-area--cursor-line { background: transparent; }
            & .text-area--selection { background: $hovered; }
            & .text-area--matching-bracket { background: $hovered; }
            & .text-area--placeholder { color: $muted; }
        }
        & TextArea:focus { background: $selected; }
    }
    """

    class Filled(Message):
        """What stands in the field has changed; ``steps`` are what can be taken back of it."""

        def __init__(self, *steps: Step) -> None:
            super().__init__()
            self.steps = steps

    class Undone(Message):
        """The last change of the form shall be taken back; it comes after what told of that change."""

    def __init__(self, spec: FieldSpec, value: Any, palette: Palette) -> None:
        super().__init__()
        self.spec = spec
        self._missing = self._was_missing = value is MISSING
        self._edits: list[list[Edit]] = []
        value = LEFT_OUT if value is MISSING else value
        self._value = value
        self._null = value is None
        self._palette = palette
        self._head = TitleRow(self._head_spans, palette, "background")
        self._editor: Options | TextArea
        self._options = _options(spec, value)
        if spec.choosable:
            texts = ["left out" if each is LEFT_OUT else _option_text(spec, each) for each in self._options]
            self._editor = Options(texts, _place(self._options, value), palette)
        else:
            text = "" if self._null else text_of(spec, value)
            one_line = spec.kind in ("number", "integer")
            self._editor = ValueArea(text, one_line=one_line, placeholder=self._empty())
            self._text = self._editor.text

    def compose(self) -> ComposeResult:
        """The heading above the editor."""
        yield self._head
        yield self._editor

    @property
    def editor(self) -> Widget:
        """What has the focus while the field is filled in."""
        return self._editor

    def repaint(self) -> None:
        """What is chosen from has the colours too."""
        super().repaint()
        if isinstance(self._editor, Options):
            self._editor.palette = self._palette

    def read(self) -> tuple[Any, str]:
        """The value, or LEFT_OUT, and what is wrong with what stands there."""
        if isinstance(self._editor, Options):
            chosen = self._editor.chosen
            return (LEFT_OUT, "missing") if chosen == NOTHING else (self._options[chosen], "")
        if self._null:
            return None, ""
        if self._missing:
            return LEFT_OUT, "missing" if self.spec.required else ""
        if self._value is not LEFT_OUT and self._editor.text == self._text:
            return self._value, ""  # a text area does not keep every kind of line end
        return read(self.spec, self._editor.text)

    def collect(self, path: str, faults: dict[str, str]) -> Any:
        """The value, or LEFT_OUT; what is wrong goes into ``faults``. A text that is no value is itself."""
        value, fault = self.read()
        if not fault:
            return value
        faults[path] = fault
        return self.unread or LEFT_OUT

    @property
    def unread(self) -> str:
        """The text that stands in it and is no value, empty if there is none."""
        text = self._editor.text if isinstance(self._editor, TextArea) and self.read()[1] else ""
        return text if text.strip() else ""

    def restore(self, text: str) -> None:
        """Let a text that was no value stand there again, if it is what was taken for the value."""
        if isinstance(self._editor, TextArea) and self._value == text:
            self._editor.text = text

    def by_path(self, path: str) -> Iterator[tuple[str, FormField]]:
        """The field at its path."""
        yield path, self

    @property
    def takes_null(self) -> bool:
        """Whether ``turn_null`` does something."""
        return self.spec.nullable and isinstance(self._editor, TextArea)

    def turn_null(self) -> None:
        """Let it be null, or an empty field again. What is written then is its value."""
        if self.takes_null and isinstance(self._editor, TextArea):
            step = Step(self._editor, partial(self._turn_back, self._null, self._missing))
            written = bool(self._editor.text)
            self._missing = False
            self._set_null(not self._null)
            if self._null:
                self._editor.replace("", (0, 0), self._editor.document.end)
            # to undo that a text was taken away is to undo null
            self.post_message(self.Filled() if written else self.Filled(step))

    def _turn_back(self, null: bool, missing: bool) -> None:
        self._missing = missing
        self._set_null(null)
        self._editor.focus(scroll_visible=False)
        self.post_message(self.Filled())

    def _set_null(self, null: bool) -> None:
        self._null = null
        self._head.refresh()
        if isinstance(self._editor, TextArea):
            self._editor.placeholder = self._empty()

    @on(Options.Chosen)
    def _chosen(self, event: Options.Chosen) -> None:
        event.stop()
        self.post_message(self.Filled(*event.steps))

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        event.stop()
        area, known = event.text_area, self._edits
        self._edits = area.history.undo_stack
        fresh = sum(all(edits is not each for each in known) for edits in self._edits)
        steps = [Step(area, partial(self._undo_text, area, self._null))] * fresh
        self._missing = self._was_missing and not self._edits and area.text == self._text
        if self._null and area.text:
            self._set_null(False)
        self.post_message(self.Filled(*steps))

    def _undo_text(self, area: TextArea, null: bool) -> None:
        area.undo()
        self._set_null(null)
        if isinstance(area, ValueArea) and not area.has_focus:
            area.return_to(area.cursor_location)

    @on(ValueArea.Undone)
    def _undone(self, event: Message) -> None:
        event.stop()
        self.post_message(self.Undone())

    def _empty(self) -> str:
        spec = self.spec
        if self._null:
            return "null"
        if spec.required:
            return "empty" if spec.kind == "text" else ""
        how = f"; {EMPTY} for an empty text" if spec.quotes_empty else ""
        if spec.default is LEFT_OUT:
            return "left out" + how
        return f"left out, then {visible_line(text_of(spec, spec.default)) or 'empty'}{how}"

    def _head_spans(self, width: int) -> list[Span]:
        null = self._null if self.takes_null else None
        return heading_spans(self.spec, self.fault, width, null=null)


def _options(spec: FieldSpec, value: Any) -> tuple[Any, ...]:
    """What can be chosen; a value that is none of it stands behind, so that it is not lost unseen."""
    options = spec.options
    strange = value is not LEFT_OUT and not any(_same(each, value) for each in options)
    return (*options, value) if strange else options


def _place(options: Sequence[Any], value: Any) -> int:
    return next((at for at, each in enumerate(options) if _same(each, value)), NOTHING)


def _option_text(spec: FieldSpec, value: Any) -> str:
    if value is None:
        return "null"
    if spec.kind == "boolean" and isinstance(value, bool):
        return "yes" if value else "no"
    return text_of(spec, value)


def _same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and one == other)
