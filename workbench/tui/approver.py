"""Turns a batch that asks into a question for a person, and the answer into decisions and grants."""

from __future__ import annotations

import copy
import logging
import time
from collections.abc import Collection, Mapping
from typing import Any

from workbench.engine.agent import Agent
from workbench.errors import ToolArgumentsError
from workbench.registry import Grant, GrantScope, ToolRegistry
from workbench.tui.approval import ApprovalRequest, ApprovalResult, Preview, Proposal
from workbench.tui.broker import ApprovalBroker
from workbench.tui.diff import diff
from workbench.tui.events import CallInfo

_QUICKLY_TOLD = 2_000
"""Lines in both texts of a change that can be compared without anybody noticing."""

_log = logging.getLogger("workbench.approval")


class Approver:
    """Asks the broker about a whole batch, and writes the verdicts into ``pending_tools``."""

    def __init__(self, broker: ApprovalBroker) -> None:
        self._broker = broker

    def decide(
        self, agent: Agent, session: Mapping[str, Any], calls: tuple[CallInfo, ...], keeper: Agent
    ) -> bool:
        """Record a decision on each pending call; True when the person ends the turn. Raises StopTurn.

        What is granted to an agent inside a tool is granted to ``keeper``, the outer one, too: its
        grants are those that are listed and kept.
        """
        registry = agent.tools
        result = self._broker.ask(
            ApprovalRequest(
                agent=" › ".join((*session["pending_tools"][0].get("origin", ()), agent.name)),
                model=agent.model or "",
                turn=session["turn"],
                iteration=session["iteration"],
                calls=calls,
                said="" if agent.by_hand else _said(session),
                schemas={call.name: tool.parameters for call in calls if (tool := registry.get(call.name))},
                previews={
                    call.id: preview
                    for call in calls
                    if (preview := preview_call(registry, call.name, call.arguments)) is not None
                },
                check=lambda name, arguments: check_arguments(registry, name, arguments),
                preview=lambda name, arguments: preview_call(registry, name, arguments),
                covers=lambda proposal, name, arguments: _covers(registry, proposal, name, arguments),
                opened=time.time(),
                by_hand=agent.by_hand,
            ),
            agent.cancel,
        )
        locked = {call.id for call in calls if call.permission == "deny"}
        seen = {call.id: call.arguments for call in calls}
        _record(session["pending_tools"], result, locked, seen)
        for proposal in result.grants:
            grant = _grant(proposal)
            registry.grant(grant)
            if keeper is not agent:
                keeper.tools.grant(grant)
        return result.stop


def _record(
    pending: list[dict[str, Any]],
    result: ApprovalResult,
    locked: Collection[str],
    seen: Mapping[str, Mapping[str, Any]],
) -> None:
    """Write the verdicts down. ``locked`` calls cannot run: the engine answers them in its own words.

    What runs is what was shown: ``seen`` holds those arguments, whatever became of the batch meanwhile.
    """
    by_id = {call["id"]: call for call in pending}
    for verdict in result.verdicts:
        if verdict.call_id in locked:
            continue
        call = by_id[verdict.call_id]
        call["decision"] = verdict.decision
        call["reason"] = verdict.reason
        shown = verdict.arguments if verdict.arguments is not None else seen[verdict.call_id]
        if call["arguments"] != shown:
            call["arguments"] = copy.deepcopy(dict(shown))


def _said(session: Mapping[str, Any]) -> str:
    """The text that the model put beside its calls."""
    for message in reversed(session["messages"]):
        if message["role"] == "assistant":
            return str(message.get("content") or "")
    return ""


def check_arguments(registry: ToolRegistry, name: str, arguments: Mapping[str, Any]) -> str | None:
    """What is wrong with the arguments, or None."""
    tool = registry.get(name)
    if tool is None:
        return f"There is no tool {name}."
    try:
        tool.bind(arguments)
    except ToolArgumentsError as error:
        return str(error)
    return None


def preview_call(registry: ToolRegistry, name: str, arguments: Mapping[str, Any]) -> Preview | None:
    """What the call would change, where its tool can say so; reads files, so never on the screen's loop."""
    tool = registry.get(name)
    if tool is None or tool.metadata.preview is None:
        return None
    try:
        path, old, new = tool.metadata.preview(**tool.bind(arguments).arguments)
    except Exception as error:  # noqa: BLE001  # a tool's own code: without a preview the call can still be judged
        _log.warning("no preview of %s: %s", name, error)
        return None
    return Preview(str(path), old, new)


def change_of(registry: ToolRegistry, name: str, arguments: Mapping[str, Any]) -> tuple[int, int] | None:
    """How many lines the call would add and remove, where its tool can say so and it is quickly told."""
    preview = preview_call(registry, name, arguments)
    if preview is None or preview.old.count("\n") + preview.new.count("\n") > _QUICKLY_TOLD:
        return None
    found = diff(preview.old, preview.new)
    return found.added, found.removed


def _grant(proposal: Proposal) -> Grant:
    return Grant(proposal.tool, dict(proposal.arguments), GrantScope(proposal.scope))


def _covers(registry: ToolRegistry, proposal: Proposal, name: str, arguments: Mapping[str, Any]) -> bool:
    tool = registry.get(name)
    return tool is not None and _grant(proposal).fits(tool, arguments)
