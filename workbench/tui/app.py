"""The Textual app: the screen, the keys, and who stands behind them."""

from __future__ import annotations

import asyncio
import importlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import events as textual_events
from textual import on
from textual.app import App
from textual.binding import BindingType
from textual.driver import Driver
from textual.filter import LineFilter, Monochrome, NoColor
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widgets import Input, TextArea

from workbench.console.stream_capture import StreamCapture
from workbench.tui.activity import ActivityTracker
from workbench.tui.agent_thread import AgentThread, Start
from workbench.tui.background import Background
from workbench.tui.commands import Command, bindings, choose_keys, key_character, key_text_of
from workbench.tui.do import Errand
from workbench.tui.garbage import Garbage
from workbench.tui.inbox import Inbox
from workbench.tui.leaving import Leaving
from workbench.tui.looks import Looks, line_filters
from workbench.tui.outbox import Outbox
from workbench.tui.palette import Palette, pressed_key
from workbench.tui.panel_keys import PanelKeys
from workbench.tui.panels.queue import QueuePanel
from workbench.tui.prompt_area import PromptArea, PromptReport
from workbench.tui.pulse import Pulse
from workbench.tui.reception import Reception
from workbench.tui.resting import Resting
from workbench.tui.restyling import Restyling
from workbench.tui.screens.main import MainScreen
from workbench.tui.sending import Sending
from workbench.tui.steady_area import SteadyArea
from workbench.tui.theme_desk import ThemeDesk
from workbench.tui.themes import css_variables
from workbench.visible import visible, visible_line

if TYPE_CHECKING:
    from workbench.tui.breakpoint_desk import Keeper
    from workbench.tui.bridge import Bridge
    from workbench.tui.command_finder import CommandFinder
    from workbench.tui.desks import Desks
    from workbench.tui.guard import ScreenGuard
    from workbench.tui.model_switch import ModelSwitch


_SOON: Final = ("errands", "command_finder", "screens.finder", "screens.approval", "screens.pause")
"""What nothing waits for, but what a person may ask for any moment."""

_PATIENCE: Final = 5
"""Seconds that importing these waits for an agent that is slow to come."""


def _finder() -> type[CommandFinder]:
    from workbench.tui.command_finder import CommandFinder

    return CommandFinder


def _raise(error: Exception) -> None:
    raise error


