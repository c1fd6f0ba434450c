"""Running calls again and by hand, comparing what they give, and making tests of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from textual.app import App
from textual.screen import Screen

from workbench.engine.agent import Agent
from workbench.engine.request_log import RequestLog
from workbench.errors import ConfigError, WorkbenchError
from workbench.registry.names import near_names
from workbench.tui import events
from workbench.tui.approver import check_arguments
from workbench.tui.background import Background
from workbench.tui.changed_tools import ChangedTools
from workbench.tui.commands import key_text_of
from workbench.tui.companion import Tell
from workbench.tui.comparer import Comparer
from workbench.tui.desk import Doers
from workbench.tui.external_editor import ExternalEditor
from workbench.tui.guests import Guests
from workbench.tui.hand_runs import HandRuns
from workbench.tui.inspector_about import About
from workbench.tui.lab_wishes import (
    NOW,
    CallByHand,
    Compare,
    Inspect,
    OpenSource,
    RunAgain,
    RunEarlier,
    RunToolAgain,
    SaveTest,
    Wish,
)
from workbench.tui.later_runs import LaterRuns, Show
from workbench.tui.makers import Makers
from workbench.tui.palette import Palette
from workbench.tui.rerun import HandRun, Rerun
from workbench.tui.saving_tests import Candidate, TestSaver, outcome
from workbench.tui.tool_history import ToolHistory
from workbench.tui.trace_records import Entry
from workbench.visible import visible_line

_MOST: Final = 500
"""Calls that run again at once."""

_GONE: Final = (
    "It was made by an agent inside a tool, and that agent is gone: run the call around it again, "
    "and its calls stand in the trace anew."
)


class LabDesk:
    """Does what the ``lab_wishes`` ask for. ``agent`` and ``palette`` tell what holds now.

    ``calls`` gives all finished tool calls of the trace, in order; ``inspect`` shows all of one. Long results
    are compared in the ``background``. ``printed`` is what a running call has printed, by its id.
    """

    def __init__(
        self,
        app: App[Any],
        runs: HandRuns,
        background: Background,
        *,
        agent: Callable[[], Agent | None],
        guests: Guests,
        palette: Callable[[], Palette],
        calls: Callable[[], Sequence[Entry]],
        inspect: Callable[[Entry], object],
        editor: ExternalEditor,
        tests: TestSaver,
        stop: Callable[[], object],
        printed: Callable[[str], str],
        show_waiting: Show,
    ) -> None:
        self._app = app
        self._runs = runs
        self._comparer = Comparer(background.do, app.call_later, self._show_news)
        self._later = LaterRuns(runs, self._tell, show_waiting)
        self._agent = agent
        self._guests = guests
        self._palette = palette
        self._calls = calls
        self._inspect = inspect
        self._editor = editor
        self._tests = tests
        self._stop = stop
        self._printed = printed
        self._values: dict[str, Mapping[str, Any]] = {}
        self._changed = ChangedTools()
        self.history = self._changed.history
        self._histories: dict[str, ToolHistory] = {}
        self._makers = Makers(guests, agent, calls, self._history)
        self.requests = RequestLog()

    def doers(self) -> Doers:
        """``/call`` and running the last call of a changed tool again."""
        return {"app.call": self._call, "app.again": self._again_changed}

    def join(self, agent: Agent, outer: Agent, tell: Tell) -> Callable[[], object]:
        """Follow the requests of the agent, and with them those of the agents inside its tools."""
        if agent is not outer:
            return lambda: None
        agent.observers.append(self.requests)
        return partial(agent.observers.remove, self.requests)

    def about(self, entry: Entry) -> About:
        """What is known of an entry besides: what was sent with it, its tool as it was and as it is."""
        if entry.kind == "llm":
            return About(self.requests.sent(entry.data))
        tool = str(entry.data.get("tool_name", ""))
        history, began = self._history(entry), entry.data.get("timestamp", entry.began)
        now, broken = history.now(tool), history.broken(tool)
        return About(None, history.at(tool, began), now, broken, gone=self._makers.of(entry) is None)

    def _history(self, entry: Entry) -> ToolHistory:
        """What the tools of the agent that made a call were and are like."""
        turn = entry.turn
        if not (turn.guest or turn.guest_number):
            return self.history
        return self._histories.get(turn.agent) or ToolHistory()

    def wanted(self, wish: Wish) -> None:
        """Do this."""
        match wish:
            case RunAgain():
                self._run_again(wish)
            case RunToolAgain():
                self._run_tool_again(wish.tool)
            case CallByHand():
                self._call(wish.tool)
            case SaveTest():
                self._save_test(wish)
            case Inspect():
                self._inspect(wish.entry)
            case Compare():
                self._compare(wish.run)
            case OpenSource():
                self._open_source(wish)
            case RunEarlier():
                self._run_earlier()

    # facts

    def take_in(self, batch: Sequence[events.AgentEvent]) -> None:
        """Follow the runs and the versions of the tools."""
        agent, changed = self._agent(), set[str]()
        for event in batch:
            match event:
                case events.AgentReady() if agent is not None:
                    self._changed.begin(agent.tools, event.at)
                case events.ToolsChanged(inner=False) if agent is not None:
                    changed.update(self._changed.follow(agent.tools, event))
                case events.TurnStarted(guest=guest) | events.ByHandStarted(guest=guest) if guest:
                    self._note_tools(event.agent, guest, event.at)
                case events.LoadFailed():
                    for history in (self.history, *self._histories.values()):
                        history.note_broken(event.path, event.where)
                case events.LoadMended():
                    for history in (self.history, *self._histories.values()):
                        history.note_mended(event.source)
        if changed:
            self._offer(changed)
        if self._runs.take_in(batch):
            self._show_news()

    def _note_tools(self, name: str, guest: int, at: float) -> None:
        """An agent inside a tool begins: this is what its tools are like."""
        agent = self._guests.agent(guest)
        history = self._histories.setdefault(visible_line(name), ToolHistory())
        for tool in agent.tools if agent is not None else ():
            history.note(tool, at)

    def _offer(self, changed: set[str]) -> None:
        """Offer to run the last call of one of these again."""
        name = self._changed.choose(changed, self._own_calls())
        if name:
            text = f"{visible_line(name)} changed (v{self._changed.number(name)})"
            key = key_text_of("app.again")
            self._app.notify(f"{text}: {key} runs its last call again.", markup=False, timeout=6)

    def _own_calls(self) -> list[Entry]:
        """The calls of the agent that the person talks to."""
        return [call for call in self._calls() if self._history(call) is self.history]

    def _show_news(self) -> None:
        from workbench.tui.screens.call_form import CallForm
        from workbench.tui.screens.rerun import RerunScreen
        from workbench.tui.screens.reruns import RerunsScreen

        for screen in self._app.screen_stack:
            if isinstance(screen, RerunScreen):
                self._comparer.begin([screen.run])
                screen.refresh_run()
            elif isinstance(screen, RerunsScreen):
                self._comparer.begin(screen.runs)
                screen.refresh_runs()
            elif isinstance(screen, CallForm):
                screen.refresh_run()
        self._comparer.begin(self._later.ended)
        self._later.tell()

    # running again

    def _run_again(self, wish: RunAgain) -> None:
        entries = [entry for entry in wish.entries if self._makers.of(entry) is not None]
        if not entries:
            self._say("This call cannot run again", _GONE if wish.entries else "There is no call.")
        elif len(entries) > _MOST:
            self._say("Too many calls", f"These are {len(entries):,} calls; {_MOST} are the most at once.")
        elif len(entries) > 1:
            self._run_many(entries)
        elif wish.edit:
            self._edit(entries[0], wish.arguments)
        else:
            self._run_one(self._rerun(entries[0], wish.arguments))

    def _run_tool_again(self, tool: str) -> None:
        calls = [
            call
            for call in self._calls()
            if call.data.get("tool_name") == tool and not call.turn.by_hand and not call.turn.guest
        ]
        if calls:
            self._run_again(RunAgain(tuple(calls)))
        else:
            self._say("Nothing to run again", f"{visible_line(tool)} was not called in this session.")

    def _rerun(self, entry: Entry, arguments: Mapping[str, Any] | None = None) -> Rerun:
        return Rerun.of(entry, arguments, self._makers.number(entry))

    def _again_changed(self, _: str) -> None:
        last = self._changed.last_call(self._own_calls())
        if last is None:
            self._say("Nothing to run again", "No tool that was called has changed.")
        else:
            self._run_again(RunAgain((last,)))

    def _edit(self, entry: Entry, arguments: Mapping[str, Any] | None) -> None:
        from workbench.tui.screens.edit_arguments import EditArgumentsScreen

        agent, tool = self._makers.of(entry), str(entry.data["tool_name"])
        if agent is None:
            return

        def run(taken: Mapping[str, Any] | None) -> None:
            if taken is not None:
                self._run_one(self._rerun(entry, taken))

        given = entry.arguments if arguments is None else arguments
        check, now = partial(check_arguments, agent.tools, tool), agent.tools.get(tool)
        parameters = now.parameters if now is not None else None
        screen = EditArgumentsScreen(entry.name, given, check, self._palette(), parameters=parameters)
        self._app.push_screen(screen, run)

    def _run_one(self, run: Rerun) -> None:
        from workbench.tui.screens.rerun import RerunScreen

        top = self._top(RerunScreen)
        if isinstance(top, RerunScreen) and top.run.entry is run.entry:
            top.run = run
            top.refresh_run()
        else:
            self._compare(run)
        self._runs.begin([run])

    def _compare(self, run: Rerun) -> None:
        from workbench.tui.screens.rerun import RerunScreen

        self._comparer.take_up([run])
        screen = RerunScreen(run, self._palette(), stop=self._end, traced=self._traced)
        self._app.push_screen(screen, lambda _: self._later.follow(screen.run))

    def _run_many(self, entries: Sequence[Entry]) -> None:
        from workbench.tui.screens.reruns import RerunsScreen

        runs = [self._rerun(entry) for entry in entries]
        tools = {run.tool for run in runs}
        title = f"{len(runs)} calls of {next(iter(tools))}" if len(tools) == 1 else f"{len(runs)} calls"
        top = self._top(RerunsScreen)
        if isinstance(top, RerunsScreen):
            top.show(runs)
        else:
            screen = RerunsScreen(title + ", run again", runs, self._palette(), stop=self._end)
            self._app.push_screen(screen)
        self._runs.begin(runs)

    def _run_earlier(self) -> None:
        from workbench.tui.screens.earlier_calls import EarlierCallsScreen

        def run(entry: Entry | None) -> None:
            if entry is not None:
                self._later.begin(self._rerun(entry))

        calls = [call for call in reversed(self._calls()) if self._makers.of(call) is not None]
        self._app.push_screen(EarlierCallsScreen(calls, self._palette()), run)

    def waiting(self) -> int:
        """How many calls run again once the turn is over."""
        return len(self._later)

    def take_back(self, index: int = -1) -> bool:
        """Let a call that waits for the end of the turn not run again: the last one, or that of a row."""
        return self._later.take_back(index)

    def _end(self, runs: Sequence[Rerun]) -> None:
        """End what goes on with these: the runs themselves, then comparing them."""
        if any(run.state == "running" for run in runs):
            self._stop()
        else:
            self._comparer.stop(runs)
            self._show_news()

    def _top(self, kind: type[Screen[Any]]) -> Screen[Any] | None:
        screen = self._app.screen
        return screen if isinstance(screen, kind) else None

    def _traced(self, run: HandRun) -> Entry | None:
        """The run in the trace."""
        return next((call for call in reversed(self._calls()) if call.call_id == run.call_id), None)

    def _like(self, entry: Entry) -> list[Entry]:
        """The calls of the same version of the same tool."""
        tool, history = str(entry.data["tool_name"]), self._history(entry)
        version = history.at(tool, entry.data["timestamp"])
        calls = [call for call in self._calls() if call.data.get("tool_name") == tool]
        calls = [call for call in calls if self._history(call) is history]
        return [call for call in calls if history.at(tool, call.data["timestamp"]) is version]

    def _save_test(self, wish: SaveTest) -> None:
        maker = self._makers.of(wish.entry)
        if maker is None and wish.entry.turn.guest:
            self._say("This call cannot be saved as a test", _GONE)
        else:
            self._tests.save(maker, [self._candidate(wish.entry, wish.which), *self._later_runs(wish.entry)])

    def _candidate(self, entry: Entry, which: str) -> Candidate:
        about = self.about(entry)
        notes: tuple[str, ...] = ()
        if about.changed and about.then is not None and about.now is not None:
            notes = (f"This call was made on v{about.then.number}; the tool is v{about.now.number} now.",)
        return Candidate(entry, self._like(entry), which, notes)

    def _later_runs(self, entry: Entry) -> list[Candidate]:
        """The last time that the call ran again, if it gave something else then."""
        runs = [call for call in self._calls() if call.data.get("rerun_of") == entry.call_id]
        runs = [run for run in runs if run.turn.agent == entry.turn.agent]
        runs = [run for run in runs if dict(run.arguments) == dict(entry.arguments)]
        other = [run for run in runs[-1:] if outcome(run.data) != outcome(entry.data)]
        return [self._candidate(run, NOW) for run in other]

    # by hand

    def _call(self, name: str) -> None:
        """Open the form for a tool."""
        agent = self._agent()
        if agent is None:
            return
        tool = agent.tools.get(name) or agent.tools.meant(name) if name else None
        if tool is None:
            names = [each.name for each in agent.tools]
            near = near_names(name, names) if name else names[:3]
            none_near = "The tools panel lists all of them." if names else "There are no tools."
            hint = f"For example /call {near[0]}." if near else none_near
            title = f"There is no tool {visible_line(name)}" if name else "Which tool?"
            self._say(title, hint)
            return
        from workbench.tui.screens.call_form import CallForm

        form = CallForm(
            tool.name,
            tool.description,
            tool.parameters,
            self._values.get(tool.name, {}),
            self._palette(),
            check=partial(check_arguments, agent.tools, tool.name),
            run=self._run_form,
            stop=self._stop,
            traced=self._traced,
            printed=self._printed,
        )
        self._app.push_screen(form)

    def _run_form(self, run: HandRun) -> None:
        self._values[run.tool] = run.arguments
        self._runs.begin([run])

    # the source

    def _open_source(self, wish: OpenSource) -> None:
        try:
            self._editor.open(Path(wish.file), wish.line)
        except (ConfigError, WorkbenchError) as error:
            self._app.notify(error.hint, title=str(error), markup=False, severity="warning")

    def _say(self, title: str, text: str) -> None:
        self._app.notify(text, title=title, markup=False, severity="warning")

    def _tell(self, title: str, text: str) -> None:
        self._app.notify(text, title=title, markup=False, timeout=6)
