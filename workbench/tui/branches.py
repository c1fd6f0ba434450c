"""Two sessions that began alike, compared turn by turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Literal

from workbench.storage.session_file import SessionRecord
from workbench.storage.session_format import TurnRecord
from workbench.tui.render import arguments_text
from workbench.visible import visible_line

Kind = Literal["prompt", "text", "call", "end"]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened in a turn: ``head`` names it on one line, ``detail`` is all that it gave.

    ``status`` is that of a call, or of a turn that did not end well.
    """

    kind: Kind
    head: str
    detail: str = ""
    status: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Steps with the same key are the same step, whatever came of it."""
        return self.kind, self.head if self.kind in ("call", "prompt") else ""


@dataclass(frozen=True, slots=True)
class Pair:
    """What stands beside each other in a turn; None where one side has nothing."""

    turn: int
    left: Step | None
    right: Step | None

    @property
    def same(self) -> bool:
        """Whether both sides say the same."""
        return self.left == self.right


@dataclass(frozen=True, slots=True)
class TurnHead:
    """The heading of a turn: how many of its steps differ, and whether one side has no such turn."""

    turn: int
    different: int
    only: Literal["", "left", "right"] = ""


def compare(left: SessionRecord, right: SessionRecord) -> list[TurnHead | Pair]:
    """Turn by turn, each a heading and its pairs, in order."""
    rows: list[TurnHead | Pair] = []
    first = min(left.earlier.turns, right.earlier.turns) + 1
    for number in range(first, max(left.last, right.last) + 1):
        one, other = left.turn(number), right.turn(number)
        pairs = [Pair(number, *sides) for sides in _beside(_steps(one), _steps(other))]
        only: Literal["", "left", "right"] = "left" if other is None else "right" if one is None else ""
        rows += [TurnHead(number, sum(not pair.same for pair in pairs), only), *pairs]
    return rows


def _beside(left: list[Step], right: list[Step]) -> Iterator[tuple[Step | None, Step | None]]:
    matcher = SequenceMatcher(None, [step.key for step in left], [step.key for step in right], autojunk=False)
    for _, start, end, other_start, other_end in matcher.get_opcodes():
        yield from zip_longest(left[start:end], right[other_start:other_end])


def _steps(turn: TurnRecord | None) -> list[Step]:
    if turn is None:
        return []
    pictures = [f"{facts.name}  {' '.join(facts.parts)}" for facts in turn.images]
    steps = [Step("prompt", _one_line(turn.input), "\n".join([turn.input, *pictures]))]
    ran = {entry.get("call_id"): entry for entry in turn.trace if entry.get("type") == "tool_execution"}
    for message in turn.own_messages:
        if message.get("role") != "assistant":
            continue
        content = message.get("content")
        if isinstance(content, str) and content.strip():
            steps.append(Step("text", _one_line(content), content))
        steps += [
            _call(entry)
            for call in message.get("tool_calls") or ()
            if (entry := ran.get(call.get("id"))) is not None
        ]
    if turn.status != "success":
        steps.append(Step("end", turn.status, turn.error or turn.result, turn.status))
    return steps


def _one_line(text: str) -> str:
    return visible_line(" ".join(text.split()))


def _call(entry: dict[str, Any]) -> Step:
    arguments = entry.get("arguments")
    shown = arguments_text(arguments) if isinstance(arguments, dict) else visible_line(str(arguments))
    head = f"{visible_line(str(entry.get('tool_name')))}({shown})"
    return Step("call", head, str(entry.get("result")), str(entry.get("status")))
