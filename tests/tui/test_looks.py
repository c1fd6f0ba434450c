"""ASCII, no colours, little motion: what is asked for is respected on every screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.widgets import Input

from tests.tui.driving import Driven, driven
from tests.tui.panel_app import GRAPHITE
from workbench.config import load_config
from workbench.errors import ConfigError
from workbench.tui.lanes import Bar, lane, meter
from workbench.tui.looks import AsciiFilter, ColourlessFilter, Looks, looks_of
from workbench.tui.states import GLYPHS

BLACK = Color(0, 0, 0)
UTF8 = {"LANG": "en_GB.UTF-8"}


def plain(text: str, *, everything: bool = False) -> str:
    """A line as the filter draws it."""
    drawn = AsciiFilter(everything=everything).apply([Segment(text)], BLACK)
    return "".join(segment.text for segment in drawn)


@pytest.mark.parametrize(
    ("drawn", "shown"),
    [
        ("◆ llm", "* llm"),
        ("● running", "@ running"),
        ("○ pending", "o pending"),
        ("◇ you", "? you"),
        ("✓ ok", "+ ok"),
        ("✗ KeyError", "x KeyError"),
        ("⊘ rejected", "/ rejected"),
        ("– cancelled", "- cancelled"),
        ("± edited", "~ edited"),
        ("  ■ read_file", "[x] read_file"),
        ("  □ shell", "[ ] shell"),
        ("▾ files  ▸ web", "v files  > web"),
        ("❯ hello", "> hello"),
        ("▎row", "|row"),
        ("path='data/st…", "path='data/st~"),
    ],
)
def test_each_sign_has_one_of_ascii(drawn: str, shown: str) -> None:
    assert plain(drawn) == shown


def test_no_two_states_share_a_sign_unless_they_did_before() -> None:
    signs = {glyph for glyph, _ in GLYPHS.values()}
    assert len({plain(sign) for sign in signs}) == len(signs)


def test_bars_and_meters_are_ascii_and_still_tell_work_from_waiting() -> None:
    bars: list[Bar] = [(0, 5, "heavy", "accent"), (5, 9, "light", "muted"), (10, 14, "wait", "warning")]
    text = plain("".join(text for text, _ in lane(8, bars)))
    assert text == "===--.. "
    assert plain("".join(text for text, _ in meter(8, 0.5))) == "====----"


@given(st.lists(st.text(), max_size=6), st.booleans())
def test_every_cell_stays_where_it_is(texts: list[str], everything: bool) -> None:
    segments = [Segment(text, Style(bold=bool(at % 2))) for at, text in enumerate(texts)]
    drawn = AsciiFilter(everything=everything).apply(segments, BLACK)
    assert [segment.style for segment in drawn] == [segment.style for segment in segments]
    if not everything:
        assert [len(segment.text) for segment in drawn] == [len(text) for text in texts]
    else:
        assert all(segment.text.isascii() for segment in drawn)
        assert [cell_len(segment.text) for segment in drawn if segment.text.isprintable()] == [
            cell_len(new.text) for new in drawn if new.text.isprintable()
        ]


@given(st.text(alphabet="añ漢字◆■ é…", max_size=20))
def test_wide_characters_keep_their_cells(text: str) -> None:
    assert cell_len(plain(text, everything=True)) == cell_len(text)


def test_a_terminal_with_utf8_still_shows_texts_as_they_are() -> None:
    assert plain("✓ año 漢字") == "+ año 漢字"
    assert plain("✓ año 漢字", everything=True) == "+ a?o ????"


SCREENS = [
    *(("prompt", key) for key in ("f1", "f3", "f4", "ctrl+p", "ctrl+r")),
    *(("tools", key) for key in ("c", "b", "f")),
]
"""A panel, and a key that brings a screen up from it."""


@pytest.mark.parametrize("colours", [True, False])
async def test_a_dialog_has_an_edge_all_around_it(colours: bool) -> None:
    async with driven(looks=Looks("ascii", colours=colours), size=(110, 24)) as it:
        await it.press("f1")
        await it.until(lambda: "Keys and commands" in it.shown())
        rows = it.shown().splitlines()
        top, bottom = [index for index, line in enumerate(rows) if re.search(r"\+-{60,}\+", line)]
        left = rows[top].index("+-")
        right = rows[top].index("-+") + 1
        assert {line[left] + line[right] for line in rows[top + 1 : bottom]} == {"||"}


async def test_a_blank_stands_between_the_box_of_a_tool_and_its_name() -> None:
    async with driven(looks=Looks("no glyphs")) as it:
        await it.focus("tools")
        await it.until(lambda: re.search(r"\[x\] add ", it.shown()))
        assert re.search(r"\[ \] delete_file ", it.shown())


async def fill(it: Driven) -> None:
    """Something on every panel: a call that ran, one that failed, one that was rejected."""
    await it.send("add(a=1, b=2) and write_file(path='a.txt', text='hi') and always_fails()")
    await it.asked()


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
@pytest.mark.parametrize(
    "looks",
    [Looks("no glyphs"), Looks("ascii", colours=False)],
    ids=["no glyphs", "ascii, no colours"],
)
async def test_every_screen_is_drawn_with_ascii(looks: Looks, size: tuple[int, int]) -> None:
    async with driven(size=size, looks=looks) as it:
        assert it.shown().isascii()
        await fill(it)
        assert "Approve" in it.shown()
        assert it.shown().isascii(), sorted(set(filter(lambda c: not c.isascii(), it.shown())))
        await it.press("Y", "enter")
        await it.until(lambda: it.idle)
        for panel, key in SCREENS:
            await it.focus(panel)
            if panel == "tools":
                await it.press("down")
            await it.press(key)
            await it.until(lambda: it.app.screen is not it.app.main)
            await it.pilot.pause()
            assert it.shown().isascii(), (key, set(filter(lambda c: not c.isascii(), it.shown())))
            await it.press("escape")
            await it.until(lambda: it.app.screen is it.app.main)
        for panel in ("trace", "tools", "conversation"):
            await it.focus(panel)
            await it.pilot.pause()
            assert it.shown().isascii(), panel
        await it.focus("trace")
        await it.press("down", "down", "down", "enter")
        await it.pilot.pause()
        assert it.shown().isascii()


def colours(it: Driven) -> set[str]:
    """Every colour on the screen."""
    return {
        str(color)
        for strip in it.app.screen._compositor.render_strips()
        for segment in strip
        if segment.style is not None
        for color in (segment.style.color, segment.style.bgcolor)
        if color is not None
    }


async def test_no_color_draws_without_any_colour_and_the_cursor_row_is_reversed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with driven(looks=looks_of()) as it:
        await fill(it)
        assert colours(it) == set()
        await it.press("Y", "enter")
        await it.until(lambda: it.idle)
        await it.focus("tools")
        await it.pilot.pause()
        assert colours(it) == set()
        reverse = [
            strip.text
            for strip in it.app.screen._compositor.render_strips()
            for segment in strip
            if segment.style is not None and segment.style.reverse and segment.text.strip()
        ]
        assert reverse


def test_what_colours_alone_would_say_is_said_otherwise() -> None:
    filter_ = ColourlessFilter(lambda: GRAPHITE)
    told = {}
    for ground in ("background", "selected", "accent", "add_word", "fault"):
        (segment,) = filter_.apply([Segment("x", GRAPHITE.style("text strong", ground))], BLACK)
        assert segment.style is not None
        assert segment.style.color is segment.style.bgcolor is None
        assert segment.style.bold
        told[ground] = (bool(segment.style.reverse), bool(segment.style.underline))
    assert told == {
        "background": (False, False),
        "selected": (True, False),
        "accent": (True, False),
        "add_word": (False, True),
        "fault": (False, True),
    }


def test_links_and_what_is_selected_survive_without_colours() -> None:
    style = Style(color="red", link="https://example.org", meta={"offset": (1, 2)})
    (segment,) = ColourlessFilter(lambda: GRAPHITE).apply([Segment("x", style)], BLACK)
    assert segment.style is not None
    assert segment.style.meta == {"offset": (1, 2)}
    assert segment.style.link == "https://example.org"


async def test_with_reduced_motion_nothing_blinks_slides_or_hurries() -> None:
    async with driven(looks=Looks(motion=False)) as it:
        assert it.app.animation_level == "none"
        assert not it.app.main.prompt.area.cursor_blink
        await it.press("f1")
        await it.until(lambda: isinstance(it.app.focused, Input))
        field = it.app.focused
        assert isinstance(field, Input)
        await it.until(lambda: not field.cursor_blink)
        await it.press("escape")
        assert (it.app.looks.tick, it.app.looks.frame) == (1.0, 0.5)
        await it.turn("add(a=1, b=2)")
        assert "returned" in it.shown(it.app.main.conversation)


@pytest.mark.parametrize(
    ("environment", "looks"),
    [
        (UTF8, Looks()),
        ({}, Looks()),
        ({"LANG": "de_DE.utf8@euro"}, Looks()),
        ({"LANG": "en_US.ISO-8859-1"}, Looks("ascii")),
        ({**UTF8, "LC_ALL": "C"}, Looks("ascii")),
        ({**UTF8, "LC_ALL": ""}, Looks()),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, Looks()),
        ({**UTF8, "NO_COLOR": "1"}, Looks(colours=False)),
        ({**UTF8, "NO_COLOR": ""}, Looks()),
        ({**UTF8, "TEXTUAL_ANIMATIONS": "none"}, Looks(motion=False)),
    ],
)
def test_the_environment_is_respected(environment: dict[str, str], looks: Looks) -> None:
    assert looks_of(environment=environment) == looks


def test_settings_ask_for_less() -> None:
    assert looks_of(ascii_only=True, motion="reduced", environment=UTF8) == Looks("no glyphs", motion=False)


@pytest.mark.parametrize("text", ["ascii: maybe", "motion: none", "motion: false"])
def test_a_wrong_setting_names_the_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"config.yaml: (ascii|motion): expected"):
        load_config(tmp_path / "project", tmp_path)


def test_a_project_may_ask_for_less_without_a_yes(tmp_path: Path) -> None:
    folder = tmp_path / "project" / ".workbench"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("ascii: true\nmotion: reduced\n")
    config = load_config(tmp_path / "project", tmp_path / "user")
    assert (config.ascii, config.motion) == (True, "reduced")
