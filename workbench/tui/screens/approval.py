"""The screen on which a person decides about a batch of tool calls, call by call."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input

from workbench.tui.approval import (
    ApprovalRequest,
    ApprovalResult,
    Batch,
    Decision,
    Grace,
    Proposal,
)
from workbench.tui.broker import Decide
from workbench.tui.commands import bindings, commands, key_text
from workbench.tui.json_view import json_text
from workbench.tui.palette import Palette
from workbench.tui.pieces import PieceRows
from workbench.tui.screens import approval_parts as parts
from workbench.tui.screens.approval_fields import AlwaysPanel, EditField, Left
from workbench.tui.screens.approval_pages import FileChange, Pages
from workbench.tui.screens.approval_sheet import Sheet
from workbench.tui.text import visible_line

FULL_BELOW: Final = 104
"""Below this many columns the sheet takes the whole screen."""

_MOST_WIDE: Final = 140
_LEAST_HIGH: Final = 33
_ACTIONS: Final = frozenset(command.action.partition("(")[0] for command in commands("approval"))
# what a click does without deciding anything
_HARMLESS: Final = ("highlight", "show_tab")
_NEWLINE_KEYS: Final = frozenset(
    key for command in commands("prompt") if command.action == "newline" for key in command.keys
)


class ApprovalScreen(ModalScreen[None]):
    """Shows one request and answers through ``decide``, once. Nothing runs before that.

    ``clock`` gives seconds for the time in which keys are held back; ``now`` gives Unix seconds.
    """

    AUTO_FOCUS = ""
    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            binding
            for binding in bindings("approval")
            if isinstance(binding, Binding) and binding.id != "approval.take"
        ),
        *(
            Binding(",".join(command.keys), f"app.{command.action}", command.label, show=False)
            for command in commands("app")
            if command.id in ("app.help", "app.quit", "app.repaint")
        ),
    ]

    class Typed(Message):
        """Keys that came too early to decide anything. They belong to the prompt's draft.

        First take ``erased`` characters off its end, then add ``text``.
        """

        def __init__(self, text: str, erased: int = 0) -> None:
            super().__init__()
            self.text = text
            self.erased = erased

    class _Compared(Message):
        def __init__(self, index: int, change: FileChange | None) -> None:
            super().__init__()
            self.index = index
            self.change = change

    def __init__(
        self,
        request: ApprovalRequest,
        decide: Decide,
        palette: Palette,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self.calls = Batch(request)
        self._decide: Decide | None = decide
        self._keys_held = Grace(clock)
        self._clicks_held = Grace(clock)
        self._pages = Pages(self.calls, self._compared)
        self.sheet = Sheet(self.calls, self._pages, palette, now=now)

    # life

    def compose(self) -> ComposeResult:
        """One sheet."""
        yield self.sheet

    def on_mount(self) -> None:
        """Call the person."""
        self.app.bell()
        self._pages.start()
        self.set_interval(1, self.sheet.draw_heading)
        self.watch(self.app, "app_focus", self._window_focused, init=False)

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

    def _answer(self, result: ApprovalResult | None) -> None:
        decide, self._decide = self._decide, None
        if decide is not None:
            decide(result)

    def _compared(self, index: int, change: FileChange | None) -> None:
        self.post_message(self._Compared(index, change))

    # keys and clicks

    async def on_event(self, event: events.Event) -> None:
        """Hold keys back until the person has stopped typing for the prompt, and hand them to it."""
        if isinstance(event, events.Key) and event.key != "escape" and self._keys_held.holds_key():
            self._hand_back(event)
        elif isinstance(event, events.Paste) and self.sheet.mode == "calls":
            self.post_message(self.Typed(event.text))
        else:
            await super().on_event(event)

    def _hand_back(self, event: events.Key) -> None:
        if event.key == "backspace":
            self.post_message(self.Typed("", 1))
        elif event.key in _NEWLINE_KEYS:
            self.post_message(self.Typed("\n"))
        elif event.is_printable and event.character is not None:
            self.post_message(self.Typed(event.character))

    def on_key(self, event: events.Key) -> None:
        """A key that means nothing here says what would."""
        if self.sheet.mode == "calls" and event.key not in self.active_bindings:
            event.stop()
            shown = visible_line(event.character or "") if event.is_printable else key_text(event.key)
            shown = "space" if shown == " " else shown
            self._say(f"{shown} decides nothing: y run, n reject, e edit, enter submit")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a field is open, the keys are its own."""
        return self.sheet.mode == "calls" or action not in _ACTIONS

    def _window_focused(self, focused: bool) -> None:
        if focused:
            self._clicks_held.restart()

    async def on_piece_rows_pressed(self, event: PieceRows.Pressed) -> None:
        """A click is the key, except for the one that only brings the window to the front."""
        event.stop()
        if event.target.startswith(_HARMLESS) or not self._clicks_held.holds():
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

    def _decided(self, changed: bool) -> None:
        self._say("" if changed else "The policy denies this call; no verdict can let it run.", "warning")

    def action_approve(self) -> None:
        """Run the highlighted call."""
        self._decided(self.calls.approve())

    def action_reject(self) -> None:
        """Reject the highlighted call."""
        self._decided(self.calls.reject())

    def action_approve_rest(self) -> None:
        """Run every undecided call."""
        self._rest("approve", "run")

    def action_refuse_rest(self) -> None:
        """Reject every undecided call."""
        self._rest("reject", "reject")

    def _rest(self, decision: Decision, word: str) -> None:
        count = self.calls.decide_rest(decision)
        self._say(f"{word} for {count} more" if count else "Every call had a verdict; none was changed.")

    def action_submit(self) -> None:
        """Answer, if every call has a verdict; else say which has none."""
        undecided = self.calls.undecided
        if not undecided:
            self._answer(self.calls.result())
            return
        which = (
            f"Call {parts.marked(undecided)} has"
            if len(undecided) == 1
            else (f"Calls {parts.marked(undecided)} have")
        )
        self.calls.go(undecided[0])
        self._say(f"{which} no verdict: y run, n reject", "warning")

    def action_reject_rest(self) -> None:
        """Reject what is undecided and answer; the model goes on."""
        self.calls.decide_rest("reject")
        self._answer(self.calls.result())

    def action_stop_turn(self) -> None:
        """Reject everything and end the turn."""
        self._answer(self.calls.stopped())

    # looking

    def action_move(self, step: int) -> None:
        """Highlight another call."""
        self.action_highlight(self.calls.cursor + step)

    def action_highlight(self, index: int) -> None:
        """Highlight this call."""
        if self.sheet.mode == "calls":
            self.calls.go(index)
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
        self._say(f"The arguments were copied: {parts.size_text(len(text))}.")

    def on_approval_screen__compared(self, event: _Compared) -> None:
        """A thread has compared a call's file change."""
        event.stop()
        self._pages.compared(event.index, event.change)
        self.sheet.changed(event.index)
        self.sheet.draw()

    # fields

    def _open(self, mode: parts.Mode, field: Widget | None = None) -> None:
        self.sheet.say("")
        self.sheet.open_field(mode, field)

    def action_reason(self) -> None:
        """Write why the highlighted call is rejected."""
        if self.calls.row.locked:
            self._decided(False)
            return
        self.sheet.reason.value = self.calls.row.reason or ""
        self._open("reason")
        self.sheet.reason.focus()

    def action_edit(self) -> None:
        """Edit the highlighted call's arguments."""
        row = self.calls.row
        if row.locked:
            self._decided(False)
            return
        check = partial(self.calls.request.check, row.call.name)
        self._open("edit", EditField(row.arguments, check, self.palette))

    def action_always(self) -> None:
        """Propose a grant."""
        row = self.calls.row
        if row.locked:
            self._decided(False)
            return
        self._open("always", AlwaysPanel(row.call.name, row.arguments, self._covers, self.palette))

    def _covers(self, proposal: Proposal) -> bool:
        row = self.calls.row
        return self.calls.request.covers(proposal, row.call.name, row.arguments)

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
        changed = self.calls.reject(event.value.strip())
        self.sheet.close_field()
        self._decided(changed)

    def on_edit_field_taken(self, event: EditField.Taken) -> None:
        """Run with other arguments."""
        index = self.calls.cursor
        self.calls.edit(event.arguments)
        self._pages.edited(index)
        self.sheet.changed(index)
        self.sheet.close_field()

    def on_always_panel_changed(self) -> None:
        """Show what the proposal would cover."""
        panel = self.query_one(AlwaysPanel)
        proposal = panel.proposal
        if not self._covers(proposal):
            panel.state(["It does not cover this call."], "error")
            self.sheet.cover(())
            return
        others = self.calls.covered(proposal)
        panel.state(parts.coverage_text(proposal, others), "subtle")
        self.sheet.cover(others)

    def on_always_panel_confirmed(self) -> None:
        """Remember the proposal, unless it does not even cover the call it was made for."""
        proposal = self.query_one(AlwaysPanel).proposal
        others = self.calls.covered(proposal)
        if self.calls.remember(proposal):
            self.sheet.close_field()
            self._say(parts.remembered_text(proposal, others))
