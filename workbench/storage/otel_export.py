"""A session as OpenTelemetry spans, after the semantic conventions for generative AI (in development)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any, Final

from workbench.engine.llm import TokenUsage
from workbench.errors import ConfigError, StorageError
from workbench.storage.session_file import SessionRecord
from workbench.storage.session_format import TurnRecord

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace import Span, Tracer

_MISSING: Final = "Install it with: pip install 'agent-workbench[otel]'"
_NANOSECONDS: Final = 1_000_000_000


def write_spans(record: SessionRecord, out: IO[str], *, content: bool = False) -> int:
    """Write a span a line as JSON; how many. ``content``: arguments and results too, not only their names.

    Raises ConfigError when the OpenTelemetry SDK is not installed.
    """
    spans = spans_of(record, content=content)
    for span in spans:
        out.write(span.to_json(indent=None) + "\n")
    return len(spans)


def send_spans(record: SessionRecord, endpoint: str, *, content: bool = False) -> int:
    """Send the spans over OTLP/HTTP to a collector such as ``http://localhost:4318``; how many.

    Raises ConfigError when the exporter is not installed, StorageError when the collector did not take them.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import SpanExportResult
    except ImportError as error:
        raise ConfigError("the OTLP exporter is not installed", hint=_MISSING) from error
    exporter = OTLPSpanExporter(endpoint=endpoint.rstrip("/") + "/v1/traces", timeout=10)
    spans = spans_of(record, content=content)
    try:
        taken = exporter.export(spans) is SpanExportResult.SUCCESS
    finally:
        exporter.shutdown()  # type: ignore[no-untyped-call]  # the exporter is not typed
    if not taken:
        raise StorageError(
            f"the collector at {endpoint} did not take the spans",
            hint="Check that it runs and takes OTLP over HTTP.",
        )
    return len(spans)


def spans_of(record: SessionRecord, *, content: bool = False) -> Sequence[ReadableSpan]:
    """The spans of all turns, each behind those below it: its calls, and the turns of agents inside those.

    Raises ConfigError without the SDK.
    """
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    except ImportError as error:
        raise ConfigError("the OpenTelemetry SDK is not installed", hint=_MISSING) from error
    finished = InMemorySpanExporter()
    provider = TracerProvider(
        resource=Resource.create({"service.name": record.agent}), shutdown_on_exit=False
    )
    provider.add_span_processor(SimpleSpanProcessor(finished))
    spans = _Spans(record, provider.get_tracer("workbench"), content=content)
    for number, turn in record.numbered():
        spans.turn(number, turn)
    return finished.get_finished_spans()


