"""The parent's side of the model host, beside hosts that die, hang and talk nonsense."""

from __future__ import annotations

import logging
import os
import select
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from workbench.engine.cancel import CancelToken
from workbench.errors import InvalidRequestError, ModelHostError, StopTurn
from workbench.providers.host_client import HOST_COMMAND, ModelHost, Patience
from workbench.providers.host_pipes import EventPipe
from workbench.providers.litellm_model import LitellmModel

PRELUDE = """
import json, os, sys, signal
def say(**event): print(json.dumps(event), flush=True)
def orders():
    for line in sys.stdin: yield json.loads(line)
DONE = dict(kind="done", usage={"input": 1, "output": 1, "cached": 0}, cost=None, model="m")
"""


@contextmanager
def fake_host(script: str, **patience: float) -> Iterator[ModelHost]:
    code = PRELUDE + textwrap.dedent(script)
    host = ModelHost((sys.executable, "-S", "-c", code), Patience(**patience))
    try:
        yield host
    finally:
        host.close()


@contextmanager
def process(pid: int) -> Iterator[select.poll]:
    """Something to poll that is ready when the process has ended."""
    handle = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    try:
        yield poll
    finally:
        os.close(handle)


def ask(host: ModelHost, model: str = "m", cancel: CancelToken | None = None) -> list[dict[str, Any]]:
    return list(host.complete(model, [{"role": "user", "content": "hi"}], None, {}, cancel))


def test_events_of_a_request_arrive_in_order() -> None:
    script = """
    say(kind="ready")
    for order in orders():
        say(kind="chunks", id=order["id"], chunks=[{"text": order["messages"][0]["content"]}])
        say(**DONE, id=order["id"])
    """
    with fake_host(script) as host:
        assert [event["kind"] for event in ask(host)] == ["chunks", "done"]
        assert ask(host)[0]["chunks"] == [{"text": "hi"}]


def test_a_host_that_dies_fails_the_request_with_its_signal_and_the_next_one_works() -> None:
    script = """
    say(kind="ready")
    for order in orders():
        if order["model"] == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        say(**DONE, id=order["id"])
    """
    with fake_host(script) as host:
        ask(host)
        first = host.pid
        with pytest.raises(ModelHostError, match="SIGKILL") as caught:
            ask(host, "die")
        assert caught.value.hint == "A new one is starting."
        assert host.pid not in (None, first)
        assert ask(host)[-1]["kind"] == "done"


def test_a_host_that_was_never_ready_is_not_followed_by_another_until_somebody_asks() -> None:
    with fake_host("sys.exit(1)") as host:
        with pytest.raises(ModelHostError) as caught:
            ask(host)
        assert caught.value.hint == "The next message starts a new one."
        assert host.pid is None


def test_a_next_host_that_cannot_be_started_leaves_the_first_reason(caplog: pytest.LogCaptureFixture) -> None:
    script = """
    say(kind="ready")
    for order in orders(): os.kill(os.getpid(), signal.SIGKILL)
    """
    with fake_host(script) as host:
        events = host.complete("m", [], None, {})
        host.warm()
        while not host.ready:
            pass
        host._command = ("/no/such/program",)
        with pytest.raises(ModelHostError, match="SIGKILL") as caught:
            next(events)
        assert caught.value.hint == "The next message starts a new one."
    assert "cannot be started" in caplog.text


def test_a_host_that_was_closed_is_not_followed_by_another() -> None:
    script = """
    say(kind="ready")
    for order in orders(): say(kind="chunks", id=order["id"], chunks=[])
    """
    with fake_host(script) as host:
        events = host.complete("m", [], None, {})
        next(events)
        host.close()
        with pytest.raises(ModelHostError, match="closed"):
            next(events)
        assert host.pid is None


