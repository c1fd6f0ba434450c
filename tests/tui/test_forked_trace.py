"""The trace of a fork is that of the fork alone, and what was taken from a record took no time in it."""

from __future__ import annotations

from tests.tui.driving import Driven, driven
from workbench import Agent
from workbench.providers.base import create_llm
from workbench.tui import events
from workbench.tui.events import Post
from workbench.tui.tool_news import ToolNews
from workbench.tui.tool_tree import ToolTree
from workbench.tui.trace_model import TraceModel


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


def test_what_was_taken_from_a_record_takes_no_time_of_the_turn() -> None:
    model = TraceModel(lambda start, removed, added: None)
    answer = {"type": "llm_call", "duration_ms": 5_000.0, "timestamp": 1.0, "replayed": True}
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
    assert [entry.ms for entry in model.flat] == [None, None]


def test_a_call_of_an_inner_agent_counts_for_no_tool_of_the_outer_one() -> None:
    tree = ToolTree()
    news = ToolNews(tree)
    row = events.ToolRow("add", True)
    entry = {"type": "tool_execution", "call_id": "c", "tool_name": "add", "status": "success", "timing": 1.0}
    news.take([events.AgentReady("boss", 1.0, "m", "open", (row,))])
    news.take([events.ToolFinished("helper", 2.0, entry, inner=True)])
    assert tree.tools["add"].calls == 0
    news.take([events.ToolFinished("boss", 3.0, entry)])
    assert tree.tools["add"].calls == 1
