"""Approval for a program without a screen: asks on the terminal, or answers the same for every call."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, Literal, TextIO, cast, get_args

from workbench.engine.agent import Agent
from workbench.engine.hooks import before_tools
from workbench.errors import ConfigError

Mode = Literal["ask", "all", "none"]


def mode_of(word: str) -> Mode:
    """The word as a mode. Raises ConfigError for any other word."""
    if word not in get_args(Mode):
        raise ConfigError(f"approve cannot be {word!r}", hint="Give ask, all or none.")
    return cast("Mode", word)


_NOBODY = "nobody is there to approve it"
_HINT = "calls that ask are rejected here: --approve all runs them, a policy (--trust) says which ask\n"


class TerminalApproval:
    """Decides the calls of a batch that ask. Attach with ``agent.hooks.add(approval.handler)``.

    ``all`` runs them; ``none`` rejects them; ``ask`` shows each on ``out`` and reads the answer from
    ``answers``: ``y`` runs it, ``n`` or a reason rejects it, and the end of the input rejects the rest.
    """

    def __init__(
        self, mode: Mode, *, out: TextIO | None = None, ask: Callable[[], str] | None = None
    ) -> None:
        self._mode = mode
        self._told = False
        self._out = out if out is not None else sys.stderr
        self._ask = ask if ask is not None else sys.stdin.readline
        self.handler = before_tools(self._decide)

    def _decide(self, agent: Agent) -> None:
        session = agent.current_session or {}
        asking = [
            call
            for call in session.get("pending_tools", ())
            if call["permission"] == "ask" and call["decision"] is None
        ]
        if not asking:
            return
        if self._mode == "ask":
            with agent.human_wait("approval"):
                for number, call in enumerate(asking, 1):
                    self._decide_one(call, f"{number} of {len(asking)}")
            return
        for call in asking:
            call["decision"] = "approve" if self._mode == "all" else "reject"
            call["decided_by"] = "policy"
            if self._mode == "none":
                call["reason"] = _NOBODY
        if self._mode == "none" and not self._told:
            self._told = True
            self._out.write(_HINT)
            self._out.flush()

    def _decide_one(self, call: dict[str, Any], which: str) -> None:
        why = call.get("asks_because") or "asks"
        arguments = json.dumps(call["arguments"], indent=2)  # ASCII: nothing in it can act on the terminal
        self._out.write(
            f"\n{which}: {call['name']} ({why})\n{arguments}\nrun it? y, n, or a reason why not: "
        )
        self._out.flush()
        line = self._ask()
        answer = line.strip()
        if answer.lower() in ("y", "yes"):
            call["decision"] = "approve"
            return
        call["decision"] = "reject"
        call["reason"] = answer if answer.lower() not in ("", "n", "no") else None
        if not line:
            call["reason"] = "the input ended before an answer"
