"""Calls that agents inside tools made: they run again, become tests and show their tools, as any other."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

from textual.widgets import TextArea

from tests.tui.driving import Driven, driven
from tests.tui.test_lab import at_call, notices, rerun_shown
from workbench.engine.agent import Agent
from workbench.engine.breakpoints import Breakpoint
from workbench.engine.toolset import agent_as_tool
from workbench.providers.base import create_llm
from workbench.registry import ToolRegistry
from workbench.toolbox.loader import load_tools
from workbench.tui.events import Post
from workbench.tui.lab_wishes import RunAgain
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.screens.edit_arguments import EditArgumentsScreen
from workbench.tui.screens.inspector import InspectorScreen
from workbench.tui.screens.pause import PauseScreen
from workbench.tui.screens.rerun import RerunScreen
from workbench.tui.screens.save_test import SaveTestScreen

ASK = 'helper(task="double(number=21)")'


def double(number: int) -> int:
    """Twice the number."""
    return 2 * number


def helper_agent() -> Agent:
    """The agent that works inside a tool."""
    llm = create_llm("offline", pace=0)
    return Agent("helper", [double], llm=llm, quiet=True, log=False)


def team(post: Post) -> Agent:
    """An agent that is a tool of another."""
    llm = create_llm("offline", pace=0)
    return Agent("boss", [helper_agent()], llm=llm, quiet=True, log=False)


def inner_call(it: Driven) -> int:
    """Where the call of the inner agent stands among those of the trace."""
    calls = it.app.main.trace.calls()
    return next(at for at, call in enumerate(calls) if call.turn.guest)


def result_of(screen: RerunScreen) -> object:
    return (screen.run.data or {}).get("result")


def status_of(screen: RerunScreen) -> object:
    return (screen.run.data or {}).get("status")


async def test_a_call_of_an_agent_inside_a_tool_runs_again_on_that_agent() -> None:
    async with driven(team) as it:
        await it.turn(ASK)
        before = len(it.trace)
        await at_call(it, inner_call(it))
        await it.press("R")
        screen = await rerun_shown(it)
        assert result_of(screen) == "42"
        assert "the same" in it.shown()
        await it.press("escape")
        await it.until(lambda: it.app.screen is it.app.main)
        assert "by you  double again" in it.shown(it.app.main.trace)
        assert len(it.trace) == before  # the outer agent's session knows nothing of it


async def test_its_arguments_are_changed_first_and_checked_against_its_own_schema() -> None:
    async with driven(team) as it:
        await it.turn(ASK)
        await at_call(it, inner_call(it))
        await it.press("A")
        await it.until(lambda: isinstance(it.app.screen, EditArgumentsScreen))
        area = it.app.screen.query_one(TextArea)
        await it.act(lambda: area.load_text('{"number": "many"}'))
        await it.until(lambda: "number: expected" in it.shown())
        await it.act(lambda: area.load_text('{"number": 4}'))
        await it.until(lambda: "fits the schema" in it.shown())
        await it.press("ctrl+s")
        screen = await rerun_shown(it)
        assert result_of(screen) == "8"


async def test_a_call_that_ran_again_runs_again_once_more() -> None:
    async with driven(team) as it:
        await it.turn(ASK)
        await at_call(it, inner_call(it))
        await it.press("R")
        first = (await rerun_shown(it)).run.call_id
        await it.press("escape")
        await it.until(lambda: it.app.screen is it.app.main)
        await at_call(it, -1)
        assert it.app.main.trace.calls()[-1].call_id == first
        await it.press("R")
        screen = await rerun_shown(it)
        assert screen.run.again_of == first
        assert result_of(screen) == "42"


def waits_for(it: Driven) -> str:
    """The tool of the first call that is asked about."""
    screen = it.app.screen
    return screen.calls.request.calls[0].name if isinstance(screen, ApprovalScreen) else ""


async def test_where_the_inner_agent_states_no_trust_the_outer_policy_asks_when_it_runs_again() -> None:
    def strict(post: Post) -> Agent:
        llm = create_llm("offline", pace=0)
        return Agent("boss", [helper_agent()], llm=llm, quiet=True, log=False, trust="strict")

    async with driven(strict) as it:
        await it.send(ASK)
        await it.until(lambda: waits_for(it) == "helper")
        await it.asked()
        await it.press("y", "enter")
        await it.until(lambda: waits_for(it) == "double")
        await it.asked()
        await it.press("y", "enter")
        await it.until(lambda: it.idle)
        await at_call(it, inner_call(it))
        await it.press("R")
        request = (await it.asked()).calls.request
        assert (request.agent, request.by_hand) == ("helper", True)
        await it.press("n", "enter")
        screen = await rerun_shown(it)
        assert status_of(screen) == "rejected"


async def test_it_pauses_at_a_breakpoint_and_a_stop_there_reaches_it() -> None:
    async with driven(team) as it:
        await it.turn(ASK)
        it.agent.breakpoints.add(Breakpoint("double"))
        await at_call(it, inner_call(it))
        await it.press("R")
        await it.until(lambda: isinstance(it.app.screen, PauseScreen))
        await it.pilot.pause()
        it.clock.now += 2
        await it.press("escape")
        await it.until(lambda: it.idle and isinstance(it.app.screen, RerunScreen))
        screen = it.app.screen
        assert isinstance(screen, RerunScreen)
        assert status_of(screen) == "cancelled"


async def test_a_stop_reaches_a_call_of_an_inner_agent_while_it_runs() -> None:
    over = threading.Event()

    def slow_team(post: Post) -> Agent:
        def wait(long: bool) -> str:
            """Wait, or do not."""
            if long:
                over.wait(60)
            return "waited"

        llm = create_llm("offline", pace=0)
        inner = Agent("helper", [wait], llm=llm, quiet=True, log=False)
        return Agent("boss", [inner], llm=create_llm("offline", pace=0), quiet=True, log=False)

    async with driven(slow_team) as it:
        await it.turn('helper(task="wait(long=False)")')
        call = it.app.main.trace.calls()[inner_call(it)]
        await it.act(lambda: it.app.desks.lab.wanted(RunAgain((call,), arguments={"long": True})))
        await it.until(
            lambda: isinstance(it.app.screen, RerunScreen) and it.app.screen.run.state == "running"
        )
        await it.act(it.app.action_stop)
        await it.until(lambda: it.idle)
        over.set()
        screen = it.app.screen
        assert isinstance(screen, RerunScreen)
        assert status_of(screen) == "cancelled"


async def test_the_inspector_has_the_tool_of_an_inner_call() -> None:
    async with driven(team) as it:
        await it.turn(ASK)
        await at_call(it, inner_call(it))
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))
        await it.pilot.pause()
        screen = it.app.screen
        assert isinstance(screen, InspectorScreen)
        while screen.page != "Tool":
            await it.press("tab")
        assert "Twice the number." in it.shown()
        assert "R run again" in it.shown()


async def test_an_inner_call_becomes_a_test() -> None:
    folder = Path.cwd()
    (folder / "numbers.py").write_text("def triple(number: int) -> int:\n    return 3 * number\n")

    def from_file(post: Post) -> Agent:
        registry = ToolRegistry()
        load_tools(folder / "numbers.py", registry)
        llm = create_llm("offline", pace=0)
        inner = Agent("helper", registry, llm=llm, quiet=True, log=False)
        return Agent("boss", [inner], llm=create_llm("offline", pace=0), quiet=True, log=False)

    async with driven(from_file) as it:
        await it.turn('helper(task="triple(number=2)")')
        await at_call(it, inner_call(it))
        await it.press("t")
        await it.until(lambda: isinstance(it.app.screen, SaveTestScreen))
        await it.press("enter")
        await it.until(lambda: (folder / "tests" / "test_triple_1.py").exists())
        await it.until(lambda: "RESULT = 6" in (folder / "tests" / "test_triple_1.py").read_text())


async def test_a_call_of_an_agent_that_is_gone_is_offered_nothing_and_says_why() -> None:
    def passing(post: Post) -> Agent:
        def ask(task: str) -> str:
            """Ask an agent that is made for this call alone."""
            return helper_agent().input(task)

        llm = create_llm("offline", pace=0)
        return Agent("boss", [ask], llm=llm, quiet=True, log=False)

    async with driven(passing, notifications=True) as it:
        await it.turn('ask(task="double(number=21)")')
        call = it.app.main.trace.calls()[inner_call(it)]

        def gone() -> bool:
            gc.collect()
            return it.app.desks.guests.agent(call.turn.guest_number) is None

        await it.until(gone)
        await at_call(it, inner_call(it))
        for key in ("R", "A", "t"):
            await it.press(key)
            await it.until(lambda: any("that agent is gone" in said for said in notices(it)))
            await it.act(it.app.clear_notifications)
            await it.until(lambda: not notices(it))
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))
        await it.pilot.pause()
        assert "run again" not in it.shown()
        assert "save as test" not in it.shown()


async def test_a_tool_of_the_same_name_in_an_inner_agent_is_not_run_again_for_the_outer_one() -> None:
    def twins(post: Post) -> Agent:
        llm = create_llm("offline", pace=0)
        return Agent("boss", [helper_agent(), double], llm=llm, quiet=True, log=False)

    async with driven(twins, notifications=True) as it:
        await it.turn("double(number=1)")
        await it.turn(ASK)
        it.agent.tools.refresh("double", _twice_as_text)
        await it.until(lambda: len(notices(it)) == 1)
        await it.press("f9")
        screen = await rerun_shown(it)
        assert screen.run.arguments == {"number": 1}


def _twice_as_text(number: int) -> str:
    """Twice the number, as a text."""
    return f"{2 * number}"


async def test_a_call_of_an_agent_that_was_renewed_runs_on_the_new_one() -> None:
    async with driven(team) as it:
        await it.turn(ASK)

        def triple(number: int) -> int:
            return 3 * number

        llm = create_llm("offline", pace=0)
        renewed = Agent("helper", llm=llm, quiet=True, log=False)
        renewed.tools.register(triple, name="double")
        it.agent.tools.refresh("helper", agent_as_tool(renewed))
        await at_call(it, inner_call(it))
        for _ in range(2):
            await it.press("R")
            screen = await rerun_shown(it)
            assert result_of(screen) == "63"
            await it.press("escape")
            await it.until(lambda: it.app.screen is it.app.main)
            await at_call(it, -1)


async def test_a_call_of_an_agent_whose_tool_has_changed_since_does_not_run_on_the_old_one() -> None:
    inner = helper_agent()

    def asking(post: Post) -> Agent:
        def ask(task: str) -> str:
            """Ask the agent."""
            return inner.input(task)

        return Agent("boss", [ask], llm=create_llm("offline", pace=0), quiet=True, log=False)

    def ask(task: str) -> str:
        """Ask another way."""
        return inner.input(task)

    async with driven(asking, notifications=True) as it:
        await it.turn('ask(task="double(number=21)")')
        await at_call(it, inner_call(it))
        await it.press("R")
        assert result_of(await rerun_shown(it)) == "42"
        await it.press("escape")
        await it.until(lambda: it.app.screen is it.app.main)
        it.agent.tools.refresh("ask", ask)
        await it.until(lambda: notices(it))
        await it.act(it.app.clear_notifications)
        await at_call(it, inner_call(it))
        await it.press("R")
        await it.until(lambda: any("that agent is gone" in said for said in notices(it)))


async def test_why_a_call_inside_a_tool_has_no_what_if_is_said_beside_the_trace() -> None:
    async with driven(team, notifications=True) as it:
        await it.turn(ASK)
        said = it.shown(it.app.main.conversation)
        await at_call(it, inner_call(it))
        await it.press("w")
        await it.until(lambda: it.app._notifications)
        (told,) = it.app._notifications
        assert told.title == "Only a tool call of a turn that is over can be given another ending"
        assert "agents inside tools" in told.message
        assert it.shown(it.app.main.conversation) == said
