"""The model host: the child process that loads litellm and talks to the models.

Started as ``python -m workbench.providers.host``; speaks ``protocol.py`` over its first stdin and
stdout. Both are taken away from everything else at once, so that nothing a library prints can get
between the lines. Ends with its parent.
"""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import select
import sys
import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, BinaryIO

from workbench.providers.host_chunks import Flow, plain_chunk
from workbench.providers.host_facts import Facts, describe_failure
from workbench.providers.host_litellm import Workers, answer_made_up_request, freeze, is_last, load_litellm
from workbench.providers.host_messages import fit_messages
from workbench.providers.host_pictures import fetch_pictures
from workbench.providers.protocol import PARENT_VARIABLE, Event, encode

_PARENT_CHECK_SECONDS = 2.0
_READ_BYTES = 1 << 16
_SWITCH_SECONDS = 0.0005
"""How long one thread may keep the others from running; litellm hands each request to a thread and back."""

_NO_KEY = "none"
"""What a server of one's own is sent where no key is set: the client insists on one, most servers do not."""


class Host:
    """Answers the parent's lines on one event loop."""

    def __init__(self, litellm: ModuleType, send: Callable[[Event], None]) -> None:
        self._litellm = litellm
        self._send = send
        self._facts = Facts(litellm)
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._idle: asyncio.Task[None] | None = None

    def handle(self, line: bytes) -> None:
        """Do what one line asks for. Runs on the loop."""
        order = json.loads(line)
        if b"\\ud" in line:
            order = _whole_text(order)
        operation = order["op"]
        if operation == "complete":
            self._stop_warming()
            task = asyncio.get_running_loop().create_task(self._complete(order))
            self._tasks[order["id"]] = task
            task.add_done_callback(lambda _: self._tasks.pop(order["id"], None))
        elif operation == "cancel":
            self._cancel(order["id"])
        elif operation == "facts":
            facts = self._facts.about(order["model"])
            self._send({"kind": "facts", "id": order["id"], **facts})
        elif operation == "models":
            self._send({"kind": "models", "id": order["id"], "providers": self._facts.models()})
        elif operation == "environ":
            _set_environ(order["set"])
        elif operation == "ping":
            self._send({"kind": "pong"})

    def warm(self) -> None:
        """Answer a made-up request, which loads what litellm loads late."""
        self._idle = asyncio.get_running_loop().create_task(self._warm())

    def _cancel(self, number: int) -> None:
        task = self._tasks.get(number)
        if task is None:
            self._send({"kind": "cancelled", "id": number})
        else:
            task.cancel()

    def _stop_warming(self) -> None:
        if self._idle is not None:
            self._idle.cancel()

    async def _warm(self) -> None:
        await answer_made_up_request(self._litellm)
        gc.collect()
        freeze()

    async def _complete(self, order: dict[str, Any]) -> None:
        number, model = order["id"], order["model"]
        flow = Flow(lambda chunks: self._send({"kind": "chunks", "id": number, "chunks": chunks}))
        try:
            done = await self._stream(order, flow)
        except asyncio.CancelledError:
            flow.drop()
            self._send({"kind": "cancelled", "id": number})
        except Exception as error:  # the top of a worker: every failure is told to the parent
            flow.flush()
            logging.getLogger(__name__).debug("request %d failed", number, exc_info=True)
            failure = {**describe_failure(error), **self._facts.about(model), "near": []}
            failure["near"] = self._facts.near(model)
            self._send({"kind": "failed", "id": number, "error": failure})
        else:
            flow.flush()
            self._send({"kind": "done", "id": number, **done})

    async def _stream(self, order: dict[str, Any], flow: Flow) -> Event:
        parameters = order["parameters"]
        _, provider = self._facts.provider(order["model"])
        own_server = bool(parameters.get("base_url"))
        request: dict[str, Any] = {
            "model": order["model"],
            "messages": fit_messages(
                await fetch_pictures(order["messages"], provider),
                provider,
                model=order["model"],
                own_server=own_server,
            ),
            "stream": True,
            "stream_options": {"include_usage": True},
            "num_retries": 0,
            "max_retries": 0,
            **parameters,
        }
        if own_server and provider == "openai":
            request["api_key"] = parameters.get("api_key") or os.environ.get("OPENAI_API_KEY") or _NO_KEY
        if order.get("tools"):
            request["tools"] = order["tools"]
        stream = await self._litellm.acompletion(**request)
        usage: Any = None
        model: str | None = None
        empty = True
        try:
            async for chunk in stream:
                usage = getattr(chunk, "usage", None) or usage
                model = getattr(chunk, "model", None) or model
                plain = plain_chunk(chunk)
                if plain:
                    empty = empty and plain.keys() == {"finish"}
                    flow.add(plain)
                    if flow.due():
                        flow.flush()
                        await asyncio.sleep(0)  # a fast stream never yields by itself, and a stop would wait
                if is_last(stream):
                    break
        finally:
            await stream.aclose()
        # litellm makes up a finish reason where the server sent none, as a web page or a dead proxy does
        unread = empty and getattr(stream, "received_finish_reason", "unknown") is None
        return {"model": model, "unread": unread, **self._facts.bill(order["model"], usage)}


