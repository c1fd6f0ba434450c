"""Markdown that arrives in pieces."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.tui.transcript.answer import Fence, Prose, TableBlock
from workbench.tui.transcript.blocks import Block, join_lines
from workbench.tui.transcript.document import Document
from workbench.tui.transcript.line import Line
from workbench.tui.transcript.markdown import render
from workbench.tui.transcript.writer import LIST_LIMIT, PROSE_LIMIT, MarkdownWriter

WIDTH = 70


def written(chunks: list[str], *, look: bool = False) -> Document:
    """The chunks as a closed answer; ``look`` lays it out after each one, as the screen does."""
    document = Document(WIDTH)
    writer = MarkdownWriter(document)
    for chunk in chunks:
        writer.write(chunk)
        if look:
            for index in range(len(document.blocks)):
                document.measure(index)
    writer.close()
    return document


def lines_of(document: Document) -> list[Line]:
    """Everything that the document shows, blank rows between blocks as empty lines."""
    lines: list[Line] = []
    for block in document.blocks:
        document.measure(block.index)
        if isinstance(block, Fence):
            for _ in block.colour(1_000):
                pass
        if block.lines:
            lines += [Line("")] * (block.gap if lines else 0)
            lines += [line._replace(right=()) for line in block.lines]
    return lines


def in_chunks(text: str, seed: int) -> list[str]:
    """The text cut at random places."""
    choose = random.Random(seed)
    chunks, at = [], 0
    while at < len(text):
        size = choose.choice((1, 2, 3, 7, 20, 80, 500))
        chunks.append(text[at : at + size])
        at += size
    return chunks


PROSE = st.sampled_from(
    [
        "A line of prose with **bold words**, `code` and *more*.",
        "Two lines of one\nparagraph, with a [link](https://example.org/a?b=c).",
        "# A heading",
        "### A smaller heading",
        "> A quote\n> of two lines",
        "- one\n- two\n  - nested\n  - more\n- three",
        "* star\n\n* apart",
        "1. first\n2. second\n\n   with a second paragraph\n3. third",
        "- item with code:\n\n  ```python\n  x = 1\n\n  y = 2\n  ```\n- next",
        "Intro to a list:\n- a\n- b",
        "```python\ndef f(x):\n    '''Doc\n\n    string.'''\n    return x  # so\n```",
        "~~~\nplain ``` text\n~~~",
        "````markdown\n```\ninner\n```\n````",
        '```json\n{"a": [1, 2, null]}\n```',
        "| a | b |\n|---|--:|\n| 1 | 2 |\n| longer cell | **3** |",
        "Text before a table\n| a | b |\n|---|---|\n| `x` | y |",
        "---",
        "    indented code\n    more of it",
        "Ends with\\\na hard break",
        "5 apples are not a list",
        "Costs $5. <b>Not bold</b> &amp; so on",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PROSE, min_size=1, max_size=8), st.integers(0, 10_000))
def test_streamed_in_chunks_equals_rendered_whole(parts: list[str], seed: int) -> None:
    text = "\n\n".join(parts)
    whole = [line._replace(right=()) for line in render(text, WIDTH)[0]]
    assert lines_of(written(in_chunks(text, seed), look=True)) == whole


SIGNS = [
    "\n",
    "\n\n",
    " ",
    "  ",
    "    ",
    "- ",
    "* ",
    "1. ",
    "2) ",
    "```",
    "~~~",
    "`",
    "---",
    "# ",
    "> ",
    "[x]: http://e.org\n",
    "[x]",
    "**",
    "~~",
    "word",
    "\\",
    "===",
    "日本",
    "<b>",
    "![i](u)",
]
HOSTILE = st.lists(st.sampled_from([*SIGNS, "|", "|---|", "a | b"]), max_size=40).map("".join)


@settings(max_examples=400, deadline=None)
@given(HOSTILE, st.integers(0, 10_000))
def test_where_text_is_cut_never_depends_on_how_it_arrives(text: str, seed: int) -> None:
    assert lines_of(written(in_chunks(text, seed), look=True)) == lines_of(written([text]))


def test_only_the_last_block_is_open_while_text_arrives() -> None:
    document = Document(WIDTH)
    writer = MarkdownWriter(document)
    writer.write("One.\n\nTwo.\n\n```\ncode\n```\n\nThree")
    assert [block.open for block in document.blocks] == [False, False, False, True]
    writer.close()
    assert not any(block.open for block in document.blocks)


def test_a_long_list_goes_on_in_new_blocks_with_its_numbers() -> None:
    text = "\n".join(f"{number}. item number {number}" for number in range(1, 301))
    document = written(in_chunks(text, 1))
    assert len(document.blocks) > 3
    assert all(len(block.source()) < 2 * LIST_LIMIT for block in document.blocks)
    lines = lines_of(document)
    assert [line.lead[0][0] for line in lines] == [f"{number}. " for number in range(1, 301)]


def test_a_numbered_list_that_repeats_one_number_is_counted_on() -> None:
    document = written(["1. the same number again and again\n" * 100])
    assert len(document.blocks) > 1
    assert [line.lead[0][0] for line in lines_of(document)][-1] == "100. "


@pytest.mark.parametrize("separator", [" ", ""])
def test_an_endless_paragraph_is_continued_in_blocks_of_bounded_length(separator: str) -> None:
    text = separator.join(["endless"] * 10_000)
    document = written(in_chunks(text, 3))
    assert len(document.blocks) > 5
    assert all(len(block.source()) <= PROSE_LIMIT for block in document.blocks)
    assert all(block.gap == 0 for block in document.blocks[1:])
    assert "".join(block.source() for block in document.blocks).replace(" ", "") == text.replace(" ", "")
    assert lines_of(document) == lines_of(written([text]))


def test_a_closing_fence_is_never_shown_as_code_while_it_is_typed() -> None:
    document = Document(WIDTH)
    writer = MarkdownWriter(document)
    for char in "```py\nx\n``":
        writer.write(char)
    document.measure(0)
    assert [line.text for line in document.blocks[0].lines] == ["py", "x"]


def test_a_line_of_a_million_characters_in_code_is_kept_in_joined_pieces() -> None:
    document = written(["```python\n" + "x" * 1_000_000 + "\n```"])
    document.measure(0)
    block = document.blocks[0]
    assert max(len(line.text) for line in block.lines) <= 4_096
    assert join_lines(block.lines[1:]) == "x" * 1_000_000
    assert block.source() == "x" * 1_000_000


def test_a_link_defined_at_the_end_of_the_message_is_a_link() -> None:
    lines = lines_of(written(in_chunks("See [the page][p].\n\nMore.\n\n[p]: https://example.org/p", 2)))
    assert lines[0].links == ((4, 12, "https://example.org/p"),)
    assert not any("[p]:" in line.text for line in lines)


def test_a_link_definition_holds_as_it_ends_up_not_as_it_was_typed() -> None:
    text = "[p]: https://example.org/p\n[p]"
    assert lines_of(written(list(text), look=True)) == lines_of(written([text]))


def test_a_heading_is_a_block_of_its_own() -> None:
    document = written(["# Heading\ntext below it\n## Another\n2. two\n3. three"])
    assert [block.source() for block in document.blocks] == [
        "# Heading",
        "text below it",
        "## Another",
        "2. two\n3. three",
    ]


def kinds(document: Document) -> list[type[Block]]:
    """The kinds of the blocks."""
    return [type(block) for block in document.blocks]


def test_code_and_tables_become_blocks_that_read_each_line_once() -> None:
    text = "Look:\n```\na\n```\n| a | b |\n|--|--|\n| 1 | 2 |\n\nEnd"
    assert kinds(written(in_chunks(text, 4))) == [Prose, Fence, TableBlock, Prose]


def test_html_is_text() -> None:
    lines = lines_of(written(["<script>alert(1)</script> and <b>this</b>\n\n<div>\nblock\n</div>"]))
    assert lines[0].text == "<script>alert(1)</script> and <b>this</b>"
    assert lines[-1].text == "<div> block </div>"


def test_where_a_link_leads_is_shown() -> None:
    (line,) = lines_of(written(["[bank.com](https://evil.example/x)"]))
    assert line.text == "bank.com (https://evil.example/x)"
