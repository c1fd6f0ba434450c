"""The conversation panel with real keys and a real mouse."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from workbench.tui.events import (
    AgentEvent,
    BatchStarted,
    CallInfo,
    ModelDelta,
    ModelFinished,
    SessionReset,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from workbench.tui.palette import Palette
from workbench.tui.panels.conversation import Conversation
from workbench.tui.themes import css_variables, load_theme, textual_theme
from workbench.tui.transcript.answer import Fence
from workbench.tui.transcript.blocks import Block, Row
from workbench.tui.transcript.painter import Painter

GRAPHITE = load_theme(Path("themes/graphite.yaml"))
PAPER = load_theme(Path("themes/paper.yaml"))
ME = "me"


class Screen(App[None]):
    """Nothing but the conversation."""

    def __init__(self) -> None:
        self.said: list[object] = []
        super().__init__()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The palette's tokens."""
        return css_variables(GRAPHITE)

    def compose(self) -> ComposeResult:
        """The panel."""
        yield Conversation(GRAPHITE)

    def on_mount(self) -> None:
        """The palette's theme."""
        self.register_theme(textual_theme(GRAPHITE))
        self.theme = GRAPHITE.name

    def on_conversation_link_clicked(self, message: Conversation.LinkClicked) -> None:
        """Remember it."""
        self.said.append(message.target)

    @property
    def panel(self) -> Conversation:
        """The conversation."""
        return self.query_one(Conversation)


def delta(text: str, kind: Any = "text") -> ModelDelta:
    """A piece of an answer."""
    return ModelDelta(ME, 0.0, kind, text)


def answer(text: str) -> ModelFinished:
    """A whole answer."""
    return ModelFinished(ME, 0.0, {"status": "success"}, text, 0)


def turn(prompt: str) -> TurnStarted:
    """The user's message."""
    return TurnStarted(ME, 0.0, 1, prompt)


def call(call_id: str = "1", **arguments: Any) -> list[AgentEvent]:
    """A call that ran."""
    entry = {"call_id": call_id, "tool_name": "tool", "status": "success", "timing": 3.0, "result": "fine"}
    return [
        BatchStarted(ME, 0.0, 1, 1, (CallInfo(call_id, "tool", arguments),)),
        ToolFinished(ME, 0.0, entry),
    ]


def long_talk(turns: int = 30) -> list[AgentEvent]:
    """Several screens of talk."""
    return [
        event
        for number in range(turns)
        for event in (turn(f"question {number}"), answer(f"answer {number}: " + "some words " * 30))
    ]


def following(app: Screen) -> bool:
    """Whether the newest row stays in view."""
    return app.panel.follow


def shown(panel: Conversation) -> list[str]:
    """The text of each row on the screen."""
    strips = panel.render_lines(panel.size.region)
    return ["".join(segment.text for segment in strip).rstrip("▐").rstrip() for strip in strips]


async def until(pilot: Pilot[None], fact: Callable[[], bool]) -> None:
    """Wait for a fact."""
    async with asyncio.timeout(60):
        while not fact():
            await pilot.pause()


