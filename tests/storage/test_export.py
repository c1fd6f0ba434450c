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
from opentelemetry.trace import StatusCode

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import Agent
from workbench.errors import StorageError
from workbench.storage.export import to_jsonl, to_markdown
from workbench.storage.otel_export import send_spans, spans_of, write_spans
from workbench.storage.session_file import SessionRecord, Turns, read_session
from workbench.storage.session_format import Origin, TurnRecord
from workbench.storage.session_log import SessionLog

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


HOSTILE = "\x1b[31mred\x1b]52;c;aGk=\x07\x00\x9b2J\u202e\u200b\ud800\r\n\tnext \U0001f468\u200d\U0001f469"


def test_a_document_is_text_whatever_was_said_and_shows_what_was_hidden() -> None:
    failed = TurnRecord(input=HOSTILE, status="error", error=HOSTILE)
    text = "".join(to_markdown(record_of(turn(HOSTILE, HOSTILE), failed)))
    assert [char for char in text if not char.isprintable() and char not in "\n\t\u200d"] == []
    assert r"\e[31mred\e]52;c;aGk=\a\0\x9b2J\u202e\u200b\ud800" in text
    assert "\tnext \U0001f468\u200d\U0001f469" in text
    lines = "".join(to_jsonl(record_of(turn(HOSTILE, HOSTILE))))
    assert r"\u001b[31mred\u001b]52;" in lines
    assert lines.isascii()
    assert all(char.isprintable() or char == "\n" for char in lines)


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


def session_with_agents_inside(folder: Path) -> SessionRecord:
    """A session whose call ran an agent, whose call ran another one, as it was really written."""

    def fail() -> str:
        """Fail."""
        raise ValueError("no such place")

    def search(what: str) -> str:
        """Ask the searcher."""
        llm = StrictLLM(calls(call("fail")), "nothing `there`")
        return Agent("searcher", [fail], llm=llm, quiet=True, log=False).input(f"search {what}")

    def ask(what: str) -> str:
        """Ask the helper."""
        llm = StrictLLM(calls(call("search", what=what)), "the helper's answer")
        return Agent("helper", [search], llm=llm, quiet=True, log=False).input(f"look for {what}")

    log = SessionLog(folder)
    llm = StrictLLM(calls(call("ask", what="gold")), "done")
    agent = Agent("tester", [ask], llm=llm, quiet=True, log=False, observers=[log])
    agent.input("go")
    assert log.path is not None
    path = log.path
    agent.close()
    return read_session(path)


def test_the_turns_of_agents_inside_calls_are_spans_below_those_calls(tmp_path: Path) -> None:
    spans = spans_of(session_with_agents_inside(tmp_path), content=True)
    by_id = {span.context.span_id: span for span in spans}

    def above(name: str) -> list[str]:
        """The spans around the last one of this name, from the inside out."""
        span = next(span for span in reversed(spans) if span.name == name)
        names = []
        while span.parent is not None:
            outer = by_id[span.parent.span_id]
            assert (outer.start_time or 0) <= (span.start_time or 0)
            span = outer
            names.append(span.name)
        return names

    helper = ["execute_tool ask", "invoke_agent tester"]
    searcher = ["execute_tool search", "invoke_agent helper", *helper]
    assert above("invoke_agent helper") == helper
    assert above("invoke_agent searcher") == searcher
    assert above("execute_tool fail") == ["invoke_agent searcher", *searcher]
    assert len({span.context.trace_id for span in spans}) == 1
    assert sum(span.name.startswith("chat") for span in spans) == 6
    inner = next(span for span in spans if span.name == "invoke_agent searcher")
    assert inner.attributes is not None
    assert inner.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert inner.attributes["gen_ai.agent.name"] == "searcher"
    assert inner.attributes["gen_ai.input.messages"] == "search gold"
    failed = next(span for span in spans if span.name == "execute_tool fail")
    assert failed.status.status_code is StatusCode.ERROR


def test_the_turns_of_agents_inside_calls_are_set_off_in_a_document(tmp_path: Path) -> None:
    text = "".join(to_markdown(session_with_agents_inside(tmp_path)))
    lines = text.splitlines()
    assert "> *helper, inside this call:*" in lines
    assert "> > look for gold" in lines
    assert "> > *searcher, inside this call:*" in lines
    assert "> > > search gold" in lines
    assert any(line.startswith("> > **fail** (error") for line in lines)
    assert "> > nothing `there`" in lines
    assert "> the helper's answer" in lines
    html = MarkdownIt().render(text)
    assert html.count("<blockquote>") == 5
    assert html.count("<blockquote>") == html.count("</blockquote>")
