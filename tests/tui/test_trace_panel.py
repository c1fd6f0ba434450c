"""The live trace."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

import pytest
from textual.pilot import Pilot

from tests.tui.panel_app import GRAPHITE, PAPER, PanelApp, Story, line_with, lines, running, until
from workbench.tui import events
from workbench.tui.panels.trace import TracePanel
from workbench.tui.render import Span
from workbench.tui.rows import RowList
from workbench.tui.title_row import TitleRow
from workbench.tui.trace_records import Entry, Row


class Stage:
    """A trace panel on the screen."""

    def __init__(self) -> None:
        self.panel = TracePanel(GRAPHITE)
        self.app = PanelApp(self.panel, TracePanel.Inspect)

    @property
    def rows(self) -> RowList[Row]:
        return self.panel.focus_target

    @property
    def title(self) -> str:
        return self.panel.query_one(TitleRow).render_line(0).text.rstrip()

    @property
    def shown(self) -> list[str]:
        return [line.lstrip("▎ ").split("  ")[0] for line in lines(self.rows)]

    def painted(self) -> str:
        """All that the terminal shows."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    def current(self) -> str:
        record = self.rows.current
        return record.name if isinstance(record, Entry) else type(record).__name__

    def key_of(self, text: str, piece: str) -> str | None:
        """Which colour of the palette the piece of the line with the text has."""
        (y,) = [y for y, line in enumerate(lines(self.rows)) if text in line]
        for segment in self.rows.render_line(y):
            if piece in segment.text and segment.style is not None and segment.style.color is not None:
                name = segment.style.color.name
                return next(key for key, value in GRAPHITE.colors.items() if value == name)
        return None


@asynccontextmanager
async def staged(
    story: Story | None = None, size: tuple[int, int] = (62, 30)
) -> AsyncIterator[tuple[Stage, Pilot[None]]]:
    stage = Stage()
    async with running(stage.app, size) as pilot:
        if story is not None:
            stage.panel.apply(story.take())
            stage.panel.tick(story.now)
            await pilot.pause()
        yield stage, pilot


async def test_an_empty_trace_says_what_will_appear() -> None:
    async with staged() as (stage, _):
        assert stage.title == "  Trace"
        assert stage.rows.render_line(0).text.startswith("  No turns yet. Model calls")


async def test_a_turn_shows_its_model_calls_and_tool_calls_in_order() -> None:
    story = Story()
    story.simple_turn("Read the file")
    async with staged(story) as (stage, _):
        assert stage.shown == [
            "▾ turn 1",
            "▾ iteration 1",
            "◆ llm",
            "✓ read",
            "▾ iteration 2",
            "◆ llm",
        ]
        assert "Read the file" in line_with(stage.rows, "turn 1")
        assert "1 call" in line_with(stage.rows, "iteration 1")
        assert "path='a.txt'" in line_with(stage.rows, "read")
        assert line_with(stage.rows, "read").endswith("   40 ms")
        assert stage.panel.entry_count == 3


async def test_the_lane_tells_time_to_the_first_token_from_generation() -> None:
    story = Story()
    story.begin()
    story.ask_model(first_token=0.5)
    story.answer(0.5)
    story.end()
    async with staged(story) as (stage, _):
        assert line_with(stage.rows, "llm").count("─") == 7
        assert line_with(stage.rows, "llm").count("━") == 7


async def test_what_runs_shows_its_time_so_far() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    async with staged(story) as (stage, pilot):
        stage.panel.tick(story.now + 1.9)
        assert line_with(stage.rows, "llm").endswith(" 1.90 s")
        assert stage.key_of("llm", "1.90") == "accent"
        stage.panel.tick(story.now + 65.0)
        assert line_with(stage.rows, "llm").endswith(" 65.0 s")
        assert stage.title.endswith("65.0 s")
        await pilot.pause()
        assert "● llm" in (painted := stage.painted())
        assert painted.count("65.0 s") == 4


async def test_a_failed_call_has_its_reason_on_the_next_row() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    call, _waits_behind = story.batch("bank.convert", "bank.export")
    story.run(call, 9, "error", error_type="KeyError", error="'USD'")
    async with staged(story) as (stage, _):
        index = stage.shown.index("✗ convert")
        assert stage.shown[index + 1 :] == ["KeyError: 'USD'", "○ export"]
        assert stage.key_of("KeyError", "KeyError") == "error"


