"""Breakpoints in the app: set from panels, kept, and what can be done at a pause."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
from textual.widgets import Input, TextArea

from tests.tui.driving import Driven, driven
from workbench.config import user_folder
from workbench.engine import Agent, Breakpoint
from workbench.project_trust import ProjectTrust
from workbench.providers.base import create_llm
from workbench.registry import ToolTag, tool
from workbench.storage.breakpoint_file import BreakpointFile
from workbench.tui.call_path import path_text
from workbench.tui.events import Post
from workbench.tui.rows import RowList
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.screens.breakpoints import BreakpointsScreen
from workbench.tui.screens.pause import PauseScreen

TWO = "add(a=1, b=2) and mean(numbers=[1, 2, 3])"


async def paused(it: Driven, when: str = "before", tool: str = "") -> PauseScreen:
    """Wait for a pause, past the time in which it takes no keys."""

    def there() -> bool:
        screen = it.app.screen
        if not isinstance(screen, PauseScreen) or screen._finished:
            return False
        return screen.request.when == when and screen.request.tool.endswith(tool)

    await it.until(there)
    screen = it.app.screen
    assert isinstance(screen, PauseScreen)
    await it.pilot.pause()
    it.clock.now += 2
    return screen


async def ended(it: Driven) -> list[dict[str, Any]]:
    """Wait for the end of the turn; the entries of its calls."""
    await it.until(lambda: it.idle and not isinstance(it.app.screen, PauseScreen))
    return [entry for entry in it.trace if entry["type"] == "tool_execution"]


def said(it: Driven) -> list[str]:
    """The toasts so far."""
    return [each.message for each in it.app._notifications]


async def fields(it: Driven) -> None:
    """A field of the pause is open."""
    await it.until(lambda: it.app.screen.query("TextArea") and isinstance(it.app.focused, TextArea))


async def page(it: Driven, name: str) -> str:
    """Turn the pages until that one is open; all that is shown then."""
    screen = it.app.screen
    assert isinstance(screen, PauseScreen)
    for _ in range(8):
        if screen.reader.page == name:
            break
        await it.press("tab")
    assert screen.reader.page == name
    return it.shown()


async def test_a_pause_shows_the_call_and_enter_goes_on() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.mean"))
        await it.send(TWO)
        screen = await paused(it, "before", "mean")
        shown = it.shown()
        assert "before  arithmetic.mean" in shown
        assert "before each call" in shown
        assert screen.reader.page == "Arguments"
        await page(it, "Context")
        assert "arithmetic.add" in it.shown()  # the tool before it
        assert screen.request.task == TWO
        assert [entry for entry in it.trace if entry["type"] == "tool_execution"][-1]["tool_name"].endswith(
            "add"
        )
        await it.press("enter")
        entries = await ended(it)
        assert [entry["result"] for entry in entries] == ["3", "2.0"]


async def test_a_pause_before_a_call_has_the_pages_that_are_known_then() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.mean"))
        await it.send(TWO)
        screen = await paused(it, "before", "mean")
        assert "Result" not in it.shown()
        shown = await page(it, "Messages")
        assert "4 messages; since the request before: 2 new" in shown
        assert "→ arithmetic-mean" in shown
        shown = await page(it, "Tool")
        assert "arithmetic.py:" in shown
        assert "The arithmetic mean" in shown
        shown = await page(it, "Context")
        assert "✓ arithmetic.add" in shown
        assert TWO in shown
        await it.press("enter")
        await ended(it)
        assert screen.entry.data["tool_name"] == "arithmetic.mean"


async def test_a_pause_after_a_failed_call_opens_on_its_error_with_traceback_and_values() -> None:
    @tool(tags={ToolTag.READ_ONLY})
    def parse(text: str) -> int:
        """Read a number."""
        print("reading", text)
        return int(text)

    async with driven() as it:
        it.agent.tools.register(parse)
        it.agent.breakpoints.add(Breakpoint(on_error=True))
        await it.send("parse(text='four')")
        screen = await paused(it, "after", "parse")
        assert screen.reader.page == "Error"
        shown = it.shown()
        assert "ValueError" in shown
        assert "▎     return int(text)" in shown
        assert "values in" in shown
        assert "'four'" in shown
        assert "reading four" in await page(it, "Output")
        await it.press("enter")
        await ended(it)


async def test_a_pause_is_searched_and_copied_and_esc_leaves_the_search_first() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("add(a=1, b=2)")
        screen = await paused(it)
        await page(it, "Tool")
        await it.press("slash")
        await it.write("numbers")  # n, s and e are keys of the pause
        await it.press("enter")
        assert screen.reader.view.matches
        await it.press("y")
        assert '"parameters"' in it.app.clipboard
        await it.press("escape")
        assert screen.reader.sought == ""
        assert it.app.screen is screen
        await it.press("escape")
        (entry,) = await ended(it)
        assert entry["status"] == "cancelled"


async def test_the_source_of_a_paused_call_opens_in_the_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    async with driven() as it:
        opened: list[tuple[str, int]] = []
        monkeypatch.setattr(it.app.desks.editor, "open", lambda path, line: opened.append((path.name, line)))
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("add(a=1, b=2)")
        await paused(it)
        await it.press("o")
        await it.until(lambda: opened)
        assert opened[0][0] == "arithmetic.py"
        await it.press("enter")
        await ended(it)


async def test_the_time_at_a_pause_is_the_persons() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add", "after"))
        await it.send("add(a=1, b=2)")
        await paused(it, "after")
        assert "◇ pause" in it.app.main.trace.focus_target.render_line(4).text
        await it.press("enter")
        await ended(it)
        (wait,) = [entry for entry in it.trace if entry["type"] == "human_wait"]
        assert wait["what"] == "breakpoint after arithmetic.add"
        turn = it.app.main.trace._model.turns[-1]
        pause = next(entry for entry in it.app.main.trace._model.flat if entry.name == "pause")
        assert pause.ms is not None
        assert pause.kind == "you"
        assert turn.clock.waits


async def test_step_pauses_at_the_next_call_and_continue_leaves_step_mode() -> None:
    async with driven() as it:
        await it.send("/step")
        await it.until(lambda: it.agent.breakpoints.step)
        assert "step mode" in it.shown(it.app.main.top_line)
        await it.send(TWO)
        await paused(it, "before", "add")
        await it.press("s")
        await paused(it, "after", "add")
        await it.press("s")
        await paused(it, "before", "mean")
        await it.press("c")
        assert len(await ended(it)) == 2
        assert not it.agent.breakpoints.step
        await it.until(lambda: "step mode" not in it.shown(it.app.main.top_line))


async def test_a_call_that_is_skipped_answers_with_the_made_up_result() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("add(a=1, b=2)")
        await paused(it)
        await it.press("k")
        await fields(it)
        await it.write("made up")
        await it.press("ctrl+s", "enter")
        (entry,) = await ended(it)
        assert entry["result"] == "made up"
        assert entry["made_up"]


async def test_arguments_that_were_edited_are_what_runs_and_wrong_ones_are_refused() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("add(a=1, b=2)")
        screen = await paused(it)
        await it.press("e")
        await fields(it)
        area = screen.query_one(TextArea)
        await it.act(lambda: setattr(area, "text", '{"a": "x", "b": 2}'))
        await it.press("ctrl+s")
        assert screen.mode == "arguments"
        await it.act(lambda: setattr(area, "text", '{"a": 40, "b": 2}'))
        await it.press("ctrl+s")
        await it.until(lambda: screen.mode == "keys")
        assert "edited by you" in it.shown()
        await it.press("enter")
        (entry,) = await ended(it)
        assert (entry["result"], entry["edited_by"]) == ("42", "user")


async def test_a_result_can_be_edited_and_a_call_run_again() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add", "after"))
        await it.send("add(a=1, b=2)")
        first = await paused(it, "after")
        await it.press("a")
        await it.until(lambda: it.app.screen is not first)
        screen = await paused(it, "after")
        assert "3" in it.shown()
        await it.press("r")
        await fields(it)
        await it.act(lambda: setattr(screen.query_one(TextArea), "text", "four"))
        await it.press("ctrl+s", "enter")
        (entry,) = await ended(it)
        assert (entry["result"], entry["result_edited_from"]) == ("four", "3")


@pytest.mark.parametrize(
    ("when", "key", "mark"), [("before", "k", "made up"), ("after", "r", "result edited")]
)
@pytest.mark.parametrize(("go_on", "next_call"), [("enter", False), ("s", True)])
async def test_a_result_that_is_taken_stays_at_the_pause_until_one_goes_on_or_steps(
    when: Literal["before", "after"], key: str, mark: str, go_on: str, next_call: bool
) -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add", when))
        it.agent.breakpoints.step = True
        await it.send(TWO)
        await paused(it, "before", "add")
        if when == "after":
            await it.press("s")
        screen = await paused(it, when, "add")
        await it.press(key)
        await fields(it)
        await it.act(lambda: setattr(screen.query_one(TextArea), "text", "seven"))
        await it.press("ctrl+s")
        await it.until(lambda: screen.mode == "keys")
        assert it.app.screen is screen
        assert screen.reader.page == "Result"
        assert f"{when}, {mark}" in it.shown()
        assert "seven" in it.shown()
        assert "enter continues with this result, s steps on with it" in it.shown()
        await it.press(go_on)
        if next_call:
            await paused(it, "before", "mean")
            await it.press("enter")
        first, second = await ended(it)
        assert (first["result"], second["result"]) == ("seven", "2.0")
        assert not it.agent.breakpoints.step


async def test_arguments_that_are_taken_after_a_made_up_result_let_the_call_run_after_all() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("add(a=1, b=2)")
        screen = await paused(it)
        for key in ("k", "e"):
            await it.press(key)
            await fields(it)
            if key == "e":
                area = screen.query_one(TextArea)
                await it.act(partial(setattr, area, "text", '{"a": 40, "b": 2}'))
            await it.press("ctrl+s")
            await it.until(lambda: screen.mode == "keys")
        assert "made up" not in it.shown()
        await it.press("enter")
        (entry,) = await ended(it)
        assert entry["result"] == "42"
        assert "made_up" not in entry


async def test_the_edited_error_of_a_failed_call_is_shown_and_edited_further() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.mean", on_error=True))
        await it.send("mean(numbers=[])")
        screen = await paused(it, "after")
        for text in ("no luck", "no luck at all"):
            await it.press("r")
            await fields(it)
            await it.act(partial(setattr, screen.query_one(TextArea), "text", text))
            await it.press("ctrl+s")
            await it.until(lambda: screen.mode == "keys")
            assert "after, failed, result edited" in it.shown()
            await it.press("r")
            await fields(it)
            assert screen.query_one(TextArea).text == text
            await it.press("escape")
        await it.press("enter")
        (entry,) = await ended(it)
        assert (entry["status"], entry["result"]) == ("error", "no luck at all")


async def test_esc_leaves_a_field_and_without_one_stops_the_turn() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("add(a=1, b=2)")
        screen = await paused(it)
        await it.press("e")
        await fields(it)
        await it.press("escape")
        await it.until(lambda: screen.mode == "keys")
        await it.press("escape")
        (entry,) = await ended(it)
        assert entry["status"] == "cancelled"
        assert it.agent.last_status == "stopped"


async def test_a_stop_from_elsewhere_takes_the_pause_away() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("add(a=1, b=2)")
        await paused(it)
        it.agent.stop()
        await ended(it)
        assert it.agent.last_status == "stopped"


@pytest.mark.parametrize("key", ["e", "k"])
async def test_what_is_being_edited_when_a_pause_ends_by_itself_is_copied(key: str) -> None:
    async with driven(notifications=True) as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("add(a=1, b=2)")
        await paused(it)
        await it.press(key)
        await it.until(lambda: isinstance(it.app.focused, TextArea))
        await it.write("or so")
        it.agent.stop()
        await ended(it)
        assert it.app.clipboard.startswith("or so")
        await it.until(lambda: "What you were editing was copied" in it.shown())


async def test_keys_typed_for_the_prompt_do_not_continue() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("add(a=1, b=2)")
        await it.until(lambda: isinstance(it.app.screen, PauseScreen))
        await it.press("c", "s", "enter")
        screen = it.app.screen
        assert isinstance(screen, PauseScreen)
        assert not screen._finished
        await it.until(lambda: it.app.main.prompt.draft.startswith("cs"))
        it.clock.now += 5
        await it.press("c")
        await ended(it)


def double(number: int) -> int:
    """Double it."""
    return 2 * number


def outer_agent(post: Post) -> Agent:
    """An agent whose tool asks another one."""

    helper = Agent("helper", [double], llm=create_llm("offline", pace=0), quiet=True, log=False)

    def ask_helper(task: str) -> str:
        """Ask the helper."""
        return helper.input(task)

    return Agent("boss", [ask_helper], llm=create_llm("offline", pace=0), quiet=True, log=False, trust="open")


async def test_a_pause_in_an_agent_within_a_tool_says_where_it_is_from() -> None:
    async with driven(outer_agent) as it:
        it.agent.breakpoints.add(Breakpoint("double"))
        await it.send('ask_helper(task="double(number=21)")')
        screen = await paused(it, "before", "double")
        assert screen.request.agent == "boss › ask_helper › helper"
        await it.press("enter")
        (entry,) = await ended(it)
        assert entry["human_ms"] > 0


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        ((), "b"),
        (("a", "ask_b"), "a › ask_b › b"),
        (("a", "b"), "a › b"),
        (("a", "b", "b", "b"), "a › b › b"),
        (("a", "a"), "a › a › b"),
    ],
)
def test_a_tool_that_is_the_agent_that_it_asks_is_named_once(origin: tuple[str, ...], said: str) -> None:
    assert path_text(origin, "b") == said


def named(it: Driven) -> str:
    """The agent that the question on the screen names."""
    screen = it.app.screen
    return screen.calls.request.agent if isinstance(screen, ApprovalScreen) else ""


async def test_approvals_and_pauses_name_an_agent_that_is_a_tool_once() -> None:
    def nested(post: Post) -> Agent:
        helper = Agent("helper", [double], llm=create_llm("offline", pace=0), quiet=True, log=False)
        llm = create_llm("offline", pace=0)
        return Agent("boss", [helper], llm=llm, quiet=True, log=False, trust="strict")

    async with driven(nested) as it:
        it.agent.breakpoints.add(Breakpoint("double"))
        await it.send('helper(task="double(number=21)")')
        for path in ("boss", "boss › helper"):
            assert (await it.asked()).calls.request.agent == path
            await it.press("y", "enter")
            await it.until(partial(lambda path: path != named(it), path))
        assert (await paused(it, "before", "double")).request.agent == "boss › helper"
        await it.press("enter")
        await ended(it)


async def test_without_the_app_nothing_pauses() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("*"))
        it.app.agent_thread.leave()
        await asyncio.to_thread(it.agent.input, "add(a=1, b=2)")
        assert it.agent.last_status == "success"


# setting them


@pytest.fixture
def keeper(own_folder: Path) -> BreakpointFile:
    """Where the breakpoints of this project are kept."""
    return BreakpointFile(own_folder, ProjectTrust(own_folder, user_folder()))


async def opened(it: Driven) -> BreakpointsScreen:
    await it.until(lambda: isinstance(it.app.screen, BreakpointsScreen))
    screen = it.app.screen
    assert isinstance(screen, BreakpointsScreen)
    await it.pilot.pause()
    return screen


async def on_tool(it: Driven, name: str) -> None:
    """The cursor of the tools panel is on this tool."""
    await it.focus("tools")
    rows = it.app.main.tools.focus_target
    index = next(at for at, row in enumerate(rows.rows) if getattr(row, "label", "") == name)
    await it.act(lambda: rows.go_to(index))


async def test_b_on_a_tool_sets_breakpoints_and_the_panel_shows_them(keeper: BreakpointFile) -> None:
    async with driven() as it:
        it.app.desks.breakpoints.keeper = keeper
        await on_tool(it, "add")
        await it.press("b")
        await opened(it)
        await it.press("space")
        await it.until(lambda: list(it.agent.breakpoints) == [Breakpoint("arithmetic.add")])
        await it.press("escape")
        await it.until(lambda: not isinstance(it.app.screen, BreakpointsScreen))
        await it.until(lambda: "◇ break" in it.shown(it.app.main.tools))
        await it.press("right")
        await it.until(lambda: "before each call" in it.shown(it.app.main.tools))
        assert list(BreakpointFile(keeper.path.parent.parent, keeper._trust).load()) == [
            Breakpoint("arithmetic.add")
        ]
        await it.press("down", "x")
        await it.until(lambda: not it.agent.breakpoints)
        await it.until(lambda: "◇ break" not in it.shown(it.app.main.tools))


async def test_a_condition_is_checked_as_it_is_typed() -> None:
    async with driven() as it:
        await on_tool(it, "add")
        await it.press("b")
        screen = await opened(it)
        await it.press("c")
        await it.until(lambda: isinstance(it.app.focused, Input))
        await it.write("argument")
        await it.until(lambda: "✗ no argument here" in it.shown())
        await it.press("enter")
        assert not it.agent.breakpoints
        await it.write("s['a'] > 3")
        await it.until(lambda: "□ not set   enter sets it: pauses before each call" in it.shown())
        await it.press("enter")
        point = Breakpoint("arithmetic.add", condition="arguments['a'] > 3")
        await it.until(lambda: list(it.agent.breakpoints) == [point])
        await it.until(lambda: isinstance(screen.focused, RowList))
        await it.press("escape")
        await it.turn("add(a=3, b=2)")
        await it.send("add(a=4, b=2)")
        assert (await paused(it)).request.because == "before each call where arguments['a'] > 3"
        await it.press("enter")
        await ended(it)


async def test_b_on_a_call_in_the_trace_offers_its_arguments_as_a_condition() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        await it.focus("trace")
        await it.press("home", "down", "down", "down", "b")
        screen = await opened(it)
        field = screen.query_one(Input)
        assert field.value == "arguments['a'] == 1 and arguments['b'] == 2"
        await it.press("c", "enter")
        await it.until(lambda: len(it.agent.breakpoints) == 1)
        (point,) = it.agent.breakpoints
        assert (point.tool, point.condition) == (
            "arithmetic.add",
            "arguments['a'] == 1 and arguments['b'] == 2",
        )


async def test_a_condition_that_is_proposed_is_told_from_one_that_is_set() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        await it.focus("trace")
        await it.press("home", "down", "down", "down", "b")
        screen = await opened(it)
        assert "□ not set   c, enter sets it: pauses before each call" in it.shown()
        condition = screen.query_one(Input).value
        await it.press("c", "enter")
        await it.until(lambda: "no condition; for example arguments[" in it.shown())
        await it.press("c")
        await it.write(condition)
        await it.until(lambda: "■ is set: pauses before each call" in it.shown())


async def test_the_list_switches_them_off_and_takes_them_out() -> None:
    async with driven() as it:
        for tool in ("arithmetic.add", "arithmetic.mean"):
            it.agent.breakpoints.add(Breakpoint(tool))
        it.app.desks.breakpoints._tell()
        await it.send("/breakpoints")
        await opened(it)
        assert "arithmetic.mean" in it.shown()
        await it.press("space")
        await it.until(lambda: not next(iter(it.agent.breakpoints)).enabled)
        await it.press("down", "x")
        await it.until(lambda: len(it.agent.breakpoints) == 1)
        await it.until(lambda: "arithmetic.mean" not in it.shown())
        await it.press("escape")
        assert len(await _turn(it, "add(a=1, b=2)")) == 1


async def _turn(it: Driven, text: str) -> list[dict[str, Any]]:
    await it.turn(text)
    return [entry for entry in it.trace if entry["type"] == "tool_execution"]


async def test_those_of_the_project_are_in_force_at_the_start_and_problems_are_told(
    keeper: BreakpointFile,
) -> None:
    keeper.path.parent.mkdir()
    keeper.path.write_text("breakpoints:\n- tool: arithmetic.add\n- tool: 3\n")
    from tests.tui.driving import THEMES, Clock
    from workbench.tui.app import WorkbenchApp

    def start(post: Post) -> Agent:
        return outer_agent(post)

    app = WorkbenchApp(
        start,
        themes=THEMES,
        theme="graphite",
        clock=Clock(),
        make_breakpoint_keeper=lambda: keeper,
    )
    async with app.run_test(size=(120, 40)) as pilot:
        it = Driven(app, pilot, Clock())
        await it.until(lambda: not app.busy)
        assert list(it.agent.breakpoints) == [Breakpoint("arithmetic.add")]
        await it.until(lambda: "line 3" in it.shown())
    assert app.agent_thread.finish(timeout=60)


async def test_a_breakpoint_that_fits_no_tool_here_says_so_and_is_not_counted() -> None:
    async with driven() as it:
        for name in ("scale", "tools.*", "arithmetic.m*"):
            it.agent.breakpoints.add(Breakpoint(name))
        await it.send("/step")
        await it.until(lambda: "1 breakpoint on" in it.shown(it.app.main.top_line))
        await it.send("/breakpoints")
        await opened(it)
        rows = [line for line in it.shown().split("\n") if "■" in line and "before" in line]
        assert ["no such tool here" in row for row in rows] == [False, True, True]
        await it.press("escape")
        await it.until(lambda: not isinstance(it.app.screen, BreakpointsScreen))
        it.agent.tools.register(lambda: 1, name="scale")
        await it.until(lambda: "2 breakpoints on" in it.shown(it.app.main.top_line))


async def test_a_breakpoint_of_a_tool_of_an_agent_that_is_a_tool_is_counted() -> None:
    def scale() -> float:
        """Scale."""
        return 18.0

    def start(post: Post) -> Agent:
        helper = Agent("helper", [scale], llm=create_llm("offline"), quiet=True)
        return Agent("main", [helper], llm=create_llm("offline"), quiet=True)

    async with driven(start) as it:
        it.agent.breakpoints.add(Breakpoint("scale"))
        await it.send("/step")
        await it.until(lambda: "1 breakpoint on" in it.shown(it.app.main.top_line))


async def test_a_tool_may_be_named_by_its_last_name_and_others_by_a_glob() -> None:
    async with driven() as it:
        await it.send("/breakpoints add")
        await opened(it)
        assert "arithmetic.add" in it.shown()
        await it.press("space")
        await it.until(lambda: list(it.agent.breakpoints) == [Breakpoint("arithmetic.add")])
        await it.press("escape")
        await it.until(lambda: not isinstance(it.app.screen, BreakpointsScreen))
        await it.send("/breakpoints files.*")
        await opened(it)
        await it.press("space")
        await it.until(lambda: Breakpoint("files.*") in it.agent.breakpoints)


async def test_a_call_by_hand_pauses_too() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        ran: list[Any] = []
        it.app.agent_thread.do(lambda agent: ran.append(agent.run_tool("arithmetic.add", {"a": 1, "b": 2})))
        await paused(it)
        await it.until(lambda: "◇ pause" in "\n".join(row.text for row in _painted(it)))
        await it.press("enter")
        await it.until(lambda: ran)
        assert ran[0]["result"] == "3"
        await it.until(lambda: not it.app.busy)


def _painted(it: Driven) -> list[Any]:
    rows = it.app.main.trace.focus_target
    return [rows.render_line(y) for y in range(len(rows.rows))]


async def test_a_condition_behind_the_slash_word_is_set_at_once_and_said() -> None:
    async with driven() as it:
        await it.send('/breakpoints add arguments["a"] > 2')
        point = Breakpoint("arithmetic.add", condition='arguments["a"] > 2')
        await it.until(lambda: list(it.agent.breakpoints) == [point])
        await it.until(
            lambda: 'Pauses before each call of arithmetic.add where arguments["a"] > 2' in said(it)
        )
        assert not isinstance(it.app.screen, BreakpointsScreen)
        await it.send("/breakpoints add result == 7")
        late = Breakpoint("arithmetic.add", "after", condition="result == 7")
        await it.until(lambda: list(it.agent.breakpoints) == [point, late])


async def test_a_condition_that_makes_no_sense_is_mended_in_its_field_and_never_left_out() -> None:
    async with driven() as it:
        await it.send("/breakpoints add argument > 2")
        screen = await opened(it)
        await it.until(lambda: isinstance(it.app.focused, Input))
        await it.until(lambda: "✗ no argument here" in it.shown())
        await it.press("enter", "enter")
        assert isinstance(it.app.screen, BreakpointsScreen)
        assert not it.agent.breakpoints
        await it.act(lambda: setattr(screen.query_one(Input), "value", "iteration > 2"))
        await it.press("enter")
        point = Breakpoint("arithmetic.add", condition="iteration > 2")
        await it.until(lambda: list(it.agent.breakpoints) == [point])


async def test_a_breakpoint_for_a_tool_that_is_not_there_is_not_set_and_near_ones_are_named() -> None:
    async with driven() as it:
        for words in ("/breakpoints ad", "/breakpoints ad iteration > 2"):
            await it.send(words)
            await it.until(lambda: "There is no tool ad. Near it: arithmetic.add." in said(it))
            it.app.clear_notifications()
            assert not isinstance(it.app.screen, BreakpointsScreen)
        assert not it.agent.breakpoints
