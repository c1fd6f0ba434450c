"""Real MCP servers, over stdio and over HTTP: called, killed, and there again."""

from __future__ import annotations

import asyncio
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shlex import join, quote
from typing import Any

import pytest

from workbench.errors import ToolArgumentsError, ToolDisabledError, ToolServerError
from workbench.registry import ChangeEvent, ChangeEventType, ToolRegistry, ToolTag
from workbench.toolbox.mcp_config import McpServerConfig
from workbench.toolbox.mcp_connection import McpServerState
from workbench.toolbox.mcp_servers import McpServers

SERVER = str(Path(__file__).with_name("mcp_sample_server.py"))
OLD_SERVER = str(Path(__file__).with_name("mcp_old_server.py"))
STDIO = McpServerConfig("sample", command=sys.executable, args=(SERVER,))
SERVE = join([sys.executable, SERVER])
"""The same for a shell."""

PATIENCE = 60.0


class Running:
    """A registry with servers, and what they told."""

    def __init__(self, *configs: McpServerConfig, **options: Any) -> None:
        self.registry = ToolRegistry()
        self.states: queue.Queue[McpServerState] = queue.Queue()
        self.servers = McpServers(
            self.registry, configs, self.states.put, **{"retry_delays": (0.05,), **options}
        )

    def next_state(self, phase: str) -> McpServerState:
        """The next state with this phase; others before it are passed over."""
        end = time.monotonic() + PATIENCE
        while (state := self.states.get(timeout=end - time.monotonic())).phase != phase:
            pass
        return state

    def watch(self, event: ChangeEventType, name: str) -> threading.Event:
        """Set once the registry tells of this."""
        told = threading.Event()

        def on_change(change: ChangeEvent) -> None:
            if change.tool_name == name:
                told.set()

        self.registry.on_change(on_change, only=event)
        return told

    def call(self, name: str, **arguments: Any) -> Any:
        """Call a tool."""
        return self.registry.call(name, arguments)


@pytest.fixture
def run() -> Iterator[Callable[..., Running]]:
    """Start servers that end with the test."""
    started: list[Running] = []

    def start(*configs: McpServerConfig, **options: Any) -> Running:
        running = Running(*configs, **options)
        started.append(running)
        running.servers.start()
        return running

    yield start
    for each in started:
        each.servers.close()
    assert [thread for thread in threading.enumerate() if thread.name == "mcp-servers"] == []


