"""Narrowing the trace to what fits a query."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from tests.tui.panel_app import GRAPHITE, PanelApp, Story, line_with, lines, running, until
from workbench.tui import events
from workbench.tui.panels.trace import TracePanel
from workbench.tui.rows import RowList
from workbench.tui.title_row import TitleRow
from workbench.tui.trace_filter import TraceFilter
from workbench.tui.trace_model import TraceModel
from workbench.tui.trace_query import KEYS, STATUSES, Query, completions, parse
from workbench.tui.trace_records import Entry, Row


def told() -> Story:
    """Two turns: a search that takes long, one that fails, and a file that is read."""
    story = Story()
    story.begin("look for it")
    story.ask_model()
    story.answer(1.0)
    slow, broken = story.batch("web.search", "web.search", query="Lima weather")
    story.run(slow, 900, result="It rains in Lima.")
    story.run(broken, 20, "error", error="no route to host", error_type="OSError")
    story.end()
    story.begin("read it")
    story.ask_model()
    story.answer(2.0)
    (read,) = story.batch("files.read", path="Notes.txt")
    story.run(read, 3)
    story.end()
    return story


def kept(text: str) -> list[str]:
    model = TraceModel(lambda start, removed, added: None)
    model.apply(told().take())
    found = TraceFilter(model.flat, model.texts)
    found.begin(parse(text))
    found.step(10)
    return [f"{entry.name} {entry.ms:.0f}" for entry in found.matches]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tool:search", ["web.search 900", "web.search 20"]),
        ("tool:web status:error", ["web.search 20"]),
        ("status:e", ["web.search 20"]),
        (">200ms", ["llm 1000", "web.search 900", "llm 2000"]),
        (">200ms <1s", ["web.search 900"]),
        ("<10ms", ["files.read 3"]),
        (">0.015m", ["llm 1000", "llm 2000"]),
        ("notes", ["files.read 3"]),
        ("NOTES.TXT", ["files.read 3"]),
        ("rains", ["web.search 900"]),
        ("'rains in'", []),
        ('"rains in lima"', ["web.search 900"]),
        ("no route", ["web.search 20"]),
        ("-tool:search kind:tool", ["files.read 3"]),
        ("kind:llm turn:2", ["llm 2000"]),
        ("turn:1 -kind:llm -status:error", ["web.search 900"]),
        ("agent:ann kind:llm", ["llm 1000", "llm 2000"]),
        ("agent:bob", []),
        ("tool: <", ["llm 1000", "web.search 900", "web.search 20", "llm 2000", "files.read 3"]),
    ],
)
def test_every_term_of_a_query_has_to_fit(text: str, expected: list[str]) -> None:
    assert kept(text) == expected


@pytest.mark.parametrize("text", ["status:foo", "kind:none", "turn:first"])
def test_a_term_that_means_nothing_is_named(text: str) -> None:
    assert parse(f"tool:a {text}").problem == "no " + text.replace(":", " ")
    assert parse("http://a.b a:b").problem == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("to", ["tool:"]),
        ("x -sta", ["x -status:"]),
        ("tool:s", ["tool:shell", "tool:search"]),
        ("status:rej", ["status:rejected"]),
        ("status:", [f"status:{state}" for state in sorted(STATUSES)]),
        ("kind:l", ["kind:llm"]),
        ("agent:s", ['agent:"scribe (2)"']),
        ("hello", []),
        ("tool:shell", []),
        ("tool:shell ", [f"tool:shell {key}" for key in KEYS]),
        ("", list(KEYS)),
    ],
)
def test_the_last_term_is_completed(text: str, expected: list[str]) -> None:
    assert completions(text, ["shell", "web.search"], ["ann", "scribe (2)"]) == expected


def test_what_may_still_change_is_looked_at_again_and_the_rest_is_not() -> None:
    model = TraceModel(lambda start, removed, added: None)
    story = told()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    one, two = story.batch("a.one", "a.two")
    story.start(one)
    model.apply(story.take())
    found = TraceFilter(model.flat, model.texts)
    found.begin(parse("status:error"))
    found.step(10)
    looked: list[str] = []

    def look(entries: list[Entry], _texts: object) -> list[bool]:
        looked.extend(entry.name for entry in entries)
        return [entry.state == "error" for entry in entries]

    found.query = Query((look,))
    story.finish(one, 5.0, "error", error="no")
    story.run(two, 5)
    model.apply(story.take())
    found.follow()
    found.step(10)
    assert looked == ["a.one", "a.two"]
    assert [entry.name for entry in found.matches] == ["web.search", "a.one"]
    assert (found.totals.entries, found.totals.calls, found.totals.errors) == (2, 2, 2)


def test_a_long_trace_is_gone_through_in_steps() -> None:
    model = TraceModel(lambda start, removed, added: None)
    story = Story()
    story.begin()
    for _ in range(3_000):
        story.ask_model()
        story.answer(0.1)
    model.apply(story.take())
    found = TraceFilter(model.flat, model.texts, clock=iter(range(100)).__next__)
    found.begin(parse("kind:llm"))
    found.step(1)
    assert found.parts()[:2] == ["2,000 of 3,000", "looked at 2,000"]
    found.step(1)
    assert found.parts() == ["3,000 of 3,000", "model 5:00 m", "3.9M tok"]


ENDS = ("success", "error", "not_found", "rejected")
KINDS = ("llm", "tool", "you")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(KINDS), st.sampled_from(ENDS), st.integers(0, 5_000), st.sampled_from(("a", "b"))
        ),
        max_size=60,
    ),
    st.sampled_from(("status:error", "kind:tool", ">100ms", "-tool:a", "b", "kind:you", "-status:error <3s")),
    st.integers(1, 20),
)
def test_the_totals_are_those_of_what_is_shown(
    steps: list[tuple[str, str, int, str]], query: str, often: int
) -> None:
    model, story = TraceModel(lambda start, removed, added: None), Story()
    found = TraceFilter(model.flat, model.texts)
    found.begin(parse(query))
    story.begin()
    story.ask_model()
    story.answer(0.05)
    for number, (kind, end, ms, name) in enumerate(steps):
        if kind == "llm":
            story.ask_model()
            story.answer(ms / 1000, status="error" if end == "error" else "success")
        elif kind == "tool":
            (call,) = story.batch(name)
            story.run(call, ms, end)
        else:
            (call,) = story.batch(name)
            story.wait([call], ms / 1000, "approve")
            story.run(call, 1)
        if number % often == 0:
            model.apply(story.take())
            found.follow()
            found.step(10)
    story.end()
    model.apply(story.take())
    found.follow()
    found.step(10)
    shown = [row for row in found.rows if isinstance(row, Entry)]
    assert found.matches == shown
    totals = found.totals
    assert totals.entries == len(shown)
    assert totals.calls == len([entry for entry in shown if entry.kind == "tool"])
    assert totals.errors == len([entry for entry in shown if entry.state in ("error", "not_found")])
    assert totals.tokens == 1_286 * len([entry for entry in shown if entry.kind == "llm"])
    # nothing ran beside anything else here
    for of_kind in KINDS:
        took = [entry.ms or 0.0 for entry in shown if entry.kind == of_kind]
        assert totals.times[of_kind].ms == pytest.approx(sum(took), abs=0.01)


class Stage:
    """A trace panel on the screen, and keys typed into it."""

    def __init__(self, pilot: Pilot[None], app: PanelApp, panel: TracePanel) -> None:
        self.pilot, self.app, self.panel = pilot, app, panel
        self.rows: RowList[Row] = panel.focus_target

    @property
    def title(self) -> str:
        return self.panel.query_one(TitleRow).render_line(0).text.rstrip()

    @property
    def shown(self) -> list[str]:
        return [line.lstrip("▎ ").split("  ")[0] for line in lines(self.rows)]

    async def type(self, text: str) -> None:
        keys = {" ": "space", ":": "colon", ">": "greater_than_sign"}
        await self.pilot.press(*(keys.get(char, char) for char in text))
        await self.pilot.pause()


@asynccontextmanager
async def staged(size: tuple[int, int] = (80, 30)) -> AsyncIterator[Stage]:
    panel = TracePanel(GRAPHITE)
    app = PanelApp(panel, TracePanel.Inspect)
    async with running(app, size) as pilot:
        panel.apply(told().take())
        panel.focus_target.focus()
        await pilot.pause()
        yield Stage(pilot, app, panel)


async def test_slash_and_a_query_leave_what_fits_below_its_turn() -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        await stage.type("tool:search")
        assert stage.shown == ["▾ turn 1", "✓ web.search", "✗ web.search", "OSError: no route to host"]
        assert stage.title == "  Trace  2 of 5  1 error  2 calls 920 ms"
        await stage.type(" >200ms")
        assert stage.shown == ["▾ turn 1", "✓ web.search"]


async def test_letters_typed_into_the_filter_are_text_and_no_commands() -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        await stage.type("fEe j")
        assert stage.panel._line.text == "fEe j"


async def test_escape_in_the_filter_shows_everything_again() -> None:
    async with staged() as stage:
        whole = stage.shown
        await stage.pilot.press("slash")
        await stage.type("kind:llm")
        assert stage.shown != whole
        await stage.pilot.press("escape")
        await stage.pilot.pause()
        assert stage.shown == whole
        assert stage.rows.has_focus
        await stage.pilot.press("slash")
        assert stage.panel._line.text == ""


async def test_enter_keeps_the_filter_and_escape_in_the_list_leaves_it() -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        await stage.type("tool:read")
        await stage.pilot.press("enter")
        await stage.pilot.pause()
        assert stage.rows.has_focus
        assert stage.shown == ["▾ turn 2", "✓ files.read"]
        await stage.pilot.press("end", "enter")
        await until(stage.pilot, lambda: bool(stage.app.kept))
        assert stage.app.kept[0].entry.name == "files.read"
        assert [entry.name for entry in stage.panel.entries()] == ["files.read"]
        await stage.pilot.press("escape")
        await stage.pilot.pause()
        assert len(stage.shown) > 2


async def test_leaving_the_filter_goes_to_the_entry_that_was_found() -> None:
    async with staged((80, 8)) as stage:
        await stage.pilot.press("slash")
        await stage.type("rains")
        await stage.pilot.press("enter", "home", "down")
        await stage.pilot.press("escape")
        await stage.pilot.pause()
        current = stage.rows.current
        assert isinstance(current, Entry)
        assert current.ms == 900
        assert stage.rows.cursor_in_view


async def test_new_entries_that_fit_appear_while_the_filter_holds() -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        await stage.type("status:error")
        story = Story()
        story.turn = 2
        story.begin("third")
        story.ask_model()
        story.answer(1.0)
        call, other = story.batch("a.one", "a.two")
        story.start(call)
        stage.panel.apply(story.take())
        assert stage.shown[-1] == "OSError: no route to host"
        story.finish(call, 5.0, "error", error="no")
        story.run(other, 5)
        stage.panel.apply(story.take())
        assert stage.shown[-3:] == ["▾ turn 3", "✗ a.one", "no"]
        assert stage.title.startswith("  Trace  2 of 8  2 errors  2 calls")


async def test_next_error_stays_within_what_is_shown() -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        await stage.type("tool:search")
        await stage.pilot.press("enter", "home", "e")
        assert stage.rows.cursor == 2
        await stage.pilot.press("e")
        assert stage.rows.cursor == 2


async def test_going_to_an_entry_that_the_filter_leaves_out_drops_the_filter() -> None:
    async with staged() as stage:
        first = stage.panel.entries()[0]
        await stage.pilot.press("slash")
        await stage.type("tool:read")
        stage.panel.go_to(first)
        assert stage.rows.current is first


async def test_an_inner_agent_s_entries_stand_below_both_turns() -> None:
    async with staged() as stage:
        outer, inner = Story("outer"), Story("inner", inner=True)
        outer.begin("delegate")
        outer.ask_model()
        (call,) = outer.batch("ask.inner")
        outer.start(call)
        inner.simple_turn("within")
        outer.finish(call, 5.0, "error", error="gone")
        stage.panel.apply([*outer.events[:-1], *inner.take(), outer.events[-1]])
        await stage.pilot.press("slash")
        await stage.type("turn:1 -kind:llm")
        assert stage.shown == [
            "▾ turn 1",
            "✓ web.search",
            "✗ web.search",
            "OSError: no route to host",
            "▾ turn 1",
            "✗ ask.inner",
            "gone",
            "▾ inner",
            "✓ files.read",
        ]
        await stage.pilot.press("escape", "slash")
        await stage.type("agent:inner kind:tool")
        assert stage.shown == ["▾ turn 1", "▾ inner", "✓ files.read"]


async def test_the_title_is_accent_while_the_filter_is_typed() -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        title = stage.panel.query_one(TitleRow)
        assert list(title.render_line(0))[1].style == GRAPHITE.style("accent strong", "raised")


async def test_a_filter_that_nothing_fits_says_so() -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        await stage.type("zebra")
        assert stage.title == "  Trace  0 of 5"
        said = stage.rows.render_line(0).text
        assert said.startswith("  Nothing fits the filter: esc here shows everything")
        await stage.pilot.press("escape")
        await stage.type("")
        assert stage.shown[0] == "▸ turn 1"


async def test_a_term_that_means_nothing_is_said_in_the_title() -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        await stage.type("status:foo")
        assert stage.title == "  Trace  no status foo"


@pytest.mark.parametrize("key", ["right", "tab"])
async def test_a_tool_s_name_is_offered_and_taken(key: str) -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        await stage.type("tool:web")
        await stage.pilot.press(key)
        await stage.pilot.pause()
        assert stage.panel._line.text == "tool:web.search"
        assert stage.shown == ["▾ turn 1", "✓ web.search", "✗ web.search", "OSError: no route to host"]


async def test_tab_goes_through_all_that_a_word_may_become_and_shift_tab_back() -> None:
    async with staged((100, 30)) as stage:
        await stage.pilot.press("slash")
        await stage.type("status:ru")
        await stage.pilot.press("tab")
        assert stage.panel._line.text == "status:running"
        await stage.pilot.press(*["backspace"] * 7)
        seen = []
        for _ in range(len(STATUSES) + 1):
            await stage.pilot.press("tab")
            seen.append(stage.panel._line.text.removeprefix("status:"))
        assert seen == [*sorted(STATUSES), min(STATUSES)]
        await stage.pilot.press("shift+tab")
        assert stage.panel._line.text == f"status:{max(STATUSES)}"
        await stage.pilot.pause()
        painted = "".join(strip.text for strip in stage.app.screen._compositor.render_strips())
        assert f"tab next, {len(STATUSES)} of {len(STATUSES)}" in painted


async def test_what_is_typed_after_a_completion_is_completed_by_itself() -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        await stage.type("t")
        await stage.pilot.press("tab", "w", "tab")
        assert stage.panel._line.text == "tool:web.search"
        await stage.pilot.press("escape", "slash", "tab")
        assert stage.panel._line.text == KEYS[0]


async def test_switched_tools_and_new_conversations_do_not_disturb_the_filter() -> None:
    async with staged() as stage:
        await stage.pilot.press("slash")
        await stage.type("tool:read")
        stage.panel.apply([events.SessionReset("ann", 0.0), events.ToolsChanged("ann", 0.0, "disable", "x")])
        assert line_with(stage.rows, "files.read")
        await stage.pilot.press("escape")
        await stage.pilot.pause()
        assert "new conversation" in stage.shown


@pytest.mark.parametrize("width", [12, 30, 54, 80])
async def test_every_row_is_exactly_as_wide_as_the_panel(width: int) -> None:
    async with staged((width, 20)) as stage:
        await stage.pilot.press("slash")
        await stage.type("tool:search")
        assert all(stage.rows.render_line(y).cell_length == width for y in range(18))
        assert stage.panel.query_one(TitleRow).render_line(0).cell_length == width


async def test_a_narrow_filter_line_keeps_its_room_for_the_text() -> None:
    for width, hint in ((55, False), (56, True)):
        async with staged((width, 20)) as stage:
            await stage.pilot.press("slash")
            await stage.pilot.pause()
            painted = "".join(strip.text for strip in stage.app.screen._compositor.render_strips())
            assert ("esc all" in painted) is hint
