"""The trace of a fork is that of the fork alone, and what was taken from a record took no time in it."""

from __future__ import annotations

from tests.tui.driving import Driven, driven
from workbench import Agent
from workbench.providers.base import create_llm
from workbench.registry import ToolStatistics
from workbench.tui import events
from workbench.tui.events import Post
from workbench.tui.session_keeper import Instead
from workbench.tui.tool_news import ToolNews
from workbench.tui.tool_tree import ToolTree
from workbench.tui.trace_model import TraceModel
from workbench.tui.trace_records import Entry


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def start(post: Post) -> Agent:
    """Writes its sessions, calls the model that is built in."""
    return Agent("forker", [add], llm=create_llm("offline", pace=0), quiet=True, trust="open")


def rows(it: Driven) -> list[int]:
    """The numbers of the outermost turns."""
    return [turn.number for turn in it.app.main.trace._model.turns]


async def test_a_fork_has_the_turns_that_it_shares_once() -> None:
    async with driven(start) as it:
        await it.turn("add(a=1, b=1)")
        await it.turn("add(a=2, b=2)")
        await it.send("/fork 1")
        await it.until(lambda: rows(it) == [1])
        assert "new conversation" not in it.shown(it.app.main.trace)
        await it.turn("add(a=3, b=3)")
        await it.until(lambda: rows(it) == [1, 2])
        assert len(it.app.main.trace.calls()) == 2


async def what_if(it: Driven, call: Entry, text: str) -> None:
    """Go on from a past call as if it had given this."""
    desk = it.app.desks.sessions
    await it.act(lambda: desk._chosen(Instead(call.call_id, text)))
    await it.until(lambda: it.idle and "made up" in it.shown(it.app.main.trace))


async def test_a_what_if_leaves_the_turns_before_it_and_says_where_the_branch_begins() -> None:
    async with driven(start) as it:
        for number in (1, 2, 3):
            await it.turn(f"add(a={number}, b=1)")
        trace = it.app.main.trace
        await what_if(it, trace.calls()[1], "99")
        shown = it.shown(trace)
        marked = shown.index("what if add had given something else  fork of forker_")
        assert rows(it) == [1, 2]
        assert shown.index("turn 1  add(a=1, b=1)") < marked < shown.index("turn 2  add(a=2, b=1)")


async def test_the_turns_before_a_summary_stay_in_a_what_if_and_can_be_gone_on_from() -> None:
    async with driven(start) as it:
        for number in (1, 2, 3):
            await it.turn(f"add(a={number}, b=1)")
        await it.send("/compact 1")
        await it.until(lambda: "messages are one now" in it.shown() and it.idle)
        await it.turn("add(a=4, b=1)")
        trace = it.app.main.trace
        await what_if(it, trace.calls()[3], "99")
        assert rows(it) == [1, 2, 3, 4]
        shown = it.shown(trace)
        assert shown.index("turn 3") < shown.index("earlier messages summed up") < shown.rindex("turn 4")
        await what_if(it, trace.calls()[1], "98")
        await it.until(lambda: rows(it) == [1, 2])
        assert [message["content"] for message in it.agent.current_session["messages"]][-2] == "98"  # type: ignore[index]  # there is one


async def test_a_filter_that_nothing_of_another_branch_fits_says_how_to_leave_it() -> None:
    async with driven(start) as it:
        await it.turn("add(a=1, b=1)")
        await it.turn("add(a=2, b=1)")
        await it.focus("trace")
        await it.press("slash")
        await it.write("turn:2")
        await it.press("enter")
        trace = it.app.main.trace
        await what_if_first(it)
        await it.until(lambda: "Nothing fits the filter: esc here shows everything" in said(it))
        assert "0 of 3" in it.shown(trace)
        await it.focus("trace")
        await it.press("escape")
        await it.until(lambda: "made up" in it.shown(trace))


async def what_if_first(it: Driven) -> None:
    """Go on from the first call, whatever is shown."""
    call = it.app.main.trace.calls()[0]
    await it.act(lambda: it.app.desks.sessions._chosen(Instead(call.call_id, "99")))
    await it.until(lambda: it.idle and rows(it) == [1])


def said(it: Driven) -> str:
    """What the trace says, on one line."""
    return " ".join(it.shown(it.app.main.trace).split())


def test_what_was_taken_from_a_record_takes_no_time_of_the_turn() -> None:
    model = TraceModel(lambda start, removed, added: None)
    answer = {"type": "llm_call", "duration_ms": 5_000.0, "timestamp": 1.0, "replayed": True}
    answer["hooks_ms"] = {"after_llm": 3_000.0}
    given = {"type": "tool_execution", "call_id": "c", "tool_name": "add", "arguments": {}}
    call = {**given, "status": "success", "timing": 6_000.0, "replayed": True}
    info = events.CallInfo("c", "add", {})
    model.apply(
        [
            events.TurnStarted("a", 10.0, 1, "go"),
            events.ModelStarted("a", 10.0, 1, 1, "m"),
            events.ModelFinished("a", 15.0, answer, "", 1),
            events.BatchStarted("a", 15.0, 1, 1, (info,)),
            events.ToolStarted("a", 10.0, "c", "add", {}),
            events.ToolFinished("a", 16.0, call),
            events.TurnFinished("a", 10.036, 1, "success", 36.0, 0.0),
        ]
    )
    (turn,) = model.turns
    (iteration,) = turn.iterations
    assert turn.total == 36.0
    assert iteration.end - iteration.start == 0.0
    assert [(entry.ms, entry.hooks) for entry in model.flat] == [(None, None), (None, None)]


def test_a_call_of_an_inner_agent_counts_for_no_tool_of_the_outer_one() -> None:
    tree = ToolTree()
    news = ToolNews(tree)
    row = events.ToolRow("add", True)
    entry = {"type": "tool_execution", "call_id": "c", "tool_name": "add", "status": "success", "timing": 1.0}
    news.take([events.AgentReady("boss", 1.0, "m", "open", (row,))])
    one = ToolStatistics(calls=1, total_ms=1.0)
    news.take([events.ToolFinished("helper", 2.0, entry, one, inner=True)])
    assert tree.tools["add"].calls == 0
    news.take([events.ToolFinished("boss", 3.0, entry, one)])
    assert tree.tools["add"].calls == 1
