"""Turns a batch that asks into a question for a person, and the answer into decisions and grants."""

from __future__ import annotations

import copy
import time
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from workbench.engine.agent import Agent
from workbench.errors import ToolArgumentsError
from workbench.registry import Grant, GrantScope, ToolRegistry
from workbench.tui.approval import ApprovalRequest, ApprovalResult, Preview, Proposal
from workbench.tui.broker import ApprovalBroker
from workbench.tui.call_path import path_text
from workbench.tui.events import CallInfo
from workbench.tui.forecasts import Forecasts, preview_of


class Approver:
    """Asks the broker about a whole batch, and writes the verdicts into ``pending_tools``.

    ``forecasts`` say what the calls would change in files.
    """

    def __init__(self, broker: ApprovalBroker) -> None:
        self._broker = broker
        self.forecasts = Forecasts()

    def decide(
        self, agent: Agent, session: Mapping[str, Any], calls: tuple[CallInfo, ...], keeper: Agent
    ) -> bool:
        """Record a decision on each pending call; True when the person ends the turn. Raises StopTurn.

        What is granted to an agent inside a tool is granted to ``keeper``, the outer one, too: its
        grants are those that are listed and kept.
        """
        registry = agent.tools
        forecasts = self.forecasts.of(registry, session["pending_tools"])
        previews = {call_id: forecast.preview for call_id, forecast in forecasts.items()}
        result = self._broker.ask(
            ApprovalRequest(
                agent=path_text(session["pending_tools"][0].get("origin", ()), agent.name),
                model=agent.model or "",
                turn=session["turn"],
                iteration=session["iteration"],
                calls=calls,
                said="" if agent.by_hand else _said(session),
                schemas=_Schemas(registry, {call.name for call in calls}),
                previews={call_id: preview for call_id, preview in previews.items() if preview is not None},
                forecasts={
                    call_id: forecast.wait
                    for call_id, forecast in forecasts.items()
                    if previews[call_id] is None and not forecast.is_none
                },
                check=lambda name, arguments: check_arguments(registry, name, arguments),
                preview=lambda name, arguments: _preview(registry, name, arguments),
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


class _Schemas(Mapping[str, Mapping[str, Any]]):
    """What tools take, as it is now: their code may change while the question is open."""

    def __init__(self, registry: ToolRegistry, names: Collection[str]) -> None:
        self._registry = registry
        self._names = names

    def __getitem__(self, name: str) -> Mapping[str, Any]:
        tool = self._registry.get(name) if name in self._names else None
        if tool is None:
            raise KeyError(name)
        return tool.parameters

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._names if self._registry.get(name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


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


def _preview(registry: ToolRegistry, name: str, arguments: Mapping[str, Any]) -> Preview | None:
    tool = registry.get(name)
    return None if tool is None else preview_of(tool, arguments)


def _grant(proposal: Proposal) -> Grant:
    return Grant(proposal.tool, dict(proposal.arguments), GrantScope(proposal.scope))


def _covers(registry: ToolRegistry, proposal: Proposal, name: str, arguments: Mapping[str, Any]) -> bool:
    tool = registry.get(name)
    return tool is not None and _grant(proposal).fits(tool, arguments)
