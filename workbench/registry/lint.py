"""What in a tool's schema leaves the model guessing, or costs more than it should."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from workbench.registry.tool import Tool

COSTLY_TOKENS: Final = 500
"""From about so many tokens on, a schema, which is sent with every request, counts as costly."""

_SAYS_WHAT: Final = ("type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "not")
_PARTS: Final = ("anyOf", "oneOf", "allOf", "prefixItems")


class LintRule(StrEnum):
    """What can be wrong with a schema."""

    NO_DESCRIPTION = "no_description"
    UNDESCRIBED_ARGUMENT = "undescribed_argument"
    VAGUE_ARGUMENT = "vague_argument"
    COSTLY = "costly"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a schema could say better.

    Attributes:
        rule: What is wrong.
        argument: Where: ``options.tags[]`` is the items of ``tags`` in ``options``; None for the whole tool.
        text: The same for people, without the tool's name.
        hint: What to do about it.
    """

    rule: LintRule
    argument: str | None
    text: str
    hint: str


def lint(tool: Tool) -> tuple[Finding, ...]:
    """What the schema of a tool could say better; first what is about the whole, then each argument."""
    return tuple(_findings(tool))


def _findings(tool: Tool) -> Iterator[Finding]:
    if not tool.description.strip():
        yield Finding(
            LintRule.NO_DESCRIPTION,
            None,
            "nothing says what it does",
            "Write a docstring: what it does, when to use it.",
        )
    if tool.schema_tokens >= COSTLY_TOKENS:
        yield Finding(
            LintRule.COSTLY,
            None,
            f"its schema costs about {tool.schema_tokens:,} tokens in every request",
            "Shorten the docstring, or split the tool.",
        )
    definitions = tool.parameters.get("$defs", {})
    properties: Mapping[str, Any] = tool.parameters.get("properties", {})
    for name, entry in properties.items():
        if not (isinstance(entry, Mapping) and str(entry.get("description", "")).strip()):
            yield Finding(
                LintRule.UNDESCRIBED_ARGUMENT,
                name,
                f"nothing says what {name} means",
                "Describe it under Args: in the docstring, or with Annotated[…].",
            )
        for place in dict.fromkeys(_vague(name, entry, definitions, ())):
            yield Finding(
                LintRule.VAGUE_ARGUMENT,
                place,
                f"{place} may be anything",
                "Give it a type that says what is wanted: a dataclass, a TypedDict, list[str], Literal[…].",
            )


def _vague(
    place: str, entry: object, definitions: Mapping[str, Any], within: tuple[str, ...]
) -> Iterator[str]:
    """Where, at ``place`` and below it, any value would do; ``within`` are the definitions around it."""
    if not isinstance(entry, Mapping) or not any(key in entry for key in _SAYS_WHAT):
        yield place
        return
    reference = entry.get("$ref")
    if isinstance(reference, str) and reference not in within:
        inner = definitions.get(reference.rpartition("/")[2])
        if inner is not None:
            yield from _vague(place, inner, definitions, (*within, reference))
    for part in (each for key in _PARTS for each in entry.get(key, ())):
        yield from _vague(place, part, definitions, within)
    if entry.get("type") == "array" and "prefixItems" not in entry:
        yield from _vague(f"{place}[]", entry.get("items", True), definitions, within)
    if entry.get("type") == "object":
        inside: Mapping[str, Any] = entry.get("properties", {})
        for name, each in inside.items():
            yield from _vague(f"{place}.{name}", each, definitions, within)
        others = entry.get("additionalProperties", not inside)
        if others is not False:
            yield from _vague(f"{place}.*", others, definitions, within)
