"""What was done at a pause is told as it was: edited arguments, made-up results, conditions, waits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input, TextArea

from tests.tui.driving import Driven, driven
from tests.tui.test_breakpoints import ended, fields, page, paused
from workbench.engine import Breakpoint, xray
from workbench.registry import ToolTag, tool
from workbench.storage.session_file import read_session
from workbench.storage.session_format import TurnRecord
from workbench.storage.session_log import SessionLog
from workbench.tui import events
from workbench.tui.retelling import _Retold, retell
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.screens.breakpoints import BreakpointsScreen
from workbench.tui.screens.call_form import CallForm
from workbench.tui.screens.inspector import InspectorScreen
from workbench.tui.screens.pause import PauseScreen
from workbench.tui.screens.rerun import RerunScreen
from workbench.tui.tool_tree import Tool
from workbench.tui.trace_model import TraceModel


@tool(tags={ToolTag.READ_ONLY})
def total(order_id: str, discount: float = 0.0) -> dict[str, Any]:
    """The total of an order."""
    return {"order": order_id, "total": 10.0 * (1 - discount)}


async def with_total(it: Driven, *points: Breakpoint) -> None:
    it.agent.tools.register(total)
    for point in points:
        it.agent.breakpoints.add(point)
    await it.pilot.pause()


async def test_arguments_that_were_edited_at_a_pause_are_shown_and_run_again() -> None:
    async with driven(size=(200, 40)) as it:
        await with_total(it, Breakpoint("total"))
        await it.send("total(order_id='A1')")
        screen = await paused(it)
        await it.press("e")
        await fields(it)
        area = screen.query_one(TextArea)
        await it.act(lambda: setattr(area, "text", '{"order_id": "A1", "discount": 0.5}'))
        await it.press("ctrl+s")
        await it.until(lambda: screen.mode == "keys")
        await it.press("enter")
        await ended(it)
        (call,) = it.app.main.trace.calls()
        assert call.arguments == {"order_id": "A1", "discount": 0.5}
        it.agent.breakpoints.clear()
        await it.focus("trace")
        await it.act(lambda: it.app.main.trace.go_to(call))
        assert "discount=0.5" in it.shown(it.app.main.trace)
        await it.press("R")
        await it.until(lambda: isinstance(it.app.screen, RerunScreen) and it.app.screen.run.state == "ended")
        await it.until(lambda: it.idle)
        again = [entry for entry in it.trace if entry["type"] == "tool_execution"][-1]
        assert again["arguments"] == {"order_id": "A1", "discount": 0.5}


async def test_both_halves_of_the_arguments_tab_tell_the_edit_at_a_pause() -> None:
    async with driven() as it:
        await with_total(it, Breakpoint("total"))
        await it.send("total(order_id='A1')")
        screen = await paused(it)
        await it.press("e")
        await fields(it)
        area = screen.query_one(TextArea)
        await it.act(lambda: setattr(area, "text", '{"order_id": "A1", "discount": 0.5}'))
        await it.press("ctrl+s", "enter")
        await ended(it)
        await it.focus("trace")
        await it.act(lambda: it.app.main.trace.go_to(it.app.main.trace.calls()[0]))
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))
        inspector = it.app.screen
        assert isinstance(inspector, InspectorScreen)
        for _ in range(8):
            if inspector.reader.page == "Arguments":
                break
            await it.press("tab")
        run, _, asked = it.shown().partition("The model asked for this")
        assert "discount" in run
        assert "order_id" in asked
        assert "discount" not in asked


@pytest.mark.parametrize(
    ("when", "key", "word"), [("before", "k", "made up"), ("after", "r", "result edited")]
)
async def test_a_result_that_is_no_genuine_one_is_marked_in_trace_conversation_and_facts(
    when: str, key: str, word: str
) -> None:
    async with driven() as it:
        point = Breakpoint("arithmetic.add", "before" if when == "before" else "after")
        it.agent.breakpoints.add(point)
        await it.send("add(a=1, b=2)")
        screen = await paused(it, when)
        await it.press(key)
        await fields(it)
        await it.act(lambda: setattr(screen.query_one(TextArea), "text", "seven"))
        await it.press("ctrl+s", "enter")
        await ended(it)
        assert word in it.shown(it.app.main.conversation)
        assert word in it.shown(it.app.main.trace)
        await it.focus("trace")
        await it.act(lambda: it.app.main.trace.go_to(it.app.main.trace.calls()[0]))
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))
        said = "made up" if when == "before" else "edited by you"
        assert any(line.split()[-len(said.split()) :] == said.split() for line in it.shown().splitlines())


async def test_a_condition_on_a_result_that_is_json_reads_the_value() -> None:
    async with driven() as it:
        await with_total(it, Breakpoint("total", "after", condition="result['total'] < 11"))
        await it.send("total(order_id='A1')")
        await paused(it, "after")
        await it.press("enter")
        await ended(it)


async def test_a_condition_that_fails_is_told_once_and_stands_in_the_list() -> None:
    async with driven() as it:
        await with_total(it, Breakpoint("total", condition="arguments['nope'] == 1"))
        await it.turn("total(order_id='A1')")
        await it.turn("total(order_id='A2')")
        told = it.shown(it.app.main.conversation)
        assert told.count("A breakpoint's condition failed") == 1
        assert "KeyError 'nope'" in told
        await it.send("/breakpoints")
        await it.until(lambda: isinstance(it.app.screen, BreakpointsScreen))
        assert "failed: KeyError 'nope'" in it.shown()


async def test_the_field_for_a_condition_says_what_result_is() -> None:
    async with driven() as it:
        await it.send("/breakpoints arithmetic.add")
        await it.until(lambda: isinstance(it.app.screen, BreakpointsScreen))
        assert "result (its value where it is JSON)" in it.shown()
        screen = it.app.screen
        await it.act(lambda: setattr(screen.query_one(Input), "value", "result['total'] < 11"))
        assert "pauses after each call where it holds" in it.shown()


async def test_the_list_without_breakpoints_says_how_one_is_set() -> None:
    async with driven() as it:
        await it.focus("trace")
        await it.press("b")
        await it.until(lambda: isinstance(it.app.screen, BreakpointsScreen))
        assert "b on a call or a tool sets one" in it.shown()


async def test_making_a_result_up_is_named_and_its_field_says_what_it_is() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("add(a=1, b=2)")
        await paused(it)
        assert "made-up result" in it.shown()
        await it.press("k")
        await fields(it)
        assert "made-up result: the model reads this, and the call does not run" in it.shown()
        await it.press("escape", "enter")
        await ended(it)


async def test_a_pause_of_a_call_by_hand_says_so_and_names_no_draft() -> None:
    async with driven() as it:
        await it.turn("a word")
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("/call arithmetic.add")
        await it.until(lambda: isinstance(it.app.screen, CallForm))
        await it.write("1")
        await it.press("tab")
        await it.write("2")
        await it.press("ctrl+s")
        await it.until(lambda: isinstance(it.app.screen, PauseScreen))
        assert "draft" not in it.shown()
        screen = await paused(it)
        assert "by hand" in it.shown()
        assert "turn 1" not in it.shown()
        assert "a word" not in await page(it, "Context")
        assert screen.request.by_hand
        await it.press("enter")
        await ended(it)


def totals(told: Iterator[events.AgentEvent] | list[events.AgentEvent]) -> list[float]:
    model = TraceModel(lambda *_: None)
    model.apply(told)
    return [turn.total for turn in model.turns]


async def test_a_session_told_again_has_the_times_of_the_live_one(tmp_path: Path) -> None:
    async with driven() as it:
        log = SessionLog(tmp_path)
        it.agent.observers.append(log)
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        it.agent.breakpoints.add(Breakpoint("arithmetic.mean", "after"))
        await it.send("add(a=1, b=2) and mean(numbers=[1, 2, 3])")
        await paused(it, "before", "add")
        await long_wait(it)
        await it.press("enter")
        await paused(it, "after", "mean")
        await long_wait(it)
        await it.press("enter")
        await ended(it)
        live = [turn.total for turn in it.app.main.trace._model.turns]
        assert log.path is not None
        record = read_session(log.path)
        assert totals(retell("assistant", record)) == pytest.approx(live, abs=0.01)
        assert record.turns[0].waited_ms > 0


async def long_wait(it: Driven) -> None:
    """Time that is longer than all the work, as far as the clocks can tell."""
    for _ in range(30):
        await it.pilot.pause()


async def test_calls_of_a_record_count_for_no_tool() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        await it.turn("add(a=3, b=4)")

        def row() -> Tool:
            return it.app.main.tools._tree.tools["arithmetic.add"]

        assert row().calls == 2
        await it.send("/fork 1")
        await it.until(lambda: "A fork goes on from here" in it.shown(it.app.main.conversation))
        assert len(it.app.main.trace.calls()) == 1
        assert row().calls == 2


async def test_the_time_in_which_a_tool_asks_a_person_is_left_out_live_and_told_again(tmp_path: Path) -> None:
    asked, thought = threading.Semaphore(0), threading.Semaphore(0)

    @tool(tags={ToolTag.READ_ONLY})
    def ponder() -> str:
        """Think with a person."""
        assert xray.agent is not None
        with xray.agent.human_wait("a thought"):
            asked.release()
            thought.acquire(timeout=60)
        return "so"

    async with driven() as it:
        log = SessionLog(tmp_path)
        it.agent.observers.append(log)
        it.agent.tools.register(ponder)
        for message in ("ponder() and then add(a=1, b=2)", "ponder()"):
            await it.send(message)
            await it.until(lambda: asked.acquire(blocking=False))
            await long_wait(it)
            thought.release()
            await it.until(lambda: it.idle and not it.app.main.trace._model.live)
        live = [turn.total for turn in it.app.main.trace._model.turns]
        assert log.path is not None
        record = read_session(log.path)
        assert [turn.waited_ms > 0 for turn in record.turns] == [True, True]
        assert live == pytest.approx([turn.duration_ms - turn.waited_ms for turn in record.turns], abs=0.01)
        assert totals(retell("assistant", record)) == pytest.approx(live, abs=0.01)


def test_an_agent_within_a_call_waits_as_it_did_live(tmp_path: Path) -> None:
    """The waits of an inner turn stop the clock of the whole."""
    wait = {"type": "human_wait", "what": "a thought", "duration_ms": 5_000.0, "iteration": 1}
    nested = {
        "agent": "inner",
        "status": "success",
        "result": "done",
        "trace": [
            {"type": "user_input", "prompt": "go", "timestamp": 100.1},
            {"type": "llm_call", "iteration": 1, "duration_ms": 100.0, "timestamp": 100.1},
            {**wait, "timestamp": 100.2},
        ],
    }
    call = {"id": "c1", "function": {"name": "ask", "arguments": "{}"}}
    trace: list[dict[str, Any]] = [
        {"type": "user_input", "prompt": "p", "timestamp": 100.0},
        {"type": "llm_call", "iteration": 1, "duration_ms": 50.0, "timestamp": 100.0, "tool_calls_count": 1},
        {
            "type": "tool_execution",
            "tool_name": "ask",
            "call_id": "c1",
            "arguments": {},
            "status": "success",
            "timing": 200.0,
            "human_ms": 5_000.0,
            "iteration": 1,
            "timestamp": 100.1,
            "nested": [nested],
        },
        {"type": "llm_call", "iteration": 2, "duration_ms": 50.0, "timestamp": 105.3},
    ]
    said: list[dict[str, Any]] = [
        {"role": "user", "content": "p"},
        {"role": "assistant", "tool_calls": [call]},
    ]
    turn = TurnRecord(
        input="p",
        status="success",
        result="",
        duration_ms=5_350.0,
        waited_ms=5_000.0,
        messages=tuple(said),
        trace=tuple(trace),
    )
    told = list(_Retold("outer", 1).turn(turn))
    model = TraceModel(lambda *_: None)
    model.apply(told)
    assert model.turns[0].total == pytest.approx(350.0)
    (guest,) = next(entry for entry in model.flat if entry.name == "ask").guests or []
    assert guest.total == pytest.approx(100.0)


async def test_the_approval_of_a_call_by_hand_names_no_model_and_no_iteration() -> None:
    async with driven() as it:
        await it.turn("a word")
        await it.send("/call files.write_file")
        await it.until(lambda: isinstance(it.app.screen, CallForm))
        await it.write("a.txt")
        await it.press("tab")
        await it.write("text")
        await it.press("ctrl+s")
        await it.until(lambda: isinstance(it.app.screen, ApprovalScreen))
        shown = it.shown()
        assert "Nobody but the trace will receive" in shown
        assert "by hand" in shown
        assert "The model will receive" not in shown
        assert "iteration" not in shown
        assert "draft" not in shown
        await it.asked()
        await it.press("n", "enter")
        await it.until(lambda: it.idle)


@pytest.mark.parametrize("width", [120, 80, 40])
async def test_the_key_that_stops_the_turn_is_shown_at_a_pause_however_narrow_it_is(width: int) -> None:
    async with driven(size=(width, 12)) as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("add(a=1, b=2)")
        await paused(it, "before", "add")
        assert "esc stop" in it.shown()
        await it.press("escape")
        await ended(it)
