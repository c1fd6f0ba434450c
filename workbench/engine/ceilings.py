"""Ceilings for money and tokens: a plugin that ends a turn before it costs more than it may."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from workbench.engine import trace
from workbench.engine.hooks import Handler, before_llm, on_complete
from workbench.engine.llm import TokenUsage
from workbench.errors import ConfigError, StopTurn

if TYPE_CHECKING:
    from workbench.engine.agent import Agent


def ceilings(*, max_cost: float | None = None, max_turn_tokens: int | None = None) -> tuple[Handler, ...]:
    """Handlers for ``plugins=[ceilings(max_cost=1.0)]`` that stop a turn at a limit.

    ``max_cost`` is in US dollars for a whole session, ``max_turn_tokens`` counts the input and output
    tokens of all model calls of one turn. Both are looked at before each model call, so that the call
    that reaches a limit is still used, and the turn ends cleanly with a text that says which limit it
    was. Where a price or a token count is not known the limit cannot hold, which is said once per
    session. What agents inside tools use counts for them, not for this agent.

    Raises ConfigError for a limit that is no positive number, and when none is given.
    """
    if max_cost is None and max_turn_tokens is None:
        raise ConfigError("ceilings() was given no limit", hint="Write ceilings(max_cost=1.0), for instance.")
    check_ceiling("max_cost", max_cost)
    check_ceiling("max_turn_tokens", max_turn_tokens, whole=True)
    watch = _Watch(max_cost, max_turn_tokens)
    return (before_llm(watch.before_a_call), on_complete(watch.after_a_turn))


def check_ceiling(name: str, limit: Any, *, whole: bool = False) -> None:
    """Raise ConfigError that begins with ``name`` unless ``limit`` is None or a positive number."""
    kinds = (int,) if whole else (int, float)
    if limit is None:
        return
    if isinstance(limit, bool) or not isinstance(limit, kinds) or not math.isfinite(limit) or limit <= 0:
        what = "a whole number of tokens" if whole else "an amount of dollars"
        raise ConfigError(f"{name}: expected {what} above 0, got {limit!r}")


@dataclass(slots=True)
class _Ledger:
    """What one session has used, read from its trace as that grows."""

    session: dict[str, Any]
    read: int = 0
    cost: float = 0.0
    turn_tokens: int = 0
    unpriced: str = ""
    uncounted: str = ""
    said: set[str] = field(default_factory=set)

    def catch_up(self) -> None:
        """Add what came since the last time."""
        entries = self.session["trace"]
        for entry in entries[self.read :]:
            if entry.get("type") == "user_input":
                self.turn_tokens = 0
            elif entry.get("type") == "compaction" or (
                entry.get("type") == "llm_call" and entry.get("status") == "success"
            ):
                self._add(entry)
        self.read = len(entries)

    def _add(self, entry: Mapping[str, Any]) -> None:
        usage = entry.get("usage")
        if isinstance(usage, Mapping):  # a session that was read from a file
            cost = usage.get("cost")
            tokens = int(usage.get("input_tokens") or 0) + int(usage.get("output_tokens") or 0)
        elif isinstance(usage, TokenUsage):
            cost, tokens = usage.cost, usage.total_tokens
        else:
            cost, tokens = None, 0
        model = str(entry.get("model") or "the model")
        self.turn_tokens += tokens
        if not tokens:
            self.uncounted = model
        if cost is None:
            self.unpriced = model
        else:
            self.cost += cost


class _Watch:
    """The limits, and a ledger for each agent that has them."""

    def __init__(self, max_cost: float | None, max_turn_tokens: int | None) -> None:
        self._max_cost = max_cost
        self._max_turn_tokens = max_turn_tokens
        self._ledgers: WeakKeyDictionary[Agent, _Ledger] = WeakKeyDictionary()

    def before_a_call(self, agent: Agent) -> None:
        """Stop the turn if a limit is reached."""
        ledger = self._ledger(agent)
        self._say_what_cannot_hold(agent, ledger)
        if self._max_cost is not None and ledger.cost >= self._max_cost:
            raise StopTurn(
                f"The ceiling of {_dollars(self._max_cost)} for this session is reached: "
                f"{_dollars(ledger.cost)} so far. Raise max_cost, or start a new conversation."
            )
        if self._max_turn_tokens is not None and ledger.turn_tokens >= self._max_turn_tokens:
            raise StopTurn(
                f"The ceiling of {self._max_turn_tokens:,} tokens for one turn is reached: "
                f"{ledger.turn_tokens:,} so far. Send another message to go on, or raise max_turn_tokens."
            )

    def after_a_turn(self, agent: Agent) -> None:
        """Say what the last call has shown."""
        self._say_what_cannot_hold(agent, self._ledger(agent))

    def _ledger(self, agent: Agent) -> _Ledger:
        session = agent.current_session
        assert session is not None
        ledger = self._ledgers.get(agent)
        if ledger is None or ledger.session is not session or ledger.read > len(session["trace"]):
            ledger = self._ledgers[agent] = _Ledger(session)
        ledger.catch_up()
        return ledger

    def _say_what_cannot_hold(self, agent: Agent, ledger: _Ledger) -> None:
        if self._max_cost is not None and ledger.unpriced:
            text = (
                f"The price of {ledger.unpriced} is not known: the ceiling of {_dollars(self._max_cost)} "
                "cannot hold for it."
            )
            _say_once(agent, ledger, text, "Watch the tokens, or set max_turn_tokens.")
        if self._max_turn_tokens is not None and ledger.uncounted:
            text = (
                f"{ledger.uncounted} does not say how many tokens it used: the ceiling of "
                f"{self._max_turn_tokens:,} tokens for one turn cannot hold for it."
            )
            _say_once(agent, ledger, text, "Limit its calls with max_iterations.")


def _say_once(agent: Agent, ledger: _Ledger, text: str, hint: str) -> None:
    if text in ledger.said:
        return
    ledger.said.add(text)
    entry = trace.note(text, hint, ledger.session["iteration"])
    ledger.session["trace"].append(entry)
    agent.observers.tell("entry_added", agent, entry)


def _dollars(amount: float) -> str:
    return f"${amount:.2f}" if amount >= 0.1 else f"${amount:.4f}"