@pytest.mark.parametrize("ours", [True, False])
def test_warming_complains_of_a_host_that_ended_but_not_of_one_that_was_closed(
    ours: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    os.mkfifo(tmp_path / "asked")
    script = f"""
    say(kind="ready")
    for order in orders(): open({str(tmp_path / "asked")!r}, "w").close()
    """
    with fake_host(script) as host:
        warming = threading.Thread(target=LitellmModel("openai/x", host=host)._learn)
        warming.start()
        (tmp_path / "asked").read_text()  # it has the question, and will not answer it
        assert host.pid is not None
        if ours:
            host.close()
        else:
            os.kill(host.pid, signal.SIGKILL)
        warming.join(60)
    assert ("could not be warmed up" in caplog.text) is not ours


def test_a_host_that_cannot_start_says_what_it_said() -> None:
    with (
        fake_host("sys.exit('No module named litellm')") as host,
        pytest.raises(ModelHostError, match="exit code 1: No module named litellm"),
    ):
        ask(host)


@pytest.mark.parametrize(
    "line",
    ["not json", "[1]", '{"kind": "ready"} and', '{"kind": "chunks"}', '{"kind": "unheard of", "id": 1}'],
)
def test_garbage_on_the_pipe_ends_the_host_and_says_so(line: str) -> None:
    script = f"""
    say(kind="ready")
    for order in orders(): print({line!r}, flush=True)
    """
    with fake_host(script) as host, pytest.raises(ModelHostError, match="not the protocol"):
        ask(host)


def test_a_host_that_falls_silent_is_asked_and_then_killed() -> None:
    script = """
    say(kind="ready")
    for order in orders(): pass
    """
    with fake_host(script, silence=0.02, answer=0.02) as host:
        with pytest.raises(ModelHostError, match="did not answer") as caught:
            ask(host)
        assert caught.value.hint == "A new one is starting."


def test_a_model_that_thinks_long_is_not_taken_for_a_dead_host() -> None:
    script = """
    say(kind="ready")
    pings = 0
    for order in orders():
        if order["op"] == "complete": number = order["id"]
        else: pings += 1; say(kind="pong")
        if pings == 3: say(**DONE, id=number)
    """
    with fake_host(script, silence=0.02, answer=5.0) as host:
        assert ask(host)[-1]["kind"] == "done"


def test_a_host_that_never_gets_ready_is_given_up() -> None:
    with (
        fake_host("for order in orders(): pass", start=0.05, silence=0.02) as host,
        pytest.raises(ModelHostError, match="not ready"),
    ):
        ask(host)


HANGING = """
say(kind="ready")
for order in orders():
    if order["op"] == "complete": say(kind="chunks", id=order["id"], chunks=[{"text": "a"}])
    elif LISTENS: say(kind="cancelled", id=order["id"])
"""


@pytest.mark.parametrize("listens", [True, False])
def test_a_stop_frees_the_caller_and_kills_only_a_host_that_does_not_listen(listens: bool) -> None:
    with fake_host(HANGING.replace("LISTENS", str(listens)), stop=0.05) as host:
        cancel = CancelToken()
        events = host.complete("m", [], None, {}, cancel)
        next(events)
        pid = host.pid
        assert pid is not None
        with process(pid) as ended:
            cancel.cancel("enough")
            with pytest.raises(StopTurn, match="enough"):
                next(events)
            if listens:
                next(again := host.complete("m", [], None, {}))
                again.close()
                assert host.pid == pid
            else:
                assert ended.poll(10_000)
                next(again := host.complete("m", [], None, {}))
                again.close()
                assert host.pid not in (None, pid)


def test_a_request_that_is_left_early_is_stopped() -> None:
    script = """
    say(kind="ready")
    for order in orders():
        if order["op"] == "complete": say(kind="chunks", id=order["id"], chunks=[])
        else: say(kind="log", level=20, name="fake", text=order["op"])
    """
    seen = threading.Event()

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "fake: cancel" in record.getMessage():
                seen.set()

    logger = logging.getLogger("workbench.providers.host")
    listener = Listener()
    logger.addHandler(listener)
    logger.setLevel(logging.INFO)
    try:
        with fake_host(script, stop=60.0) as host:
            events = host.complete("m", [], None, {})
            next(events)
            events.close()
            assert seen.wait(60)
    finally:
        logger.removeHandler(listener)
        logger.setLevel(logging.NOTSET)


def test_what_the_host_prints_goes_to_the_log_and_not_to_the_screen(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    script = """
    say(kind="ready")
    for order in orders():
        print("a banner", file=sys.stderr, flush=True)
        say(kind="log", level=30, name="LiteLLM", text="a warning")
        sys.exit(0)
    """
    with caplog.at_level(logging.INFO), fake_host(script) as host, suppress(ModelHostError):
        ask(host)
    assert ("workbench.providers.host", logging.INFO, "a banner") in caplog.record_tuples
    assert ("workbench.providers.host", logging.WARNING, "LiteLLM: a warning") in caplog.record_tuples
    assert capfd.readouterr() == ("", "")


def test_two_threads_share_one_host() -> None:
    script = """
    say(kind="ready")
    waiting = []
    for order in orders():
        waiting.append(order)
        if len(waiting) == 2:
            for each in reversed(waiting):
                say(kind="chunks", id=each["id"], chunks=[{"text": each["model"]}])
            for each in waiting: say(**DONE, id=each["id"])
    """
    with fake_host(script) as host:
        answers: dict[str, Any] = {}
        threads = [
            threading.Thread(target=lambda name=name: answers.update({name: ask(host, name)}))
            for name in ("one", "two")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert answers["one"][0]["chunks"] == [{"text": "one"}]
        assert answers["two"][0]["chunks"] == [{"text": "two"}]


ECHO_ON_GO = """
say(kind="ready")
waiting = []
for order in orders():
    if order["op"] == "cancel":
        say(kind="cancelled", id=order["id"])
    elif order["op"] == "complete":
        waiting.append(order)
        say(kind="chunks", id=order["id"], chunks=[{"text": order["model"]}])
        if order["model"] == "go":
            for each in waiting: say(**DONE, id=each["id"])
"""


def test_a_request_that_is_alone_reads_on_its_own_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    readers: list[str] = []

    def read(self: EventPipe, real: Any = EventPipe.read) -> Any:
        readers.append(threading.current_thread().name)
        return real(self)

    monkeypatch.setattr(EventPipe, "read", read)
    with fake_host(ECHO_ON_GO) as host:
        ask(host, "go")
        readers.clear()
        ask(host, "go")
    assert readers[0] == threading.current_thread().name


def test_a_second_request_is_answered_while_the_first_waits_alone() -> None:
    with fake_host(ECHO_ON_GO) as host:
        started = threading.Event()
        kinds: list[str] = []

        def wait() -> None:
            for event in host.complete("wait", [], None, {}):
                kinds.append(event["kind"])
                started.set()

        thread = threading.Thread(target=wait)
        thread.start()
        assert started.wait(60)
        assert [event["kind"] for event in ask(host, "go")] == ["chunks", "done"]
        thread.join(60)
        assert kinds == ["chunks", "done"]


def test_a_second_request_is_answered_although_the_first_takes_nothing() -> None:
    with fake_host(ECHO_ON_GO) as host:
        idle = host.complete("idle", [], None, {})
        next(idle)
        assert ask(host, "go")[-1]["kind"] == "done"
        assert next(idle)["kind"] == "done"


def test_a_stop_reaches_a_request_that_waits_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    cancel = CancelToken()
    waiting = threading.Event()

    def stop() -> None:
        waiting.wait(60)
        cancel.cancel("enough")

    def wait(self: EventPipe, seconds: float | None, real: Any = EventPipe.wait) -> Any:
        if threading.current_thread() is threading.main_thread():
            waiting.set()
        return real(self, seconds)

    with fake_host(ECHO_ON_GO) as host:
        events = host.complete("wait", [], None, {}, cancel)
        next(events)
        monkeypatch.setattr(EventPipe, "wait", wait)
        stopper = threading.Thread(target=stop)
        stopper.start()
        with pytest.raises(StopTurn, match="enough"):
            next(events)
        stopper.join()
        assert ask(host, "go")[-1]["kind"] == "done"


def test_a_reader_that_is_interrupted_in_mid_line_takes_its_host_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(self: EventPipe, real: Any = EventPipe.read) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return real(self)
        os.read(self._descriptor, 3)
        raise KeyboardInterrupt

    with fake_host(ECHO_ON_GO) as host:
        ask(host, "go")
        first = host.pid
        with monkeypatch.context() as patch:
            patch.setattr(EventPipe, "read", interrupted)
            with pytest.raises(KeyboardInterrupt):
                ask(host, "go")
        assert ask(host, "go")[-1]["kind"] == "done"
        assert host.pid != first


def test_a_message_that_is_not_json_is_refused_by_its_number() -> None:
    with fake_host("for order in orders(): pass") as host:
        events = host.complete("m", [{"role": "user", "content": "a"}, {"content": object()}], None, {})
        with pytest.raises(InvalidRequestError, match="message 1 is not JSON"):
            next(events)


def test_our_own_keys_stay_here() -> None:
    script = """
    say(kind="ready")
    for order in orders():
        say(kind="chunks", id=order["id"], chunks=[order])
        say(**DONE, id=order["id"])
    """
    with fake_host(script) as host:
        events = list(host.complete("m", [{"role": "user", "content": "a", "_note": 1}], None, {"seed": 1}))
    order = events[0]["chunks"][0]
    assert order["messages"] == [{"role": "user", "content": "a"}]
    assert order["parameters"] == {"seed": 1}
    assert "tools" not in order


def test_the_host_ends_when_its_parent_is_killed_even_while_it_loads() -> None:
    script = """
    from workbench.providers.host_client import ModelHost
    import sys, time
    host = ModelHost()
    host.warm()
    while host.pid is None: time.sleep(0.001)
    print(host.pid, flush=True)
    sys.stdin.read()
    """
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        with process(pid) as ended:
            parent.kill()
            assert ended.poll(10_000)


def test_a_script_that_ends_takes_its_host_with_it_even_while_that_loads() -> None:
    script = """
    from workbench.providers.host_client import shared_host
    import time
    shared_host().warm()
    while shared_host().pid is None: time.sleep(0.001)
    print(shared_host().pid)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)


def test_closing_ends_a_host_that_does_not_end_by_itself() -> None:
    with fake_host('say(kind="ready")\nwhile True: signal.pause()') as host:
        host.warm()
        events = host.complete("m", [], None, {}, cancel := CancelToken())
        cancel.cancel()
        with pytest.raises(StopTurn):
            next(events)
        pid = host.pid
        assert pid is not None
        with process(pid) as ended:
            host.close()
            assert ended.poll(0)


def test_the_host_ends_when_its_input_closes() -> None:
    with subprocess.Popen(HOST_COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as host:
        assert host.stdin is not None
        host.stdin.close()
        assert host.wait(60) == 0


def test_the_host_ends_with_its_parent_although_somebody_keeps_its_input_open() -> None:
    script = """
    import os, subprocess, sys
    from workbench.providers.host_client import HOST_COMMAND
    from workbench.providers.protocol import PARENT_VARIABLE
    os.environ[PARENT_VARIABLE] = str(os.getpid())
    print(subprocess.Popen(HOST_COMMAND, stdin=int(sys.argv[1]), stdout=subprocess.DEVNULL).pid, flush=True)
    sys.stdin.read()
    """
    read_end, write_end = os.pipe()
    command = [sys.executable, "-c", textwrap.dedent(script), str(read_end)]
    try:
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(read_end,)
        ) as parent:
            assert parent.stdout is not None
            pid = int(parent.stdout.readline())
            with process(pid) as ended:
                parent.kill()
                assert ended.poll(10_000)
    finally:
        os.close(read_end)
        os.close(write_end)
