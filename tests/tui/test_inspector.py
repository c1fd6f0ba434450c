"""The inspector of one trace entry."""

from __future__ import annotations

import base64
import io
import json
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from rich.style import Style
from textual.events import MouseMove
from textual.pilot import Pilot
from textual.widgets import Static

from tests.tui.panel_app import GRAPHITE, PAPER, PanelApp, Story, running, until
from workbench.engine.request_log import Sent
from workbench.registry.json_schema import estimated_tokens as tokens
from workbench.tui.inspector_about import About
from workbench.tui.inspector_pages import facts, result_views
from workbench.tui.lab_wishes import OpenSource, RunAgain, SaveTest, Wanted, Wish
from workbench.tui.picture import picture_lines
from workbench.tui.screens.inspector import InspectorScreen
from workbench.tui.tool_history import ToolVersion
from workbench.tui.trace_model import TraceModel
from workbench.tui.trace_records import Entry

TRACEBACK = """\
Traceback (most recent call last):
  File "tools/bank.py", line 58, in convert
    return amount * table.rate(source)
                    ~~~~~~~~~~^^^^^^^^
  File "tools/rates.py", line 41, in Rates.rate
    return self.per_base[source]
           ~~~~~~~~~~~~~^^^^^^^^
KeyError: 'USD'
"""


def entries(story: Story) -> list[Entry]:
    model = TraceModel(lambda start, removed, added: None)
    model.apply(story.take())
    return model.entries()


def called(arguments: dict[str, Any] | None = None, status: str = "success", **more: Any) -> list[Entry]:
    """One turn: a model call, and a call that ended like this."""
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    (call,) = story.batch("bank.convert", **(arguments or {}))
    story.run(call, 9, status, **more)
    return entries(story)


@asynccontextmanager
async def inspecting(
    found: list[Entry], index: int = -1, size: tuple[int, int] = (120, 40), about: About | None = None
) -> AsyncIterator[tuple[InspectorScreen, Pilot[None]]]:
    app = PanelApp(Static(), Wanted)
    async with running(app, size) as pilot:
        screen = InspectorScreen(found, index % len(found), GRAPHITE, lambda _: about or About())
        app.push_screen(screen)
        await pilot.pause()
        yield screen, pilot


def screen_text(screen: InspectorScreen) -> str:
    """All that the terminal shows."""
    return "\n".join(strip.text.rstrip() for strip in screen._compositor.render_strips())


async def test_a_failed_call_opens_on_its_error() -> None:
    found = called(
        status="error",
        error="'USD'",
        error_type="KeyError",
        result="Error executing convert: 'USD'",
        traceback=TRACEBACK,
        failing_frame={"function": "Rates.rate", "line": 41, "locals": {"source": "'USD'"}},
    )
    async with inspecting(found) as (screen, _):
        assert screen.page == "Error"
        shown = screen_text(screen)
        assert "KeyError  'USD'" in shown
        assert "the model received  Error executing convert: 'USD'" in shown
        assert "tools/rates.py:41  in Rates.rate" in shown
        assert "▎     return self.per_base[source]" in shown
        assert "▎     return amount" not in shown
        assert "values in Rates.rate, line 41" in shown


async def test_a_call_that_went_well_opens_on_its_result() -> None:
    async with inspecting(called(result="first\nsecond")) as (screen, _):
        assert screen.page == "Result"
        assert "  first\n" in screen_text(screen).replace(" " * 20, "\n")
        assert "Error" not in screen_text(screen)


async def test_json_is_laid_out_one_value_a_line() -> None:
    async with inspecting(called(result='{"a": {"b": 1}}')) as (screen, pilot):
        await pilot.press("f")
        assert '    "a": {' in screen_text(screen)
        assert '      "b": 1' in screen_text(screen)


async def test_text_that_only_begins_like_json_is_shown_as_it_is() -> None:
    async with inspecting(called(result="[not json")) as (screen, _):
        assert "[not json" in screen_text(screen)


async def test_records_become_a_table() -> None:
    records = [{"id": "one", "total": 1249.5}, {"id": "two", "total": 90}]
    async with inspecting(called(result=json.dumps(records))) as (screen, _):
        lines = screen_text(screen).split("\n")
        rows = [line[:16].rstrip() for line in lines if line[2:5] in ("id ", "one", "two")]
        assert rows == ["  id    total", "  one  1249.5", "  two      90"]


