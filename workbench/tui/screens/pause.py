"""The pause at a breakpoint: what stands still, and what shall become of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType

from workbench.engine.breakpoints import Action, Resume
from workbench.tui.commands import Command, bindings, commands, hints, key_text_of, passed
from workbench.tui.inspector_about import About
from workbench.tui.inspector_reading import source_of
from workbench.tui.json_view import editable_text
from workbench.tui.lab_wishes import OpenSource, RunEarlier, Wanted
from workbench.tui.palette import Palette
from workbench.tui.pause import PauseRequest
from workbench.tui.pause_pages import pause_facts, pause_pages, paused_entry
from workbench.tui.reader import Reader
from workbench.tui.render import Span, arguments_text, clip, name_spans, spans_width, time_cells
from workbench.tui.screens.approval_fields import EditField, Left
from workbench.tui.screens.approval_texts import size_text
from workbench.tui.screens.held import HeldScreen
from workbench.tui.screens.pause_parts import Keys, ResultField
from workbench.tui.screens.reading import ReaderKeys
from workbench.tui.subject_row import SubjectRow
from workbench.tui.title_row import TitleRow
from workbench.tui.trace_records import Entry
from workbench.visible import visible_line

LOW: Final = 16

Decide = Callable[[Resume | None], None]
_BEFORE_ONLY: Final = frozenset({"pause.skip"})
_AFTER_ONLY: Final = frozenset({"pause.result", "pause.again"})
_PASSED: Final = ("app.help", "app.repaint", "app.interrupt")


class PauseScreen(ReaderKeys, HeldScreen):
    """Shows a paused call and reports through ``decide`` how to go on, once.

    Arguments and a result that were taken are shown like the call's own, and hold once it goes on: in place
    of the call's result where that was given, else instead of running it.
    A screen that something else takes away reports None. ``about`` tells what is known of the call's tool,
    ``waiting`` how many calls run again once the turn is over.
    ``clock`` is monotonic, ``now`` gives Unix time, both in seconds.
    """

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("pause"),
        *passed(_PASSED),
    ]

    def __init__(
        self,
        request: PauseRequest,
        decide: Decide,
        palette: Palette,
        about: Callable[[Entry], About] | None = None,
        *,
        waiting: Callable[[], int] = lambda: 0,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(clock=clock)
        self.request = request
        self.arguments: Mapping[str, Any] = request.arguments
        self.result: str | None = None
        self.mode: Literal["keys", "arguments", "result"] = "keys"
        self._decide: Decide | None = decide
        self._palette = palette
        self._now = now
        self._waiting = waiting
        self._top = TitleRow(self._top_spans, palette, "background")
        self._subject = SubjectRow(self._subject_spans, palette)
        self._about = about or (lambda _: About())
        self.reader = Reader(palette, keyed=False)
        self.scrolled = self.reader
        self._keys = Keys(palette)
        self._keys.shown = tuple(command for command in hints(["pause"]) if self._holds(command))

    def compose(self) -> ComposeResult:
        """Where it is, what it is, the pages beside the facts, the keys."""
        yield self._top
        yield self._subject
        yield self.reader
        yield self._keys

    def on_mount(self) -> None:
        """Call the person."""
        self._show()
        self.app.bell()
        self.set_interval(1, self._top.refresh)

    def on_descendant_focus(self) -> None:
        """The keys are those of what is typed into."""
        self._keys.searching = self.reader.typing
        self._keys.refresh()

    on_descendant_blur = on_descendant_focus

    def on_screen_resume(self) -> None:
        """A call may have been chosen on what lay above."""
        self.call_after_refresh(self._top.refresh)

    def on_unmount(self) -> None:
        """However the screen went away: without an answer, the turn stops."""
        self._answer(None)

    def withdrawn(self, why: str) -> None:
        """Say why it went away while something was being edited, which is copied."""
        fields = [*self.query(EditField), *self.query(ResultField)]
        edited = next((field.unfinished for field in fields if field.unfinished), "")
        if edited:
            self.app.copy_to_clipboard(edited)
            said = f"{visible_line(why)}. What you were editing was copied: {size_text(len(edited))}."
            self.app.notify(said, title="No longer paused", severity="warning", markup=False)

    def on_resize(self, event: events.Resize) -> None:
        """A low screen has no room for blank rows."""
        self.set_class(event.size.height < LOW, "-low")

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self._top.palette = self._subject.palette = self._keys.palette = palette
        self.reader.restyle(palette)
        for field in self.query(EditField):
            field.palette = palette

    # what is shown

    @property
    def entry(self) -> Entry:
        """The call as the trace would hold it, with arguments and result as they are now."""
        return paused_entry(self.request, self.arguments, self.result)

    def _show(self, page: str = "") -> None:
        entry = self.entry
        shown = pause_pages(self.request, entry, self._about(entry))
        self.reader.show(entry, shown, pause_facts(self.request, entry), name=page)
        self._subject.refresh()

    def _top_spans(self, width: int) -> list[Span]:
        request = self.request
        seconds = max(0, int(self._now() - request.opened))
        waited = f"{seconds} s" if seconds < 60 else time_cells(seconds * 1000).strip()
        right: list[Span] = [("◇ ", "warning"), (f"paused {waited}", "warning")]
        waiting = self._waiting()
        if waiting and not request.by_hand:  # a call by hand may be one of them
            said = f"{waiting} run{'s' * (waiting == 1)} again after the turn   "
            right = [(said, "subtle"), *right]
        agent = clip(visible_line(request.agent), width - spans_width(right) - 6)
        left: list[Span] = [("  ", "text"), (agent, "text strong")]
        turn = f"turn {request.turn}   iteration {request.iteration}"
        where: Span = ("   by hand" if request.by_hand else f"   {turn}", "subtle")
        if spans_width([*left, where, *right]) + 4 <= width:
            left.append(where)
        return [*left, (" " * max(1, width - 2 - spans_width([*left, *right])), "text"), *right]

    def _subject_spans(self, width: int) -> list[Span]:
        request = self.request
        failed = request.error is not None
        said: list[str] = [request.when, *["failed"] * failed]
        if self.result is not None:
            said.append("made up" if request.when == "before" else "result edited")
        name = [(text, f"{key} strong" if key == "text" else key) for text, key in name_spans(request.tool)]
        # of more than there is room for, what was last says most; the name is never cut for it
        room = width - 4 - 2 - spans_width(name) - 2
        while len(said) > 1 and cell_len(", ".join(said)) > room:
            del said[0]
        key = "error" if failed else "warning"
        spans: list[Span] = [("  ◇ ", "warning"), (", ".join(said) + "  ", key), *name]
        given = clip(arguments_text(self.arguments), width - spans_width(spans) - 4)
        return [*spans, ("  " + given, "muted")]

    # keys and clicks

    @property
    def takes_text(self) -> bool:
        """Whether a field is open, or the search."""
        return self.mode != "keys" or self.reader.typing

    def _holds(self, command: Command) -> bool:
        return command.id not in (_AFTER_ONLY if self.request.when == "before" else _BEFORE_ONLY)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a field is open, the keys are its own; some hold before the call only, some after it."""
        mine = [command for command in commands("pause") if command.action.partition("(")[0] == action]
        if not mine:
            return True
        return self.mode == "keys" and all(map(self._holds, mine))

    def on_key(self, event: events.Key) -> None:
        """A key that means nothing here says what would."""
        if not self.takes_text and event.key not in self.active_bindings:
            event.stop()
            keys = [key_text_of(f"pause.{each}") for each in ("go_on", "step", "stop")]
            self._say("{} continues, {} steps, {} stops the turn".format(*keys))

    def kept(self) -> None:
        """Say where the keys go, and what ends it."""
        if self.draft_beneath:
            self._say("Keys go to your draft while you type; tab: decide now")

    def _say(self, text: str) -> None:
        self._keys.said = text
        self._keys.refresh()
        self.set_timer(4, self._hush)

    def _hush(self) -> None:
        self._keys.said = ""
        self._keys.refresh()

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

    def action_earlier(self) -> None:
        """Choose a call that runs again once the turn is over: the agent stands still in this one."""
        self.post_message(Wanted(RunEarlier()))

    def action_back(self) -> None:
        """Stop the turn; what is marked, and then a search that is kept, goes first."""
        if not self.reader.step_back():
            self._answer(Resume("stop"))

    def action_edit(self) -> None:
        """Edit the arguments: for this run before the call, for the next one after it."""
        request = self.request
        field = EditField(self.arguments, request.check, self._palette, parameters=request.parameters)
        self._open("arguments", field)

    def action_skip(self) -> None:
        """Make a result up; the tool does not run."""
        said = "made-up result: the model reads this, and the call does not run"
        self._open("result", ResultField(self.result or "", said, self._palette))

    def action_edit_result(self) -> None:
        """Edit what the model will read."""
        gave = self.request.error if self.request.result is None else self.request.result
        result = gave if self.result is None else self.result
        said = "edited result: the model reads this instead of what the call gave"
        self._open("result", ResultField(result or "", said, self._palette))

    def _open(self, mode: Literal["arguments", "result"], field: EditField | ResultField) -> None:
        self.mode = mode
        self._keys.editing, self._keys.of_arguments = True, mode == "arguments"
        self._keys.refresh()
        self.reader.cover(field)

    def _close_field(self) -> None:
        self.mode = "keys"
        self._keys.editing = False
        self._keys.refresh()
        self.reader.uncover()
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
        if self.request.when == "before":
            self.result = None  # they are written for a call that runs
        self._close_field()
        self._show("Arguments")
        go_on, step, again = (key_text_of(f"pause.{each}") for each in ("go_on", "step", "again"))
        if self.request.when == "after":
            self._say(f"{again} runs the call again with these arguments")
        else:
            self._say(f"{go_on} runs the call with these arguments, {step} runs it and steps on")

    @on(ResultField.Taken)
    def _result_taken(self, event: ResultField.Taken) -> None:
        event.stop()
        self.result = event.text
        self._close_field()
        self._show("Result")
        keys = [key_text_of(f"pause.{each}") for each in ("go_on", "step", "edit")]
        said = "{} continues with this result, {} steps on with it"
        if self.request.when == "before":
            said += "; {} lets the call run after all"
        self._say(said.format(*keys))

    def _resume(self, action: Action) -> None:
        edited = editable_text(self.arguments) != editable_text(self.request.arguments)
        self._answer(Resume(action, self.arguments if edited else None, self.result))

    def _answer(self, resume: Resume | None) -> None:
        decide, self._decide = self._decide, None
        if decide is not None:
            decide(resume)

    # reading

    def action_source(self) -> None:
        """Open the failing line, or else the tool, in the editor."""
        place = source_of(self.entry, self._about(self.entry))
        if place is None:
            self._say("There is no Python file of it")
        else:
            self.post_message(Wanted(OpenSource(*place)))
