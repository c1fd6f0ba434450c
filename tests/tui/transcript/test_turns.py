"""Where turns begin, and what was answered in each."""

from __future__ import annotations

import pytest

from workbench.tui.transcript.blocks import notice
from workbench.tui.transcript.document import Document
from workbench.tui.transcript.turns import Turns
from workbench.tui.transcript.user_message import UserMessage
from workbench.tui.transcript.writer import MarkdownWriter

MIXED = """# Title

Some *words*.

- one
- two

```py
x = 1
```

| a |
|---|
| 1 |

The end."""


def talk(*answers: str) -> Document:
    """A message and its answer, again and again."""
    document = Document(60)
    for number, answer in enumerate(answers):
        document.append(UserMessage(f"question {number}"))
        writer = MarkdownWriter(document)
        writer.write(answer)
        writer.close()
        document.append(notice("a notice", "", "", "muted"))
    for index in range(len(document.blocks)):
        document.measure(index)
    return document


@pytest.mark.parametrize("answer", [MIXED, "plain", "- a\n- b", "````\n```\nin it\n```\n````"])
def test_the_answer_of_a_turn_is_the_markdown_that_it_was_written_as(answer: str) -> None:
    document = talk("before", answer, "after")
    turns = Turns(document)
    messages = [block for block in document.blocks if isinstance(block, UserMessage)]
    inside = document.blocks[messages[1].index : messages[2].index]
    assert {turns.answer(block) for block in inside} == {answer}


def test_a_list_that_goes_on_in_another_block_is_one_list() -> None:
    items = "\n".join(f"- item {number} with some words" for number in range(100))
    document = talk(items)
    assert len(document.blocks) > 4
    assert Turns(document).answer(document.blocks[1]) == items


def test_a_turn_without_an_answer_has_none() -> None:
    document = Document(60)
    document.append(UserMessage("question"))
    assert Turns(document).answer(document.blocks[0]) == ""


def test_what_stands_before_the_first_message_belongs_to_no_turn_of_another() -> None:
    document = Document(60)
    writer = MarkdownWriter(document)
    writer.write("said first")
    writer.close()
    document.append(UserMessage("question"))
    assert Turns(document).answer(document.blocks[0]) == "said first"


def test_from_any_row_the_messages_beside_it_are_found() -> None:
    document = talk("one\n\ntwo", "three")
    turns = Turns(document)
    first, second = (block for block in document.blocks if isinstance(block, UserMessage))
    for row in range(document.height):
        below, above = turns.beside(row, 1), turns.beside(row, -1)
        assert below is (None if row >= document.top(second) else second)
        assert above is (
            None if row <= document.top(first) else first if row <= document.top(second) else second
        )
    assert turns.beside(document.height, 1) is None