async def test_progress_is_shown_on_the_output_page_as_a_terminal_would_have_left_it() -> None:
    async with inspecting(called({}, output="0%\r50%\r100%\nready\n")) as (screen, pilot):
        await pilot.press("tab")
        assert screen.page == "Output"
        assert "  100%" in screen_text(screen)
        assert "50%" not in screen_text(screen)


async def test_tab_and_arrows_turn_the_pages() -> None:
    async with inspecting(called({"a": 1}, output="printed\nlines\n")) as (screen, pilot):
        seen = []
        for key in ("right", "tab", "right", "left", "shift+tab"):
            await pilot.press(key)
            seen.append(screen.page)
        assert seen == ["Output", "Context", "Raw", "Context", "Output"]
        assert "Arguments 1" in screen_text(screen)
        assert "Output 2" in screen_text(screen)


async def test_a_click_on_a_tab_shows_its_page() -> None:
    async with inspecting(called({"a": 1})) as (screen, pilot):
        line = next(y for y, text in enumerate(screen_text(screen).split("\n")) if "Arguments" in text)
        await pilot.click(offset=(4, line))
        assert screen.page == "Arguments"


async def test_tabs_without_room_are_left_out_whole_and_a_click_behind_the_others_shows_the_next() -> None:
    async with inspecting(called({"a": 1}, result="9"), size=(40, 12)) as (screen, pilot):
        lines = screen_text(screen).split("\n")
        line = next(y for y, text in enumerate(lines) if "Arguments" in text)
        assert lines[line].split() == ["Arguments", "1", "Result", "Context", "…"]
        await pilot.click(offset=(lines[line].index("…"), line))
        assert screen.page == "Raw"


async def test_j_and_k_go_to_the_neighbours_and_stop_at_the_ends() -> None:
    story = Story()
    story.simple_turn()
    found = entries(story)
    async with inspecting(found, 0) as (screen, pilot):
        seen = []
        for key in ("k", "j", "j", "j", "k"):
            await pilot.press(key)
            seen.append(screen.entry)
        assert seen == [found[0], found[1], found[2], found[2], found[1]]
        assert "2 of 3" in screen_text(screen)


async def test_escape_leaves_with_the_entry_that_was_shown() -> None:
    story = Story()
    story.simple_turn()
    found = entries(story)
    app = PanelApp(Static())
    left: list[Entry | None] = []
    async with running(app, (120, 40)) as pilot:
        app.push_screen(InspectorScreen(found, 0, GRAPHITE), left.append)
        await pilot.press("j", "escape")
        await pilot.pause()
        assert left == [found[1]]


async def test_arguments_are_whole_and_say_what_the_model_had_asked_for() -> None:
    found = called({"sql": "select\nall", "n": 3}, edited_from={"sql": "drop"}, edited_by="user")
    async with inspecting(found) as (screen, pilot):
        await pilot.press("left")
        shown = screen_text(screen)
        assert "10 characters" in shown
        assert "    select\n" in shown.replace(" " * 20, "\n")
        assert "it was edited by you" in shown
        assert "'drop'" in shown


async def test_a_model_call_shows_answer_tokens_and_request() -> None:
    story = Story()
    story.begin()
    story.ask_model()
    story.answer(1.0)
    async with inspecting(entries(story)) as (screen, _):
        assert screen.page == "Answer"
        shown = screen_text(screen)
        assert "1,200" in shown
        assert "unknown" in shown


async def test_raw_shows_every_key_of_the_entry() -> None:
    story = Story()
    story.simple_turn()
    found = entries(story)
    async with inspecting(found, 0, (120, 60)) as (screen, pilot):
        await pilot.press("left")
        assert screen.page == "Raw"
        shown = screen_text(screen)
        assert all(f'"{key}"' in shown for key in found[0].data)
        assert '"input_tokens": 1200' in shown


async def test_a_long_result_scrolls_to_its_last_line_and_only_what_is_seen_is_drawn() -> None:
    async with inspecting(called(result="\n".join(f"line {n}" for n in range(50_000)))) as (screen, pilot):
        assert "line 0" in screen_text(screen)
        await pilot.press("end")
        assert "line 49999" in screen_text(screen)
        await pilot.press("pageup", "up")
        assert "line 49999" not in screen_text(screen)
        await pilot.press("home")
        assert "line 0" in screen_text(screen)


