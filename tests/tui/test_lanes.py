"""Bars on the time axis of a lane."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from workbench.tui.lanes import Axis, Bar, lane, meter
from workbench.tui.render import spans_width


def text(cells: int, *bars: Bar) -> str:
    return "".join(piece for piece, _ in lane(cells, bars))


def test_bars_step_by_half_cells() -> None:
    assert text(4, (1, 4, "heavy", "accent")) == "╺━  "
    assert text(4, (0, 3, "light", "muted")) == "─╴  "
    assert text(4, (5, 8, "light", "muted")) == "  ╶─"


def test_time_to_the_first_token_turns_into_generation_within_a_cell() -> None:
    assert text(3, (0, 3, "light", "accent"), (3, 6, "heavy", "accent")) == "─╼━"


def test_a_call_that_ran_takes_half_a_cell_at_least() -> None:
    axis = Axis(60_000, 14)
    assert axis.bar(30_000, 30_000.1) == (14, 15)


def test_a_call_at_the_very_end_is_still_seen() -> None:
    axis = Axis(60_000, 14)
    assert axis.bar(60_000, 60_000) == (27, 28)


@pytest.mark.parametrize("cut", [0.0, 333.0, 375.0, 500.0, 1_000.0])
def test_a_wait_takes_two_whole_cells_wherever_it_falls(cut: float) -> None:
    first, last = Axis(1_000, 14, [cut]).wait(0)
    assert last - first == 4
    assert first % 2 == 0
    assert 0 <= first < last <= 28


def test_work_ends_where_a_wait_begins_and_goes_on_where_it_ends() -> None:
    axis = Axis(1_000, 14, [400.0])
    first, last = axis.wait(0)
    assert axis.bar(0, 400)[1] == first
    assert axis.bar(400, 1_000)[0] == last


def test_an_extent_shows_the_waits_within_it() -> None:
    axis = Axis(1_000, 10, [500.0])
    assert text(10, *axis.extent(0, 1_000, "light", "muted", "warning")) == "────┄┄────"
    assert lane(10, axis.extent(0, 1_000, "light", "muted", "warning"))[1] == ("┄┄", "warning")


def test_an_extent_leaves_out_the_waits_of_others() -> None:
    axis = Axis(1_000, 10, [500.0])
    assert "┄" not in text(10, *axis.extent(600, 1_000, "light", "muted", "warning"))


@pytest.mark.parametrize("count", [4, 7, 8, 500])
def test_many_waits_leave_half_of_the_lane_to_work(count: int) -> None:
    waits = [float(index) for index in range(count)]
    shown = text(14, *Axis(count, 14, waits).extent(0, count, "light", "muted", "warning"))
    assert shown.count("─") + shown.count("╴") + shown.count("╶") >= 7


def test_when_waits_are_many_each_takes_one_cell() -> None:
    axis = Axis(1_000, 14, [100.0, 300.0, 500.0, 700.0, 900.0])
    assert [last - first for first, last in map(axis.wait, range(5))] == [2] * 5


@given(
    total=st.floats(0, 1e9),
    cells=st.integers(1, 60),
    cuts=st.lists(st.floats(0, 1), max_size=12),
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_every_bar_lies_in_its_lane(
    total: float, cells: int, cuts: list[float], ends: tuple[float, float]
) -> None:
    axis = Axis(total, cells, sorted(total * cut for cut in cuts))
    start, end = sorted(total * share for share in ends)
    first, last = axis.bar(start, end)
    assert 0 <= first < last <= 2 * cells
    spans = lane(cells, axis.extent(start, end, "light", "muted", "warning"))
    assert spans_width(spans) == cells
    assert all(cell_len(glyph) == 1 for piece, _ in spans for glyph in piece)


@given(
    waits=st.lists(st.floats(0, 1_000), max_size=3),
    times=st.lists(st.floats(0, 1_000), min_size=2, max_size=9),
)
def test_later_work_never_stands_before_earlier_work(waits: list[float], times: list[float]) -> None:
    axis = Axis(1_000, 20, sorted(waits))
    firsts = [axis.bar(time, time)[0] for time in sorted(times)]
    assert firsts == sorted(firsts)


def test_a_meter_is_filled_to_its_share() -> None:
    assert meter(4, 0.5) == [("━━", "accent"), ("──", "rule")]
    assert meter(4, 7.0) == [("━━━━", "accent")]
