"""The agents that run inside tools of the one that a person talks to, as far as the screen knows them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import count
from weakref import WeakKeyDictionary, WeakValueDictionary

from workbench.engine.agent import Agent


class Guests:
    """Which are watched now, under which names, and by a number each of those that still live.

    Nothing here keeps an agent alive: one that a tool makes for a single call is gone some time after it.
    """

    def __init__(self) -> None:
        self._undo: dict[int, list[Callable[[], object]]] = {}
        self._labels: dict[int, str] = {}
        self._numbers: WeakKeyDictionary[Agent, int] = WeakKeyDictionary()
        self._living: WeakValueDictionary[int, Agent] = WeakValueDictionary()
        self._count = count(1)
        self._lock = threading.Lock()

    def __contains__(self, agent: Agent) -> bool:
        """Whether it is watched now."""
        return id(agent) in self._undo

    def label(self, agent: Agent) -> str:
        """The name of one that is watched: its own, or one that no other watched agent has."""
        return self._labels[id(agent)]

    def number(self, agent: Agent) -> int:
        """Its number from 1 on, the same for as long as it lives."""
        with self._lock:
            number = self._numbers.get(agent)
            if number is None:
                number = self._numbers[agent] = next(self._count)
                self._living[number] = agent
            return number

    def agent(self, number: int) -> Agent | None:
        """The agent of a number, from any thread; None once it is gone, and for 0."""
        with self._lock:
            return self._living.get(number)

    def admit(self, agent: Agent, outer: Agent) -> list[Callable[[], object]]:
        """Take one in that ``outer`` runs; who watches it adds to the list what is undone at ``release``.

        Until then it is quiet, asks as the outer agent does if it states no trust of its own, and has the
        grants of the outer one.
        """
        quiet, policy = agent.quiet, agent.tools.policy
        agent.quiet = True
        if agent.trust is None:
            agent.tools.policy = outer.tools.policy
        own = {grant.id for grant in agent.tools.grants}
        for grant in outer.tools.grants:
            agent.tools.grant(grant)
        with self._lock:  # two calls that run side by side may each begin one
            taken = {outer.name, *self._labels.values()}
            self._labels[id(agent)] = next(
                label
                for number in count(1)
                if (label := agent.name if number == 1 else f"{agent.name} ({number})") not in taken
            )

        def restore() -> None:
            agent.quiet, agent.tools.policy = quiet, policy
            del self._labels[id(agent)]
            for grant in agent.tools.grants:
                if grant.id not in own:  # the outer agent keeps it, and there it can be taken back
                    agent.tools.revoke(grant)

        undo = self._undo[id(agent)] = [restore]
        return undo

    def release(self, agent: Agent) -> None:
        """It is as it was before ``admit``."""
        undo = self._undo.pop(id(agent))
        while undo:
            undo.pop()()