async def test_a_result_that_is_cut_says_how_much_is_missing() -> None:
    async with inspecting(called(result="x" * 1_000_123)) as (screen, pilot):
        await pilot.press("end")
        assert "123 more characters are not shown here" in screen_text(screen)


async def test_wide_characters_are_broken_between_cells_and_none_is_lost() -> None:
    async with inspecting(called(result="寿" * 200), size=(40, 24)) as (screen, _):
        assert screen_text(screen).count("寿") == 200


@pytest.mark.parametrize("depth", [100, 470, 100_000])
async def test_deeply_nested_json_is_shown_too(depth: int) -> None:
    async with inspecting(called(result="[" * depth + "]" * depth)) as (screen, pilot):
        assert screen.page == "Result"
        await pilot.press("f")
        assert "[" in screen_text(screen)


async def test_narrow_screens_have_the_facts_on_a_page() -> None:
    async with inspecting(called(result="ok"), size=(80, 24)) as (screen, pilot):
        assert "Time" not in screen_text(screen)
        await pilot.press("left", "left")
        assert screen.page == "Facts"
        assert "status" in screen_text(screen)


async def test_hostile_text_is_shown_and_never_obeyed() -> None:
    hostile = "\x1b[2J\x9b31m\u202e[/b]"
    place = f'  File "{hostile}", line 1, in {hostile}\n    {hostile}\n{hostile}'
    found = called(
        {hostile: hostile}, "error", error=hostile, error_type=hostile, result=hostile, traceback=place
    )
    async with inspecting(found) as (screen, pilot):
        for _ in range(5):
            shown = screen_text(screen)
            assert not set(shown) & set("\x1b\x9b\u202e")
            await pilot.press("right")


@pytest.mark.parametrize("size", [(20, 5), (40, 12), (80, 24), (104, 20), (160, 50)])
async def test_every_page_fits_at_every_size(size: tuple[int, int]) -> None:
    found = called(
        {"寿": "司" * 300, "long": {"a": list(range(90))}},
        "error",
        error="e" * 300,
        error_type="KeyError",
        result="寿" * 200,
        traceback=TRACEBACK,
    )
    async with inspecting(found, size=size) as (screen, pilot):
        for _ in range(6):
            await pilot.press("right")
            assert all(strip.cell_length == size[0] for strip in screen._compositor.render_strips())


async def test_another_palette_is_drawn_at_once() -> None:
    async with inspecting(called(result="ok")) as (screen, pilot):
        screen.palette = PAPER
        await pilot.pause()
        styles = {segment.style for strip in screen._compositor.render_strips() for segment in strip}
        assert PAPER.style("text strong", "background") in styles
        assert GRAPHITE.style("text strong", "background") not in styles


async def page(pilot: Pilot[None], screen: InspectorScreen, name: str) -> str:
    """What is shown once the page of that name is."""
    for _ in range(9):
        if screen.page == name:
            return screen_text(screen)
        await pilot.press("right")
    raise LookupError(name)


async def test_context_says_where_a_call_belongs_and_what_ran_before_it() -> None:
    story = Story("ann")
    story.begin("Compare the two")
    story.ask_model()
    story.answer(1.0)
    one, two = story.batch("web.search", "bank.convert", q="x")
    story.run(one, 30, "error", error="no")
    story.run(two, 9)
    async with inspecting(entries(story)) as (screen, pilot):
        shown = await page(pilot, screen, "Context")
        assert "agent        ann" in shown
        assert "task         Compare the two" in shown
        assert "✗ web.search  q='x'" in shown
        assert "convert" not in shown.split("Tools before it")[1]
        await pilot.press("k")
        assert "None." in await page(pilot, screen, "Context")


async def test_context_names_the_call_that_an_inner_agent_runs_within() -> None:
    outer, inner = Story("outer"), Story("inner", inner=True)
    outer.begin()
    outer.ask_model()
    (ask,) = outer.batch("team.ask")
    outer.start(ask)
    inner.begin("within")
    inner.ask_model()
    inner.answer(1.0)
    model = TraceModel(lambda start, removed, added: None)
    model.apply([*outer.take(), *inner.take()])
    async with inspecting(model.entries()) as (screen, pilot):
        assert "within       team.ask of outer, turn 1" in await page(pilot, screen, "Context")


