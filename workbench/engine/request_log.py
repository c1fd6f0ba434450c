"""What was sent to the model with each request, kept as what changed since the request before."""

from __future__ import annotations

import copy
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from workbench.engine.content import text_of
from workbench.engine.llm import Message, ToolSchema
from workbench.engine.observer import Observer, TraceEntry

if TYPE_CHECKING:
    from workbench.engine.agent import Agent


@dataclass(frozen=True, slots=True)
class Sent:
    """One request. ``before`` holds, by place, what stood there before and is another message now.

    Messages from ``new_from`` on are new; ``removed`` is how many are gone from the end of the one before.
    ``tools`` are the schemas that went with it, ``tools_before`` those of the request before.
    """

    messages: tuple[Message, ...]
    before: Mapping[int, Message]
    new_from: int
    removed: int
    tools: tuple[ToolSchema, ...] = ()
    tools_before: tuple[ToolSchema, ...] = ()


@dataclass(frozen=True, slots=True)
class _Step:
    """From one request to the next: places that hold another message, how many are left, what is added."""

    replaced: Mapping[int, Message]
    kept: int
    added: tuple[Message, ...]
    tools: tuple[ToolSchema, ...]


class _Chain:
    """The requests of one conversation. Each message is kept once, however many requests it was sent with."""

    def __init__(self) -> None:
        self._steps: list[_Step] = []
        self._last: list[Message] = []

    def add(self, messages: Sequence[Message], tools: Sequence[ToolSchema] = ()) -> int:
        """Note a request; returns its number. The time is that of comparing the messages, once each."""
        last = self._last
        kept = min(len(last), len(messages))
        changed: dict[int, Message] = {}
        if not _equal(last[:kept], messages[:kept]):  # mostly they are, and that is told fast
            shared = zip(range(kept), last, messages, strict=False)
            changed = {place: new for place, old, new in shared if not _equal(old, new)}
        # a message that only moved is shared with the place where it stood
        known = {_key(old): old for old in last} if changed else {}
        replaced = {place: _copy(new, known) for place, new in changed.items()}
        added = tuple(_copy(new, known) for new in messages[kept:])
        for place, new in replaced.items():
            last[place] = new
        last[kept:] = added
        self._steps.append(_Step(replaced, kept, added, self._shared(tools)))
        return len(self._steps) - 1

    def _shared(self, tools: Sequence[ToolSchema]) -> tuple[ToolSchema, ...]:
        """The schemas, kept once for all the requests that they went with."""
        known = self._steps[-1].tools if self._steps else ()
        same = len(known) == len(tools) and all(map(operator.is_, known, tools))
        return known if same else tuple(tools)

    def sent(self, number: int) -> Sent:
        """The request with this number, put together again."""
        now: list[Message] = []
        old: list[Message] = []
        for step in self._steps[: number + 1]:
            old = list(now) if step is self._steps[number] else old
            for place, message in step.replaced.items():
                now[place] = message
            now[step.kept :] = step.added
        step = self._steps[number]
        before = {place: old[place] for place in step.replaced}
        tools_before = self._steps[number - 1].tools if number else ()
        return Sent(tuple(now), before, step.kept, len(old) - step.kept, step.tools, tools_before)


class RequestLog(Observer):
    """An observer that can say what any request of a conversation held: of an agent, and of those inside its
    tools. What belongs to another conversation than the agent's present one is forgotten.

    It reads the messages when the answer is there: handlers of ``before_llm`` have made their changes then,
    those of ``after_llm`` have not.
    """

    nested = True

    def __init__(self) -> None:
        self._chains: WeakKeyDictionary[Agent, _Chain] = WeakKeyDictionary()
        self._requests: dict[tuple[Any, Any], tuple[_Chain, int]] = {}
        self._tools: WeakKeyDictionary[Agent, Sequence[ToolSchema]] = WeakKeyDictionary()
        self._session: Mapping[str, Any] | None = None

    def __len__(self) -> int:
        """How many requests it can tell of."""
        return len(self._requests)

    def turn_started(self, agent: Agent, prompt: str) -> None:
        """In another conversation, keep only those requests that its trace tells of, too."""
        session = agent.current_session
        if session is None or session is self._session:
            return
        known = {_id(entry) for entry in _all(session["trace"])}
        self._forget()
        self._requests = {key: request for key, request in self._requests.items() if key in known}
        self._session = session

    def model_asked(self, agent: Agent, tools: Sequence[ToolSchema]) -> None:
        """Note the schemas until the answer is there."""
        self._tools[agent] = tuple(tools)

    def entry_added(self, agent: Agent, entry: TraceEntry) -> None:
        """Note what went with a model call."""
        session = agent.current_session
        if entry["type"] != "llm_call" or session is None:
            return
        chain = self._chains.get(agent)
        if chain is None:
            chain = self._chains[agent] = _Chain()
        number = chain.add(session["messages"][: entry["message_count"]], self._tools.pop(agent, ()))
        self._requests[_id(entry)] = chain, number

    def session_reset(self, agent: Agent) -> None:
        """The next request is the first of another conversation."""
        self._forget()
        self._requests = {}

    def _forget(self) -> None:
        """What comes next goes on from nothing that was sent before."""
        self._chains.clear()
        self._tools.clear()
        self._session = None

    def sent(self, entry: Mapping[str, Any]) -> Sent | None:
        """What was sent with this model call, None if it was not seen. ``entry`` may be a copy."""
        chain, number = self._requests.get(_id(entry), (None, 0))
        return chain.sent(number) if chain is not None else None


def _all(entries: Sequence[TraceEntry]) -> Iterator[TraceEntry]:
    """The entries, and those of the turns of agents inside them."""
    for entry in entries:
        yield entry
        for turn in entry.get("nested") or ():
            yield from _all(turn["trace"])


def _id(entry: Mapping[str, Any]) -> tuple[Any, Any]:
    return entry.get("timestamp"), entry.get("message_count")


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001 - comparing calls the values' own __eq__
        return False


def _key(message: Message) -> tuple[str, ...]:
    """What messages that are equal have in common; strings, which are shared and cheap to look up."""
    return str(message.get("role")), text_of(message.get("content")), str(message.get("tool_call_id"))


def _copy(message: Message, known: Mapping[tuple[str, ...], Message]) -> Message:
    found = known.get(_key(message)) if known else None
    if found is not None and _equal(found, message):
        return found
    try:
        return copy.deepcopy(dict(message))
    except Exception:  # noqa: BLE001 - a handler may have put anything there, with a __deepcopy__ of its own
        return dict(message)