def test_the_parser_and_the_lexers_are_loaded_with_the_first_answer_not_with_the_panel() -> None:
    script = """
import sys
import workbench.tui.panels.conversation
from workbench.tui.transcript.markdown import warm
def loaded():
    return {name.partition(".")[0] for name in sys.modules} & {"markdown_it", "pygments"}
print(sorted(loaded()))
warm()
print(sorted(loaded()))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "['markdown_it', 'pygments']"]


async def test_an_empty_conversation_says_what_to_do_until_something_happens() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.show_welcome("agent is ready", [[("It answers.", "muted")], [], [("/", "subtle")]])
        await pilot.pause()
        assert shown(app.panel)[:5] == ["", "  agent is ready", "  It answers.", "", "  /"]
        app.panel.apply([turn("hello")])
        await pilot.pause()
        assert shown(app.panel)[:3] == ["", "  ❯ hello", ""]
        app.panel.apply([SessionReset(ME, 0.0)])
        assert shown(app.panel)[:2] == ["", "  agent is ready"]


async def test_a_message_is_a_full_bleed_block() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)):
        app.panel.apply([turn("hello")])
        strip = app.panel.render_lines(app.panel.size.region)[1]
        raised = GRAPHITE.style("text", "raised").bgcolor
        assert strip.cell_length == 60
        assert all(segment.style is not None and segment.style.bgcolor == raised for segment in strip)


async def test_times_stand_in_one_column_two_cells_before_the_edge() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)):
        app.panel.apply([*call("1", path="x" * 200), *call("2"), *call("3", a="日本語" * 40)])
        rows = app.panel.render_lines(app.panel.size.region)
        for strip in rows[1:4]:
            assert strip.cell_length == 60
            assert strip.crop(50, 58).text == "    3 ms"
            assert strip.crop(58, 60).text == "  "
        assert rows[1].crop(0, 50).text.rstrip().endswith("…")


async def test_the_newest_row_stays_in_view_while_text_arrives() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([turn("go")])
        for number in range(60):
            app.panel.apply([delta(f"line {number}\n\n")])
        await pilot.pause()
        assert following(app)
        assert shown(app.panel)[-2] == "  line 59▍"


@pytest.mark.parametrize(
    "text", ["all of it", "```py\nx = 1", "```py\nx = 1\n```", "| a |\n|--|\n| 1 |", "- a\n- b"]
)
async def test_the_caret_goes_with_the_end_of_the_answer_whatever_it_ends_in(text: str) -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([turn("go on")])
        for piece in text:
            app.panel.apply([delta(piece)])
            shown(app.panel)
        await pilot.pause()
        app.panel.apply([answer(text)])
        await pilot.pause()
        assert not [row for row in shown(app.panel) if "▍" in row]


async def test_a_user_who_scrolled_up_is_never_moved_and_sees_that_there_is_more() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply(long_talk())
        app.panel.focus()
        await pilot.press("pageup", "up")
        assert not following(app)
        before = shown(app.panel)
        assert not any("new below" in row for row in before)
        for number in range(50):
            app.panel.apply([delta(f"late {number}\n\n")])
            await pilot.pause()
        after = shown(app.panel)
        assert after[:-1] == before[:-1]
        assert after[-1].startswith("  ↓ new below")
        await pilot.press("end")
        assert following(app)
        assert shown(app.panel)[-2] == "  late 49▍"
        assert not any("new below" in row for row in shown(app.panel))


async def test_what_only_changes_its_looks_is_not_new() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        started, finished = call("1", n=1)
        app.panel.apply(
            [*long_talk(), started, delta("| a |\n|---|\n| b |\n\nIt is *written*"), delta(" now")]
        )
        app.panel.focus()
        await pilot.press("pageup", "up")
        app.panel.apply([finished])
        app.panel.apply([ModelFinished(ME, 0.0, {"status": "success"}, "", 0), finished])
        await pilot.press("ctrl+o")
        assert not following(app)
        assert not any("new below" in row for row in shown(app.panel))
        app.panel.apply([turn("more")])
        await pilot.pause()
        assert any("new below" in row for row in shown(app.panel))


async def test_scrolling_back_to_the_bottom_follows_again() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply(long_talk())
        app.panel.focus()
        await pilot.press("up", "up")
        assert not following(app)
        await pilot.press("down", "down")
        assert following(app)


async def test_the_marker_takes_the_user_to_the_new_text() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply(long_talk())
        await pilot.pause()
        app.panel.post_message(_wheel_up(app.panel))
        await until(pilot, lambda: not following(app))
        app.panel.apply([delta("late")])
        await pilot.click(app.panel, offset=(5, 19))
        await until(pilot, lambda: following(app))
        assert shown(app.panel)[-2] == "  late▍"


def _wheel_up(panel: Conversation) -> events.MouseScrollUp:
    return events.MouseScrollUp(panel, 5, 5, 0, -1, 0, False, False, False)


async def test_home_and_end_reach_both_ends() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply(long_talk(200))
        app.panel.focus()
        await pilot.press("home")
        assert shown(app.panel)[1] == "  ❯ question 0"
        await pilot.press("end")
        assert any("answer 199" in row for row in shown(app.panel))


async def test_paging_up_to_the_beginning_passes_every_message_once() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply(long_talk(25))
        app.panel.focus()
        seen: list[str] = []
        while app.panel.scroll_offset.y > 0:
            await pilot.press("up")
            seen.append(shown(app.panel)[0])
        questions = [row.removeprefix("  ❯ question ") for row in reversed(seen) if "❯" in row]
        assert [int(number) for number in questions] == list(range(len(questions)))
        assert len(questions) >= 20


@pytest.mark.parametrize("narrow", [30, 44, 57])
async def test_a_resize_keeps_the_top_line(narrow: int) -> None:
    app = Screen()
    async with app.run_test(size=(90, 24)) as pilot:
        app.panel.apply(long_talk(60))
        app.panel.focus()
        await pilot.press("pageup", "pageup", "pageup")
        place = app.panel.document.place(app.panel.scroll_offset.y)
        before = shown(app.panel)
        await pilot.resize_terminal(narrow, 24)
        await until(pilot, lambda: app.panel.size.width == narrow)
        now = app.panel.document.place(app.panel.scroll_offset.y)
        assert place is not None
        assert now is not None
        assert (now.block, now.line) == (place.block, place.line)
        await pilot.resize_terminal(90, 24)
        await until(pilot, lambda: app.panel.size.width == 90)
        assert shown(app.panel) == before


async def test_nothing_breaks_at_any_size() -> None:
    app = Screen()
    text = "# H\n\n- a list\n\n> quote\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n```python\nx = 1\n```\n\n日本語"
    async with app.run_test(size=(120, 40)) as pilot:
        app.panel.apply([*long_talk(3), answer(text), *call("1", path="a")])
        for width, height in ((40, 12), (20, 5), (8, 3), (4, 2), (1, 1), (300, 100)):
            await pilot.resize_terminal(width, height)
            await until(pilot, lambda width=width: app.panel.size.width == width)  # type: ignore[misc]  # bound now
            strips = app.panel.render_lines(app.panel.size.region)
            assert [strip.cell_length for strip in strips] == [width] * height


async def test_enter_shows_all_of_a_call_and_folds_it_again() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([turn("go"), *call("1", path="a.txt")])
        app.panel.focus()
        await pilot.pause()
        assert shown(app.panel)[3].startswith("▎ ✓ tool  path='a.txt'")
        await pilot.press("enter")
        assert [row.strip() for row in shown(app.panel)[4:6]] == ["path  a.txt", "result  fine"]
        await pilot.press("enter")
        assert shown(app.panel)[4:6] == ["", ""]


async def test_a_click_opens_a_call_and_the_row_stays_under_the_mouse() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([*long_talk(), *call("1", text="\n".join(f"row {number}" for number in range(30)))])
        await pilot.pause()
        assert "✓ tool" in shown(app.panel)[18]
        await pilot.click(app.panel, offset=(10, 18))
        await until(pilot, lambda: "text" in shown(app.panel)[19])
        assert "✓ tool" in shown(app.panel)[18]
        assert not following(app)


async def test_long_lines_of_an_open_call_break_at_words_and_those_of_code_lose_no_blank() -> None:
    app = Screen()
    async with app.run_test(size=(40, 30)) as pilot:
        text = " ".join(["seven"] * 20)
        code = "def f():\n    return " + " + ".join(["thirteenth"] * 4)
        app.panel.apply(call("1", text=text, code=code, data={"text": text}))
        app.panel.focus()
        await pilot.press("enter")
        rows = [row.strip() for row in shown(app.panel)]
        assert rows.count("seven seven seven seven seven") >= 2
        assert {"return thirteenth +", "thirteenth + thirteenth +"} <= {*rows}
        assert not any(row.endswith(" sev") for row in rows)


async def test_a_call_that_changes_a_file_says_how_much_unless_it_did_not_run() -> None:
    app = Screen()
    async with app.run_test(size=(60, 12)) as pilot:
        calls = tuple(CallInfo(str(n), "write", {"path": "a.txt"}, change=(8, 3)) for n in range(2))
        app.panel.apply([BatchStarted(ME, 0.0, 1, 1, calls)])
        await pilot.pause()
        assert [row.count("+8 −3") for row in shown(app.panel)[1:3]] == [1, 1]
        entries = [
            {"call_id": str(n), "tool_name": "write", "status": status, "timing": 3.0}
            for n, status in enumerate(("success", "rejected"))
        ]
        app.panel.apply([ToolFinished(ME, 0.0, entry) for entry in entries])
        await pilot.pause()
        assert [row.count("+8 −3") for row in shown(app.panel)[1:3]] == [1, 0]


async def test_ctrl_o_shows_all_calls() -> None:
    app = Screen()
    async with app.run_test(size=(60, 30)) as pilot:
        app.panel.apply([*call("1", path="a"), *call("2", path="b")])
        app.panel.focus()
        await pilot.press("ctrl+o")
        assert sum("result  fine" in row for row in shown(app.panel)) == 2
        await pilot.press("ctrl+o")
        assert not any("result" in row for row in shown(app.panel))


async def test_the_cursor_goes_from_call_to_call_and_scrolls_there() -> None:
    app = Screen()
    async with app.run_test(size=(60, 12)) as pilot:
        app.panel.apply([*call("1", n=1), *long_talk(10), *call("2", n=2)])
        app.panel.focus()
        await pilot.press("k")
        assert any(row.startswith("▎ ✓ tool  n=1") for row in shown(app.panel))
        await pilot.press("j")
        assert any(row.startswith("▎ ✓ tool  n=2") for row in shown(app.panel))


@pytest.mark.parametrize("key", ["k", "j"])
async def test_a_cursor_that_was_scrolled_away_starts_again_at_the_newest_call_in_view(key: str) -> None:
    app = Screen()
    async with app.run_test(size=(60, 12)) as pilot:
        app.panel.apply([*call("1", n=1), *long_talk(10), *call("2", n=2), *call("3", n=3)])
        app.panel.focus()
        await pilot.press("k", "k")
        assert any(row.startswith("▎ ✓ tool  n=1") for row in shown(app.panel))
        await pilot.press("end")
        assert any(row.startswith("▎ ✓ tool  n=3") for row in shown(app.panel))
        await pilot.press("enter")
        assert any(row.strip() == "n  3" for row in shown(app.panel))
        await pilot.press("enter", "home", "end", key)
        assert any(row.startswith(f"▎ ✓ tool  n={2 if key == 'k' else 3}") for row in shown(app.panel))


async def test_enter_folds_a_long_call_whose_first_row_was_scrolled_away() -> None:
    app = Screen()
    async with app.run_test(size=(60, 12)) as pilot:
        app.panel.apply(
            [*long_talk(3), *call("1", text="\n".join(f"row {n}" for n in range(30))), turn("on")]
        )
        app.panel.focus()
        await pilot.press("enter", "pagedown")
        assert not any("✓ tool" in row for row in shown(app.panel))
        await pilot.press("enter")
        assert any(row.startswith("▎ ✓ tool") for row in shown(app.panel))
        assert not any(row.strip().startswith("row ") for row in shown(app.panel))


async def test_brackets_go_from_turn_to_turn() -> None:
    app = Screen()
    async with app.run_test(size=(60, 12)) as pilot:
        app.panel.apply(long_talk(10))
        app.panel.focus()
        await pilot.press("home", "right_square_bracket", "right_square_bracket")
        assert shown(app.panel)[1] == "  ❯ question 2"
        await pilot.press("left_square_bracket")
        assert shown(app.panel)[1] == "  ❯ question 1"


async def test_a_running_call_shows_its_time_and_only_its_row_changes() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        info = CallInfo("1", "slow", {})
        app.panel.apply(
            [turn("go"), BatchStarted(ME, 0.0, 1, 1, (info,)), ToolStarted(ME, 100.0, "1", "slow", {})]
        )
        await pilot.pause()
        app.panel.tick(101.5)
        assert shown(app.panel)[3].endswith(" 1.50 s")
        assert app.panel.document.height == 4


async def test_a_selection_copies_the_text_without_the_breaks_of_the_screen() -> None:
    app = Screen()
    text = "The quick brown fox jumps over the lazy dog, then it sleeps for as long as the sun is in the sky."
    async with app.run_test(size=(40, 20)) as pilot:
        app.panel.apply([turn("go"), answer(text)])
        await pilot.pause()
        assert shown(app.panel)[3].startswith("  The quick")
        await _drag(pilot, app.panel, (6, 3), (5, 5))
        assert app.screen.get_selected_text() == text[4 : text.index(shown(app.panel)[5].strip()) + 4]
        await pilot.resize_terminal(90, 20)
        await until(pilot, lambda: app.panel.size.width == 90)
        assert (app.screen.get_selected_text() or "").startswith("quick brown")


async def test_a_selection_over_several_blocks_keeps_them_apart() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([turn("go"), answer("one\n\ntwo\n\n- a\n- b"), *call("1")])
        await pilot.pause()
        await _drag(pilot, app.panel, (2, 1), (20, 8))
        assert app.screen.get_selected_text() == "go\n\none\n\ntwo\n\na\nb"


async def test_a_selection_that_was_left_far_behind_holds_the_same_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workbench.tui.transcript.document.NEAR", 40)
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([turn("go"), answer("some **first** words\n\nand **others**\n\nand *more* of them")])
        await pilot.pause()
        await _drag(pilot, app.panel, (7, 3), (9, 7))
        assert app.screen.get_selected_text() == "first words\n\nand others\n\nand more"
        app.panel.apply(long_talk(60))
        for _ in range(60):
            app.panel.scroll_rows(-5)
        app.panel.follow = True
        assert not app.panel.document.blocks[1].lines
        assert app.screen.get_selected_text() == "first words\n\nand others\n\nand more"


async def test_text_that_arrives_does_not_change_a_selection() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([turn("go"), answer("first words")])
        await pilot.pause()
        await _drag(pilot, app.panel, (2, 3), (6, 3))
        app.panel.apply([turn("more"), delta("text " * 500)])
        await pilot.pause()
        assert app.screen.get_selected_text() == "first"


async def _drag(
    pilot: Pilot[None], panel: Conversation, start: tuple[int, int], end: tuple[int, int]
) -> None:
    await pilot.mouse_down(panel, offset=start)
    await pilot.hover(panel, offset=end)
    await pilot.mouse_up(panel, offset=end)
    await pilot.pause()


async def test_a_double_click_selects_the_block_under_the_mouse() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([turn("go"), answer("first words\n\nsecond words")])
        await pilot.pause()
        await pilot.double_click(app.panel, offset=(4, 5))
        await until(pilot, lambda: app.screen.get_selected_text() == "second words")


async def test_code_is_copied_by_its_key_and_by_a_click() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([answer("```python\nx = 1\ny = 2\n```")])
        app.panel.focus()
        await pilot.press("c")
        assert app.clipboard == "x = 1\ny = 2"
        app.copy_to_clipboard("")
        await pilot.click(app.panel, offset=(55, 1))
        await until(pilot, lambda: app.clipboard == "x = 1\ny = 2")


async def test_the_whole_answer_in_view_is_copied_as_markdown_by_its_key() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([turn("one"), answer("# First\n\n- a\n\n```py\nx\n```")])
        app.panel.focus()
        await pilot.press("C")
        assert app.clipboard == "# First\n\n- a\n\n```py\nx\n```"
        app.panel.apply([turn("two"), answer("*other*"), *call("1")])
        await pilot.press("C")
        assert app.clipboard == "*other*"
        app.panel.apply(long_talk())
        await pilot.press("home", "C")
        assert app.clipboard == "answer 0: " + "some words " * 30


async def test_the_wheel_scrolls_three_rows_and_ends_at_the_ends() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply(long_talk())
        await pilot.pause()
        bottom = app.panel.scroll_offset.y
        app.panel.post_message(_wheel_up(app.panel))
        await until(pilot, lambda: app.panel.scroll_offset.y == bottom - 3)
        assert not app.panel.follow
        for _ in range(3):
            app.panel.post_message(events.MouseScrollDown(app.panel, 5, 5, 0, 1, 0, False, False, False))
        await until(pilot, lambda: app.panel.follow)
        assert app.panel.scroll_offset.y == bottom


async def test_a_click_on_text_and_a_drag_open_nothing() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([turn("go"), answer("words"), *call("1", path="a.txt"), *call("2", path="b.txt")])
        await pilot.pause()
        before = len(app.panel.document.blocks), app.panel.document.height
        await pilot.click(app.panel, offset=(4, 3))
        await _drag(pilot, app.panel, (6, 5), (20, 6))
        assert (len(app.panel.document.blocks), app.panel.document.height) == before
        assert (app.screen.get_selected_text() or "").count("\n") == 1


async def test_a_link_tells_the_app_where_it_leads() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([answer("See [it](<https://example.org/'%29,quit('x>).")])
        await pilot.pause()
        await pilot.click(app.panel, offset=(7, 1))
        await until(pilot, lambda: bool(app.said))
        assert app.said == ["https://example.org/'%29,quit('x"]


async def test_closed_code_in_view_gets_its_exact_colours() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        lines = "\n".join(["/*", *(f"inside {number}" for number in range(200)), "*/"])
        app.panel.apply([delta(f"```javascript\n{lines}\n```\n")])
        (fence,) = app.panel.document.blocks
        assert isinstance(fence, Fence)
        await until(pilot, lambda: fence.exact)
        assert fence.lines[100].marks[0][2] == "tok:Comment.Multiline"


async def test_a_row_that_only_moved_is_not_painted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Screen()
    painted: list[str] = []
    paint = Painter._paint

    def counted(self: Painter, block: Block, span: Row, *args: Any, **options: Any) -> Any:
        painted.append(block.lines[span[0]].text)
        return paint(self, block, span, *args, **options)

    async with app.run_test(size=(60, 20)) as pilot:
        app.set_focus(None)
        app.panel.apply([turn("go"), *(event for n in range(30) for event in call(str(n), path=str(n)))])
        await pilot.pause()
        before = shown(app.panel)
        monkeypatch.setattr(Painter, "_paint", counted)
        app.panel.apply(call("30", path="30"))
        await pilot.pause()
        assert shown(app.panel)[:-3] == before[1:-2]
        assert painted
        assert [text for text in painted if "30" not in text] == []


async def test_another_palette_paints_anew_and_lays_out_nothing() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply(long_talk(3))
        await pilot.pause()
        rows = [block.rows for block in app.panel.document.blocks]
        app.panel.palette = PAPER
        await pilot.pause()
        assert [block.rows for block in app.panel.document.blocks] == rows
        assert _background(app.panel, PAPER) == {
            PAPER.style("text").bgcolor,
            PAPER.style("text", "raised").bgcolor,
        }


def _background(panel: Conversation, palette: Palette) -> set[Any]:
    strips = panel.render_lines(panel.size.region)
    rule = palette.style("rule").color
    return {
        s.style.bgcolor for strip in strips for s in strip if s.style is not None and s.style.color != rule
    }


async def test_a_notice_says_what_happened_and_what_to_do() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.add_notice("No key", "for openai", "Set OPENAI_API_KEY.", "error")
        await pilot.pause()
        assert shown(app.panel)[1:4] == ["  ✗ No key", "    for openai", "    Set OPENAI_API_KEY."]


async def test_old_messages_are_never_built_when_new_ones_arrive() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply(long_talk(500))
        await pilot.pause()
        for _ in range(20):
            app.panel.apply([delta("more words ")])
        built = [block for block in app.panel.document.blocks if block.lines and block.background != "raised"]
        assert len(built) < 20


HOSTILE = [
    "[a=b",
    "[/",
    "[/#888]",
    "[",
    "\\[",
    "[b + c",
    "[/dim]",
    "\x1b[2J",
    "\x9b31m",
    "❤️‍🔥 日本",
    "a\u202eb",
]


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_never_breaks_the_rows(text: str) -> None:
    app = Screen()
    async with app.run_test(size=(40, 30)) as pilot:
        app.panel.show_welcome(text, [[("x", "muted")]])
        app.panel.apply(
            [turn(text), answer(f"{text} `{text}`\n\n```{text}\n{text}\n```"), *call("1", path=text)]
        )
        app.panel.add_notice(text, text, text, "warning")
        app.panel.focus()
        await pilot.press("enter")
        strips = app.panel.render_lines(app.panel.size.region)
        assert [strip.cell_length for strip in strips] == [40] * 30
        assert not any(
            ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for strip in strips for char in strip.text
        )


async def test_a_search_goes_to_what_is_found_from_the_newest_up() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply(long_talk(100))
        app.panel.focus()
        await pilot.press("slash", *"QUESTION")
        await pilot.press("space", "5")
        assert shown(app.panel)[-1].startswith("  / QUESTION 5▍  11 of 11")
        assert any("❯ question 59" in row for row in shown(app.panel))
        await pilot.press("enter")
        assert any("❯ question 58" in row for row in shown(app.panel))
        await pilot.press("down", "down")
        assert shown(app.panel)[-1].startswith("  / QUESTION 5▍  1 of 11")
        assert any("❯ question 5" in row for row in shown(app.panel))
        await pilot.press("escape")
        assert not any("QUESTION" in row for row in shown(app.panel))


async def test_what_a_search_found_is_marked_and_a_miss_is_said() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([turn("go"), answer("some needle in hay")])
        app.panel.focus()
        await pilot.press("slash", *"needl", "x", "backspace", "e")
        found = GRAPHITE.style("accent reverse on:selected")
        (strip,) = [strip for strip in app.panel.render_lines(app.panel.size.region) if "hay" in strip.text]
        assert [segment.text for segment in strip if segment.style == found] == ["needle"]
        await pilot.press("x")
        assert "not found" in shown(app.panel)[-1]


LISTED = """\
1. First

   ```python
   one = 1
   ```
