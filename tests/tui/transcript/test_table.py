"""Tables as text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from workbench.tui.transcript.line import Line
from workbench.tui.transcript.table import GAP, Table, fit_columns


def table_of(rows: list[list[str]]) -> Table:
    """A table of plain cells, the first row its head."""
    table = Table([Line(cell) for cell in rows[0]], ["left"] * len(rows[0]))
    for row in rows[1:]:
        table.add([Line(cell) for cell in row])
    return table


CELLS = st.text(st.sampled_from("ab c日x"), max_size=20)


@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1)))
def test_rows_added_one_by_one_are_those_of_the_whole(rows: list[list[str]]) -> None:
    grown = table_of(rows[:1])
    for row in rows[1:]:
        grown.add([Line(cell) for cell in row])
        grown.layout(60)
    grown.layout(60)
    whole = table_of(rows)
    whole.layout(60)
    assert grown.lines == whole.lines


@given(st.lists(st.integers(1, 100), min_size=1, max_size=8), st.integers(10, 120))
def test_columns_fit_unless_each_is_as_narrow_as_it_gets(natural: list[int], area: int) -> None:
    widths = fit_columns(natural, area)
    assert all(given <= wanted for given, wanted in zip(widths, natural, strict=True))
    if sum(widths) + GAP * (len(widths) - 1) > area:
        assert all(width <= 6 for width in widths)


def test_a_row_taken_back_leaves_no_trace() -> None:
    table = table_of([["a", "b"], ["1", "2"]])
    table.layout(60)
    before = list(table.lines)
    table.add([Line("much longer than before"), Line("x")])
    table.layout(60)
    assert table.lines != before
    table.pop()
    table.layout(60)
    assert table.lines == before


def test_cells_that_do_not_fit_wrap_inside_their_column() -> None:
    table = table_of([["key", "value"], ["k", "several words that wrap"]])
    table.layout(20)
    assert [line.text for line in table.lines] == [
        "key   value",
        "────────────────────",
        "k     several words",
        "      that wrap",
    ]
    assert all(cell_len(line.text) <= 20 for line in table.lines)


def test_a_table_with_too_many_columns_shows_every_cell_on_a_line_of_its_own() -> None:
    heads = [f"column {number}" for number in range(12)]
    table = table_of([heads, [f"value {number}" for number in range(12)]])
    table.layout(30)
    assert "column 11  value 11" in [line.text for line in table.lines]


def test_columns_of_wide_characters_line_up() -> None:
    table = table_of([["名前", "n"], ["日本", "1"], ["ab", "2"]])
    table.layout(40)
    assert [cell_len(line.text) for line in table.lines if line.key != "rule"] == [8, 8, 8]


AREAS = st.integers(1, 90)


@given(
    st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=1)),
    st.lists(AREAS, min_size=1, max_size=4),
)
def test_a_table_shows_at_each_area_what_it_would_show_there_at_first(
    rows: list[list[str]], areas: list[int]
) -> None:
    table = table_of(rows)
    for area in areas:
        table.layout(area)
        fresh = table_of(rows)
        fresh.layout(area)
        assert table.lines == fresh.lines


def test_an_area_with_room_for_all_columns_changes_no_line() -> None:
    table = table_of([["a", "b"], ["1", "2"]])
    table.layout(60)
    lines = list(table.lines)
    assert table.layout(40) == 3
    assert all(now is before for now, before in zip(table.lines, lines, strict=True))


def test_marks_and_links_stand_where_their_cell_stands() -> None:
    link = Line("see here", ((4, 8, "link"),), links=((4, 8, "https://example.org"),))
    table = Table([Line("whatever"), Line("where it stands")], ["right", "center"])
    table.add([Line("thing"), link])
    table.layout(40)
    line = table.lines[2]
    assert line.text == "   thing      see here"
    assert line.marks == ((3, 8, "subtle"), (14, 18, "text"), (18, 22, "link"))
    assert line.links == ((18, 22, "https://example.org"),)