async def test_a_failed_model_call_says_why_once() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0, status="error", error="no key for openai")
    story.end("error", "no key for openai")
    async with staged(story) as (stage, _):
        assert [line for line in stage.shown if "no key" in line] == ["no key for openai"]
        assert "failed" in line_with(stage.rows, "turn 1")


async def test_a_turn_that_a_hook_ended_says_why_at_its_end() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    story.end("error", "HookError: broken\nmore")
    async with staged(story) as (stage, _):
        assert stage.shown[-1] == "HookError: broken"


@pytest.mark.parametrize(
    ("status", "glyph", "word"),
    [
        ("not_found", "✗", "no such"),
        ("rejected", "⊘", "rejected"),
        ("cancelled", "–", "cancelled"),
        ("denied", "⊘", "denied"),
        ("disabled", "⊘", "off"),
        ("never heard of", "✗", ""),
    ],
)
async def test_a_call_that_did_not_run_says_so_in_the_time_column(status: str, glyph: str, word: str) -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    (call,) = story.batch("web.fetch")
    story.finish(call, 0.0, status)
    async with staged(story) as (stage, _):
        line = line_with(stage.rows, "fetch")
        assert line.split()[0] == glyph
        assert line.endswith(word)
        assert "━" not in line or status == "never heard of"


async def test_a_person_who_is_asked_has_a_row_before_the_calls() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    calls = story.batch("files.write", "web.fetch")
    story.wait(calls[:1], 12.0)
    async with staged(story) as (stage, _):
        stage.panel.tick(story.now)
        assert stage.shown[3:] == ["◇ you", "◇ write", "○ fetch"]
        assert "1 call to decide" in line_with(stage.rows, "you")
        assert line_with(stage.rows, "you").endswith(" 12.0 s")
        assert line_with(stage.rows, "write").endswith("waiting")
        assert line_with(stage.rows, "fetch").endswith("pending")
        assert line_with(stage.rows, "turn 1").endswith(" 1.00 s"), "waiting is not working time"


async def test_a_wait_is_cut_out_of_the_axis_and_of_the_durations() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    calls = story.batch("files.write", "system.shell")
    story.wait(calls, 600.0, "approve", "reject")
    story.run(calls[0], 1_000)
    story.finish(calls[1], 0.0, "rejected")
    story.end()
    async with staged(story) as (stage, _):
        assert "1 run   1 rejected" in line_with(stage.rows, "you")
        assert line_with(stage.rows, "you").count("┄") == 2
        assert line_with(stage.rows, "turn 1").endswith(" 2.00 s")
        assert "──────┄┄──────" in line_with(stage.rows, "turn 1")
        assert "━━━━━━  " in line_with(stage.rows, "llm")
        assert line_with(stage.rows, "shell").endswith("rejected")


async def test_the_row_of_a_wait_counts_every_verdict_of_its_batch() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    one, two, three = story.batch("a.one", "a.two", "a.three")
    story.wait([three], 1.0)
    allowed, refused = (
        events.CallInfo(one.id, "a.one", {}, decision="approve"),
        events.CallInfo(two.id, "a.two", {}, decision="reject"),
    )
    decided = events.CallInfo(three.id, "a.three", {}, "ask", "", "approve")
    async with staged(story) as (stage, _):
        stage.panel.apply([events.WaitFinished("ann", story.now, 1_000, (allowed, refused, decided))])
        assert "2 run   1 rejected" in line_with(stage.rows, "you")


@pytest.mark.parametrize("decision", [None, "reject"])
async def test_a_stop_that_ends_a_wait_ran_nothing_and_rejected_nothing(
    decision: Literal["reject"] | None,
) -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    calls = story.batch("a.one", "a.two")
    story.wait(calls, 3.0)
    left = tuple(events.CallInfo(call.id, call.name, {}, "ask", "", decision) for call in calls)
    story.events.append(events.WaitFinished("ann", story.now, 3_000, left))
    async with staged(story) as (stage, _):
        assert " run" not in line_with(stage.rows, "you")
        for call in calls:
            story.finish(call, 0.0, "cancelled")
        story.end("stopped")
        stage.panel.apply(story.take())
        assert "◇ you  2 cancelled  " in line_with(stage.rows, "you")
        assert line_with(stage.rows, "one").endswith("cancelled")