class WorkbenchApp(App[None]):
    """``start`` builds the agent, on the agent's own thread, after the first frame.

    ``first`` is sent when the agent is there: messages or slash commands.

    ``clock`` gives seconds; it decides how long keys are held back when a question comes up, and how
    long a quit key waits for its second press. ``make_models`` and ``make_breakpoint_keeper`` are asked
    once the first frame is out.
    """

    # Textual does not load the style sheet of a default screen
    CSS_PATH: ClassVar[list[str | PurePath]] = [
        Path(__file__).with_suffix(".tcss"),
        Path(__file__).parent / "screens" / "main.tcss",
    ]
    TITLE = "workbench"
    COMMAND_PALETTE_BINDING = "ctrl+p"
    COMMANDS = {_finder}  # noqa: RUF012  # Textual declares the type
    BINDINGS: ClassVar[list[BindingType]] = bindings("app")

    def __init__(
        self,
        start: Start,
        *,
        themes: Mapping[str, Palette],
        theme: str,
        agent_name: str = "agent",
        model: str = "",
        make_models: Callable[[], ModelSwitch] | None = None,
        make_breakpoint_keeper: Callable[[], Keeper] | None = None,
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
        self._less = line_filters(looks, lambda: self.themes.palette)
        if not looks.motion:
            self.animation_level = "none"
        self.keymap_problems = self._take_keymap(keymap) if keymap else ()
        self.guard = guard
        self.make_models, self.make_breakpoint_keeper = make_models, make_breakpoint_keeper
        self.capture = guard.capture if guard is not None else StreamCapture()
        self.tracker = ActivityTracker()
        self.garbage = Garbage()
        self._restyling = Restyling(self)
        self._leaving = Leaving(self, clock)
        self._reception = Reception(self, first)
        self.inbox = Inbox(self._reception.take_in, looks.frame)
        self.background = Background(self.inbox.post)
        self.agent_thread = AgentThread(start, self._make_bridge, self.capture, self.inbox.post)
        self._desks: Desks | None = None
        self.main = MainScreen(self.themes.palette)
        self._panel_keys = PanelKeys(self.main, clock)
        resting = Resting(self, self.garbage, busy=lambda: self.busy, draft=lambda: self.main.prompt.draft)
        self.pulse = Pulse(self, resting, guard.title if guard is not None else str)
        self.sending = Sending(self.agent_thread, self.pulse.beat)
        self.outbox = Outbox(self.main, self.tracker, self.sending.begin, self._run_command)
        self._reception.expect(agent_name, model)

    def _take_keymap(self, setting: Mapping[str, object]) -> Sequence[str]:
        """Use the person's own keys; what is wrong with some of them."""
        from workbench.tui.keymap import read_keymap

        keymap = read_keymap(setting)
        choose_keys(keymap.keys)
        self.set_keymap(keymap.for_textual)
        return keymap.problems

    # looks

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

    # life

    def on_mount(self) -> None:
        """Watch the theme; everything else comes once the first frame is out."""
        self.garbage.install()
        self.themes.watch()
        self.pulse.start()
        self.outbox.invite()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.inbox.open(asyncio.get_running_loop())
        threading.Thread(target=self._prepare, name="workbench-warm", daemon=True).start()

    def _prepare(self) -> None:
        """Import what the first frame did without, beside the loop."""
        try:
            importlib.import_module("workbench.tui.desks")
        except Exception as error:  # noqa: BLE001  # the top of a worker: the app ends with it
            self.call_later(_raise, error)
            return
        self.call_later(self._open)
        # nothing of this is needed sooner than the agent, which would come later for it
        self.agent_thread.built.wait(_PATIENCE)
        for module in _SOON:
            importlib.import_module(f"workbench.tui.{module}")
        importlib.import_module("workbench.tui.transcript.markdown").warm()

    def _open(self) -> None:
        """Let the agent begin its life: what its tools write and ask has somewhere to go now."""
        self.capture.install()
        self.desks.open()
        self.agent_thread.start()
        self.pulse.beat()

    @property
    def desks(self) -> Desks:
        """Who does the commands; they are there soon after the first frame, or when first asked for."""
        if self._desks is None:
            from workbench.tui.desks import Desks

            self._desks = Desks(self)
        return self._desks

    def _make_bridge(self) -> Bridge:
        return self.desks.bridge()

    def on_unmount(self) -> None:
        """Let a waiting agent go, and take nothing more in."""
        if self._desks is not None:
            self._desks.close()
        self.agent_thread.stop_turn()
        self.inbox.close()
        self.capture.remove()
        self.garbage.remove()

    # messages

    @on(Driver.SignalResume)
    def _came_back(self) -> None:
        """The terminal was the shell's for a while: nothing of what was painted is there any more."""
        self.action_repaint()

    async def on_event(self, event: textual_events.Event) -> None:
        """Give the message what is meant for it before a panel has it."""
        if not isinstance(event, textual_events.Key):
            await super().on_event(event)
            return
        if not self._panel_keys.takes(event):
            await super().on_event(event)
        self._panel_keys.done()

    @on(Errand)
    def _run_errand(self, errand: Errand) -> None:
        self.desks.errands.run(errand)

    @on(PromptReport)
    def _prompt_reports(self, message: PromptReport) -> None:
        self.desks.prompts.take(message)

    def on_prompt_area_sent(self, message: PromptArea.Sent) -> None:
        """Send it, queue it, or run it as a command."""
        self.desks.prompts.sent(message.text)
        self.sending.note(message)
        self.outbox.send(message.text)

    def on_queue_panel_taken(self, message: QueuePanel.Taken) -> None:
        """Take the clicked message back into the prompt."""
        self.outbox.take_back(message.index)

    def on_queue_panel_run_taken(self, message: QueuePanel.RunTaken) -> None:
        """Let the clicked call not run again."""
        self.desks.lab.take_back(message.index)

    async def on_click(self, event: textual_events.Click) -> None:
        """A click on a hint is the key, and goes the way of a key; nobody writes with the mouse."""
        key = pressed_key(event.style)
        if key and event.widget is not None and event.widget.screen is self.screen:
            await super().on_event(textual_events.Key(key, key_character(key)))

    # what holds now

    @property
    def turn_running(self) -> bool:
        """True while a turn runs, or calls that a person runs by hand."""
        return self.tracker.turn_running

    @property
    def busy(self) -> bool:
        """True while the agent is being built or a turn runs."""
        return self.tracker.busy

    @property
    def asks(self) -> bool:
        """Whether a question to the person is on the screen."""
        return self._desks is not None and self._desks.asking.waits

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

    def copy_to_clipboard(self, text: str) -> None:
        """Put a text into the clipboard; half a surrogate pair, which no terminal can be sent, as ``?``."""
        super().copy_to_clipboard(text.encode("utf-8", "replace").decode("utf-8"))

    # commands

    def _run_command(self, command: Command, rest: str) -> None:
        if "do(" in command.action:
            self.call_later(self.action_do, command.id, rest)
        else:
            self.call_later(self.run_action, ("app", command.action, ()))

    def action_stop(self) -> None:
        """Stop the running turn; the queue waits. Without one, notices in the corner go."""
        if not self.tracker.turn_running:
            self.clear_notifications()
        elif not self.tracker.stopping:
            self.tracker.stopping = True
            self.outbox.hold()
            self.agent_thread.stop_turn()
            self.pulse.beat()

    def action_interrupt(self) -> None:
        """ctrl+c: copy a selection, else clear the draft, else stop the turn, else ask to quit."""
        selected = self.screen.get_selected_text() or self.main.prompt.area.selected_text
        if selected:
            self.copy_to_clipboard(selected)
            self.notify(f"{len(selected)} characters copied.", timeout=2)
        elif self.screen is self.main and self.main.prompt.draft:
            self.desks.prompts.clear()
            self.outbox.drop()
        elif self.tracker.turn_running:
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
        self._leaving.ask(key, running=self.tracker.turn_running, queued=len(self.outbox))

    def action_next_panel(self) -> None:
        """Focus the next panel."""
        self.main.move_focus(1)

    def action_previous_panel(self) -> None:
        """Focus the previous panel."""
        self.main.move_focus(-1)

    def action_reset(self) -> None:
        """Start a new conversation."""
        if self.tracker.turn_running:
            self.notify("Stop the running turn first.", title="New conversation", severity="warning")
        else:
            self.agent_thread.do(lambda agent: agent.reset_conversation())

    def action_do(self, command: str, rest: str = "") -> None:
        """Have the command done by whoever does it; ``rest`` is what stood behind the slash word."""
        self.desks.do(command, rest)

    def action_reload(self) -> None:
        """Import every tool file again; where there is no agent, build it again."""
        if self.tracker.agentless:
            self.agent_thread.build_again()
        elif self.sending.upkeep is None:
            self.notify("No tool files are followed here.", title="Reload")
        else:
            self.background.do("load the tools again", self.sending.upkeep.reload)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where something is filled in ^z undoes; at the prompt and elsewhere it goes back to the shell."""
        if action != "suspend_process":
            return True
        if len(self.screen_stack) > 1:
            return not self.screen.query("Input, TextArea, ArgumentsEditor, Choice")
        return isinstance(self.focused, PromptArea) or not isinstance(self.focused, SteadyArea)

    def action_repaint(self) -> None:
        """Draw everything again."""
        self.refresh(layout=True)

    def action_command_palette(self) -> None:
        """Open the palette, once."""
        from workbench.tui.screens.finder import FinderScreen

        if not isinstance(self.screen, FinderScreen):
            self.push_screen(FinderScreen(id="--command-palette"))

    def action_help(self) -> None:
        """Open the help, once."""
        from workbench.tui.screens.help import HelpScreen, scopes_here

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.themes.palette, scopes_here(self.screen)))