async def test_what_was_sent_is_shown_message_by_message() -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {
            "role": "assistant",
            "tool_calls": [{"id": "c1", "function": {"name": "add", "arguments": '{"a":1}'}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "three"}]},
        "not a message",
    ]
    async with inspecting(called(messages=messages)) as (screen, pilot):
        shown = await page(pilot, screen, "Messages")
        assert "Messages 4" in shown
        assert "1  system" in shown
        assert "Be brief." in shown
        assert '→ add({"a":1})' in shown
        assert "3  tool  c1" in shown
        assert '"text": "three"' in shown
        assert "not a message" in shown


async def test_a_search_tints_what_it_finds_and_goes_from_match_to_match() -> None:
    result = "\n".join(f"line {n} {'needle' if n % 100 == 50 else ''}" for n in range(400))
    async with inspecting(called(result=result)) as (screen, pilot):
        await pilot.press("slash", *"Needle")
        await pilot.pause()
        assert "1 of 4" in screen_text(screen)
        assert "line 50 needle" in screen_text(screen)
        await pilot.press("enter", "n", "n")
        assert "3 of 4" in screen_text(screen)
        assert "line 250 needle" in screen_text(screen)
        await pilot.press("N")
        assert "line 150 needle" in screen_text(screen)
        found = [y for y in range(30) if "needle" in screen.reader.view.render_line(y).text]
        assert [next(iter(screen.reader.view.render_line(y))).style for y in found] == [
            GRAPHITE.style("accent", "selected")
        ]
        await pilot.press("escape")
        await pilot.pause()
        assert screen.is_active
        assert "of 4" not in screen_text(screen)
        await pilot.press("escape")
        await pilot.pause()
        assert not screen.is_active


async def test_letters_typed_into_the_search_are_text_and_no_commands() -> None:
    async with inspecting(called(result="ok")) as (screen, pilot):
        await pilot.press("slash", *"jkny")
        assert screen.reader.sought == "jkny"
        await pilot.press("escape", "slash")
        assert screen.reader.sought == ""


async def test_y_copies_what_the_page_shows_whole_and_unchanged() -> None:
    result = "\x1b[2J" + "x" * 1_000_500
    found = called({"a": [1]}, "error", error="no", error_type="OSError", result=result, traceback=TRACEBACK)
    async with inspecting(found) as (screen, pilot):
        for name, text in (
            ("Error", TRACEBACK),
            ("Arguments", '{\n  "a": [\n    1\n  ]\n}'),
            ("Result", result),
        ):
            await page(pilot, screen, name)
            await pilot.press("y")
            assert pilot.app.clipboard == text
        await page(pilot, screen, "Context")
        await pilot.press("y")
        assert pilot.app.clipboard.startswith("agent: ann")


async def test_facts_tell_of_handlers_and_of_the_call_around() -> None:
    found = called(hooks_ms={"before_each_tool": 12.0}, parent_call_id="call_7")
    async with inspecting(found) as (screen, _):
        shown = screen_text(screen)
        assert "Hooks, ─ beside the bar" in shown
        assert "before_each_tool" in shown
        assert "call_7" in shown


# trees, marks and what is known besides


def row_of(screen: InspectorScreen, text: str) -> str:
    """The one line that holds the text."""
    (found,) = [line for line in screen_text(screen).split("\n") if text in line]
    return found


@pytest.mark.parametrize(
    ("told", "result"),
    [
        ({"made_up": True}, [("result", "made up")]),
        ({"result_edited_from": "3"}, [("result", "edited by you"), ("really gave", "3")]),
        ({"replayed": True, "original_result": "3"}, [("result", "made up"), ("really gave", "3")]),
        ({"replayed": True}, []),
    ],
)
def test_facts_say_where_a_result_came_from(told: dict[str, Any], result: list[tuple[str, str]]) -> None:
    call = dict(facts(called(result="4", **told)[-1]))["Call"]
    assert [row for row in call if row[0] in ("result", "really gave")] == result
    assert (("not run here", "taken from the record") in call) is ("replayed" in told)


async def test_json_is_a_tree_that_folds_and_unfolds() -> None:
    value = {"city": "Lima", "days": [{"high": 19}, {"high": 21}]}
    async with inspecting(called(result=json.dumps(value))) as (screen, pilot):
        assert '"Lima"' in row_of(screen, "city")
        assert "19" in screen_text(screen)
        await pilot.press("down", "enter")
        assert "19" not in screen_text(screen)
        assert "▸ days" in row_of(screen, "days")
        assert "2 items" in row_of(screen, "days")
        await pilot.press("space")
        assert "19" in screen_text(screen)


