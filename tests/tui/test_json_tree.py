"""Trees, tables and pictures in results."""

from __future__ import annotations

import base64
import json
import struct
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from workbench.engine.results import to_text
from workbench.tui.json_tree import JsonTree
from workbench.tui.media import media_in, media_of
from workbench.tui.picture import picture_lines
from workbench.tui.record_table import is_table, table_lines

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


def lines(tree: JsonTree, width: int = 80) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in tree.lines(width)[0]]


def test_a_small_value_is_unfolded_and_a_large_one_is_not() -> None:
    assert lines(JsonTree({"a": {"b": 1}})) == ["  ▾ a", "      b  1"]
    assert lines(JsonTree({"a": list(range(1_000))})) == ["  ▸ a  1,000 items"]


def test_what_was_unfolded_inside_is_remembered() -> None:
    tree = JsonTree({"a": {"b": {"c": 1}}})
    whole = lines(tree)
    tree.toggle(0)
    assert len(lines(tree)) == 1
    tree.toggle(0)
    assert lines(tree) == whole


def test_a_node_knows_its_path() -> None:
    tree = JsonTree({"a": [{"odd key": 1}]})
    assert [node.path for node in tree.nodes] == ["a", "a[0]", 'a[0]["odd key"]']


@given(JSON, st.lists(st.integers(0, 50), max_size=10), st.sampled_from([20, 40, 120]))
def test_any_folding_leaves_rows_that_fit_and_belong_to_their_nodes(
    value: Any, toggles: list[int], width: int
) -> None:
    tree = JsonTree({"value": value})
    for index in toggles:
        if index < len(tree.nodes):
            tree.toggle(index)
    shown, owners = tree.lines(width)
    assert len(shown) == len(owners)
    assert sorted(set(owners)) == list(range(len(tree.nodes)))
    assert all(cell_len("".join(text for text, _ in line)) <= width for line in shown)


def test_records_are_a_table_and_nothing_else_is() -> None:
    assert is_table([{"a": 1}, {"b": 2}])
    others: list[Any] = [[], [1], [{}], {"a": 1}, None]
    assert not any(map(is_table, others))


@given(
    st.lists(st.dictionaries(st.text(max_size=12), JSON, min_size=1, max_size=12), min_size=1, max_size=5),
    st.sampled_from([20, 40, 120]),
)
def test_no_row_of_a_table_is_wider_than_the_screen(records: list[dict[str, Any]], width: int) -> None:
    rows = table_lines(records, width)
    assert len(rows) >= 1 + len(records)
    heads_and_rows = rows[: 1 + len(records)]
    assert all(cell_len("".join(text for text, _ in row)) <= width for row in heads_and_rows)


def jpeg(width: int, height: int) -> bytes:
    header = b"\xff\xd8\xff\xe0" + struct.pack(">H", 16) + b"JFIF" + b"\0" * 10
    return header + b"\xff\xc0" + struct.pack(">HBHH", 17, 8, height, width) + b"\0" * 80


def test_pictures_are_known_by_how_they_begin() -> None:
    png = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 3, 2) + b"\0" * 60
    gif = b"GIF89a" + struct.pack("<HH", 7, 5) + b"\0" * 60
    assert str(media_of(png)) == f"PNG picture, 3 × 2 pixels, {len(png)} bytes"
    assert str(media_of(gif)).startswith("GIF picture, 7 × 5 pixels")
    assert str(media_of(jpeg(640, 480))).startswith("JPEG picture, 640 × 480 pixels")
    assert str(media_of(b"whatever it is")) == "bytes, 14 bytes"


def test_pictures_are_found_in_the_ways_that_results_hold_them() -> None:
    encoded = base64.b64encode(jpeg(4, 4)).decode()
    for text in (
        f"base64:{encoded}",
        f"data:image/jpeg;base64,{encoded}",
        json.dumps({"type": "image", "data": encoded, "mimeType": "image/jpeg"}),
        json.dumps([{"type": "text", "text": "here"}, {"type": "image", "data": encoded}]),
        to_text(jpeg(4, 4) + b"\0" * 40),
    ):
        found = media_in(text)
        assert found is not None
        assert found.kind == "JPEG picture"
    assert media_in("base64:no!") is None
    assert media_in(json.dumps({"data": "short"})) is None


@settings(deadline=None)  # the first picture imports Pillow
@given(st.binary(max_size=60), st.sampled_from([b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"BM", b""]))
def test_torn_pictures_do_no_harm(rest: bytes, start: bytes) -> None:
    assert media_of(start + rest).data == start + rest
    with suppress(ValueError):
        picture_lines(start + rest, 20)


def test_a_search_unfolds_only_what_hides_the_text() -> None:
    value = {"rates": [{"code": f"C{at}", "note": "x" * 100} for at in range(60)], "other": {"Straße": [1]}}
    tree = JsonTree(value)
    assert not any("C41" in node.text() and not node.holds for node in tree.nodes)
    assert tree.unfold_to("c41")
    assert [node.path for node in tree.nodes if node.opened] == ["rates", "rates[41]"]
    assert "rates[41].code" in [node.path for node in tree.nodes]
    assert not tree.unfold_to("c41")
    assert tree.unfold_to("STRASSE")
    assert "other.Straße" in [node.path for node in tree.nodes]


def test_a_search_unfolds_a_long_text_that_holds_it() -> None:
    tree = JsonTree({"text": "a" * 500 + " needle"})
    assert tree.unfold_to("NEEDLE")
    assert tree.nodes[0].opened


def test_a_search_for_what_is_nowhere_unfolds_nothing() -> None:
    tree = JsonTree({"rates": list(range(60))})
    assert not tree.unfold_to("needle")
    assert not tree.unfold_to("")