class _Spans:
    def __init__(self, record: SessionRecord, tracer: Tracer, *, content: bool) -> None:
        self._record = record
        self._tracer = tracer
        self._content = content

    def turn(self, number: int, turn: TurnRecord) -> None:
        """A span for the turn, and below it one for each model call and each tool call."""
        from opentelemetry import trace

        # what a person ran before the turn stands in its trace, and is no part of its time
        own = (_seconds(entry) for entry in turn.trace if not entry.get("by_hand"))
        begin = min(own, default=_started(self._record))
        span = self._start(
            f"invoke_agent {self._record.agent}",
            begin,
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": self._record.agent,
                "gen_ai.conversation.id": self._record.path.stem,
                "workbench.turn": number,
                "workbench.status": turn.status,
                "workbench.waited_ms": turn.waited_ms,
                **({"gen_ai.input.messages": turn.input} if self._content else {}),
            },
        )
        self._entries(turn.trace, trace.set_span_in_context(span))
        self._end(span, begin, turn.duration_ms, turn.error if turn.status == "error" else None)

    def _entries(self, entries: Sequence[Mapping[str, Any]], inside: Context) -> None:
        for entry in entries:
            kind = entry.get("type")
            if kind == "llm_call":
                self._model_call(entry, inside)
            elif kind == "tool_execution":
                self._tool_call(entry, inside)

    def _inner_turn(self, turn: Mapping[str, Any], within: float, inside: Context) -> None:
        """A span for the turn of an agent that ran inside a call, and those below it. Its times are those of
        what it did; without any, that at which the call began.
        """
        from opentelemetry import trace

        entries = turn.get("trace") or ()
        begin = min(map(_seconds, entries), default=within)
        end = max((_seconds(entry) + _milliseconds(entry) / 1000 for entry in entries), default=begin)
        name, status = str(turn.get("agent", "")), str(turn.get("status", ""))
        facts: dict[str, Any] = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": name,
            "gen_ai.conversation.id": self._record.path.stem,
            "workbench.status": status,
        }
        if self._content:
            prompts = (entry.get("prompt") for entry in entries if entry.get("type") == "user_input")
            facts["gen_ai.input.messages"] = str(next(prompts, ""))
            facts["gen_ai.output.messages"] = str(turn.get("result") or "")
        span = self._start(f"invoke_agent {name}", begin, facts, inside)
        self._entries(entries, trace.set_span_in_context(span))
        self._end(span, begin, (end - begin) * 1000, "error" if status == "error" else None)

    def _model_call(self, entry: Mapping[str, Any], inside: Context) -> None:
        usage = TokenUsage.from_record(entry.get("usage"))
        model = str(entry.get("model", ""))
        facts = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": model,
            "gen_ai.usage.input_tokens": usage.input_tokens,
            "gen_ai.usage.output_tokens": usage.output_tokens,
        }
        if usage.cost is not None:
            facts["workbench.cost"] = usage.cost
        if entry.get("finish_reason"):
            facts["gen_ai.response.finish_reasons"] = (str(entry["finish_reason"]),)
        span = self._start(f"chat {model}", _seconds(entry), facts, inside)
        self._end(span, _seconds(entry), entry.get("duration_ms"), _error(entry))

    def _tool_call(self, entry: Mapping[str, Any], inside: Context) -> None:
        from opentelemetry import trace

        name = str(entry.get("tool_name", ""))
        facts: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.id": str(entry.get("call_id", "")),
            "gen_ai.tool.type": "function",
            "workbench.status": str(entry.get("status", "")),
        }
        if self._content:
            facts["gen_ai.tool.call.arguments"] = json.dumps(entry.get("arguments"))
            facts["gen_ai.tool.call.result"] = str(entry.get("result"))
        span = self._start(f"execute_tool {name}", _seconds(entry), facts, inside)
        for turn in entry.get("nested") or ():
            self._inner_turn(turn, _seconds(entry), trace.set_span_in_context(span))
        self._end(span, _seconds(entry), entry.get("timing"), _error(entry))

    def _start(
        self, name: str, begin: float, facts: Mapping[str, Any], inside: Context | None = None
    ) -> Span:
        from opentelemetry.context import Context

        # an empty context, not the one of whoever calls: a turn has no parent
        return self._tracer.start_span(
            name,
            inside if inside is not None else Context(),
            attributes={key: _sendable(value) for key, value in facts.items()},
            start_time=int(begin * _NANOSECONDS),
        )

    def _end(self, span: Span, begin: float, ms: object, error: str | None) -> None:
        from opentelemetry.trace import StatusCode

        if error is not None:
            kind, _, text = error.partition(":")
            span.set_attribute("error.type", _sendable(kind))
            span.set_status(StatusCode.ERROR, _sendable(text.strip() or kind))
        duration = float(ms) if isinstance(ms, int | float) else 0.0
        span.end(int((begin + duration / 1000) * _NANOSECONDS))


def _error(entry: Mapping[str, Any]) -> str | None:
    if entry.get("status") not in ("error", "not_found"):
        return None
    kind = entry.get("error_type") or entry.get("status")
    return f"{kind}: {entry.get('error') or ''}"


def _seconds(entry: Mapping[str, Any]) -> float:
    timestamp = entry.get("timestamp")
    return float(timestamp) if isinstance(timestamp, int | float) else 0.0


def _milliseconds(entry: Mapping[str, Any]) -> float:
    """How long what the entry tells of took."""
    took = entry.get("timing", entry.get("duration_ms"))
    return float(took) if isinstance(took, int | float) else 0.0


def _started(record: SessionRecord) -> float:
    return (record.started or datetime.fromtimestamp(0, UTC)).timestamp()


def _sendable(value: Any) -> Any:
    """Text that can be UTF-8; a lone surrogate cannot."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
