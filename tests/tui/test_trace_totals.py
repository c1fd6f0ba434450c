"""What is shown of a trace, in numbers: each moment counts once for each kind of time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.panel_app import Story
from workbench.tui import events
from workbench.tui.clock import Clock
from workbench.tui.trace_filter import TraceFilter
from workbench.tui.trace_model import TraceModel
from workbench.tui.trace_query import parse
from workbench.tui.trace_said import whole_parts
from workbench.tui.trace_totals import Covered


def totals(told: list[events.AgentEvent], query: str = "") -> dict[str, float]:
    """The milliseconds of each kind of what fits."""
    model = TraceModel(lambda start, removed, added: None)
    model.apply(told)
    found = TraceFilter(model.flat, model.texts)
    found.begin(parse(query))
    found.step(10)
    return {kind: round(covered.ms, 3) for kind, covered in found.totals.times.items()}


def nested() -> list[events.AgentEvent]:
    """A call within which another agent works: its model call takes 2 s, its call 1 s, the outer one 4 s."""
    outer = Story("chief")
    outer.begin()
    outer.ask_model()
    outer.answer(1.0)
    (call,) = outer.batch("ask")
    outer.start(call)
    inner = Story("scribe", inner=True)
    inner.now = outer.now
    inner.begin()
    inner.ask_model()
    inner.answer(2.0)
    (read,) = inner.batch("read")
    inner.run(read, 1_000)
    inner.end()
    outer.now += 4.0
    before, outer.events = outer.events, []
    outer.finish(call, 4_000.0)
    outer.end()
    return [*before, *inner.take(), *outer.take()]


def test_the_time_of_calls_within_a_call_is_not_counted_again() -> None:
    assert totals(nested()) == {"llm": 3_000, "tool": 4_000, "you": 0, "hooks": 0}
    assert totals(nested(), "agent:scribe") == {"llm": 2_000, "tool": 1_000, "you": 0, "hooks": 0}


def test_the_time_of_calls_side_by_side_is_that_from_the_first_to_the_last() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    calls = story.batch("a", "b", "c")
    for call in calls:
        story.start(call)
    for call, seconds in zip(calls, (1.0, 0.5, 0.5), strict=True):
        story.now += seconds
        story.finish(call, (story.now - 1_764_500_001.0) * 1_000)
    story.end()
    told = story.take()
    assert totals(told)["tool"] == 2_000
    assert totals(told, "tool:a")["tool"] == 1_000


def test_handlers_and_waits_have_times_of_their_own() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    calls = story.batch("a", "b")
    story.wait(calls, 5.0, "approve", "approve")
    for call in calls:
        story.start(call)
    story.now += 0.1
    for call in calls:
        story.finish(call, 100, hooks_ms={"before_each_tool": 30.0, "after_each_tool": 20.0})
    story.end()
    assert totals(story.take()) == {"llm": 1_000, "tool": 100, "you": 5_000, "hooks": 50}


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)), max_size=12)),
        max_size=6,
    )
)
def test_covered_time_is_that_of_all_moments_in_some_span(
    told: list[tuple[int, list[tuple[int, int]]]],
) -> None:
    clocks: list[Clock] = [Clock(0.0)]
    covered, moments = Covered(), set[tuple[int, int]]()
    for further, spans in told:
        if further == 0:
            clocks.append(Clock(0.0))
        starts = [float(start) for start, _ in spans]
        covered.add(clocks[-1], starts, [float(start + length) for start, length in spans])
        moments |= {(len(clocks), at) for start, length in spans for at in range(start, start + length)}
        other = covered.copy()
        other.add(clocks[-1], [0.0], [100.0])
    assert covered.ms == pytest.approx(len(moments))


def test_a_time_is_said_with_what_it_went_by_on() -> None:
    model = TraceModel(lambda start, removed, added: None)
    model.apply(nested())
    found: Any = TraceFilter(model.flat, model.texts)
    found.begin(parse("kind:llm"))
    found.step(10)
    assert found.parts() == ["2 of 4", "model 3.00 s", "2.6k tok"]


def test_of_the_numbers_only_whole_ones_are_shown_where_there_is_little_room() -> None:
    parts = ["2 of 4", "1 error", "3 calls 20 ms"]
    assert whole_parts(parts, 30) == "2 of 4  1 error  3 calls 20 ms"
    assert whole_parts(parts, 29) == "2 of 4  1 error"
    assert whole_parts(parts, 4) == "2 o…"
