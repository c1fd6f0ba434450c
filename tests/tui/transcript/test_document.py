"""Where blocks stand."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.tui.transcript.answer import Fence, Prose, TableBlock
from workbench.tui.transcript.blocks import Block, Fixed
from workbench.tui.transcript.document import NEAR, Document, Place
from workbench.tui.transcript.line import Line
from workbench.tui.transcript.writer import MarkdownWriter


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


@settings(max_examples=40, deadline=None)
@given(TEXTS, st.integers(5, 30), st.integers(5, 30), st.integers(0, 11))
def test_after_a_resize_the_heights_become_those_of_a_document_of_that_width(
    texts: list[str], before: int, after: int, near: int
) -> None:
    document, new = filled(texts * 400, before), filled(texts * 400, after)
    document.set_width(after)
    document.measure(near % len(texts))
    new.measure(near % len(texts))
    while document.guess_on():
        pass
    assert [document.top(block) for block in document.blocks] == [new.top(block) for block in new.blocks]
    assert document.height == new.height


def test_a_resize_costs_no_more_for_a_long_document() -> None:
    guessed: list[Block] = []

    class Noted(Fixed):
        """Says that it was asked."""

        def fits(self, width: int) -> bool:
            """Remember."""
            guessed.append(self)
            return super().fits(width)

    document = Document(20)
    for _ in range(20_000):
        document.append(Noted([Line("x")]))
    document.set_width(30)
    assert not guessed
    assert document.guess_on()
    assert len(guessed) < 5_000
    assert guessed[-1] is document.blocks[-1]


ANSWER = """# Title

A paragraph of *prose* with `code` and a [link](https://example.org) that is long enough to break.

- one
- two

```py
def f(x):
    return "text"  # a note
```

| a | b |
|---|--:|
| 1 | two |
"""


def test_blocks_that_nobody_is_near_are_built_again_as_they_were() -> None:
    document = Document(30)
    writer = MarkdownWriter(document)
    writer.write(ANSWER)
    writer.close()
    blocks = list(document.blocks)
    assert {Prose, Fence, TableBlock} <= {type(block) for block in blocks}
    for index in range(len(blocks)):
        document.measure(index)
    fence = next(block for block in blocks if isinstance(block, Fence))
    list(fence.colour(10))
    before = [(list(block.lines), list(block.rows), block.source()) for block in blocks]
    heights = [document.top(block) for block in blocks]
    for _ in range(NEAR):
        document.append(Fixed([Line("x")]))
        document.measure(len(document.blocks) - 1)
    assert not any(block.lines or block.rows for block in blocks)
    assert [document.top(block) for block in blocks] == heights
    for index in range(len(blocks)):
        document.measure(index)
    assert not fence.exact
    list(fence.colour(10))
    assert [(list(block.lines), list(block.rows), block.source()) for block in blocks] == before


def test_colours_that_come_for_lines_nobody_is_near_any_more_are_not_taken_for_done() -> None:
    document = Document(30)
    fence = Fence("py")
    fence.add("x = 1")
    fence.add("y = 2")
    document.append(fence)
    fence.close()
    document.measure(0)
    work = fence.colour(1)
    next(work)
    fence.release()
    list(work)
    assert not fence.exact


def test_a_block_that_is_being_written_keeps_its_lines_however_much_is_looked_at() -> None:
    document = filled(["x"] * (NEAR + 10))
    fence = Fence("py")
    fence.add("x = 1")
    document.append(fence)
    document.measure(NEAR + 10)
    for index in range(NEAR + 10):
        document.measure(index)
    assert fence.lines


def test_a_message_of_the_user_keeps_its_words() -> None:
    document = filled(["mine", *["x"] * NEAR])
    for index in range(NEAR + 1):
        document.measure(index)
    assert not document.blocks[0].rows
    assert document.blocks[0].source() == "mine"
    assert document.measure(0) == 2
