"""Rows of the list of sessions: what was searched is in view, and forks can be told apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.driving import driven
from tests.tui.test_sessions import listed, path_of
from workbench.tui.render import spans_width
from workbench.tui.screens.sessions import SessionsScreen, _around
from workbench.tui.session_keeper import Instead


@pytest.fixture
def project(own_folder: Path) -> Path:
    """The folder whose sessions these are."""
    return own_folder


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_what_was_found_is_in_view_however_far_behind_it_is(
    project: Path, size: tuple[int, int]
) -> None:
    async with driven(size=size) as it:
        await it.turn("tell me about the many things that are so far before the walrus and what follows it")
        screen = await listed(it)
        await it.press("slash")
        await it.write("WALRUS")
        await it.press("enter")
        await it.until(lambda: any(row.turn for row in screen._list.rows))
        assert "walrus" in screen._list.render_line(0).text


async def test_forks_of_the_same_turn_can_be_told_apart(project: Path) -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
        names = []
        for number in (2, 3):
            await it.send("/fork 1")
            await it.until(lambda: "A fork goes on from here" in it.shown())
            await it.turn(f"add(a={number}, b=1)")
            names.append(path_of(it).stem.removeprefix("assistant_"))
        await it.press("f3")
        await it.until(lambda: isinstance(it.app.screen, SessionsScreen) and it.app.screen._foot.some)
        shown = it.shown()
        assert len(set(names)) == 2
        assert all(f"fork of turn 1  {name}" in shown for name in names)


async def test_a_what_if_is_listed_with_the_turn_that_it_left(project: Path) -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
        call = it.app.main.trace.calls()[0]
        await it.act(lambda: it.app.desks.sessions._chosen(Instead(call.call_id, "99")))
        await it.until(lambda: it.idle and "made up" in it.shown(it.app.main.trace))
        await it.press("f3")
        await it.until(lambda: isinstance(it.app.screen, SessionsScreen) and it.app.screen._foot.some)
        assert "fork in turn 1  " in it.shown()


@given(st.text(max_size=80), st.text(min_size=1, max_size=12), st.text(max_size=80), st.integers(20, 90))
def test_an_excerpt_fills_its_room_and_shows_what_was_found(
    before: str, found: str, behind: str, room: int
) -> None:
    spans = _around(before + found + behind, (len(before), len(before) + len(found)), room)
    assert spans_width(spans) == room
    assert spans[1][0]
