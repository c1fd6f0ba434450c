"""Sessions leave as Markdown, JSON lines and OpenTelemetry spans."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from workbench.errors import StorageError
from workbench.storage.export import to_jsonl, to_markdown
from workbench.storage.otel_export import send_spans, spans_of, write_spans
from workbench.storage.session_file import SessionRecord, Turns
from workbench.storage.session_format import Origin, TurnRecord

USAGE = {"input_tokens": 10, "output_tokens": 5, "cached_tokens": 0, "cost": 0.25}


def record_of(*turns: TurnRecord, origin: Origin | None = None) -> SessionRecord:
    """A session with these turns."""
    return SessionRecord(Path("tester.yaml"), "tester", "offline", None, Turns(turns), (), origin)


def turn(prompt: str = "look", result: str = "found", *, status: str = "success") -> TurnRecord:
    """A turn with one call."""
    function = {"name": "files-look", "arguments": '{"place": "a"}'}
    call = {"id": "c1", "type": "function", "function": function}
    return TurnRecord(
        input=prompt,
        model="offline",
        duration_ms=2000.0,
        result="done",
        messages=(
            {"role": "user", "content": prompt},
            {"role": "assistant", "content": "Let me look.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": result},
            {"role": "assistant", "content": "done"},
        ),
        trace=(
            {"type": "user_input", "turn": 1, "prompt": prompt, "timestamp": 1000.0},
            {
                "type": "llm_call",
                "model": "offline",
                "timestamp": 1000.5,
                "duration_ms": 100.0,
                "usage": USAGE,
                "status": "success",
                "finish_reason": "tool_calls",
            },
            {
                "type": "tool_execution",
                "tool_name": "files.look",
                "call_id": "c1",
                "arguments": {"place": "a"},
                "result": result,
                "status": status,
                "timing": 250.0,
                "timestamp": 1001.0,
                **({"error": "no such place", "error_type": "KeyError"} if status == "error" else {}),
            },
        ),
    )


def test_markdown_has_prompts_calls_results_and_answers_in_order() -> None:
    text = "".join(to_markdown(record_of(turn(), origin=Origin("first.yaml", 3))))
    places = [
        text.index(words)
        for words in (
            "# tester",
            "forked from first.yaml after turn 3",
            "## Turn 1",
            "> look",
            "Let me look.",
            "**files.look** (success, 250 ms)",
            '{"place": "a"}',
            "found",
            "done",
        )
    ]
    assert places == sorted(places)


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=200))
def test_a_result_can_never_leave_its_code_block(result: str) -> None:
    result = f"```\n{result}\n````\n# heading"
    text = "".join(to_markdown(record_of(turn(result=result))))
    headings = [token for token in MarkdownIt().parse(text) if token.type == "heading_open"]
    assert [token.tag for token in headings] == ["h1", "h2"]


def test_a_turn_that_failed_says_how_it_ended() -> None:
    failed = TurnRecord(input="x", status="error", error="ProviderError: no key")
    assert "*The turn ended: error.* ProviderError: no key" in "".join(to_markdown(record_of(failed)))


@given(st.text(max_size=50))
def test_json_lines_hold_everything_and_any_text(text: str) -> None:
    lines = [json.loads(line) for line in to_jsonl(record_of(turn(text, text)))]
    assert [line["kind"] for line in lines] == ["session", "turn", "entry", "entry", "entry"]
    assert lines[1]["input"] == text
    assert lines[1]["messages"][2]["content"] == text
    assert lines[-1]["entry"]["result"] == text


def test_spans_have_the_names_the_times_and_the_parents() -> None:
    spans = {span.name: span for span in spans_of(record_of(turn()))}
    assert list(spans) == ["chat offline", "execute_tool files.look", "invoke_agent tester"]
    whole, tool, chat = spans["invoke_agent tester"], spans["execute_tool files.look"], spans["chat offline"]
    assert whole.parent is None
    for inner in (tool, chat):
        assert inner.parent is not None
        assert inner.parent.span_id == whole.context.span_id
    assert (tool.start_time, tool.end_time) == (1_001_000_000_000, 1_001_250_000_000)
    assert tool.attributes is not None
    assert tool.attributes["gen_ai.tool.call.id"] == "c1"
    assert "gen_ai.tool.call.result" not in tool.attributes
    assert chat.attributes is not None
    assert chat.attributes["gen_ai.usage.input_tokens"] == 10
    assert chat.attributes["gen_ai.response.finish_reasons"] == ("tool_calls",)


def test_a_failed_call_is_a_failed_span() -> None:
    tool = next(s for s in spans_of(record_of(turn(status="error"))) if s.name.startswith("execute_tool"))
    assert tool.status.status_code.name == "ERROR"
    assert tool.attributes is not None
    assert tool.attributes["error.type"] == "KeyError"


def test_turns_are_traces_of_their_own() -> None:
    spans = [span for span in spans_of(record_of(turn(), turn())) if span.name.startswith("invoke_agent")]
    assert len({span.context.trace_id for span in spans}) == 2


@given(st.text(max_size=20))
def test_spans_as_json_lines_take_any_text_when_content_is_wanted(text: str) -> None:
    out = io.StringIO()
    assert write_spans(record_of(turn(text, text)), out, content=True) == 3
    spans = [json.loads(line) for line in out.getvalue().splitlines()]
    assert "gen_ai.tool.call.result" in spans[1]["attributes"]


class Collector(BaseHTTPRequestHandler):
    """Takes what is sent, or refuses it."""

    received: list[tuple[str, bytes]]
    status = 200

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.received.append((self.path, body))
        self.send_response(self.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def collector() -> Iterator[tuple[str, type[Collector]]]:
    """A collector on a port of its own: its address, and what it got."""

    class Own(Collector):
        received: list[tuple[str, bytes]] = []  # noqa: RUF012  # one list for one server

    server = HTTPServer(("127.0.0.1", 0), Own)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", Own
    server.shutdown()
    server.server_close()
    thread.join()


def test_spans_reach_a_collector(collector: tuple[str, type[Collector]]) -> None:
    address, server = collector
    assert send_spans(record_of(turn()), address) == 3
    ((path, body),) = server.received
    assert path == "/v1/traces"
    assert b"execute_tool files.look" in body


def test_a_collector_that_refuses_is_an_error(collector: tuple[str, type[Collector]]) -> None:
    address, server = collector
    server.status = 400
    with pytest.raises(StorageError, match="did not take the spans"):
        send_spans(record_of(turn()), address)
