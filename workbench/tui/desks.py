"""Who does which command of the app: built once the first frame is out, so that the frame need not wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.config import PROJECT_FOLDER
from workbench.tui import events
from workbench.tui.approval_mode import Mode
from workbench.tui.approver import Approver
from workbench.tui.asking import Asking
from workbench.tui.background import Background
from workbench.tui.breakpoint_desk import BreakpointDesk
from workbench.tui.bridge import Bridge
from workbench.tui.compact_desk import CompactDesk
from workbench.tui.desk import Desk
from workbench.tui.external_editor import ExternalEditor
from workbench.tui.fault_desk import FaultDesk
from workbench.tui.grant_desk import GrantDesk
from workbench.tui.guests import Guests
from workbench.tui.hand_runs import HandRuns
from workbench.tui.lab_desk import LabDesk
from workbench.tui.mode_desk import ModeDesk
from workbench.tui.model_desk import ModelDesk
from workbench.tui.model_switch import ModelSwitch
from workbench.tui.panels.status import MODES
from workbench.tui.prompt_desk import PromptDesk
from workbench.tui.saving_tests import TestSaver
from workbench.tui.screens.inspector import InspectorScreen
from workbench.tui.session_desk import SessionDesk
from workbench.tui.trace_records import Entry

if TYPE_CHECKING:
    from workbench.engine.agent import Agent
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.errands import Errands
    from workbench.tui.palette import Palette


class Desks:
    """The desks by name, and together: ``doers`` by command id. On the screen's loop."""

    def __init__(self, app: WorkbenchApp) -> None:
        self._app = app
        self._post, self._do = app.inbox.post, app.agent_thread.do
        background, post = app.background, app.inbox.post
        self.asking = Asking(app, self)
        self.editor = ExternalEditor(app, lend=app.guard.paused if app.guard is not None else nullcontext)
        switch = app.make_models() if app.make_models is not None else ModelSwitch()
        switch.bind(self._do, post)
        self.breakpoints = BreakpointDesk(app, background, self.asking.broker, post, palette=self._palette)
        if app.make_breakpoint_keeper is not None:
            self.breakpoints.keeper = app.make_breakpoint_keeper()
        self.faults = FaultDesk(app, background, post, agent=self._agent, palette=self._palette)
        self.grants = GrantDesk(app, background, agent=self._agent, palette=self._palette)
        self.models = ModelDesk(
            app, switch, model=self._model, palette=self._palette, turn_running=self._turn_running
        )
        self.modes = ModeDesk(
            app,
            background,
            agent=self._agent,
            show=self._show_mode,
            note=self._note_mode,
            clock=app.clock,
        )
        self.sessions = SessionDesk(
            app,
            Background(post),  # its own: a search in all sessions takes a while
            do=self._do,
            agent=self._agent,
            post=post,
            palette=self._palette,
            turn_running=self._turn_running,
            project=Path.cwd(),
        )
        self.guests = Guests()
        self.lab = self._lab()
        self.prompts = self._prompts()
        self._all: tuple[Desk, ...] = (
            self.models,
            app.themes,
            self.modes,
            self.sessions,
            CompactDesk(self._do, post),
            self.grants,
            self.breakpoints,
            self.faults,
            self.lab,
        )
        self.doers: dict[str, Callable[[str], object]] = {}
        for desk in self._all:
            self.doers.update(desk.doers())

    def open(self) -> None:
        """Begin to work, before anything of the agent runs."""
        self.asking.open()
        self.prompts.open()

    def close(self) -> None:
        """The app ends: whoever waits for a person waits no more, and the draft is kept."""
        self.asking.close()
        self.prompts.close()

    def do(self, command: str, rest: str = "") -> None:
        """Have a command done by whoever does it; ``rest`` is what stood behind the slash word."""
        self.doers[command](rest)

    @cached_property
    def errands(self) -> Errands:
        """Whoever runs what the panels and screens ask for."""
        from workbench.tui.errands import Errands

        return Errands(self._app, self)

    def take_in(self, batch: Sequence[events.AgentEvent]) -> None:
        """What happened; the panels have been told already."""
        for desk in self._all:
            desk.take_in(batch)
        self.asking.take_in(batch)

    def bridge(self) -> Bridge:
        """What carries an agent's life to the screen, and lets breakpoints and faults into it."""
        approver = Approver(self.asking.broker)
        companions = self.breakpoints, self.faults, self.lab
        return Bridge(self._post, approver, self.asking.let_go, companions, self.guests)

    def inspect(self, shown: Entry) -> None:
        """Show all of an entry; the trace goes to the one that was shown last."""
        trace = self._app.main.trace
        entries = trace.entries()
        index = next((at for at, entry in enumerate(entries) if entry is shown), -1)
        if index < 0:  # the filter leaves it out
            entries, index = [shown], 0

        def inspected(entry: Entry | None) -> None:
            if entry is not None:
                trace.go_to(entry)

        self._app.push_screen(InspectorScreen(entries, index, self._palette(), self.lab.about), inspected)

    def _lab(self) -> LabDesk:
        app = self._app
        tests = TestSaver(app, app.background, Path.cwd(), palette=self._palette, post=self._post)
        return LabDesk(
            app,
            HandRuns(self._do, app.agent_thread.lend, app.sending.check_tools, self._post),
            Background(self._post),  # its own: two long results take a while
            agent=self._agent,
            guests=self.guests,
            palette=self._palette,
            calls=lambda: app.main.trace.calls(),
            inspect=self.inspect,
            editor=self.editor,
            tests=tests,
            stop=app.action_stop,
            printed=app.capture.so_far,
            show_waiting=lambda lines: app.main.queue.show_runs(lines),
        )

    def _prompts(self) -> PromptDesk:
        app = self._app
        return PromptDesk(
            app,
            app.main.prompt,
            Background(self._post),
            Background(self._post),
            self.editor,
            folder=Path.cwd() / PROJECT_FOLDER,
            root=Path.cwd(),
            arguments={
                **self.models.words(),
                "app.theme": lambda: app.available_themes,
                "app.call": self._tool_names,
            },
            palette=self._palette,
            take_back=lambda: app.outbox.recall() or self.lab.take_back(),
        )

    # what holds now

    def _agent(self) -> Agent | None:
        return self._app.agent_thread.agent

    def _palette(self) -> Palette:
        return self._app.themes.palette

    def _turn_running(self) -> bool:
        return self._app.turn_running

    def _model(self) -> str:
        agent = self._agent()
        return (agent.model or "") if agent is not None else ""

    def _tool_names(self) -> list[str]:
        agent = self._agent()
        return [tool.name for tool in agent.tools] if agent is not None else []

    def _show_mode(self, mode: Mode) -> None:
        self._app.main.top_line.status.approval = mode
        self._app.main.top_line.refresh()

    def _note_mode(self, mode: Mode, text: str) -> None:
        self._app.main.conversation.add_notice(text)
        self._app.main.trace.note(f"approval: {MODES[mode][0]}", about="approval")
