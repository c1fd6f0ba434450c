"""What the engine asks of a model, and what a model answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from workbench.engine.cancel import CancelToken

Message = dict[str, Any]
"""One message in OpenAI's chat format."""

ToolSchema = dict[str, Any]
"""One tool in OpenAI's format: ``{"type": "function", "function": {name, description, parameters}}``."""


@dataclass(slots=True)
class TokenUsage:
    """Tokens and money of one model call, or a sum of them.

    ``input_tokens`` includes ``cached_tokens``. ``cost`` is in US dollars; None means that the price
    is not known, which is different from 0.0, a model that costs nothing.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None

    @classmethod
    def from_record(cls, record: object) -> TokenUsage:
        """Of a mapping with these keys, as logs hold it; what is missing or no number counts as not given."""
        if isinstance(record, TokenUsage):
            return record
        given = record if isinstance(record, Mapping) else {}
        read, written, cached = (
            number if isinstance(number := given.get(key), int) else 0
            for key in ("input_tokens", "output_tokens", "cached_tokens")
        )
        cost = given.get("cost")
        return cls(read, written, cached, cost if isinstance(cost, int | float) else None)

    @property
    def total_tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: TokenUsage) -> TokenUsage:
        """The sum; its cost is known only if the cost of both is. Nothing used costs nothing."""
        return TokenUsage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            _sum_of_costs(self, other),
        )


def _sum_of_costs(one: TokenUsage, other: TokenUsage) -> float | None:
    for unused, rest in ((one, other), (other, one)):
        if unused.cost is None and not unused.total_tokens:
            return rest.cost
    return None if one.cost is None or other.cost is None else one.cost + other.cost


@dataclass(slots=True)
class ToolCall:
    """One call that the model asks for.

    ``name`` is the name as the model wrote it (the provider-safe one). ``error`` is set when the
    arguments could not be read: the call is then answered with that text and never runs;
    ``raw_arguments`` keeps what the model sent. ``extra`` holds provider fields that must go back
    with the call (for example a thought signature).
    """

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    id: str = ""
    raw_arguments: str | None = None
    error: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class LLMResponse:
    """A whole answer of a model.

    ``extra`` holds fields that must go back in the assistant message (thinking blocks and their
    signatures). ``first_token_ms`` is the time from the request to the first delta, in milliseconds.
    """

    content: str | None = None
    tool_calls: list[ToolCall] = field(default_factory=list)
    usage: TokenUsage = field(default_factory=TokenUsage)
    raw_response: Any = None
    reasoning: str | None = None
    finish_reason: str | None = None
    model: str | None = None
    first_token_ms: float | None = None
    extra: dict[str, Any] = field(default_factory=dict)


DeltaKind = Literal["text", "reasoning", "tool_call", "status"]


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of an answer while it streams.

    ``text`` is the piece: of the answer, of the reasoning, of a call's JSON arguments, or (``status``)
    a line for people such as "rate limited, waiting 8 s". For ``tool_call``, ``index`` tells parallel
    calls apart and ``name`` is set on the first piece.
    """

    kind: DeltaKind
    text: str
    index: int = 0
    name: str | None = None


OnDelta = Callable[[Delta], None]


@runtime_checkable
class LLM(Protocol):
    """A model. Only ``complete(messages, tools=None)`` is needed; a fake in a test is five lines.

    The engine passes ``on_delta`` and ``cancel`` only to a ``complete`` that takes them. One that takes
    ``cancel`` is called on the agent's own thread and must end promptly when it is set; any other is
    called on a thread that a stop leaves behind. These attributes are read where they exist: ``model: str``,
    ``context_window: int | None`` (tokens), and ``summarise(messages) -> str``, for a model that sums up a
    conversation in another way than by answering.
    """

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSchema] | None = None,
        *,
        on_delta: OnDelta | None = None,
        cancel: CancelToken | None = None,
    ) -> LLMResponse:
        """Answer the messages. Raises ``ProviderError`` when it cannot, ``StopTurn`` when cancelled."""
        ...