async def test_a_call_that_a_hook_refused_after_the_decision_is_counted_as_the_person_decided() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    one, two = calls = story.batch("a.one", "a.two")
    story.wait(calls, 1.0, "approve", "approve")
    async with staged(story) as (stage, _):
        assert "2 run" in line_with(stage.rows, "you")
        story.run(one, 5)
        story.finish(two, 0.0, "rejected")
        stage.panel.apply(story.take())
        assert "2 run  " in line_with(stage.rows, "you")
        assert "rejected" not in line_with(stage.rows, "you")
        assert line_with(stage.rows, "two").endswith("rejected")


async def test_what_a_hook_refused_before_the_decision_is_no_verdict_of_the_person() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    one, two = calls = story.batch("a.one", "a.two")
    story.wait(calls, 1.0, "approve", "reject")
    async with staged(story) as (stage, _):
        story.run(one, 5)
        story.finish(two, 0.0, "rejected", decided_by="hook")
        stage.panel.apply(story.take())
        assert "1 run  " in line_with(stage.rows, "you")
        assert "rejected" not in line_with(stage.rows, "you")


async def test_edited_arguments_are_shown_once_the_person_decided() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    (call,) = story.batch("web.fetch", url="http://a")
    story.wait([call], 1.0)
    async with staged(story) as (stage, _):
        edited = events.CallInfo(call.id, call.name, {"url": "http://b"}, "ask", "", "approve")
        stage.panel.apply([events.WaitFinished("ann", story.now, 1_000, (edited,))])
        assert "http://b" in line_with(stage.rows, "fetch")


async def test_parallel_calls_overlap_in_the_lane() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    one, two = story.batch("a.one", "a.two")
    story.start(one)
    story.start(two)
    story.now += 1.0
    story.finish(one, 500.0)
    story.finish(two, 1_000.0)
    story.end()
    async with staged(story) as (stage, _):
        first, second = line_with(stage.rows, "one"), line_with(stage.rows, "two")
        assert first.index("━") == second.index("━")
        assert second.count("━") == 7
        assert first.count("━") in (3, 4)


async def test_calls_left_open_when_a_turn_ends_are_cancelled() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    one, _two = story.batch("a.one", "a.two")
    story.start(one)
    story.now += 1.0
    story.end("stopped")
    async with staged(story) as (stage, _):
        assert line_with(stage.rows, "one").endswith("cancelled")
        assert line_with(stage.rows, "two").endswith("cancelled")
        assert not any("●" in line for line in lines(stage.rows))


async def test_earlier_turns_fold_to_one_line_with_their_counts() -> None:
    story = Story()
    story.simple_turn("first")
    story.simple_turn("second")
    async with staged(story) as (stage, _):
        assert stage.shown[:2] == ["▸ turn 1", "▾ turn 2"]
        assert "2 llm  1 call" in line_with(stage.rows, "turn 1")


async def test_space_and_arrows_fold_and_unfold() -> None:
    story = Story()
    story.simple_turn()
    async with staged(story) as (stage, pilot):
        whole = stage.shown
        stage.rows.focus()
        await pilot.press("home", "space")
        assert stage.shown == ["▸ turn 1"]
        await pilot.press("right")
        assert stage.shown == whole
        await pilot.press("down", "left")
        assert stage.shown == ["▾ turn 1", "▸ iteration 1", "▾ iteration 2", "◆ llm"]
        await pilot.press("left")
        assert stage.rows.cursor == 0


async def test_left_on_a_call_goes_to_its_iteration() -> None:
    story = Story()
    story.simple_turn()
    async with staged(story) as (stage, pilot):
        stage.rows.focus()
        await pilot.press("home", "down", "down", "down")
        assert stage.current() == "files.read"
        await pilot.press("left")
        assert stage.rows.cursor == 1


async def test_what_happens_in_a_folded_turn_appears_when_it_is_unfolded() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    async with staged(story) as (stage, pilot):
        stage.rows.focus()
        await pilot.press("home", "left")
        story.answer(1.0)
        (call,) = story.batch("a.one")
        story.run(call, 5, "error", error="no")
        stage.panel.apply(story.take())
        assert stage.shown == ["▸ turn 1"]
        await pilot.press("right")
        assert stage.shown == ["▾ turn 1", "▾ iteration 1", "◆ llm", "✗ one", "no"]