async def test_a_click_folds_a_value() -> None:
    async with inspecting(called(result='{"days": [{"high": 19}]}')) as (screen, pilot):
        place = next(y for y, line in enumerate(screen_text(screen).split("\n")) if "days" in line)
        await pilot.click(offset=(6, place))
        assert "high" not in screen_text(screen)


async def test_the_value_under_the_cursor_is_copied() -> None:
    async with inspecting(called(result='{"city": "Li\\nma", "days": [1, 2]}')) as (_, pilot):
        await pilot.press("y")
        assert pilot.app.clipboard == "Li\nma"
        await pilot.press("down", "y")
        assert json.loads(pilot.app.clipboard) == [1, 2]
        await pilot.press("Y")
        assert json.loads(pilot.app.clipboard) == {"city": "Li\nma", "days": [1, 2]}


async def test_marked_lines_are_copied_without_their_margin() -> None:
    async with inspecting(called(result="one\n  two\nthree\nfour")) as (_, pilot):
        await pilot.press("v", "down", "down", "y")
        assert pilot.app.clipboard == "one\n  two\nthree"
        await pilot.press("y")
        assert pilot.app.clipboard == "one\n  two\nthree\nfour"


async def test_lines_are_marked_with_the_mouse() -> None:
    async with inspecting(called(result="one\ntwo\nthree\nfour")) as (screen, pilot):
        place = next(y for y, line in enumerate(screen_text(screen).split("\n")) if "two" in line)
        await pilot.mouse_down(offset=(6, place))
        await pilot._post_mouse_events([MouseMove], offset=(6, place + 1), button=1)
        await pilot.mouse_up(offset=(6, place + 1))
        await pilot.press("y")
        assert pilot.app.clipboard == "two\nthree"


async def test_escape_takes_the_mark_away_first() -> None:
    async with inspecting(called(result="one\ntwo")) as (screen, pilot):
        await pilot.press("v", "escape")
        assert pilot.app.screen is screen
        await pilot.press("escape")
        await pilot.pause()
        assert pilot.app.screen is not screen


async def test_a_view_that_was_chosen_holds_for_the_next_entry() -> None:
    found = called(result='{"a": 1}')
    async with inspecting([found[-1], found[-1]], 0) as (screen, pilot):
        await pilot.press("f")
        assert '    "a": 1' in screen_text(screen)
        await pilot.press("j")
        assert '    "a": 1' in screen_text(screen)


async def test_a_long_text_in_a_tree_unfolds_to_all_of_it() -> None:
    text = " ".join(f"word{n}" for n in range(200))
    async with inspecting(called(result=json.dumps({"text": text}))) as (screen, pilot):
        assert "word199" not in screen_text(screen)
        await pilot.press("enter")
        assert "word199" in screen_text(screen)


async def test_a_wide_table_gives_way_and_says_what_has_no_room() -> None:
    records = [{f"c{n}": "x" * 30 for n in range(20)} for _ in range(3)]
    async with inspecting(called(result=json.dumps(records))) as (screen, _):
        assert "c0 " in screen_text(screen)
        assert "no room for" in screen_text(screen)
        assert "c19" in row_of(screen, "no room for")


def encoded(data: bytes) -> str:
    return "base64:" + base64.b64encode(data).decode()


async def test_a_picture_that_cannot_be_drawn_is_told_by_its_kind_size_and_dimensions() -> None:
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480) + b"\0" * 60
    async with inspecting(called(result=encoded(png))) as (screen, pilot):
        await until(pilot, lambda: "It cannot be drawn" in screen_text(screen))
        assert f"PNG picture, 640 × 480 pixels, {len(png)} bytes" in screen_text(screen)
        await pilot.press("f")
        assert "base64:" in screen_text(screen)


async def test_without_pillow_a_picture_says_what_would_draw_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.tui.inspector_pages.can_draw", lambda: False)
    png = b"\x89PNG\r\n\x1a\n" + b"\0" * 60
    async with inspecting(called(result=encoded(png))) as (screen, _):
        assert "agent-workbench[images]" in screen_text(screen)