@pytest.fixture
def port() -> int:
    """A loopback port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_stdio_servers_tools_are_a_namespace_and_can_be_called(run: Callable[..., Running]) -> None:
    running = run(STDIO)
    state = running.next_state("connected")
    assert state.tools == (
        "sample.add",
        "sample.change",
        "sample.die",
        "sample.fail",
        "sample.hang",
        "sample.pid",
    )
    assert {tool.namespace for tool in running.registry} == {"sample"}
    assert running.call("sample.add", a=2, b=3) == 5
    assert running.call("sample-add", a=2) == 3


def test_the_input_schema_and_the_hints_are_passed_on(run: Callable[..., Running]) -> None:
    running = run(STDIO)
    running.next_state("connected")
    add, fail = running.registry.resolve("sample.add"), running.registry.resolve("sample.fail")
    assert add.description == "Add two numbers."
    assert add.parameters["properties"]["b"] == {"default": 1, "title": "B", "type": "integer"}
    assert add.metadata.tags == {ToolTag.READ_ONLY}
    assert add.metadata.parallel_safe
    assert fail.metadata.tags == {ToolTag.DESTRUCTIVE}
    assert not fail.metadata.parallel_safe
    with pytest.raises(ToolArgumentsError, match="a: missing"):
        running.call("sample.add", b=1)


def test_an_error_of_the_tool_is_raised_with_its_text(run: Callable[..., Running]) -> None:
    running = run(STDIO)
    running.next_state("connected")
    with pytest.raises(ToolServerError, match="out of milk"):
        running.call("sample.fail", why="out of milk")


def test_a_changed_list_of_tools_is_followed(run: Callable[..., Running]) -> None:
    running = run(STDIO)
    running.next_state("connected")
    gone = running.watch(ChangeEventType.UNREGISTER, "sample.fail")
    there = running.watch(ChangeEventType.REGISTER, "sample.fresh")
    assert running.call("sample.change") == "changed"
    assert gone.wait(PATIENCE)
    assert there.wait(PATIENCE)
    assert running.call("sample.fresh") == running.call("sample.pid")
    assert "sample.fresh" in running.next_state("connected").tools


def test_a_killed_server_is_seen_and_comes_back(run: Callable[..., Running]) -> None:
    running = run(STDIO, retry_delays=(PATIENCE,))
    running.next_state("connected")
    running.registry.disable("sample.add", "I said so")
    off = running.watch(ChangeEventType.DISABLE, "sample.pid")
    on = running.watch(ChangeEventType.ENABLE, "sample.pid")
    first = running.call("sample.pid")
    os.kill(first, signal.SIGKILL)
    assert "the connection ended" in running.next_state("failed").reason
    assert off.wait(PATIENCE)
    with pytest.raises(ToolDisabledError, match="sample is not connected"):
        running.call("sample.pid")
    running.servers.reconnect("sample")
    running.next_state("connecting")
    running.next_state("connected")
    assert on.wait(PATIENCE)
    assert running.call("sample.pid") != first
    assert running.registry.get_disable_reason("sample.add") == "I said so"


def test_a_server_that_dies_in_a_call_fails_the_call_and_its_last_words_are_told(
    run: Callable[..., Running],
) -> None:
    running = run(STDIO)
    running.next_state("connected")
    with pytest.raises(ToolServerError, match="was lost during the call"):
        running.call("sample.die")
    assert "last words" in running.next_state("failed").reason
    running.next_state("connected")
    assert running.call("sample.add", a=1) == 2


def test_a_server_that_lasted_is_had_back_without_a_failed_state(
    run: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.toolbox.mcp_connection.LASTING", 0.0)
    running = run(STDIO, retry_delays=(PATIENCE,))
    running.next_state("connected")
    first = running.call("sample.pid")
    os.kill(first, signal.SIGKILL)
    assert running.states.get(timeout=PATIENCE).phase == "connecting"
    # A call made meanwhile waits for the connection.
    assert running.call("sample.pid") != first
    assert running.states.get(timeout=PATIENCE).phase == "connected"


def test_a_command_that_does_not_exist_is_a_failed_state_and_the_others_work(
    run: Callable[..., Running],
) -> None:
    running = run(McpServerConfig("none", command="no-such-command-here"), STDIO)
    # told, not looked up: it is tried again soon afterwards
    failed = running.next_state("failed")
    assert (failed.name, str(failed)) == ("none", "failed: there is no no-such-command-here")
    assert running.servers.wait(PATIENCE)
    assert running.call("sample.add", a=1) == 2


def test_a_program_that_ends_at_once_is_told_with_what_it_said(run: Callable[..., Running]) -> None:
    code = "import sys; sys.exit('I need a token')"
    running = run(McpServerConfig("moody", command=sys.executable, args=("-c", code)))
    assert "I need a token" in running.next_state("failed").reason


def test_closing_ends_the_process_and_switches_the_tools_off(run: Callable[..., Running]) -> None:
    running = run(STDIO)
    running.next_state("connected")
    pid = running.call("sample.pid")
    running.servers.close()
    assert not is_alive(pid)
    assert running.next_state("closed").tools
    with pytest.raises(ToolDisabledError):
        running.call("sample.add", a=1)
    running.registry.enable("sample.add")
    with pytest.raises(ToolServerError, match="closed"):
        running.call("sample.add", a=1)


def test_a_disabled_server_and_one_that_was_not_started_leave_no_process(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    code = f"open({str(mark)!r}, 'w').close()"
    off = McpServerConfig("off", command=sys.executable, args=("-c", code), disabled=True)
    McpServers(ToolRegistry(), [McpServerConfig("never", command=sys.executable, args=("-c", code))])
    with McpServers(ToolRegistry(), [off]) as servers:
        assert servers.wait(PATIENCE)
        assert [state.phase for state in servers.states] == ["off"]
    assert not mark.exists()


def test_servers_end_with_a_program_that_forgets_to_close_them(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    # The shell goes on when its input ends, as a careless server does.
    shell = f"echo $$ > {quote(str(mark))}; {SERVE}; sleep 1000"
    code = (
        "from workbench.registry import ToolRegistry\n"
        "from workbench.toolbox.mcp_config import McpServerConfig\n"
        "from workbench.toolbox.mcp_servers import McpServers\n"
        "registry = ToolRegistry()\n"
        f"servers = McpServers(registry, [McpServerConfig('s', 'sh', ('-c', {shell!r}))])\n"
        "servers.start()\n"
        "assert servers.wait(30)\n"
        "print(registry.call('s.pid', {}))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert not is_alive(int(ended.stdout))
    assert not is_alive(int(mark.read_text()))
    assert ended.stderr == ""


def test_a_process_that_is_being_ended_when_the_servers_are_closed_is_still_ended(
    run: Callable[..., Running], tmp_path: Path
) -> None:
    mark, asked = tmp_path / "mark", tmp_path / "asked"
    # The shell hangs up when its server dies, notes that its input was closed, and goes on.
    shell = f"echo $$ > {quote(str(mark))}; {SERVE}; exec > {quote(str(asked))}; cat; echo asked; sleep 1000"
    running = run(McpServerConfig("s", "sh", ("-c", shell)), retry_delays=(PATIENCE,))
    running.next_state("connected")
    os.kill(running.call("s.pid"), signal.SIGKILL)
    end = time.monotonic() + PATIENCE
    while not asked.exists() or "asked" not in asked.read_text():
        assert time.monotonic() < end
    running.servers.close()
    assert not is_alive(int(mark.read_text()))


def test_what_a_slow_callback_is_told_of_comes_before_the_closing() -> None:
    held, closed = threading.Event(), threading.Event()
    overtaken: list[bool] = []

    def on_state(state: McpServerState) -> None:
        if state.phase == "connected":
            held.set()
            overtaken.append(closed.wait(1.0))
        elif state.phase == "closed":
            closed.set()

    servers = McpServers(ToolRegistry(), [STDIO], on_state)
    servers.start()
    assert held.wait(PATIENCE)
    servers.close()
    assert closed.is_set()
    assert overtaken == [False]


def test_a_server_of_an_older_protocol_is_followed_and_comes_back(run: Callable[..., Running]) -> None:
    running = run(McpServerConfig("old", command=sys.executable, args=(OLD_SERVER,)))
    assert running.next_state("connected").tools == ("old.change", "old.pid")
    there = running.watch(ChangeEventType.REGISTER, "old.fresh")
    running.call("old.change")
    assert there.wait(PATIENCE)
    first = int(running.call("old.pid"))
    os.kill(first, signal.SIGKILL)
    running.next_state("failed")
    running.next_state("connected")
    assert int(running.call("old.pid")) != first


def test_a_change_before_the_server_is_asked_to_tell_is_seen(run: Callable[..., Running], port: int) -> None:
    config = McpServerConfig("web", url=f"http://127.0.0.1:{port}/mcp")
    with subprocess.Popen([sys.executable, SERVER, str(port)], stderr=subprocess.DEVNULL) as server:
        try:
            first, second = run(config), Running(config)
            first.next_state("connected")

            def on_state(state: McpServerState) -> None:
                if state.phase == "connected" and "web.fresh" not in state.tools:
                    first.call("web.change")

            there = second.watch(ChangeEventType.REGISTER, "web.fresh")
            with McpServers(second.registry, [config], on_state):
                assert there.wait(PATIENCE)
        finally:
            server.kill()


def test_a_call_that_is_under_way_when_the_servers_are_closed_fails(
    run: Callable[..., Running], tmp_path: Path
) -> None:
    running = run(STDIO)
    running.next_state("connected")
    mark = tmp_path / "mark"
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(running.call, "sample.hang", mark=str(mark))
        while not mark.exists():
            assert not call.done()
        running.servers.close()
        with pytest.raises(ToolServerError, match=r"(closed|lost) during the call"):
            call.result(PATIENCE)
    with pytest.raises(RuntimeError, match="were closed"):
        running.servers.start()


async def test_a_cancelled_call_is_cancelled_on_the_server_which_stays_usable(
    run: Callable[..., Running], tmp_path: Path
) -> None:
    running = run(STDIO)
    await asyncio.to_thread(running.next_state, "connected")
    mark = tmp_path / "mark"
    call = asyncio.create_task(running.registry.acall("sample.hang", {"mark": str(mark)}))
    async with asyncio.timeout(PATIENCE):
        while not mark.exists():
            await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        while mark.exists():
            await asyncio.sleep(0)
        assert await running.registry.acall("sample.add", {"a": 1}) == 2


def test_a_server_over_http_is_called_lost_and_found_again(run: Callable[..., Running], port: int) -> None:
    running = run(McpServerConfig("web", url=f"http://127.0.0.1:{port}/mcp"))
    running.next_state("failed")  # nobody is there yet
    for _ in range(2):
        with subprocess.Popen([sys.executable, SERVER, str(port)], stderr=subprocess.DEVNULL) as server:
            try:
                running.next_state("connected")
                assert running.call("web.add", a=2, b=3) == 5
                assert running.call("web.pid") == server.pid
                with pytest.raises(ToolServerError, match="no luck"):
                    running.call("web.fail", why="no luck")
            finally:
                server.kill()
        running.next_state("failed")


def test_headers_are_sent_with_each_request(run: Callable[..., Running]) -> None:
    seen: queue.Queue[bytes] = queue.Queue()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                seen.put(connection.recv(65536))
                connection.sendall(
                    b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                )

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        run(
            McpServerConfig("web", url=address, headers={"Authorization": "Bearer x1"}),
            retry_delays=(PATIENCE,),
        )
        assert b"authorization: bearer x1" in seen.get(timeout=PATIENCE).lower()
        thread.join(PATIENCE)
