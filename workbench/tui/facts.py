"""What the screen shows of agents, tools and errors, made into plain data and words."""

from __future__ import annotations

import fnmatch
import time
from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING

from workbench.registry import Grant, PermissionPolicy, Tool, ToolRegistry, ToolTag
from workbench.registry.lint import lint
from workbench.tui import events

if TYPE_CHECKING:
    from workbench.engine.agent import Agent


def usage_event(agent: Agent) -> events.UsageChanged:
    """The totals of the conversation as they are now."""
    percent = agent.context_percent if agent.context_window else None
    total = agent.total_usage
    return events.UsageChanged(agent.name, time.time(), percent, total.total_tokens, total.cost)


def missing_key(agent: Agent) -> tuple[str, ...]:
    """The environment variables one of which the model needs and none of which is set, where it can tell."""
    variables = getattr(agent.llm, "missing_key", ())
    return variables if isinstance(variables, tuple) else ()


def tool_row(registry: ToolRegistry, tool: Tool) -> events.ToolRow:
    """What the tools panel shows of a tool, as it is now."""
    decision = registry.evaluate(tool, {})
    return events.ToolRow(
        tool.name,
        registry.is_enabled(tool.name),
        registry.get_disable_reason(tool.name) or "",
        tag_words(tool.metadata.tags),
        decision.result.value,
        decision.reason,
        tool.description,
        tokens=tool.schema_tokens,
        findings=_findings(tool),
        grants=tuple(
            _grant_row(grant) for grant in registry.grants if fnmatch.fnmatchcase(tool.name, grant.tool)
        ),
        statistics=registry.statistics(tool.name),
    )


@lru_cache(maxsize=4_096)
def _findings(tool: Tool) -> tuple[str, ...]:
    """What the schema of a tool leaves open; a tool never changes, a newer version is another one."""
    return tuple(f"{finding.text}. {finding.hint}" for finding in lint(tool))


def grant_rows(registry: ToolRegistry) -> tuple[events.GrantRow, ...]:
    """The grants in force, oldest first."""
    return tuple(map(_grant_row, registry.grants))


def _grant_row(grant: Grant) -> events.GrantRow:
    return events.GrantRow(grant.id, grant.tool, grant.arguments, grant.scope.value, grant.created)


def tag_words(tags: Collection[ToolTag | str]) -> tuple[str, ...]:
    """Tags as words for the panel, the one that matters most first: what it does, where, the rest."""
    words = [
        word
        for word, holds in (
            ("read-only", ToolTag.READ_ONLY in tags),
            ("destructive", ToolTag.DESTRUCTIVE in tags),
            (
                "writes",
                ToolTag.FILE_SYSTEM in tags and not {ToolTag.READ_ONLY, ToolTag.DESTRUCTIVE} & set(tags),
            ),
            ("network", ToolTag.NETWORK in tags),
            ("privileged", ToolTag.PRIVILEGED in tags),
            ("slow", ToolTag.SLOW in tags),
        )
        if holds
    ]
    return (*words, *sorted(tag for tag in tags if not isinstance(tag, ToolTag)))


def approval_word(policy: PermissionPolicy) -> str:
    """The policy in one word: ``open``, ``careful``, ``strict`` or ``custom``."""
    words = {
        "open": PermissionPolicy.open,
        "careful": PermissionPolicy.careful,
        "strict": PermissionPolicy.strict,
    }
    return next((word for word, preset in words.items() if policy == preset()), "custom")
