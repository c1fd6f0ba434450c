"""A server on this machine that speaks OpenAI's chat protocol, and misbehaves on command.

In a test: ``with Loopback() as server: server.script(text("hello"))`` and ``base_url=server.base_url``.
By hand: ``python -m tests.providers.loopback --port 8080`` serves a small demo: the first answer to a
message calls two of the offered tools, the answer to their results closes the turn. A message that is one
of the words in ``FAULTS``, such as ``hang``, makes it misbehave in that way.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Payload = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """How one request is answered.

    ``events`` are sent as SSE, each a payload, or text that is sent as it is; ``pause`` is in seconds
    before each but the first. ``end``: ``done`` closes properly, ``cut`` breaks the connection, ``hang``
    keeps it open until the client leaves or the server is closed. With ``body``, it is sent instead.
    """

    events: Sequence[Payload | str] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Payload | str | None = None
    pause: float = 0.0
    end: str = "done"


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came; the names of ``headers`` are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Payload


Behaviour = Reply | Callable[[Request], Reply]


class Loopback:
    """The server. Answers requests with the scripted behaviours in order; the last one stays."""

    def __init__(self, port: int = 0) -> None:
        self.requests: list[Request] = []
        self.gone = threading.Event()
        """Set when a client left before its answer was complete."""
        self.reached = threading.Event()
        """Set when a request came."""
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._behaviours: list[Behaviour] = [text("hello")]
        self._server = _Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        """What a client is given."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, *behaviours: Behaviour) -> None:
        """Answer the next requests so; forgets the requests so far."""
        with self._lock:
            self._behaviours = list(behaviours)
            self.requests.clear()
        self.gone.clear()
        self.reached.clear()

    def start(self) -> Self:
        """Serve on a thread of its own."""
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop serving and release every hanging answer."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def take(self, request: Request) -> Reply:
        """Note ``request`` and say how to answer it."""
        with self._lock:
            self.requests.append(request)
            behaviour = self._behaviours.pop(0) if len(self._behaviours) > 1 else self._behaviours[0]
        self.reached.set()
        return behaviour if isinstance(behaviour, Reply) else behaviour(request)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, address: tuple[str, int], loopback: Loopback) -> None:
        self.loopback = loopback
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is a fact for tests, not a traceback for the screen."""
        self.loopback.gone.set()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        loopback = self._loopback
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        reply = loopback.take(
            Request(self.path, {key.lower(): value for key, value in self.headers.items()}, body)
        )
        if reply.body is not None:
            self._send_body(reply)
        else:
            self._send_events(reply)

    def do_GET(self) -> None:
        self._send_body(Reply(body={"object": "list", "data": [{"id": "some-model", "object": "model"}]}))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name is the base class's
        """Say nothing."""

    @property
    def _loopback(self) -> Loopback:
        assert isinstance(self.server, _Server)
        return self.server.loopback

    def _send_body(self, reply: Reply) -> None:
        data = (reply.body if isinstance(reply.body, str) else json.dumps(reply.body)).encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _send_events(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for position, event in enumerate(reply.events):
            if position and reply.pause and self._left(reply.pause):
                return
            self._chunk(event if isinstance(event, str) else f"data: {json.dumps(event)}\n\n")
        if reply.end == "done":
            self._chunk("data: [DONE]\n\n")
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()
        elif reply.end == "hang":
            self._left(3600.0)
        self.close_connection = True

    def _chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _left(self, seconds: float) -> bool:
        """Wait; whether the client left or the server closes."""
        end = time.monotonic() + seconds
        self.connection.settimeout(0.02)
        while time.monotonic() < end and not self._loopback.closing.is_set():
            try:
                if not self.connection.recv(1):
                    self._loopback.gone.set()
                    return True
            except TimeoutError:
                continue
            except OSError:
                self._loopback.gone.set()
                return True
            finally:
                self.connection.settimeout(0.02)
        self.connection.settimeout(None)
        return self._loopback.closing.is_set()


def delta(finish: str | None = None, **fields: Any) -> Payload:
    """One chunk of a stream."""
    choice = {"index": 0, "delta": fields, "finish_reason": finish}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "some-model",
        "choices": [choice],
    }


def usage(prompt: int = 11, completion: int = 7, cached: int = 0) -> Payload:
    """The extra last chunk that carries the usage."""
    counts = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    return {**delta(), "choices": [], "usage": counts}


def call(
    index: int | None, call_id: str | None = None, name: str | None = None, arguments: Any = None
) -> Payload:
    """One piece of a tool call, as it stands in a delta."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    piece: Payload = {"type": "function", "function": function}
    if index is not None:
        piece["index"] = index
    if call_id is not None:
        piece["id"] = call_id
    return piece