def _whole_text(value: Any) -> Any:
    """``value`` with lone surrogates replaced, which no HTTP body can hold."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole_text(item) for item in value]
    if isinstance(value, dict):
        return {_whole_text(key): _whole_text(item) for key, item in value.items()}
    return value


def _set_environ(changes: dict[str, str | None]) -> None:
    for name, value in changes.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _take_stdio() -> tuple[int, BinaryIO]:
    """The protocol's two ends; what is printed from now on goes to stderr, which the parent logs."""
    orders = os.dup(0)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return orders, answers


def _watch_parent() -> None:
    """End with the parent even if a process that it forked keeps our stdin open."""
    parent = int(os.environ.get(PARENT_VARIABLE) or os.getppid())  # it may be gone before this line runs
    while os.getppid() == parent:
        time.sleep(_PARENT_CHECK_SECONDS)
    os._exit(0)


def _watch_orders(orders: int) -> None:
    """End when nobody can send orders any more, also while the library loads and no loop runs."""
    poll = select.poll()
    poll.register(orders, 0)  # a hang-up alone; whatever waits to be read is for the loop
    poll.poll()
    os._exit(0)


class _Orders:
    """Reads lines on the loop, as they come; a thread between the two would cost each request a wake-up."""

    def __init__(self, descriptor: int, handle: Callable[[bytes], None]) -> None:
        self._descriptor = descriptor
        self._handle = handle
        self._pieces: list[bytes] = []

    def read(self) -> None:
        """Take what is there. The end of the input is the end of the process."""
        data = os.read(self._descriptor, _READ_BYTES)
        if not data:
            os._exit(0)
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._pieces.append(line)
            whole = b"".join(self._pieces)
            self._pieces.clear()
            self._handle(whole)
        self._pieces.append(rest)


class _ParentLog(logging.Handler):
    """Sends log records to the parent."""

    def __init__(self, send: Callable[[Event], None]) -> None:
        super().__init__()
        self._deliver = send

    def emit(self, record: logging.LogRecord) -> None:
        self._deliver(
            {"kind": "log", "level": record.levelno, "name": record.name, "text": self.format(record)}
        )


def main() -> None:
    """Serve until the parent closes the pipe."""
    orders, answers = _take_stdio()
    writing = threading.Lock()

    def send(event: Event) -> None:
        line = encode(event)
        with writing:
            view = memoryview(line)
            while view:
                view = view[answers.write(view) :]

    sys.setswitchinterval(_SWITCH_SECONDS)
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    threading.Thread(target=_watch_orders, args=(orders,), daemon=True).start()
    threading.Thread(target=_watch_parent, daemon=True).start()
    litellm = load_litellm(_ParentLog(send))
    loop.set_default_executor(Workers(litellm))
    host = Host(litellm, send)
    send({"kind": "ready"})
    loop.add_reader(orders, _Orders(orders, host.handle).read)
    loop.call_soon(host.warm)
    loop.run_forever()


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        sys.exit(0)
