"""What runs in the place of a tool, when a handler puts something there."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

from workbench.registry.tool import BoundCall

StandIn: TypeAlias = Callable[[BoundCall], Any]
"""Given the call that it stands in for; what it returns or raises counts as the tool's. ``bound.run()`` runs
the tool itself."""


class InPlace(BoundCall):
    """A call that was found, validated and permitted, and that ``stand_in`` answers."""

    __slots__ = ("_stand_in",)

    def __init__(self, bound: BoundCall, stand_in: StandIn) -> None:
        super().__init__(bound.tool, bound.arguments)
        self._stand_in = stand_in

    def run(self) -> Any:
        """What the stand-in gives; for an async tool a coroutine, which leaves the loop free meanwhile."""
        bound = BoundCall(self.tool, self.arguments)
        return self._run_async(bound) if self.tool.is_async else self._stand_in(bound)

    async def _run_async(self, bound: BoundCall) -> Any:
        value = await asyncio.to_thread(self._stand_in, bound)
        return await value if inspect.isawaitable(value) else value