def text(*words: str, finish: str = "stop", pause: float = 0.0) -> Reply:
    """A streamed answer of ``words``."""
    return Reply([*(delta(content=word) for word in words), delta(finish=finish), usage()], pause=pause)


def calls(*pieces: Sequence[Payload], said: str = "", finish: str = "tool_calls") -> Reply:
    """A streamed answer whose deltas carry ``pieces`` of calls, after the text ``said``."""
    first = [delta(role="assistant", content=said)] if said else []
    return Reply(
        [*first, *(delta(tool_calls=list(piece)) for piece in pieces), delta(finish=finish), usage()]
    )


def error(
    status: int, message: str, *, code: str | None = None, headers: Mapping[str, str] | None = None
) -> Reply:
    """An HTTP error in OpenAI's shape."""
    body = {"error": {"message": message, "type": "error", "param": None, "code": code}}
    return Reply(status=status, headers=headers or {}, body=body)


FAULTS: Mapping[str, Sequence[Reply]] = {
    "slow": [text("one ", "word ", "a ", "second", pause=1.0)],
    "cut": [Reply([delta(content="half an ans")], end="cut")],
    "garbage": [Reply(["data: {nonsense\n\n"])],
    "page": [Reply(body="<html>hello</html>")],
    "shared": [calls([call(0, "a", "one", '{"a":1}')], [call(0, "b", "two", '{"a":2}')])],
    "limited": [error(429, "Slow down.", headers={"Retry-After": "5"}), text("fine")],
    "broken": [error(500, "oops"), error(500, "oops"), text("fine")],
    "hang": [Reply([delta(content="and then ")], end="hang")],
    "full": [error(400, "prompt is too long: 9000 tokens > 8192 maximum")],
    "filtered": [text("half", finish="content_filter")],
    "refused": [error(401, "Incorrect API key provided.")],
}
"""What the demo does for a message that is this word; several replies are for several tries."""


class Demo:
    """The demo's behaviour; counts the tries of a faulty one."""

    def __init__(self) -> None:
        self._tries: dict[str, int] = {}

    def __call__(self, request: Request) -> Reply:
        """The next fault of the message's kind, if it names one, else the demo."""
        messages = request.body.get("messages") or [{}]
        replies = FAULTS.get(str(messages[-1].get("content")).strip())
        if replies is None or messages[-1].get("role") != "user":
            return demo(request)
        key = json.dumps(messages)
        number = self._tries[key] = self._tries.get(key, 0) + 1
        return replies[min(number, len(replies)) - 1]


def demo(request: Request) -> Reply:
    """Two calls of offered tools for a new message, a closing word for their results."""
    messages = request.body.get("messages", [])
    results = []
    for message in reversed(messages):
        if message.get("role") != "tool":
            break
        results.append(str(message.get("content")))
    if results:
        return text(*_words(f"I have the results: {'; '.join(reversed(results))}."), pause=0.02)
    chosen = list(_demo_calls(request.body.get("tools") or []))[:2]
    if not chosen:
        return text(*_words("I would call a tool, but none was offered."), pause=0.02)
    pieces = [
        piece
        for index, (name, arguments) in enumerate(chosen)
        for piece in (
            [call(index, f"call_{len(messages)}_{index}", name, "")],
            [call(index, arguments=arguments)],
        )
    ]
    events = [delta(content=word) for word in _words("I make both calls at once.")]
    events += [delta(tool_calls=list(piece)) for piece in pieces]
    return Reply([*events, delta(finish="tool_calls"), usage()], pause=0.02)


def _words(sentence: str) -> list[str]:
    return [f"{word} " for word in sentence.split()]


def _demo_calls(tools: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Calls of the offered tools, those that add first, with made-up arguments."""
    samples = {"integer": 2, "number": 3.5, "boolean": True, "string": "hello", "array": [], "object": {}}
    functions = sorted(
        (tool["function"] for tool in tools), key=lambda function: "add" not in function["name"]
    )
    for function in functions:
        schema = function.get("parameters") or {}
        properties = schema.get("properties") or {}
        needed = schema.get("required") or []
        yield (
            function["name"],
            json.dumps({name: samples.get(properties[name].get("type"), "x") for name in needed}),
        )


def main() -> None:
    """Serve the demo until interrupted."""
    parser = argparse.ArgumentParser(description="A loopback server that speaks OpenAI's chat protocol.")
    parser.add_argument("--port", type=int, default=8080)
    loopback = Loopback(parser.parse_args().port)
    loopback.script(Demo())
    loopback.start()
    print(f"serving {loopback.base_url}, for instance with --model openai/some-model", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        loopback.close()


if __name__ == "__main__":
    main()
