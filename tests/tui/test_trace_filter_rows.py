"""The rows of what fits a filter: turns that fold, agents within calls, keys that say why nothing happens."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.panel_app import Story, until
from tests.tui.test_trace_filter import staged, told
from workbench.tui import events
from workbench.tui.trace_filter import TraceFilter
from workbench.tui.trace_model import TraceModel
from workbench.tui.trace_query import parse
from workbench.tui.trace_records import Entry, Row, Turn


def within(host: events.CallInfo, story: Story, agent: str, now: float) -> Story:
    """A story of an agent that works within a call of another."""
    inner = Story(agent, inner=True)
    inner.now = now
    inner.begin()
    inner.events = [
        replace(each, parent_call_id=host.id) if isinstance(each, events.TurnStarted) else each
        for each in inner.events
    ]
    return inner


def side_by_side() -> list[events.AgentEvent]:
    """Two agents within two calls, whose own calls come in turn."""
    outer = Story("chief")
    outer.begin()
    outer.ask_model()
    outer.answer(1.0)
    hosts = outer.batch("ask", "ask")
    for host in hosts:
        outer.start(host)
    events_of = outer.take()
    agents = [within(host, outer, f"scribe{at}", outer.now) for at, host in enumerate(hosts)]
    for name in ("read", "write"):
        for agent in agents:
            agent.ask_model()
            agent.answer(1.0)
            (call,) = agent.batch(name)
            agent.run(call, 10)
            events_of += agent.take()
    for agent in agents:
        agent.end()
        events_of += agent.take()
    outer.now += 10
    for host in hosts:
        outer.finish(host, 10_000.0)
    outer.end()
    return [*events_of, *outer.take()]


def names(rows: list[Row]) -> list[str]:
    return [row.agent if isinstance(row, Turn) else getattr(row, "name", "why") for row in rows]


def filtered(told: list[events.AgentEvent], query: str) -> TraceFilter:
    model = TraceModel(lambda start, removed, added: None)
    model.apply(told)
    found = TraceFilter(model.flat, model.texts)
    found.begin(parse(query))
    found.step(10)
    return found


def test_each_of_two_agents_side_by_side_has_its_entries_together_below_its_call() -> None:
    assert names(filtered(side_by_side(), "kind:tool").rows) == [
        *("chief", "ask", "scribe0", "read", "write"),
        *("ask", "scribe1", "read", "write"),
    ]
    assert names(filtered(side_by_side(), "tool:write").rows) == [
        *("chief", "scribe0", "write", "scribe1", "write"),
    ]


@given(
    st.sampled_from(("kind:tool", "tool:read", "-kind:tool", "status:error", "write")),
    st.lists(st.tuples(st.integers(1, 9), st.integers(-1, 4)), max_size=8),
)
def test_rows_that_grew_with_the_trace_are_those_of_the_whole_trace(
    query: str, steps: list[tuple[int, int]]
) -> None:
    model = TraceModel(lambda start, removed, added: None)
    found = TraceFilter(model.flat, model.texts)
    found.begin(parse(query))
    left = [*told().take(), *side_by_side(), *side_by_side()]
    for count, fold in [*steps, (len(left), -1)]:
        model.apply(left[:count])
        del left[:count]
        found.follow()
        found.step(10)
        turns = [row for row in found.rows if isinstance(row, Turn)]
        if 0 <= fold < len(turns):
            found.fold(turns[fold], not found.folded(turns[fold]))
    whole = TraceFilter(model.flat, model.texts)
    whole.begin(parse(query))
    whole.step(10)
    assert found.matches == whole.matches
    for turn in {turn for entry in found.matches for turn in entry.turn.around}:
        found.fold(turn, away=False)
    assert found.rows == whole.rows


def test_a_folded_turn_hides_what_comes_to_fit_in_it_too() -> None:
    model = TraceModel(lambda start, removed, added: None)
    found = TraceFilter(model.flat, model.texts)
    found.begin(parse("kind:tool"))
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    one, two = story.batch("a.one", "a.two")
    story.run(one, 5)
    model.apply(story.take())
    found.step(10)
    (turn,) = model.turns
    found.fold(turn, away=True)
    story.run(two, 5)
    (three,) = story.batch("a.three")
    story.run(three, 5)
    model.apply(story.take())
    found.follow()
    found.step(10)
    assert found.rows == [turn]
    assert found.folded(turn) == 3
    found.reveal(found.matches[0])
    assert found.rows == [turn, *found.matches]


@pytest.mark.parametrize("key", ["enter", "space", "left"])
async def test_a_turn_under_a_filter_is_folded_and_unfolded(key: str) -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        await stage.type("kind:tool")
        await stage.pilot.press("enter", "home", key)
        await stage.pilot.pause()
        assert stage.shown == ["▸ turn 1", "▾ turn 2", "✓ files.read"]
        assert "2 folded" in stage.rows.render_line(0).text
        assert stage.title.startswith("  Trace  3 of 5")
        await stage.pilot.press("right" if key == "left" else key)
        await stage.pilot.pause()
        assert stage.shown[:3] == ["▾ turn 1", "✓ web.search", "✗ web.search"]


async def test_next_error_unfolds_the_turn_that_hides_it_under_a_filter() -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        await stage.type("kind:tool")
        await stage.pilot.press("enter", "home", "space", "e")
        current = stage.rows.current
        assert isinstance(current, Entry)
        assert current.state == "error"
        assert stage.panel._line.display


async def test_left_under_a_filter_goes_to_the_turn_of_the_entry() -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        await stage.type("kind:tool")
        await stage.pilot.press("enter", "end", "left")
        current = stage.rows.current
        assert isinstance(current, Turn)
        assert current.number == 2


async def test_left_on_the_turn_of_an_agent_goes_to_the_call_that_it_ran_within() -> None:
    async with staged() as stage:
        stage.panel.apply(side_by_side())
        await stage.pilot.press("end", "left", "left", "left")
        current = stage.rows.current
        assert isinstance(current, Turn)
        assert current.agent == "scribe1"
        await stage.pilot.press("left", "left")
        current = stage.rows.current
        assert isinstance(current, Entry)
        assert current.name == "ask"


async def test_a_click_on_the_sign_of_an_agent_s_turn_folds_it() -> None:
    async with staged() as stage:
        stage.panel.apply(side_by_side())
        await stage.pilot.pause()
        (y, *_) = [y for y in range(20) if "▾ scribe0" in stage.rows.render_line(y).text]
        x = stage.rows.render_line(y).text.index("▾")
        await stage.pilot.click(stage.rows, offset=(x, y))
        await stage.pilot.pause()
        assert "▸ scribe0" in stage.rows.render_line(y).text


def said(stage_app: object) -> list[str]:
    return [each.title for each in stage_app._notifications]  # type: ignore[attr-defined]  # no other way


async def test_enter_on_what_cannot_be_opened_says_why() -> None:
    async with staged() as stage:
        story = Story("bob")
        story.begin()
        story.ask_model()
        story.answer(1.0)
        one, two = story.batch("a.one", "a.two")
        story.wait([one, two], 3.0, "approve", "approve")
        story.start(one)
        stage.panel.apply(story.take())
        await stage.pilot.press("end", "up", "enter")
        await until(stage.pilot, lambda: said(stage.app) == ["a.one has not ended yet"])
        await stage.pilot.press("up", "enter")
        await until(stage.pilot, lambda: said(stage.app)[-1] == "A wait is all in its row")


async def test_next_error_says_that_there_is_none() -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        await stage.type("tool:read")
        await stage.pilot.press("enter", "e", "E")
        await until(stage.pilot, lambda: said(stage.app) == ["No errors that the filter shows"] * 2)


def test_what_an_agent_did_that_outlived_its_call_leaves_no_row_once_it_fits_no_more() -> None:
    model = TraceModel(lambda start, removed, added: None)
    found = TraceFilter(model.flat, model.texts)
    found.begin(parse("kind:tool -status:success"))
    outer = Story("chief")
    outer.begin()
    outer.ask_model()
    outer.answer(1.0)
    host, broken, slow = outer.batch("ask", "broken", "slow")
    outer.start(host)
    told = outer.take()
    inner = within(host, outer, "scribe", outer.now)
    inner.ask_model()
    inner.answer(1.0)
    (read,) = inner.batch("read")
    inner.start(read)
    told += inner.take()
    outer.now += 2
    outer.finish(host, 2_000.0, "error")
    outer.run(broken, 5, "error")
    outer.start(slow)
    model.apply([*told, *outer.take()])
    found.step(10)
    assert names(found.rows) == ["chief", "ask", "why", "scribe", "read", "broken", "why", "slow"]
    inner.finish(read, 3_000.0)
    model.apply(inner.take())
    found.follow()
    found.step(10)
    assert names(found.rows) == ["chief", "ask", "why", "broken", "why", "slow"]


async def test_all_turns_are_unfolded_and_folded_and_the_cursor_stays() -> None:
    async with staged() as stage:
        stage.panel.apply(side_by_side())
        await stage.pilot.press("home", "ctrl+o")
        await stage.pilot.pause()
        opened = [row for row in stage.rows.rows if isinstance(row, Turn)]
        assert [turn.open for turn in opened] == [True] * 5
        assert len(stage.rows.rows) > 20
        current = stage.rows.current
        assert current is opened[0]
        whole = len(stage.rows.rows)
        await stage.pilot.press("down", "space")
        await stage.pilot.pause()
        assert len(stage.rows.rows) < whole
        await stage.pilot.press("ctrl+o")
        await stage.pilot.pause()
        assert len(stage.rows.rows) == whole
        await stage.pilot.press("down", "down", "ctrl+o")
        await stage.pilot.pause()
        assert stage.shown == ["▸ turn 1", "▸ turn 2", "▸ turn 1"]
        assert stage.rows.current is opened[0]


async def test_unfolding_all_shows_the_row_that_was_looked_at_and_not_the_end() -> None:
    async with staged((80, 8)) as stage:
        follows: list[bool] = []
        for keys in (("end", "left", "left", "left", "home"), ("ctrl+o",), ("end", "ctrl+o", "ctrl+o")):
            await stage.pilot.press(*keys)
            await stage.pilot.pause()
            follows.append(stage.rows.following)
            assert stage.rows.cursor_in_view
        assert follows == [True, False, True]


async def test_all_turns_under_a_filter_are_folded_and_unfolded() -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        await stage.type("kind:tool")
        await stage.pilot.press("enter", "end", "ctrl+o")
        await stage.pilot.pause()
        assert stage.shown == ["▸ turn 1", "▸ turn 2"]
        current = stage.rows.current
        assert isinstance(current, Turn)
        assert current.number == 2
        await stage.pilot.press("ctrl+o")
        await stage.pilot.pause()
        assert stage.shown[-2:] == ["▾ turn 2", "✓ files.read"]
