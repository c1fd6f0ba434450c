"""Code with colours, line by line and whole."""

from __future__ import annotations

import inspect

import pytest

from workbench.tui.palette import syntax_key
from workbench.tui.transcript import code as code_module
from workbench.tui.transcript import document as document_module
from workbench.tui.transcript.answer import Fence
from workbench.tui.transcript.code import LineLexer, exact_marks, find_lexer, pieces
from workbench.tui.transcript.line import Mark


def colours(marks: tuple[Mark, ...]) -> dict[int, str]:
    """The colour of each character that has one."""
    return {at: syntax_key(key) for start, end, key in marks for at in range(start, end)}


def line_by_line(info: str, text: str) -> list[dict[int, str]]:
    """The colours of each line, read one after the other."""
    lexer = LineLexer(info)
    return [colours(lexer.marks(line)) for line in text.split("\n")]


def whole(info: str, text: str) -> list[dict[int, str]]:
    """The colours of each line, read at once."""
    sources = [source for line in text.split("\n") for source in pieces(line)]
    marks = dict(exact_marks(info, sources))
    return [colours(marks.get(index, ())) for index in range(len(sources))]


@pytest.mark.parametrize("module", [code_module, document_module])
def test_python_read_line_by_line_has_the_colours_of_the_whole(module: object) -> None:
    text = inspect.getsource(module)  # type: ignore[arg-type]  # both are modules
    assert line_by_line("python", text) == whole("python", text)
    assert any(line_by_line("python", text))


def test_a_text_over_several_lines_is_carried_on() -> None:
    _, inside, _ = line_by_line("python", '"""begin\nx = 1\n"""')
    assert inside == dict.fromkeys(range(5), "success")


def test_looking_at_a_growing_line_changes_nothing() -> None:
    lexer = LineLexer("python")
    lexer.marks('"""', keep=False)
    assert colours(lexer.marks("return 1")) == line_by_line("python", "return 1")[0]


@pytest.mark.parametrize(
    "info",
    ["json", "yaml", "c", "bash", "console", "javascript", "html", "ruby", "rust", "perl", "diff", "sql"],
)
def test_every_language_gets_through_line_by_line(info: str) -> None:
    text = 'a: "b" # c\n$ <x y="z"> 1 /* d\n e */ <<EOF\nif x { return -1; }\nEOF'
    assert len(line_by_line(info, text)) == 5
    assert len(whole(info, text)) == 5


def test_a_lexer_that_cannot_carry_its_state_reads_each_line_alone() -> None:
    assert line_by_line("scheme", "(define x 10)\n(+ x 1)") == whole("scheme", "(define x 10)\n(+ x 1)")


def test_an_unknown_language_is_plain() -> None:
    assert find_lexer("no-such-language") is None
    assert line_by_line("no-such-language", "if x:") == [{}]


def test_a_closed_block_gets_exact_colours_without_changing_its_height() -> None:
    fence = Fence("javascript")
    for line in ("/* a comment", "return 1", "*/", "return 2"):
        fence.add(line)
    fence.close()
    height = fence.layout(40)
    assert all(not line.marks for line in fence.lines)
    steps = list(fence.colour(1))
    assert len(steps) == 4
    assert fence.exact
    assert fence.layout(40) == height
    assert [line.marks for line in fence.lines[1:4]] == [
        ((0, length, "tok:Comment.Multiline"),) for length in (12, 8, 2)
    ]
    assert fence.lines[4].marks[0] == (0, 6, "tok:Keyword")
