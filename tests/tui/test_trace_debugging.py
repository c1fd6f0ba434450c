"""Pauses, faults and switches in the trace, and its legend."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tui.panel_app import Story, line_with, lines, until
from tests.tui.test_trace_panel import staged
from workbench.tui import events
from workbench.tui.events import CallInfo
from workbench.tui.trace_query import completions


def pause(story: Story, call: CallInfo, when: str, seconds: float, action: str = "") -> None:
    """A call stands still; without an action it goes on standing."""
    moment: events.PauseStarted = events.PauseStarted(
        story.agent, story.now, call.id, call.name, "before" if when == "before" else "after"
    )
    story.events.append(moment)
    story.now += seconds
    if action:
        story.events.append(events.PauseFinished(story.agent, story.now, call.id, seconds * 1000, action))


def begun() -> tuple[Story, list[CallInfo]]:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    return story, story.batch("math.add", "web.fetch")


async def test_a_pause_before_a_call_stands_above_it_with_the_persons_time() -> None:
    story, (add, _) = begun()
    story.start(add)
    pause(story, add, "before", 12.4, "step")
    async with staged(story) as (stage, _):
        assert stage.shown[3:6] == ["◇ pause", "● add", "○ fetch"]
        said = line_with(stage.rows, "pause").split()
        assert said == ["◇", "pause", "before", "add", "stepped", "┄┄", "12.4", "s"]
        assert stage.key_of("pause", "◇") == "warning"


@pytest.mark.parametrize("last", [False, True])
async def test_pauses_after_a_call_that_ran_again_stand_in_the_order_in_which_they_were(last: bool) -> None:
    story, (add, fetch) = begun()
    call = fetch if last else add
    story.start(call)
    pause(story, call, "after", 3, "again")
    pause(story, call, "after", 5, "continue")
    async with staged(story) as (stage, _):
        told = [line for line in lines(stage.rows) if "◇ pause" in line]
        assert ["after" in line and " run" in line for line in told] == [True, False]
        names = stage.shown[3:7]
        assert names == (["○ add", "● fetch"] if last else ["● add"]) + ["◇ pause"] * 2 + ["○ fetch"] * (
            not last
        )


async def test_a_pause_after_a_call_stands_below_it_and_the_call_waits_meanwhile() -> None:
    story, (add, _) = begun()
    story.start(add)
    story.now += 0.5
    pause(story, add, "after", 3)
    async with staged(story) as (stage, _):
        assert stage.shown[3:6] == ["◇ add", "◇ pause", "○ fetch"]
        assert "waiting" in line_with(stage.rows, "◇ add")
        story.events.append(events.PauseFinished(story.agent, story.now, add.id, 3000, "continue"))
        story.finish(add, 500)
        stage.panel.apply(story.take())
        assert stage.shown[3:6] == ["✓ add", "◇ pause", "○ fetch"]
        assert "continued" in line_with(stage.rows, "pause")


async def test_the_time_of_a_turn_leaves_pauses_out() -> None:
    story, (add, _) = begun()
    story.start(add)
    pause(story, add, "before", 60, "continue")
    story.now += 1
    story.finish(add, 1000)
    async with staged(story) as (stage, _):
        stage.panel.tick(story.now)
        assert line_with(stage.rows, "turn 1").endswith("2.00 s")


async def test_a_pause_that_no_call_is_known_for_changes_nothing() -> None:
    story, _ = begun()
    story.events.append(events.PauseStarted(story.agent, story.now, "nobody", "add", "before"))
    story.events.append(events.PauseFinished(story.agent, story.now, "nobody", 0, "stop"))
    async with staged(story) as (stage, _):
        assert "◇ pause" not in stage.shown


async def test_a_call_with_a_fault_says_so_in_its_row() -> None:
    story, (add, _) = begun()
    story.start(add)
    story.finish(add, 1, "error", error="down", error_type="OSError", fault="raise OSError")
    async with staged(story) as (stage, _):
        assert "add  fault raise" in line_with(stage.rows, "✗ add")
        assert stage.key_of("✗ add", "fault raise") == "warning"


@pytest.mark.parametrize(
    ("facts", "words", "key"),
    [
        ({"made_up": True}, "made up", "warning"),
        ({"result_edited_from": "before"}, "result edited", "warning"),
        ({"replayed": True}, "from the record", "muted"),
        ({"replayed": True, "original_result": "before"}, "made up", "warning"),
    ],
)
async def test_a_call_that_did_not_just_run_says_so_in_its_row(
    facts: dict[str, Any], words: str, key: str
) -> None:
    story, (add, _) = begun()
    story.start(add)
    story.finish(add, 1, "success", **facts)
    async with staged(story) as (stage, _):
        assert f"add  {words}" in line_with(stage.rows, "✓ add")
        assert stage.key_of("✓ add", words) == key


async def test_a_switched_tool_says_who_did_it() -> None:
    story, _ = begun()
    async with staged(story) as (stage, _):
        for by, name, reason in (
            ("user", "math.add", "switched off by the user"),
            ("code", "math.sub", "maintenance"),
            ("policy", "math.mul", "tagged destructive"),
            ("reload", "math.div", None),
        ):
            story.now += 1
            stage.panel.apply([events.ToolsChanged("ann", story.now, "disable", name, reason, by=by)])
        marks = [line.strip() for line in lines(stage.rows) if "□" in line]
        assert marks == [
            "□ math.add off  by you",
            "□ math.sub off  by code: maintenance",
            "□ math.mul off  by policy: tagged destructive",
            "□ math.div off  by reload",
        ]


async def test_the_legend_tells_the_shades_and_goes_again() -> None:
    story, _ = begun()
    async with staged(story) as (stage, pilot):
        stage.rows.focus()
        await pilot.press("question_mark")
        await until(
            pilot, lambda: "─ first token  ◆ ━ model  ✓ ━ tool  ✗ ━ failed  ─ hooks" in stage.painted()
        )
        assert "⊘ refused" in stage.painted()
        await pilot.press("question_mark")
        await until(pilot, lambda: "first token" not in stage.painted())


async def test_the_legend_of_a_panel_without_bars_tells_the_glyphs_alone() -> None:
    story, _ = begun()
    async with staged(story, (40, 12)) as (stage, pilot):
        stage.rows.focus()
        await pilot.press("question_mark")
        await until(pilot, lambda: "◇ you" in stage.painted())
        assert "first token" not in stage.painted()


async def test_time_in_model_hooks_stands_beside_the_bar() -> None:
    story = Story()
    story.begin()
    story.now += 1
    story.ask_model()
    story.answer(1.0)
    (finished,) = [event for event in story.events if isinstance(event, events.ModelFinished)]
    assert isinstance(finished.entry, dict)
    finished.entry["hooks_ms"] = {"before_llm": 800.0}
    async with staged(story) as (stage, _):
        assert "━" in line_with(stage.rows, "llm")
        assert stage.key_of("llm", "─") == "muted"


def test_a_tool_is_completed_by_its_last_name_too() -> None:
    assert completions("tool:fe", {"web.fetch"}) == ["tool:fetch"]
    assert completions("tool:we", {"web.fetch"}) == ["tool:web.fetch"]


@pytest.mark.parametrize(
    ("key", "said"),
    [("R", "R is for a tool call"), ("t", "t is for a tool call")],
)
async def test_a_key_for_calls_says_so_on_a_row_that_is_none(key: str, said: str) -> None:
    story, _ = begun()
    async with staged(story) as (stage, pilot):
        stage.panel.focus_target.go_to(2)
        assert stage.shown[2].startswith("◆")
        stage.panel.focus_target.focus()
        await pilot.press(key)
        await until(pilot, lambda: bool(stage.app._notifications))
        (note,) = stage.app._notifications
        assert note.title == said
        assert note.message.endswith(".")
