"""The shapes of rows: exact widths, honest truncation, times that line up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from workbench.resources import resource_folder
from workbench.tui.palette import Palette
from workbench.tui.render import (
    arguments_text,
    clip,
    cost_text,
    count_text,
    fit,
    name_spans,
    row,
    time_cells,
)
from workbench.tui.themes import load_theme
from workbench.visible import visible_line


@pytest.fixture(scope="module")
def palette() -> Palette:
    return load_theme(resource_folder("themes") / "graphite.yaml")


@pytest.mark.parametrize(
    ("milliseconds", "cells"),
    [
        (0.2, "   <1 ms"),
        (3, "    3 ms"),
        (640, "  640 ms"),
        (999.6, " 1.00 s "),
        (1_310, " 1.31 s "),
        (12_400, " 12.4 s "),
        (99_951, " 1:40 m "),
        (7_200_000, "  2.0 h "),
        (None, "        "),
    ],
)
def test_a_time_takes_eight_cells(milliseconds: float | None, cells: str) -> None:
    assert time_cells(milliseconds) == cells


@given(st.floats(0, 3.6e8))
def test_every_time_takes_eight_cells(milliseconds: float) -> None:
    assert len(time_cells(milliseconds)) == 8


@given(st.text(max_size=60).map(visible_line), st.integers(1, 50))
def test_fit_takes_exactly_the_width(text: str, width: int) -> None:
    assert cell_len(fit(text, width)) == width


@given(st.text(max_size=60).map(visible_line), st.integers(1, 50))
def test_a_clipped_text_says_so(text: str, width: int) -> None:
    shown = clip(text, width)
    assert cell_len(shown) <= width
    assert shown == text or shown.endswith("…")


@given(
    st.lists(st.tuples(st.text(max_size=20).map(visible_line), st.just("text")), max_size=6),
    st.integers(2, 60),
    st.sampled_from([None, "accent"]),
)
def test_a_row_is_as_wide_as_asked(
    palette: Palette, spans: list[tuple[str, str]], width: int, bar: str | None
) -> None:
    strip = row(spans, width, palette, "surface", bar=bar)
    assert strip.cell_length == width
    assert (strip.text[0] == "▎") == (bar is not None) or not bar


def test_arguments_read_like_a_call() -> None:
    assert arguments_text({"path": "a.txt", "n": 2, "deep": {"k": None}}) == (
        "path='a.txt', n=2, deep={\"k\": null}"
    )


def test_counts_and_costs_are_for_people() -> None:
    assert [count_text(n) for n in (980, 12_400, 999_960, 3_100_000)] == ["980", "12.4k", "1.0M", "3.1M"]
    assert cost_text(None) == "cost unknown"
    assert cost_text(0.0123) == "$0.0123"


def test_a_namespace_is_muted_beside_its_tool() -> None:
    assert name_spans("files.read_file") == [("files.", "muted"), ("read_file", "text")]
    assert name_spans("add") == [("add", "text")]
