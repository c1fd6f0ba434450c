"""A turn that was begun elsewhere: its first part is taken from a record, the rest is lived."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.engine.llm import Message, TokenUsage
from workbench.engine.observer import TraceEntry
from workbench.engine.watched import watched

REPLAYED = "replayed"
"""Key of entries that were not lived in this turn but taken from a record."""


@dataclass(frozen=True, slots=True)
class BegunTurn:
    """What already happened in a turn after the user's message.

    ``messages`` are the model's answers and the results of their calls, whole batches in order.
    ``trace`` are the ``llm_call`` and ``tool_execution`` entries that belong to them; in the new trace they
    carry ``replayed``. The model is asked next.
    """

    messages: Sequence[Mapping[str, Any]]
    trace: Sequence[Mapping[str, Any]] = ()

    @property
    def iterations(self) -> int:
        """How many iterations are over."""
        return max((int(entry.get("iteration", 0)) for entry in self.trace), default=0) or sum(
            message.get("role") == "assistant" for message in self.messages
        )

    def new_messages(self) -> list[Message]:
        """The messages, for a transcript of their own."""
        return [watched(copy.deepcopy(dict(message))) for message in self.messages]

    def new_entries(self) -> list[TraceEntry]:
        """The entries, for a trace of their own."""
        entries = []
        for entry in self.trace:
            new = {**copy.deepcopy(dict(entry)), REPLAYED: True}
            if "usage" in new:
                new["usage"] = TokenUsage.from_record(new["usage"])
            entries.append(new)
        return entries