async def test_enter_asks_to_inspect_the_entry() -> None:
    story = Story()
    story.simple_turn()
    async with staged(story) as (stage, pilot):
        stage.rows.focus()
        await pilot.press("home", "down", "down", "down", "enter")
        await until(pilot, lambda: bool(stage.app.kept))
        (message,) = stage.app.kept
        assert message.entry.data["tool_name"] == "files.read"
        assert [entry.name for entry in stage.panel.entries()] == ["llm", "files.read", "llm"]


async def test_a_click_on_the_glyph_folds_and_a_double_click_inspects() -> None:
    story = Story()
    story.simple_turn()
    async with staged(story) as (stage, pilot):
        await pilot.click(RowList, offset=(4, 1))
        assert stage.shown[1:3] == ["▸ iteration 1", "▾ iteration 2"]
        await pilot.click(RowList, offset=(10, 3), times=2)
        await until(pilot, lambda: bool(stage.app.kept))
        assert stage.app.kept[0].entry.kind == "llm"


async def test_e_goes_from_error_to_error_and_unfolds_what_hides_them() -> None:
    story = Story()
    for name in ("a.one", "a.two"):
        story.begin()
        story.ask_model()
        story.answer(1.0)
        (call,) = story.batch(name)
        story.run(call, 5, "error", error="no")
        story.end()
    async with staged(story) as (stage, pilot):
        stage.rows.focus()
        await pilot.press("home")
        seen = []
        for key in ("e", "e", "e", "E"):
            await pilot.press(key)
            seen.append(stage.current())
        assert seen == ["a.one", "a.two", "a.one", "a.two"]
        assert "✗ one" in stage.shown


async def test_the_title_says_whether_the_trace_follows_and_f_switches_it() -> None:
    story = Story()
    for _ in range(3):
        story.simple_turn()
    async with staged(story, (62, 6)) as (stage, pilot):
        assert stage.title.startswith("  Trace  turn 3, following")
        assert stage.title.endswith("1.5 s")
        stage.rows.focus()
        await pilot.press("home")
        assert stage.title.startswith("  Trace  turn 1   ")
        await pilot.press("f")
        assert stage.title.startswith("  Trace  turn 3, following")
        story.simple_turn()
        stage.panel.apply(story.take())
        assert lines(stage.rows)[-1].lstrip("▎ ").startswith("◆ llm")


async def test_the_title_is_accent_only_while_the_trace_has_the_focus() -> None:
    async with staged() as (stage, pilot):
        title = stage.panel.query_one(TitleRow)
        assert list(title.render_line(0))[1].style == GRAPHITE.style("subtle strong", "raised")
        stage.rows.focus()
        await pilot.pause()
        assert list(title.render_line(0))[1].style == GRAPHITE.style("accent strong", "raised")


async def test_in_a_tab_the_title_has_no_name() -> None:
    story = Story()
    story.simple_turn()
    async with staged(story, (80, 24)) as (stage, _):
        stage.panel.compact = True
        assert stage.title.startswith("  turn 1, following")
        assert next(iter(stage.rows.render_line(1))).style == GRAPHITE.style("muted", "background")


async def test_switched_tools_leave_a_mark_only_within_a_session() -> None:
    story = Story()
    off = events.ToolsChanged("ann", story.now, "disable", "math.add", "by you")
    async with staged() as (stage, _):
        stage.panel.apply([off])
        assert stage.shown == []
        story.begin()
        story.ask_model()
        stage.panel.apply([*story.take(), off])
        assert lines(stage.rows)[-1].strip() == "□ math.add off  by you"
        story.answer(1.0)
        story.end()
        stage.panel.apply([*story.take(), events.ToolsChanged("ann", story.now, "enable", "math.add")])
        assert lines(stage.rows)[-1] == "  ■ math.add on"
        assert stage.panel.entry_count == 1


async def test_tools_switched_by_one_action_leave_one_mark() -> None:
    story = Story()
    story.simple_turn()
    names = ("files.read", "files.write", "files.delete")
    off = [
        events.ToolsChanged("ann", story.now + index / 100, "disable", name, "by you")
        for index, name in enumerate(names)
    ]
    async with staged(story) as (stage, _):
        stage.panel.apply(off[:2])
        stage.panel.apply(off[2:])
        assert lines(stage.rows)[-1] == "  □ files off  3 tools  by you"
        stage.panel.apply([events.ToolsChanged("ann", story.now + 0.03, "disable", "web.fetch", "by you")])
        assert lines(stage.rows)[-1] == "  □ 4 tools off  by you"
        stage.panel.apply([events.ToolsChanged("ann", story.now + 0.04, "enable", "web.fetch")])
        stage.panel.apply([events.ToolsChanged("ann", story.now + 9, "enable", "files.read")])
        assert lines(stage.rows)[-2:] == ["  ■ web.fetch on", "  ■ files.read on"]