async def test_a_picture_is_drawn_with_two_pixels_in_a_cell() -> None:
    picture = Image.new("RGBA", (8, 4), (255, 0, 0, 255))
    picture.paste((0, 0, 255, 255), (0, 1, 8, 2))
    picture.paste((0, 0, 0, 0), (0, 2, 8, 3))
    picture.paste((0, 255, 0, 255), (0, 3, 4, 4))
    picture.paste((0, 0, 0, 0), (4, 3, 8, 4))
    file = io.BytesIO()
    picture.save(file, "PNG")
    async with inspecting(called(result=encoded(file.getvalue()))) as (screen, pilot):
        await until(pilot, lambda: "▀▀" in screen_text(screen))
        upper, lower = (screen.reader.view.render_line(y) for y in (2, 3))
        assert upper.text.rstrip() == "  " + "▀" * 8
        assert lower.text.rstrip() == "  " + "▄" * 4
        (cell,) = list(upper.crop(2, 3))
        assert cell.style == Style(color="#ff0000", bgcolor="#0000ff")


@pytest.mark.parametrize("size", [(4000, 10), (10, 4000), (1, 1)])
def test_a_picture_is_never_wider_than_its_room_nor_endless(size: tuple[int, int]) -> None:
    file = io.BytesIO()
    Image.new("L", size).save(file, "PNG")
    lines = picture_lines(file.getvalue(), 60)
    assert 1 <= len(lines) <= 400
    assert max(sum(len(text) for text, _ in line) for line in lines) <= 58


def version(number: int, code: str = "aaa", **parameters: Any) -> ToolVersion:
    return ToolVersion(
        number, 1.0, code, "/tools/bank.py", 7, "Convert money.", {"type": "object", **parameters}
    )


async def test_the_tool_as_it_was_says_what_has_changed_since() -> None:
    about = About(None, version(1), version(2, "bbb", properties={"rate": {}}))
    async with inspecting(called(result="ok"), about=about) as (screen, pilot):
        await pilot.press("right", "right")
        assert screen.page == "Tool"
        shown = screen_text(screen)
        assert "1, now 2: the tool has changed since" in shown
        assert "aaa  now bbb" in shown
        assert "/tools/bank.py:7" in shown
        assert "Convert money." in shown
        assert "Schema, then and now" in shown


async def test_messages_say_what_changed_since_the_request_before() -> None:
    old = {"role": "system", "content": "Be brief."}
    sent = Sent(
        (
            {"role": "system", "content": "Be long."},
            {"role": "user", "content": "hi"},
            {"role": "user", "content": "you"},
        ),
        {0: old},
        2,
        1,
    )
    async with inspecting(called(result="ok"), 0, about=About(sent)) as (screen, pilot):
        await pilot.press("right")
        assert screen.page == "Messages"
        shown = screen_text(screen)
        assert "3 messages; since the request before: 1 new, 1 changed, 1 removed" in shown
        assert "± changed" in row_of(screen, "  1  system")
        assert row_of(screen, "  2  user").split()[:3] != ["2", "user", "+"]
        assert "+ new" in row_of(screen, "  3  user")
        assert "brief" in shown
        assert "long" in shown


def schema(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties}
    function = {"name": name, "description": f"Does {name}.\nAnd more.", "parameters": parameters}
    return {"type": "function", "function": function}


async def test_the_schemas_of_a_request_say_their_cost_and_what_changed_since_the_one_before() -> None:
    same, old, new = schema("same"), schema("grown"), schema("grown", rate={"type": "number"})
    gone, came = schema("gone"), schema("came")
    sent = Sent(({"role": "user", "content": "hi"},), {}, 1, 0, (same, new, came), (same, old, gone))
    story = Story()
    story.simple_turn()
    async with inspecting(entries(story), 0, about=About(sent)) as (screen, pilot):
        while screen.page != "Schemas":
            await pilot.press("right")
        shown = screen_text(screen)
        assert "Schemas 3 +1 ±1 −1 list" in shown
        costs = [tokens(each) for each in (same, new, came)]
        assert f"3 schemas, about {sum(costs)} tokens" in shown
        assert "since the request before: 1 new, 1 changed" in shown
        rows = [line[2:] for line in shown.split("\n") if "  Does " in line]
        assert [row[:8].split() for row in rows] == [["same"], ["±", "grown"], ["+", "came"], ["−", "gone"]]
        assert f" {costs[1]} " in rows[1]
        assert "grown, then and now" in shown
        assert "rate" in shown
        await pilot.press("y")
        assert json.loads(screen.app.clipboard) == [same, new, came]


