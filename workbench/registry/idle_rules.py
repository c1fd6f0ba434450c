"""Rules of a policy that no registered tool can ever fall under, in words for the person who wrote them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.registry import matching
from workbench.registry.names import near_names
from workbench.registry.permissions import PermissionPolicy, PermissionResult, PermissionRule
from workbench.registry.tool import Tool


def idle_rules(policy: PermissionPolicy, tools: Iterable[Tool]) -> tuple[str, ...]:
    """A sentence for each rule that fits none of the tools: nothing has its name, or its arguments.

    Such a rule is no error, since its tool may come later; but one with a slip in it protects nobody.
    """
    known = tuple(tools)
    found = ((rule, _why_idle(rule, known)) for rule in policy.rules)
    return tuple(f"{rule.spelled}: {why}" for rule, why in found if why)


def _why_idle(rule: PermissionRule, tools: Sequence[Tool]) -> str:
    allows = rule.result is PermissionResult.ALLOW
    named = [tool for tool in tools if matching.rule_names(rule.tool, tool, entirely=allows)]
    if not named and rule.tool == "*":
        return ""  # it is about whatever there may be
    if not named:
        return f"no tool has that name{_perhaps(rule.tool, [tool.name for tool in tools])}"
    for argument in rule.arguments:
        parameters = [tool.parameters for tool in named]
        others = any(each.get("additionalProperties", True) for each in parameters)
        if not others and not any(argument in each["properties"] for each in parameters):
            there = list(dict.fromkeys(name for each in parameters for name in each["properties"]))
            return f"{_names(named)} has no argument {argument}{_perhaps(argument, there)}"
    return ""


def _perhaps(name: str, known: Iterable[str]) -> str:
    near = near_names(name, known)
    return f"; near it: {', '.join(near)}" if near else ""


def _names(tools: Sequence[Tool]) -> str:
    return tools[0].name if len(tools) == 1 else f"none of {len(tools)} tools that it names"