async def test_a_new_conversation_keeps_what_came_before() -> None:
    story = Story()
    story.simple_turn()
    async with staged(story) as (stage, _):
        stage.panel.apply([events.SessionReset("ann", story.now)])
        assert stage.shown == ["▸ turn 1", "new conversation"]
        story.turn = 0
        story.simple_turn()
        stage.panel.apply(story.take())
        assert stage.shown[:4] == ["▸ turn 1", "new conversation", "▾ turn 1", "▾ iteration 1"]


@asynccontextmanager
async def nested() -> AsyncIterator[tuple[Stage, Story, Story, events.CallInfo]]:
    """An outer agent's call in which an inner agent is about to begin."""
    outer, inner = Story("outer"), Story("inner", inner=True)
    outer.begin()
    outer.ask_model()
    outer.answer(1.0)
    (call,) = outer.batch("ask.inner")
    outer.start(call)
    async with staged(outer, (62, 40)) as (stage, _):
        inner.now = outer.now
        yield stage, outer, inner, call


async def test_an_agent_within_a_tool_is_a_subtree_of_its_call() -> None:
    async with nested() as (stage, outer, inner, call):
        inner.simple_turn("within")
        stage.panel.apply(inner.take())
        outer.now = inner.now
        outer.finish(call, 500.0)
        outer.ask_model()
        stage.panel.apply(outer.take())
        assert [line.rstrip()[:20].rstrip() for line in lines(stage.rows)] == [
            "  ▾ turn 1  go",
            "    ▾ iteration 1  1",
            "      ◆ llm  1.2k in",
            "      ✓ inner",
            "        ▾ inner  wit",
            "          ▾ iteratio",
            "            ◆ llm  1",
            "            ✓ read",
            "          ▾ iteratio",
            "            ◆ llm  1",
            "    ▾ iteration 2",
            "      ● llm  m",
        ]
        assert [entry.name for entry in stage.panel.entries()] == [
            "llm",
            "ask.inner",
            "llm",
            "files.read",
            "llm",
        ]
        assert stage.title.startswith("  Trace  turn 1, following")


async def test_an_inner_agent_is_drawn_on_the_time_axis_of_the_outer_turn() -> None:
    async with nested() as (stage, outer, inner, call):
        inner.begin()
        inner.ask_model()
        inner.answer(1.0)
        inner.end()
        outer.now = inner.now
        outer.finish(call, 1_000.0)
        outer.end()
        stage.panel.apply([*inner.take(), *outer.take()])
        first, second = (line for line in lines(stage.rows) if "◆ llm" in line)
        assert first.count("━") == second.count("━") == 7
        assert first.rindex("━") < second.index("━")
        assert line_with(stage.rows, "▾ inner").endswith(" 1.00 s")


async def test_a_person_asked_by_an_inner_agent_stops_the_clock_of_the_outer_turn() -> None:
    async with nested() as (stage, _outer, inner, _call):
        inner.begin()
        inner.ask_model()
        inner.answer(1.0)
        calls = inner.batch("files.write")
        inner.wait(calls, 60.0)
        stage.panel.apply(inner.take())
        stage.panel.tick(inner.now)
        assert line_with(stage.rows, "turn 1").endswith(" 2.00 s")
        assert "┄┄" in line_with(stage.rows, "turn 1")
        assert line_with(stage.rows, "you").endswith(" 60.0 s")
        inner.events.append(events.WaitFinished("inner", inner.now, 60_000, ()))
        stage.panel.apply(inner.take())
        stage.panel.tick(inner.now + 1)
        assert line_with(stage.rows, "turn 1").endswith(" 3.00 s")


