"""The Textual app: it wires the agent's thread, the panels and the commands together."""

from __future__ import annotations

import asyncio
import importlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from textual import events as textual_events
from textual import on
from textual.app import App
from textual.binding import BindingType
from textual.filter import LineFilter, Monochrome, NoColor
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widgets import Input, TextArea

from workbench.console.stream_capture import StreamCapture
from workbench.tui import events
from workbench.tui.activity import ActivityTracker
from workbench.tui.agent_thread import AgentThread, Start
from workbench.tui.background import Background
from workbench.tui.broker import ApprovalBroker, ApprovalDesk, Asked, Decide
from workbench.tui.command_finder import CommandFinder
from workbench.tui.commands import Command, bindings, choose_keys, key_text_of
from workbench.tui.do import Do, TakeOut
from workbench.tui.external_editor import ExternalEditor
from workbench.tui.garbage import Garbage
from workbench.tui.guard import ScreenGuard
from workbench.tui.inbox import Inbox
from workbench.tui.keymap import read_keymap
from workbench.tui.leaving import Leaving
from workbench.tui.looks import Looks, line_filters
from workbench.tui.model_switch import ModelSwitch
from workbench.tui.outbox import Outbox
from workbench.tui.palette import Palette
from workbench.tui.panel_keys import PanelKeys
from workbench.tui.panels.conversation import Conversation
from workbench.tui.panels.queue import QueuePanel
from workbench.tui.panels.status import HintLine
from workbench.tui.panels.tools import ToolsPanel
from workbench.tui.panels.trace import TracePanel
from workbench.tui.prompt_area import PromptArea, PromptReport
from workbench.tui.questions import Questions
from workbench.tui.resting import Resting
from workbench.tui.restyling import Restyling
from workbench.tui.screens.held import HeldScreen
from workbench.tui.screens.main import MainScreen
from workbench.tui.theme_desk import ThemeDesk
from workbench.tui.themes import css_variables
from workbench.tui.transcript.markdown import warm
from workbench.tui.welcome import model_text, welcome
from workbench.tui.window_title import WindowTitle
from workbench.visible import visible, visible_line

if TYPE_CHECKING:
    from workbench.engine.agent import Agent
    from workbench.tui.approval import ApprovalRequest
    from workbench.tui.breakpoint_desk import Keeper
    from workbench.tui.bridge import Bridge
    from workbench.tui.desks import Desks
    from workbench.tui.lab_wishes import Wanted
    from workbench.tui.pause import PauseRequest
    from workbench.tui.screens.grants import GrantsScreen
    from workbench.tui.screens.sessions import SessionsScreen


class Upkeep(Protocol):
    """Whoever keeps the tools as they are on disk."""

    def check(self) -> None:
        """Take in what was saved since; just before a turn, on the agent's thread."""

    def reload(self) -> None:
        """Import everything again."""

    def close(self) -> None:
        """The app ends."""


