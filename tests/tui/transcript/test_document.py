"""Where blocks stand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.tui.transcript.blocks import Block, Fixed
from workbench.tui.transcript.document import Document, Place
from workbench.tui.transcript.line import Line


def filled(texts: list[str], width: int = 20) -> Document:
    """A document with one block for each text."""
    document = Document(width)
    for text in texts:
        document.append(Fixed([Line(part) for part in text.split("\n")]))
    return document


TEXTS = st.lists(st.text(st.sampled_from("abc de\n"), max_size=60), min_size=1, max_size=12)


@given(TEXTS, st.integers(5, 30), st.integers(5, 30))
def test_the_place_at_the_top_is_still_at_the_top_after_a_resize(
    texts: list[str], before: int, after: int
) -> None:
    document = filled(texts, before)
    for index in range(len(texts)):
        document.measure(index)
    places = [document.place(row) for row in range(document.height)]
    document.set_width(after)
    for place in places:
        assert place is not None
        document.settle(place.block, 10, 10)
        now = document.place(document.row(place))
        assert now is not None
        assert (now.block, now.line, now.above) == (place.block, place.line, place.above)
        assert now.character <= place.character


@given(TEXTS)
def test_every_row_belongs_to_the_block_that_shows_it(texts: list[str]) -> None:
    document = filled(texts)
    for index in range(len(texts)):
        document.measure(index)
    row = 0
    for block in document.blocks:
        for within in range(-block.gap, len(block.rows)):
            assert document.at(row) == (block, within)
            row += 1
    assert document.at(row) is None
    assert row == document.height


class Counted(Block):
    """A block that counts how often it is built."""

    built = 0

    def build(self, width: int, fresh: bool) -> int:
        """Count."""
        Counted.built += 1
        self.lines = [Line("x")]
        return 0

    def size(self) -> tuple[int, int]:
        """One line."""
        return 1, 1


def test_only_what_is_near_is_laid_out() -> None:
    document = Document(20)
    for _ in range(1_000):
        document.append(Counted())
    Counted.built = 0
    document.settle(500, 40, 80)
    assert Counted.built == 60
    document.settle(500, 40, 80)
    assert Counted.built == 60


def test_a_block_that_is_taken_out_leaves_the_others_in_place() -> None:
    document = filled(["a", "b", "c", "d"])
    for index in range(4):
        document.measure(index)
    document.remove(document.blocks[1])
    assert [block.lines[0].text for block in document.blocks] == ["a", "c", "d"]
    assert [block.index for block in document.blocks] == [0, 1, 2]
    assert document.height == 6
    assert document.top(document.blocks[2]) == 4


def test_a_block_is_found_by_its_number_until_it_is_gone() -> None:
    document = filled(["a", "b", "c"])
    number = document.blocks[1].number
    assert document.find(number) is document.blocks[1]
    document.remove(document.blocks[1])
    assert document.find(number) is None


def test_an_empty_document_has_no_places() -> None:
    document = Document(20)
    assert document.place(0) is None
    assert document.at(0) is None
    assert Place(0, 0, 0).above == 0