async def test_the_call_that_an_inner_agent_names_holds_it() -> None:
    outer = Story("outer")
    outer.begin()
    outer.ask_model()
    outer.answer(1.0)
    one, two = outer.batch("ask.one", "ask.two")
    outer.start(one)
    outer.start(two)
    async with staged(outer) as (stage, _):
        started = events.TurnStarted("bob", outer.now, 1, "go", parent_call_id=one.id, inner=True)
        stage.panel.apply([started, events.TurnStarted("eve", outer.now, 1, "go", inner=True)])
        assert stage.shown[3:] == ["● one", "▾ bob", "● two", "▾ eve"]


async def test_what_runs_in_an_agent_folds_away_and_comes_back_with_its_call() -> None:
    async with nested() as (stage, outer, inner, call):
        stage.rows.focus()
        inner.begin()
        inner.ask_model()
        stage.panel.apply(inner.take())
        stage.rows.go_to(4)
        stage.panel.action_close()
        inner.answer(1.0)
        stage.panel.apply(inner.take())
        assert stage.shown[3:] == ["● inner", "▸ inner"]
        stage.rows.go_to(1)
        stage.panel.action_close()
        (read,) = inner.batch("files.read")
        inner.run(read, 5, "error", error="no")
        outer.finish(call, 500.0, "error", error="gone")
        stage.panel.apply([*inner.take(), *outer.take()])
        assert stage.shown == ["▾ turn 1", "▸ iteration 1"]
        stage.panel.action_next_error()
        assert stage.current() == "ask.inner"
        assert stage.shown[3:] == ["✗ inner", "gone", "▸ inner"]
        stage.panel.action_next_error()
        assert stage.current() == "files.read"
        assert stage.shown[3:] == [
            "✗ inner",
            "gone",
            "▾ inner",
            "▾ iteration 1",
            "◆ llm",
            "✗ read",
            "no",
        ]


async def test_agents_that_run_one_after_the_other_in_a_call_stay_in_order() -> None:
    async with nested() as (stage, outer, inner, call):
        second = Story("second", inner=True)
        inner.simple_turn()
        second.simple_turn()
        outer.finish(call, 5.0, "error", error="gone")
        stage.panel.apply([*inner.take(), *second.take(), *outer.take()])
        names = [line for line in stage.shown if line[2:] in ("inner", "second", "gone") or line == "gone"]
        assert names == ["✗ inner", "gone", "▾ inner", "▾ second"]
        assert stage.shown[-6:] == ["▾ second", "▾ iteration 1", "◆ llm", "✓ read", "▾ iteration 2", "◆ llm"]


async def test_what_an_agent_does_below_a_folded_iteration_stays_out_of_sight() -> None:
    async with nested() as (stage, _outer, inner, _call):
        inner.begin()
        stage.panel.apply(inner.take())
        stage.rows.go_to(1)
        stage.panel.action_close()
        inner.ask_model()
        inner.answer(1.0)
        stage.panel.apply(inner.take())
        assert stage.shown == ["▾ turn 1", "▸ iteration 1"]
        stage.panel.action_open()
        assert stage.shown[3:] == ["● inner", "▾ inner", "▾ iteration 1", "◆ llm"]


async def test_an_agent_within_an_agent_is_set_in_further() -> None:
    async with nested() as (stage, _outer, inner, _call):
        deepest = Story("deepest", inner=True)
        inner.begin()
        inner.ask_model()
        (ask,) = inner.batch("ask.deepest")
        inner.start(ask)
        deepest.now = inner.now
        deepest.begin()
        stage.panel.apply([*inner.take(), *deepest.take()])
        assert lines(stage.rows)[-1].startswith("              ▾ deepest")
        assert "1 llm" not in lines(stage.rows)[0]


async def test_an_inner_agent_outside_of_any_call_is_a_turn_of_its_own() -> None:
    inner = Story("inner", inner=True)
    inner.simple_turn("alone")
    async with staged(inner) as (stage, _):
        assert stage.shown[:2] == ["▾ inner", "▾ iteration 1"]


async def test_the_time_in_handlers_is_shaded_where_half_a_cell_shows_it() -> None:
    story = Story()
    story.begin()
    story.now += 1.0
    story.ask_model()
    one, two = story.batch("a.one", "a.two")
    story.run(one, 1_000, hooks_ms={"before_each_tool": 1_000.0})
    story.run(two, 1_000, hooks_ms={"before_each_tool": 10.0, "after_each_tool": 20.0})
    story.end()
    async with staged(story, (80, 20)) as (stage, _):
        assert "─" in line_with(stage.rows, "one")
        assert stage.key_of("✓ a.one", "─") == "muted"
        assert "─" not in line_with(stage.rows, "two")


