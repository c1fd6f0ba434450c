"""Looking for a text in the inspector, and copying a part of what it shows."""

from __future__ import annotations

import json

import pytest

from tests.tui.test_inspector import called, inspecting, screen_text
from workbench.tui.inspector_pages import Page, View
from workbench.tui.inspector_reading import Reading
from workbench.tui.json_tree import JsonTree

PROSE = "".join(f"word{at} " for at in range(30))


async def test_a_text_is_found_where_a_line_was_broken_in_it() -> None:
    async with inspecting(called(result=PROSE)) as (screen, pilot):
        shown = [row for row in screen.reader.view.rows if len(row) > 1]
        broken = shown[0][1][0].split()[-1] + " " + shown[1][1][0].split()[0]
        await pilot.press("slash", *(char if char != " " else "space" for char in broken))
        await pilot.pause()
        assert screen.reader.sought == broken
        assert screen.reader.view.matches[0] == 0


async def test_neighbouring_lines_are_not_searched_as_one() -> None:
    async with inspecting(called(result="one\ntwo")) as (screen, pilot):
        await pilot.press("slash", *"onetwo")
        await pilot.pause()
        assert "0 of 0" in screen_text(screen)


@pytest.mark.parametrize(
    ("held", "sought"), [("Straße", "STRASSE"), ("ÉCOLE", "école"), ("cafe\u0301", "café"), ("日本語", "本")]
)
async def test_neither_case_nor_spelling_counts(held: str, sought: str) -> None:
    async with inspecting(called(result=f"first\n{held}")) as (screen, pilot):
        await pilot.press("slash", *sought)
        await pilot.pause()
        assert screen.reader.view.matches == [1]


async def test_a_search_in_a_tree_unfolds_what_hides_the_text_and_copies_what_it_found() -> None:
    value = {"rates": {f"C{at}": {"note": f"note {at}"} for at in range(60)}}
    async with inspecting(called(result=json.dumps(value))) as (screen, pilot):
        assert "note 41" not in screen_text(screen)
        await pilot.press("slash", *"note", "space", *"41", "enter")
        await pilot.pause()
        assert '"note 41"' in screen_text(screen)
        assert "1 of 1" in screen_text(screen)
        await pilot.press("y")
        assert pilot.app.clipboard == "note 41"


async def test_what_was_broken_to_fit_is_copied_as_one_line() -> None:
    async with inspecting(called(result=f"first\n{PROSE}\nlast")) as (_, pilot):
        await pilot.press("v", *["down"] * 4, "y")
        assert pilot.app.clipboard.split("\n")[:2] == ["first", PROSE.rstrip()]


def test_the_tree_of_arguments_that_were_edited_meanwhile_is_made_anew() -> None:
    (entry,) = called(result="ok")[-1:]
    reading = Reading()

    def opened(value: object) -> JsonTree:
        reading.open(entry, Page("Arguments", "", (View("tree", value=value),), str))
        assert reading.tree is not None
        return reading.tree

    first = opened({"amount": 1})
    assert opened({"amount": 1}) is first
    assert opened({"amount": 2}).nodes[0].value == 2