class WorkbenchApp(App[None]):
    """``start`` builds the agent, on the agent's own thread, after the first frame.

    ``first`` is sent when the agent is there: messages or slash commands.

    ``clock`` gives seconds; it decides how long keys are held back when a question comes up, and how
    long a quit key waits for its second press.
    """

    # Textual does not load the style sheet of a default screen
    CSS_PATH: ClassVar[list[str | PurePath]] = [
        Path(__file__).with_suffix(".tcss"),
        Path(__file__).parent / "screens" / "main.tcss",
    ]
    TITLE = "workbench"
    COMMAND_PALETTE_BINDING = "ctrl+p"
    COMMANDS = {CommandFinder}  # noqa: RUF012  # Textual declares the type
    BINDINGS: ClassVar[list[BindingType]] = bindings("app")

    def __init__(
        self,
        start: Start,
        *,
        themes: Mapping[str, Palette],
        theme: str,
        agent_name: str = "agent",
        model: str = "",
        models: ModelSwitch | None = None,
        keymap: Mapping[str, object] | None = None,
        looks: Looks = Looks(),  # noqa: B008  # frozen: it can be shared
        first: Sequence[str] = (),
        guard: ScreenGuard | None = None,
        clock: Callable[[], float] = time.monotonic,
        **options: Any,
    ) -> None:
        if guard is not None:
            options["driver_class"] = guard.driver_class()
        self.clock = clock
        self.themes = ThemeDesk(self, themes, theme)
        super().__init__(**options)
        self.themes.dress()
        self.looks = looks
        self._less = line_filters(looks, self._palette_now)
        if not looks.motion:
            self.animation_level = "none"
        self.keymap = read_keymap(keymap or {})
        choose_keys(self.keymap.keys)
        self.set_keymap(self.keymap.for_textual)
        self._tracker = ActivityTracker()
        self._garbage = Garbage()
        self._restyling = Restyling(self)
        self._leaving = Leaving(self, clock)
        self._facts = events.AgentReady(agent_name, time.time(), model, "", ())
        self._first = list(first)
        self._seen: dict[str, str] = {}
        """What the person saw of messages that hold a folded paste."""
        self.upkeep: Upkeep | None = None
        self._moving = True
        self._resting = Resting(
            self, self._garbage, busy=lambda: self.busy, draft=lambda: self.main.prompt.draft
        )
        self.inbox = Inbox(self._take_in, looks.frame)
        self.background = Background(self.inbox.post)
        self.broker = ApprovalBroker(self.post_message)
        self._desk = ApprovalDesk(self, self.broker, self._question_screen)
        self.capture = guard.capture if guard is not None else StreamCapture()
        self.questions = Questions(self.capture, clock=clock)
        self._desks: Desks | None = None
        self.make_breakpoint_keeper: Callable[[], Keeper] | None = None
        self._furnished: Future[Desks] = Future()
        self._missed: list[Sequence[events.AgentEvent]] = []
        self.agent_thread = AgentThread(start, self._make_bridge, self.capture, self.inbox.post)
        self._window = WindowTitle(guard.title if guard is not None else str)
        self.models = models or ModelSwitch()
        self.models.bind(self.agent_thread.do, self.inbox.post)
        self.editor = ExternalEditor(self, lend=guard.paused if guard is not None else nullcontext)
        self.main = MainScreen(self.themes.palette)
        self._panel_keys = PanelKeys(self.main, clock)
        self.outbox = Outbox(self.main, self._tracker, self._begin_turn, self._run_command)
        self.main.top_line.status.agent = visible_line(agent_name)
        self.main.top_line.status.model = model_text(model)

    def _palette_now(self) -> Palette:
        return self.themes.palette

    # life

    def get_default_screen(self) -> Screen[None]:
        """The main screen."""
        return self.main

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The tokens of the theme in use."""
        return css_variables(self.themes.palette)

    def refresh_css(self, animate: bool = True) -> None:
        """Style every widget anew, in steps."""
        self._restyling.begin(animate=animate)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What every line passes through; no colours means none, not shades of grey."""
        filters = super().get_line_filters()
        return [*(each for each in filters if not isinstance(each, Monochrome | NoColor)), *self._less]

    def on_descendant_focus(self, event: textual_events.DescendantFocus) -> None:
        """Where motion is reduced, no cursor blinks."""
        if not self.looks.motion and isinstance(event.widget, Input | TextArea):
            event.widget.cursor_blink = False

    def on_mount(self) -> None:
        """Watch the theme; build the agent once the first frame is out."""
        self._garbage.install()
        self.capture.install()
        self.questions.open(self, self.action_stop)
        self.themes.watch()
        self._ticker = self.set_interval(self.looks.tick, self._tick)
        self.outbox.invite()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.inbox.open(asyncio.get_running_loop())
        self.agent_thread.start()
        threading.Thread(target=self._prepare, name="workbench-warm", daemon=True).start()
        self._tick()

    def _prepare(self) -> None:
        """Import what the first frame did without, beside the loop."""
        importlib.import_module("workbench.tui.desks")
        self.call_later(lambda: self.desks)
        warm()

    @property
    def desks(self) -> Desks:
        """Who does the commands; they are there soon after the first frame, or when first asked for."""
        if self._desks is None:
            from workbench.tui.desks import Desks

            self._desks = Desks(self)
            self._furnished.set_result(self._desks)
            self._desks.prompts.open()
            while self._missed:
                self._desks.take_in(self._missed.pop(0))
        return self._desks

    def _make_bridge(self) -> Bridge:
        """On the agent's thread. Raises CancelledError when the app ended before it was furnished."""
        return self._furnished.result().bridge()

    def on_unmount(self) -> None:
        """Let a waiting agent go, and take nothing more in."""
        self._desk.close()
        self.questions.close()
        if self._desks is not None:
            self._desks.prompts.close()
        self._furnished.cancel()
        self.agent_thread.stop_turn()
        self.inbox.close()
        self.capture.remove()
        self._garbage.remove()

    async def on_event(self, event: textual_events.Event) -> None:
        """Give the message what is meant for it before a panel has it."""
        if not isinstance(event, textual_events.Key):
            await super().on_event(event)
            return
        if not self._panel_keys.takes(event):
            await super().on_event(event)
        self._panel_keys.done()

    # facts from the agent

    def _take_in(self, batch: Sequence[events.AgentEvent]) -> None:
        self._tracker.apply(batch)
        self.main.apply(batch)
        for event in batch:
            match event:
                case events.AgentReady():
                    self._agent_ready(event)
                case events.AgentFailed():
                    self.main.conversation.add_notice(
                        "The agent could not be built", event.error, event.hint, "error"
                    )
                case events.TurnStarted() | events.ByHandStarted() if self._tracker.stopping:
                    self.agent_thread.stop_turn()  # asked for before there was a turn to stop
                case events.TurnFinished() | events.ByHandFinished() if not event.inner:
                    self.outbox.turn_ended(event.status)
                case events.ModelChanged():
                    self._greet(replace(self._facts, model=event.model, missing_key=event.missing_key))
                case _:
                    pass
        if self._desks is None:
            self._missed.append(batch)
        else:
            self._desks.take_in(batch)
        self._tick()

    def _greet(self, ready: events.AgentReady) -> None:
        """Say who is there, in the top line and where no conversation is yet."""
        self._facts = ready
        status = self.main.top_line.status
        status.agent, status.model = visible_line(ready.agent), model_text(ready.model)
        self.main.top_line.refresh()
        self.main.conversation.show_welcome(*welcome(ready))

    def _agent_ready(self, ready: events.AgentReady) -> None:
        self._garbage.keep()
        self._greet(ready)
        for problem in self.keymap.problems:
            self.main.conversation.add_notice(
                "An entry of your keymap is not used", problem, "All others hold.", "warning"
            )
        while self._first:
            self.outbox.send(self._first.pop(0))
        self.outbox.send_next()

    def _tick(self) -> None:
        now = time.time()
        activity = self._tracker.activity(now)
        self.main.tick(now, activity)
        self._window.show(
            self.main.top_line.status.agent,
            waits=self._tracker.waiting or isinstance(self.screen, HeldScreen),
            running=activity is not None,
        )
        if activity is not None:
            self._ticker.resume()
        elif self._moving:
            self._ticker.pause()
            self._resting.begin()
        self._moving = activity is not None

    # questions to the person

    def let_go(self) -> None:
        """The turn was stopped: whoever waits for a person waits no more. From any thread."""
        self.broker.stop()
        self.questions.stop()

    def on_asked(self, message: Asked) -> None:
        """A batch waits for a decision."""
        self._desk.asked(message)

    def _question_screen(self, request: ApprovalRequest | PauseRequest, decide: Decide) -> HeldScreen:
        from workbench.tui.pause import PauseRequest
        from workbench.tui.screens.approval import ApprovalScreen
        from workbench.tui.screens.pause import PauseScreen

        if isinstance(request, PauseRequest):
            about = self.desks.lab.about
            return PauseScreen(request, decide, self.themes.palette, about, clock=self.clock)
        return ApprovalScreen(request, decide, self.themes.palette, clock=self.clock, editor=self.editor)

    def on_held_screen_typed(self, message: HeldScreen.Typed) -> None:
        """Keys that the question kept from deciding anything belong to what was being written."""
        message.give_to(self.main.prompt.area)

    # messages from the person

    @property
    def turn_running(self) -> bool:
        """True while a turn runs, or calls that a person runs by hand."""
        return self._tracker.turn_running

    @property
    def busy(self) -> bool:
        """True while the agent is being built or a turn runs."""
        return self._tracker.busy

    def on_prompt_area_sent(self, message: PromptArea.Sent) -> None:
        """Send it, queue it, or run it as a command."""
        self.desks.prompts.sent(message.text)
        self._seen.pop(message.text, None)
        if message.seen != message.text:
            self._seen[message.text] = message.seen
        self.outbox.send(message.text)

    @on(PromptReport)
    def _prompt_reports(self, message: PromptReport) -> None:
        self.desks.prompts.take(message)

    def on_queue_panel_taken(self, message: QueuePanel.Taken) -> None:
        """Take the clicked message back into the prompt."""
        self.outbox.take_back(message.index)

    def _begin_turn(self, text: str) -> None:
        self.agent_thread.do(partial(self._turn, text, self._seen.pop(text, text)))
        self._tick()

    def _turn(self, text: str, seen: str, agent: Agent) -> None:
        """One turn, with the tools as they are on disk now. On the agent's thread."""
        self.check_tools()
        from workbench.tui.attachments import with_attachments

        agent.input(with_attachments(text, Path.cwd(), seen))

    def check_tools(self) -> None:
        """Take in what was saved since. On the agent's thread."""
        if self.upkeep is not None:
            self.upkeep.check()

    def _run_command(self, command: Command, rest: str) -> None:
        if "do(" in command.action:
            self.call_later(self.action_do, command.id, rest)
        else:
            self.call_later(self.run_action, ("app", command.action, ()))

    # panels

    def on_trace_panel_inspect(self, message: TracePanel.Inspect) -> None:
        """Show all of an entry; the trace goes to the one that was shown last."""
        self.desks.inspect(message.entry)

    def on_wanted(self, message: Wanted) -> None:
        """Do with a call or a tool what the person wants."""
        from workbench.tui.lab_wishes import WhatIf

        if isinstance(message.wish, WhatIf):
            self.desks.sessions.what_if(message.wish.entry)
        else:
            self.desks.lab.wanted(message.wish)

    def on_conversation_copied(self, message: Conversation.Copied) -> None:
        """Say what is in the clipboard now."""
        self.notify(
            f"The {message.what} was copied: {message.characters} characters.", markup=False, timeout=2
        )

    def on_conversation_link_clicked(self, message: Conversation.LinkClicked) -> None:
        """A model's link is never opened; it is put into the clipboard, where it can be read first."""
        self.copy_to_clipboard(message.target)
        self.notify(visible_line(message.target), title="Link copied", markup=False)

    def on_tools_panel_toggle(self, message: ToolsPanel.Toggle) -> None:
        """Switch tools on or off; the panel hears of it through ``on_change`` like everybody else."""
        agent = self.agent_thread.agent
        if agent is None:
            return
        from workbench.tui.toggling import switch

        self.background.do("switch the tool", partial(switch, agent.tools, message.names, message.enable))

    def on_sessions_screen_wanted(self, message: SessionsScreen.Wanted) -> None:
        """Do with a session what the person wants."""
        self.desks.sessions.wanted(message.row, message.deed)

    def on_sessions_screen_search(self, message: SessionsScreen.Search) -> None:
        """Look for a text in all sessions."""
        self.desks.sessions.search(message.text)

    def on_grants_screen_revoke(self, message: GrantsScreen.Revoke) -> None:
        """Take a grant back; the list hears of it through ``on_change``."""
        self.desks.grants.revoke(message.id)

    def on_hint_line_pressed(self, message: HintLine.Pressed) -> None:
        """A click on a hint is the key."""
        self.call_later(partial(self.run_action, message.action, self.focused or self.main))

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Tell it in a corner for a while: always as plain text, in which nothing acts."""
        super().notify(
            visible(message), title=visible_line(title), severity=severity, timeout=timeout, markup=markup
        )

    # commands

    def action_stop(self) -> None:
        """Stop the running turn; the queue waits."""
        if self._tracker.turn_running and not self._tracker.stopping:
            self._tracker.stopping = True
            self.outbox.hold()
            self.agent_thread.stop_turn()
            self._tick()

    def action_interrupt(self) -> None:
        """ctrl+c: copy a selection, else clear the draft, else stop the turn, else ask to quit."""
        selected = self.screen.get_selected_text() or self.main.prompt.area.selected_text
        if selected:
            self.copy_to_clipboard(selected)
            self.notify(f"{len(selected)} characters copied.", markup=False, timeout=2)
        elif self.screen is self.main and self.main.prompt.draft:
            self.desks.prompts.clear()
        elif self._tracker.turn_running:
            self.action_stop()
        else:
            self._ask_to_leave(key_text_of("app.interrupt"))

    async def action_quit(self) -> None:
        """Leave; with a turn running or messages queued only on a second press."""
        if self.busy or self.outbox:
            self._ask_to_leave(key_text_of("app.quit"))
        else:
            self.exit()

    def _ask_to_leave(self, key: str) -> None:
        self._leaving.ask(key, running=self._tracker.turn_running, queued=len(self.outbox))

    def action_next_panel(self) -> None:
        """Focus the next panel."""
        self.main.move_focus(1)

    def action_previous_panel(self) -> None:
        """Focus the previous panel."""
        self.main.move_focus(-1)

    def action_reset(self) -> None:
        """Start a new conversation."""
        if self._tracker.turn_running:
            self.notify(
                "Stop the running turn first.", title="New conversation", markup=False, severity="warning"
            )
        else:
            self.agent_thread.do(lambda agent: agent.reset_conversation())

    def action_do(self, command: str, rest: str = "") -> None:
        """Have the command done by whoever does it; ``rest`` is what stood behind the slash word."""
        self.desks.doers[command](rest)

    def on_do(self, message: Do) -> None:
        """A panel or screen has a command done."""
        self.action_do(message.command, message.rest)

    def on_take_out(self, message: TakeOut) -> None:
        """A panel wants a grant, a breakpoint or a fault gone."""
        match message.subject:
            case events.GrantRow(id=grant):
                self.desks.grants.revoke(grant)
            case events.BreakRow() as row:
                self.desks.breakpoints.remove(row)
            case events.FaultRow(tool=tool):
                self.desks.faults.clear(tool)

    def action_reload(self) -> None:
        """Import every tool file again."""
        if self.upkeep is None:
            self.notify("No tool files are followed here.", title="Reload", markup=False)
        else:
            self.background.do("load the tools again", self.upkeep.reload)

    def action_repaint(self) -> None:
        """Draw everything again."""
        self.refresh(layout=True)

    def action_help(self) -> None:
        """Open the help, once."""
        from workbench.tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.themes.palette))