2. Then
   - deeper
     ```sh
     ls

     pwd
     ```
"""


def copied(app: Screen, text: str) -> bool:
    """Whether this is in the clipboard."""
    return app.clipboard == text


async def test_code_in_a_list_has_a_copy_of_its_own() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([turn("go"), answer(LISTED)])
        await pilot.pause()
        rows = [index for index, row in enumerate(shown(app.panel)) if row.endswith("copy")]
        assert [shown(app.panel)[index].split() for index in rows] == [["python", "copy"], ["sh", "copy"]]
        for row, code in zip(rows, ("one = 1", "ls\n\npwd"), strict=True):
            await pilot.click(app.panel, offset=(55, row))
            await until(pilot, partial(copied, app, code))
        app.panel.focus()
        await pilot.press("c")
        await until(pilot, lambda: app.clipboard == "one = 1\n\nls\n\npwd")


@pytest.mark.parametrize(
    "hidden",
    [
        [turn("first\n" + "line\n" * 60 + "the needle\n" + "line\n" * 60)],
        [turn("see @a.txt\n\n[attached a.txt: 15 characters]\nsome the needle\n[end of a.txt]")],
        [
            turn("go"),
            ToolStarted(ME, 0.0, "1", "read", {"path": "a"}),
            ToolFinished(
                ME,
                0.0,
                {"call_id": "1", "tool_name": "read", "status": "success", "result": "x\nthe needle\ny"},
            ),
        ],
    ],
    ids=["long message", "attachment", "result"],
)
async def test_a_search_unfolds_what_it_finds_and_folds_it_again_when_it_goes_on(
    hidden: list[AgentEvent],
) -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([*hidden, answer("an open needle here\n\n" + "filler\n\n" * 20)])
        app.panel.focus()
        await pilot.press("slash", *"needle")
        assert shown(app.panel)[-1].startswith("  / needle▍  2 of 2")
        assert any("an open needle" in row for row in shown(app.panel))
        await pilot.press("enter")
        assert shown(app.panel)[-1].startswith("  / needle▍  1 of 2")
        assert any("the needle" in row for row in shown(app.panel))
        await pilot.press("down")
        assert not any(getattr(block, "expanded", False) for block in app.panel.document.blocks)
        await pilot.press("up", "escape")
        assert any("the needle" in row for row in shown(app.panel))


async def test_keys_of_the_panel_are_letters_while_a_search_is_open() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([answer("```\ncode\n```")])
        app.panel.focus()
        await pilot.press("slash", "c", "j", "k")
        assert app.clipboard == ""
        assert "/ cjk▍" in shown(app.panel)[-1]


async def test_the_thumb_of_the_scrollbar_can_be_dragged() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply(long_talk(50))
        await pilot.pause()
        await pilot.mouse_down(app.panel, offset=(59, 0))
        await until(pilot, lambda: app.panel.scroll_offset.y == 0)
        assert shown(app.panel)[1] == "  ❯ question 0"
        await pilot.hover(app.panel, offset=(59, 19))
        await pilot.mouse_up(app.panel, offset=(59, 19))
        await until(pilot, lambda: following(app))
        assert app.screen.get_selected_text() is None


async def test_the_welcome_changes_in_its_place_while_notices_stand_below_it() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.show_welcome("agent is ready", [[("One answers.", "muted")]])
        app.panel.add_notice("A file is broken")
        app.panel.show_welcome("agent is ready", [[("Another answers.", "muted")], [("and more", "muted")]])
        await pilot.pause()
        assert shown(app.panel)[:6] == [
            "",
            "  agent is ready",
            "  Another answers.",
            "  and more",
            "",
            "  – A file is broken",
        ]


async def test_a_welcome_too_long_for_the_window_begins_at_its_top_and_the_conversation_at_its_end() -> None:
    app = Screen()
    async with app.run_test(size=(60, 8)) as pilot:
        app.panel.show_welcome("agent is ready", [[(f"line {n}", "muted")] for n in range(20)])
        await pilot.pause()
        assert shown(app.panel)[1] == "  agent is ready"
        assert "new below" not in "".join(shown(app.panel))

        app.panel.add_notice("A file is broken")
        await until(pilot, lambda: "new below" in "".join(shown(app.panel)))
        assert shown(app.panel)[1] == "  agent is ready"

        app.panel.apply([turn("hello"), answer("\n\n".join(f"answer {n}" for n in range(20)))])
        await until(pilot, lambda: any("answer 19" in line for line in shown(app.panel)))


async def test_the_welcome_comes_above_notices_that_were_there_before_it() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.add_notice("A file is broken")
        app.panel.show_welcome("agent is ready", [[("One answers.", "muted")]])
        await pilot.pause()
        assert shown(app.panel)[:5] == ["", "  agent is ready", "  One answers.", "", "  – A file is broken"]


async def test_the_welcome_does_not_come_back_into_a_conversation() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.show_welcome("agent is ready", [[("One answers.", "muted")]])
        app.panel.apply([turn("hello")])
        app.panel.show_welcome("agent is ready", [[("Another answers.", "muted")]])
        await pilot.pause()
        assert shown(app.panel)[:3] == ["", "  ❯ hello", ""]
        app.panel.apply([SessionReset(ME, 0.0)])
        assert shown(app.panel)[:3] == ["", "  agent is ready", "  Another answers."]


async def test_a_search_goes_to_every_place_of_a_long_block_and_says_where_it_is() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        code = "\n".join(f"line {number}" + " needle" * (number % 40 == 0) for number in range(100))
        app.panel.apply([answer(f"```\n{code}\n```")])
        app.panel.focus()
        await pilot.press("slash", *"needle")
        for place, line in ((3, 80), (2, 40), (1, 0), (3, 80)):
            rows = shown(app.panel)
            assert rows[-1].startswith(f"  / needle▍  {place} of 3")
            here = [row for row in rows[:-1] if row.startswith("▎")]
            assert len(here) == 1
            assert f"line {line} needle" in here[0]
            await pilot.press("enter")


async def test_what_is_written_while_a_search_is_open_is_found_too() -> None:
    app = Screen()
    async with app.run_test(size=(60, 20)) as pilot:
        app.panel.apply([answer("a needle")])
        app.panel.focus()
        await pilot.press("slash", *"needle")
        assert shown(app.panel)[-1].startswith("  / needle▍  1 of 1")
        app.panel.apply([answer("another needle")])
        await pilot.press("down")
        assert shown(app.panel)[-1].startswith("  / needle▍  2 of 2")


async def test_a_narrow_search_still_says_how_to_leave_it() -> None:
    app = Screen()
    async with app.run_test(size=(40, 12)) as pilot:
        app.panel.apply([answer("a needle")])
        app.panel.focus()
        await pilot.press("slash", *"needle")
        assert "esc close" in shown(app.panel)[-1]
