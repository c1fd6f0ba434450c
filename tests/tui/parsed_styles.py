"""Style sheets that are read once for all apps of a process, and not once for each of a thousand apps."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet


def keeping(parse: Callable[..., list[RuleSet]]) -> Callable[..., list[RuleSet]]:
    """``Stylesheet._parse_rules`` with a memory: one text with the same variables has the same rules.

    A sheet keeps its rules itself, and uses them again, until its variables change; sheets share them here.
    """
    kept: dict[Any, list[RuleSet]] = {}

    @wraps(parse)
    def parse_rules(
        sheet: Stylesheet,
        css: str,
        read_from: Any,
        is_default_rules: bool = False,
        tie_breaker: int = 0,
        scope: str = "",
    ) -> list[RuleSet]:
        rest = (css, read_from, is_default_rules, tie_breaker, scope)
        key = (frozenset(sheet._variables.items()), *rest)
        if (rules := kept.get(key)) is None:
            rules = kept[key] = parse(sheet, *rest)
        return rules

    return parse_rules


def use() -> None:
    """Have every app read what another one has read from memory."""
    Stylesheet._parse_rules = keeping(Stylesheet._parse_rules)  # type: ignore[method-assign]  # as it is meant