async def test_a_moment_in_handlers_is_not_rounded_up_to_half_a_cell() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.051)
    (call,) = story.batch("a.one")
    story.run(call, 2_949, hooks_ms={"before_each_tool": 10.0})
    story.end()
    async with staged(story, (80, 20)) as (stage, _):
        assert "━" in line_with(stage.rows, "one")
        assert not set("─╶╴╼") & set(line_with(stage.rows, "one"))


async def test_text_of_models_and_tools_is_shown_and_never_obeyed() -> None:
    story = Story()
    story.begin("[b]hi[/b] \x1b[2J\nmore \u202e")
    story.ask_model()
    story.answer(1.0)
    (call,) = story.batch("a.\x1b]0;x", text="[/")
    story.run(call, 1, "error", error="\x9b31m")
    async with staged(story) as (stage, _):
        everything = "".join(lines(stage.rows))
        assert "[b]hi[/b]" in everything
        assert not set(everything) & set("\x1b\x9b\n\u202e")


@pytest.mark.parametrize("width", [1, 10, 20, 40, 55, 56, 62, 80, 200])
async def test_every_row_is_exactly_as_wide_as_the_panel(width: int) -> None:
    story = Story()
    story.simple_turn("寿司 " * 60)
    story.begin()
    story.ask_model()
    story.answer(1.0)
    calls = story.batch("very.long_name_of_a_tool_that_needs_room", "b", text="x" * 500)
    story.wait(calls, 3.0, "approve", "reject")
    story.run(calls[0], 1, "error", error="寿" * 200)
    async with staged(story, (width, 24)) as (stage, _):
        assert all(stage.rows.render_line(y).cell_length == width for y in range(23))
        assert stage.panel.query_one(TitleRow).render_line(0).cell_length == width


async def test_below_56_cells_there_is_no_lane() -> None:
    story = Story()
    story.simple_turn()
    async with staged(story, (55, 24)) as (stage, _):
        assert not any(glyph in line for line in lines(stage.rows) for glyph in "━─╸╺╴╶")
        assert line_with(stage.rows, "read").endswith("   40 ms")


@pytest.mark.parametrize(
    ("width", "said"),
    [
        (44, "llm  1.2k in    86 out"),
        (40, "llm  1.2k in  86 out"),
        (33, "llm  1.2k in"),
        (36, "iteration 1  1 call"),
        (29, "iteration 1"),
    ],
)
async def test_counts_that_have_no_room_are_left_out_whole(width: int, said: str) -> None:
    story = Story()
    story.simple_turn()
    async with staged(story, (width, 24)) as (stage, _):
        drawn = next(line for line in lines(stage.rows) if said.split()[0] in line)
        assert f"{said} " in drawn
        assert "…" not in drawn


async def test_times_end_two_cells_before_the_edge_in_every_row() -> None:
    story = Story()
    story.simple_turn()
    async with staged(story) as (stage, _):
        texts = [stage.rows.render_line(y).text for y in range(len(stage.rows.rows))]
        assert all(text[60:] == "  " and text[58:60].strip() in ("s", "ms") for text in texts)


async def test_another_palette_reaches_title_and_rows() -> None:
    story = Story()
    story.simple_turn()
    async with staged(story) as (stage, _):
        stage.panel.palette = PAPER
        title = stage.panel.query_one(TitleRow)
        assert next(iter(title.render_line(0))).style == PAPER.style("muted", "raised")
        assert next(iter(stage.rows.render_line(1))).style == PAPER.style("muted", "surface")


async def test_only_rows_in_view_are_looked_at_however_long_the_trace_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    story = Story()
    story.begin()
    for _ in range(2_000):
        story.ask_model()
        story.answer(0.1)
        (call,) = story.batch("a.one", x=1)
        story.run(call, 1)
    drawn: list[object] = []
    async with staged(story) as (stage, pilot):
        original = stage.panel.draw_record

        def draw(record: Row, width: int) -> list[Span]:
            drawn.append(record)
            return original(record, width)

        monkeypatch.setattr(stage.rows, "_draw", draw)
        story.ask_model()
        stage.panel.apply(story.take())
        await pilot.pause()
        assert 0 < len(set(map(id, drawn))) <= 29
        assert stage.panel.entry_count == 4_001
