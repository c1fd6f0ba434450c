"""What the lint of a schema finds, and what it leaves alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

import pytest
from pydantic import BaseModel

from workbench.registry import Finding, LintRule, Tool, lint, make_tools
from workbench.registry.lint import COSTLY_TOKENS


def found(function: Any) -> list[tuple[str, str | None]]:
    (tool,) = make_tools(function)
    return [(each.rule.value, each.argument) for each in lint(tool)]


class Options(TypedDict):
    level: int
    rest: dict[str, Any]


@dataclass
class Place:
    path: str
    line: int = 1


class Tree(BaseModel):
    name: str
    inside: list[Tree] = []


def test_a_schema_that_says_everything_has_no_findings() -> None:
    def move(
        path: str,
        how: Literal["copy", "link"],
        places: list[Place],
        tree: Tree,
        counts: dict[str, int],
        pair: tuple[int, str],
        far: float | None = None,
    ) -> str:
        """Move a file.

        Args:
            path: Where it is.
            how: In which way.
            places: Where to.
            tree: Whatever hangs below it.
            counts: How often each.
            pair: Both ends.
            far: How far, in metres.
        """
        return f"{path}{how}{places}{tree}{counts}{pair}{far}"

    assert found(move) == []


def test_a_tool_without_a_docstring_is_found() -> None:
    def bare() -> None: ...

    assert found(bare) == [("no_description", None)]


def test_an_argument_that_nothing_describes_is_found() -> None:
    def move(path: str, force: Annotated[bool, "Even if it is there."]) -> None:
        """Move a file."""

    assert found(move) == [("undescribed_argument", "path")]


@pytest.mark.parametrize(
    ("hint", "place"),
    [
        (Any, "it"),
        (object, "it"),
        (list, "it[]"),
        (list[Any], "it[]"),
        (dict, "it.*"),
        (dict[str, Any], "it.*"),
        (Options, "it.rest.*"),
        (list[Options], "it[].rest.*"),
        (int | list[Any], "it[]"),
    ],
)
def test_an_argument_that_may_be_anything_is_found_however_deep(hint: Any, place: str) -> None:
    def take(it: Annotated[Any, "What to take."]) -> None:
        """Take something."""

    take.__annotations__["it"] = Annotated[hint, "What to take."]
    assert found(take) == [("vague_argument", place)]


def test_an_argument_without_a_type_is_vague() -> None:
    def take(it) -> None:  # type: ignore[no-untyped-def]  # what is tested
        """Take something.

        Args:
            it: What to take.
        """

    assert found(take) == [("vague_argument", "it")]


def test_a_schema_that_costs_many_tokens_says_how_many() -> None:
    def wordy() -> None: ...

    wordy.__doc__ = "Word after word. " * COSTLY_TOKENS
    (tool,) = make_tools(wordy)
    (finding,) = lint(tool)
    assert finding.rule is LintRule.COSTLY
    assert f"{tool.schema_tokens:,} tokens" in finding.text
    wordy.__doc__ = "Word after word."
    assert found(wordy) == []


def test_schemas_from_elsewhere_are_read_as_they_are() -> None:
    tool = Tool.from_schema(
        print,
        name="server.look",
        description="Look.",
        parameters={
            "properties": {
                "anything": True,
                "nothing": False,
                "open": {"type": "object", "description": "x"},
                "tree": {"$ref": "#/$defs/Tree", "description": "x"},
            },
            "$defs": {
                "Tree": {"type": "object", "properties": {"below": {"$ref": "#/$defs/Tree"}, "value": {}}}
            },
        },
    )
    assert [(each.rule.value, each.argument) for each in lint(tool)] == [
        ("undescribed_argument", "anything"),
        ("vague_argument", "anything"),
        ("undescribed_argument", "nothing"),
        ("vague_argument", "open.*"),
        ("vague_argument", "tree.value"),
    ]


def test_a_finding_says_what_to_do() -> None:
    def bare(it: Any) -> None: ...

    (tool,) = make_tools(bare)
    findings: tuple[Finding, ...] = lint(tool)
    assert all(each.text and each.hint.endswith(".") for each in findings)