async def test_the_first_request_of_a_conversation_has_no_new_schemas() -> None:
    sent = Sent(({"role": "user", "content": "hi"},), {}, 0, 0, (schema("one"),))
    story = Story()
    story.simple_turn()
    async with inspecting(entries(story), 0, about=About(sent)) as (screen, _):
        assert "Schemas 1 " in screen_text(screen)


async def test_the_keys_ask_for_what_can_be_done_with_a_call() -> None:
    found = called(result="ok")
    async with inspecting(found, about=About(None, version(1), version(1))) as (_, pilot):
        wishes: list[Wish] = []
        app = pilot.app
        assert isinstance(app, PanelApp)
        await pilot.press("R", "e", "t", "o")
        await pilot.pause()
        wishes = [message.wish for message in app.kept]
        assert [type(wish) for wish in wishes] == [RunAgain, RunAgain, SaveTest, OpenSource]
        assert wishes[-1] == OpenSource("/tools/bank.py", 7)


async def test_the_source_of_a_failed_call_is_the_failing_line() -> None:
    found = called(
        status="error", error="x", failing_frame={"file": "/rates.py", "line": 41, "function": "f"}
    )
    async with inspecting(found, about=About(None, version(1), version(1))) as (_, pilot):
        await pilot.press("o")
        await pilot.pause()
        app = pilot.app
        assert isinstance(app, PanelApp)
        assert [message.wish for message in app.kept] == [OpenSource("/rates.py", 41)]


async def test_a_description_that_has_changed_is_shown_then_and_now() -> None:
    then = version(1)
    about = About(None, then, replace(then, number=2, description="Convert coins."))
    async with inspecting(called(result="ok"), about=about) as (screen, pilot):
        shown = await page(pilot, screen, "Tool")
        assert "Description, then and now" in shown
        assert "Convert coins." in shown


async def test_a_picture_in_a_file_that_the_result_names_is_another_view(tmp_path: Path) -> None:
    file = tmp_path / "chart.png"
    Image.new("RGB", (4, 2), (255, 0, 0)).save(file)
    async with inspecting(called(result=str(file))) as (screen, pilot):
        assert str(file) in flat(screen)
        await pilot.press("f")
        await until(pilot, lambda: "as it is now: PNG picture, 4 × 2 pixels" in flat(screen))
        assert "▀▀▀▀" in screen_text(screen)
        file.unlink()
        await pilot.press("f", "f")
        await until(pilot, lambda: "cannot be drawn: there is no such file" in flat(screen))


@pytest.mark.parametrize(
    "text", ["https://example.org/a.png", "a.txt", "two\nlines.png", "x" * 2_000 + ".png"]
)
def test_what_is_no_path_of_a_picture_is_text_alone(text: str) -> None:
    assert [view.name for view in result_views(text)] == ["text"]


def flat(screen: InspectorScreen) -> str:
    """The page as one line."""
    return "".join(text for line in screen.reader.view.rows for text, _ in line[1:])


async def test_very_many_records_become_a_table_too() -> None:
    records = [{"id": at, "name": "x" * 40} for at in range(30_000)]
    async with inspecting(called(result=json.dumps(records))) as (screen, pilot):
        await until(pilot, lambda: len(screen.reader.view.rows) > 20_000)
        assert "id  name" in screen_text(screen)
        await pilot.press("end")
        assert "10,000 more rows are not shown" in screen_text(screen)


async def test_json_that_is_too_long_for_a_tree_says_so() -> None:
    result = json.dumps({"rows": ["x" * 40] * 30_000})
    async with inspecting(called(result=result)) as (screen, _):
        assert f"up to 1,000,000 characters; these are {len(result):,}" in screen_text(screen)
        assert '{"rows": [' in screen_text(screen)


async def test_a_fact_without_room_beside_its_name_stands_below_it_whole() -> None:
    place = "/home/ann/projects/money/.workbench/results/call_8fK2vQ1x.txt"
    async with inspecting(called(result="ok", result_file=place)) as (screen, _):
        rows = [line[82:].strip() for line in screen_text(screen).split("\n")]
        at = rows.index("whole result")
        assert "".join(rows[at + 1 : at + 4]).startswith(place)


async def test_of_a_request_from_before_it_is_said_that_its_messages_are_not_kept() -> None:
    found = called(result="ok")[:1]
    found[0].keep({**found[0].data, "message_count": 6})
    async with inspecting(found) as (screen, pilot):
        await page(pilot, screen, "Messages")
        assert "this request is from before" in flat(screen)
