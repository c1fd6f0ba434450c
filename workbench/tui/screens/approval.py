"""The screen on which a person decides about a batch of tool calls, call by call."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets import Input

from workbench.errors import WorkbenchError
from workbench.tui.approval import (
    ApprovalRequest,
    ApprovalResult,
    Batch,
    BatchRow,
    Decision,
)
from workbench.tui.arguments_area import parse_arguments
from workbench.tui.broker import Decide
from workbench.tui.commands import bindings, commands, key_text, key_text_of, passed
from workbench.tui.external_editor import ExternalEditor
from workbench.tui.json_view import editable_text, json_text
from workbench.tui.palette import Palette
from workbench.tui.pieces import PieceRows
from workbench.tui.screens import approval_parts as parts
from workbench.tui.screens import approval_texts as texts
from workbench.tui.screens.approval_always import AlwaysPanel
from workbench.tui.screens.approval_fields import EditField, Left
from workbench.tui.screens.approval_keys import ApprovalKeys
from workbench.tui.screens.approval_sheet import Sheet
from workbench.tui.screens.held import HeldScreen
from workbench.visible import visible_line

FULL_BELOW: Final = 104
"""Below this many columns the sheet takes the whole screen."""

_MOST_WIDE: Final = 140
_LEAST_HIGH: Final = 33
_ACTIONS: Final = frozenset(command.action.partition("(")[0] for command in commands("approval"))
_PASSED: Final = ("app.help", "app.palette", "app.theme", "app.quit", "app.repaint")
_FOR_GOOD: Final = ("approval.stop", "approval.editor")
_RUN: Final = "approval.run"
# what a click does without deciding anything
_HARMLESS: Final = ("highlight", "show_tab")


class ApprovalScreen(HeldScreen):
    """Shows one request and answers through ``decide``, once. Nothing runs before that.

    ``clock`` gives seconds for the time in which keys are held back; ``now`` gives Unix seconds.
    """

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("approval"),
        *passed(_PASSED),
    ]

    def __init__(
        self,
        request: ApprovalRequest,
        decide: Decide,
        palette: Palette,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        editor: ExternalEditor | None = None,
    ) -> None:
        super().__init__(clock=clock)
        self._editor = editor
        self.calls = Batch(request)
        self._keys = ApprovalKeys(
            self.calls, clock, self.set_timer, take_back=self._take_back, do=self._do_for_good
        )
        self.sheet = Sheet(self.calls, palette, now=now)
        self._decide: Decide | None = decide

    # life

    def compose(self) -> ComposeResult:
        """One sheet."""
        yield self.sheet

    def on_mount(self) -> None:
        """Call the person."""
        self.app.bell()
        self.set_interval(1, self.sheet.draw_heading)

    def on_unmount(self) -> None:
        """However the screen went away: without an answer, nothing runs."""
        self._answer(None)

    def on_resize(self, event: events.Resize) -> None:
        """Take the whole screen where it is small."""
        width, height = event.size
        full = width < FULL_BELOW
        self.set_class(full, "-full")
        self.sheet.styles.width = "1fr" if full else max(FULL_BELOW, min(width - 16, _MOST_WIDE))
        self.sheet.styles.height = "1fr" if full else min(height, max(_LEAST_HIGH, height - 8))

    @property
    def palette(self) -> Palette:
        """The colours; setting them paints anew."""
        return self.sheet.palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self.sheet.palette = palette

    def withdrawn(self, why: str) -> None:
        """Say why it went away; a reason that was being written goes to the draft, arguments are copied."""
        written = self.sheet.reason.value if self.sheet.mode == "reason" else ""
        edited = next((field.unfinished for field in self.query(EditField)), "")
        if written:
            self.post_message(self.Typed(events.Paste(written), self._field))
        if edited:
            self.app.copy_to_clipboard(edited)
        self.app.notify(
            texts.withdrawn_text(why, written, edited),
            title="No longer asked",
            severity="warning",
            markup=False,
        )

    def _answer(self, result: ApprovalResult | None) -> None:
        decide, self._decide = self._decide, None
        if decide is not None:
            decide(result)

    # keys and clicks

    @property
    def takes_text(self) -> bool:
        """Whether a field is open."""
        return self.sheet.mode != "calls"

    def holds(self, event: events.Event) -> bool:
        """Prose is handed on, and what it decided is taken back."""
        if super().holds(event):
            self._keys.end()
            return True
        if not isinstance(event, events.Key):
            return False
        if self.sheet.mode in ("reason", "edit") and self.focused is not None:
            return False
        held = self.active_bindings.get(event.key)
        calls = self.sheet.mode == "calls"
        for_good = (*_FOR_GOOD, _RUN) if self.calls.own else _FOR_GOOD
        final = calls and held is not None and held.binding.id in for_good
        return self._keys.takes(event, known=held is not None or not calls, final=final)

    def _take_back(self, typed: Sequence[events.Key]) -> None:
        self.sheet.close_field()
        self.give_back(typed)

    def _do_for_good(self, event: events.Key) -> None:
        held = self.active_bindings.get(event.key)
        if held is not None:
            self.call_later(self.run_action, held.binding.action)

    def on_key(self, event: events.Key) -> None:
        """A key that means nothing here says what would; what a field leaves over means nothing."""
        if self.sheet.mode != "calls":
            if event.is_printable:
                event.stop()
        elif event.key not in self.active_bindings:
            event.stop()
            shown = visible_line(event.character or "") if event.is_printable else key_text(event.key)
            shown = "space" if shown == " " else shown
            words = {"run": "run", "reject": "reject", "edit": "edit", "submit": "submit"}
            would = ", ".join(f"{key_text_of(f'approval.{each}')} {word}" for each, word in words.items())
            self._say(f"{shown} decides nothing: {would}")

    def kept(self) -> None:
        """Say where the keys go, and what ends it."""
        if self.draft_beneath:
            self._say("Keys go to your draft while you type; tab: decide now", "warning")

    def renewed(self, tools: Collection[str]) -> None:
        """Judge calls of these tools by their present code, and say that it is what would run."""
        touched = [index for index, row in enumerate(self.calls.rows) if row.call.name in tools]
        for index in touched:
            self.sheet.edited(index)
        if touched:
            if self.sheet.mode == "edit":
                self.query_one(EditField).judge()
            self._say(texts.renewed_text(touched), "warning")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a field is open, the keys are its own."""
        if self.sheet.mode == "edit" and action == "open_editor":
            return True
        return self.sheet.mode == "calls" or action not in _ACTIONS

    async def on_piece_rows_pressed(self, event: PieceRows.Pressed) -> None:
        """A click is the key, except for the one that only brings the window to the front."""
        event.stop()
        if event.target.startswith(_HARMLESS) or self.takes_clicks:
            await self.run_action(event.target)

    def on_piece_rows_wheeled(self, event: PieceRows.Wheeled) -> None:
        """The wheel over the calls moves among them, elsewhere it moves the page."""
        event.stop()
        if event.widget.id == "calls" and self.sheet.mode == "calls":
            self.action_move(event.step)
        else:
            self.action_scroll_lines(3 * event.step)

    # verdicts

    def _say(self, text: str, key: str = "muted") -> None:
        self.sheet.say(text, key)
        self.sheet.draw()

    def _decided(self, index: int, changed: bool) -> None:
        self._say("" if changed else texts.locked_text(index, self.calls.rows[index]), "warning")

    def action_approve(self) -> None:
        """Run the highlighted call; the one call that a person runs goes off at once."""
        self._decided(self.calls.cursor, self.calls.approve())
        if self.calls.own:
            self._answer(self.calls.result())

    def action_reject(self) -> None:
        """Reject the highlighted call."""
        self._decided(self.calls.cursor, self.calls.reject())

    def action_approve_rest(self) -> None:
        """Run every undecided call."""
        self._rest("approve", "run")

    def action_refuse_rest(self) -> None:
        """Reject every undecided call."""
        self._rest("reject", "reject")

    def _rest(self, decision: Decision, word: str) -> None:
        count = self.calls.decide_rest(decision)
        calls = "1 call that was" if count == 1 else f"{count} calls that were"
        undo, submit = key_text_of("approval.undo"), key_text_of("approval.submit")
        marked = f"The {calls} undecided: {word}. {undo} undoes it, {submit} submits."
        self._say(marked if count else "Every call had a verdict; none was changed.")

    def action_undo(self) -> None:
        """Take the last verdict, edit or grant back."""
        before = [row.arguments for row in self.calls.rows]
        changed = self.calls.undo()
        for index in changed:
            if self.calls.rows[index].arguments is not before[index]:
                self.sheet.edited(index)
        self._say(texts.undone_text(changed))

    def action_submit(self) -> None:
        """Answer, if every call has a verdict; else say which has none."""
        undecided = self.calls.undecided
        if not undecided:
            self._answer(self.calls.result())
            return
        which = f"{texts.calls_text(undecided).capitalize()} {'has' if len(undecided) == 1 else 'have'}"
        self.calls.go(undecided[0])
        run, reject = key_text_of("approval.run"), key_text_of("approval.reject")
        self._say(f"{which} no verdict: {run} run, {reject} reject", "warning")

    def action_reject_rest(self) -> None:
        """Reject what is undecided and answer; the model goes on. Where nothing is, it submits nothing."""
        if self.calls.decide_rest("reject"):
            self._answer(self.calls.result())
        else:
            submit, stop = key_text_of("approval.submit"), key_text_of("approval.stop")
            self._say(f"Every call has a verdict: {submit} submits, {stop} rejects all and stops", "warning")

    def action_stop_turn(self) -> None:
        """Reject everything and end the turn."""
        self._answer(self.calls.stopped())

    # looking

    def action_move(self, step: int) -> None:
        """Highlight another call."""
        self.action_highlight(max(0, self.calls.cursor + step))

    def action_highlight(self, index: int) -> None:
        """Highlight this call; counted from the end if it is below 0."""
        if self.sheet.mode == "calls":
            self.calls.go(index if index >= 0 else len(self.calls.rows) + index)
            self._say("")

    def action_show_tab(self, tab: str) -> None:
        """Open this tab."""
        self.sheet.show_tab(tab)

    def action_turn_tab(self, step: int) -> None:
        """Open the tab beside it."""
        self.sheet.turn_tab(step)

    def action_scroll_lines(self, lines: int) -> None:
        """Scroll the page."""
        self.sheet.page.go_to(self.sheet.page.scroll_offset.y + lines)

    def action_scroll_pages(self, pages: int) -> None:
        """Scroll the page by its height; a line stays in view."""
        self.action_scroll_lines(pages * max(1, self.sheet.page.size.height - 1))

    def action_copy(self) -> None:
        """Copy the highlighted call's arguments, whole."""
        text = json_text(self.calls.row.arguments)
        self.app.copy_to_clipboard(text)
        self._say(f"The arguments were copied: {texts.size_text(len(text))}.")

    # fields

    def _open(self, mode: parts.Mode, field: Widget | None = None) -> None:
        self.sheet.say("")
        self.sheet.open_field(mode, field)

    def action_reason(self) -> None:
        """Write why the highlighted call is rejected."""
        if self.calls.row.locked:
            self._decided(self.calls.cursor, changed=False)
            return
        self.sheet.reason.value = self.calls.row.reason or ""
        self._open("reason")
        self.sheet.reason.focus()

    def action_edit(self) -> None:
        """Edit the highlighted call's arguments."""
        row = self.calls.row
        if row.locked:
            self._decided(self.calls.cursor, changed=False)
            return
        self._open("edit", self._edit_field(row))

    def action_open_editor(self) -> None:
        """Edit the arguments, or what is in the field, in the person's own editor."""
        row = self.calls.row
        if row.locked:
            self._decided(self.calls.cursor, changed=False)
            return
        field = self.query_one(EditField) if self.sheet.mode == "edit" else None
        text = field.text if field is not None else editable_text(row.arguments)
        try:
            written = (self._editor or ExternalEditor(self.app)).edit(text, name="arguments.json")
        except WorkbenchError as error:
            self._say(f"{error} {error.hint}", "warning")
            return
        if field is not None:
            field.text = written
        elif written != text:
            self._edited_outside(written)

    def _edited_outside(self, text: str) -> None:
        """Take what came from the editor, or open the field where it says what is wrong with it."""
        row = self.calls.row
        check = partial(self.calls.request.check, row.call.name)
        arguments, fault = parse_arguments(text)
        if fault is None and arguments is not None and check(arguments) is None:
            self._take_edit(arguments)
        else:
            self._open("edit", self._edit_field(row, text))

    def _edit_field(self, row: BatchRow, text: str | None = None) -> EditField:
        request, name = self.calls.request, row.call.name
        check, parameters = partial(request.check, name), request.schemas.get(name)
        return EditField(row.arguments, check, self.palette, text=text, parameters=parameters)

    def action_switch_edit(self) -> None:
        """Show the arguments that are edited in fields, or as JSON again."""
        for field in self.query(EditField):
            field.action_switch()

    def action_always(self) -> None:
        """Propose a grant."""
        row = self.calls.row
        if row.locked:
            self._decided(self.calls.cursor, changed=False)
            return
        self._open("always", AlwaysPanel(self.calls, self.palette))

    def on_left(self, event: Left) -> None:
        """A field was left: nothing changed."""
        event.stop()
        self.sheet.close_field()

    async def action_leave(self) -> None:
        """Leave the open field."""
        self.sheet.close_field()

    async def action_take(self) -> None:
        """Take what is in the open field."""
        if self.sheet.mode == "reason":
            await self.sheet.reason.action_submit()
        elif self.sheet.mode == "edit":
            self.query_one(EditField).action_take()
        elif self.sheet.mode == "always":
            self.on_always_panel_confirmed()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what the model would read."""
        self.sheet.draw()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Reject with the reason."""
        index, changed = self.calls.cursor, self.calls.reject(event.value.strip())
        self.sheet.close_field()
        self._decided(index, changed)

    def on_edit_field_taken(self, event: EditField.Taken) -> None:
        """Run with other arguments."""
        self._take_edit(event.arguments)

    def _take_edit(self, arguments: Mapping[str, Any]) -> None:
        index = self.calls.cursor
        self.calls.edit(arguments)
        self.sheet.edited(index)
        self.sheet.close_field()

    def on_always_panel_changed(self, event: AlwaysPanel.Changed) -> None:
        """Mark the calls that the proposal would cover."""
        self.sheet.cover(event.covered, event.summary)

    def on_always_panel_confirmed(self) -> None:
        """Remember the proposal, unless it does not even cover the call it was made for.

        Where no proposal can cover this call alone, it runs once.
        """
        proposal = self.query_one(AlwaysPanel).proposal
        others = self.calls.covered(proposal) if proposal is not None else ()
        if self.calls.approve() if proposal is None else self.calls.remember(proposal):
            self.sheet.close_field()
            self._say(texts.remembered_text(proposal, others))
        else:
            self._say("Nothing to remember: the call that it was made for has to be covered.", "warning")
