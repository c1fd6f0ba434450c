"""In a script what tools print is printed as ever, and kept with the call that printed it."""

import io
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench import Agent, before_tools
from workbench.console.captured import apart
from workbench.console.script_output import ScriptOutput, script_output
from workbench.engine.hooks import Handler


class Terminal(io.TextIOWrapper):
    """A stream as a script has it, whose bytes can be looked at."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="")

    @property
    def shown(self) -> str:
        self.flush()
        below = self.buffer
        assert isinstance(below, io.BytesIO)
        return below.getvalue().decode()


def at_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Not a fixture: pytest puts its own streams back between a fixture and its test."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    return terminal


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    logger = logging.getLogger("a_tool")
    yield logger
    logger.handlers.clear()
    logger.setLevel(logging.NOTSET)


def run(*tools: Callable[..., object], on_events: tuple[Handler, ...] = ()) -> list[dict[str, object]]:
    """One turn that calls each tool once; the entries of its trace."""
    llm = StrictLLM(calls(*(call(tool.__name__) for tool in tools)), "done")
    agent = Agent("script", list(tools), llm=llm, quiet=True, log=False, on_events=on_events)
    agent.input("go")
    assert agent.current_session is not None
    return [dict(entry) for entry in agent.current_session["trace"]]


def test_what_a_tool_prints_is_shown_at_once_and_kept_in_its_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    shown: list[str] = []

    def speak() -> str:
        print("one")
        sys.stderr.write("two\n")
        sys.stdout.flush()
        sys.stdout.buffer.write("drei ✓\n".encode())
        shown.append(terminal.shown)
        return "ok"

    entry = run(speak)[2]
    assert shown == ["one\ntwo\ndrei ✓\n"]
    assert entry["output"] == "one\ntwo\ndrei ✓\n"


def test_between_calls_the_streams_are_the_scripts_own(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    inside: list[object] = []

    def look() -> str:
        inside.append(sys.stdout)
        return "ok"

    run(look)
    assert inside != [terminal]
    assert sys.stdout is terminal
    assert sys.stderr is terminal


def test_what_a_hook_prints_stands_on_the_entry_of_its_event(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)

    def quiet() -> str:
        return "ok"

    trace = run(quiet, on_events=(before_tools(lambda agent: print("from the hook")),))
    assert trace[1]["hook_output"] == {"before_tools": "from the hook\n"}
    assert "output" not in trace[2]
    assert terminal.shown == "from the hook\n"


def test_a_thread_that_the_tool_starts_prints_into_the_tools_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    at_terminal(monkeypatch)

    def start() -> str:
        thread = threading.Thread(target=lambda: print("from the thread"))
        thread.start()
        thread.join()
        return "ok"

    assert run(start)[2]["output"] == "from the thread\n"


def test_what_another_thread_prints_meanwhile_is_no_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    output, begun, printed = ScriptOutput(), threading.Event(), threading.Event()

    def stranger() -> None:
        begun.wait(60)
        print("progress")
        printed.set()

    thread = threading.Thread(target=stranger)
    thread.start()
    with output.bracket("call") as captured:
        begun.set()
        assert printed.wait(60)
    thread.join()
    assert captured.text == ""
    assert terminal.shown == "progress\n"


def test_an_agent_inside_a_tool_keeps_what_its_own_tools_print(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    inner_outputs: list[object] = []

    def deep() -> str:
        print("deep")
        return "ok"

    def outer() -> str:
        print("before")
        inner_outputs.append(run(deep)[2]["output"])
        return "ok"

    assert run(outer)[2]["output"] == "before\n"
    assert inner_outputs == ["deep\n"]
    assert terminal.shown == "before\ndeep\n"


def test_lines_of_the_printer_are_no_output_of_the_call_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)

    def deep() -> str:
        return "ok"

    def outer() -> str:
        inner = Agent("inner", [deep], llm=StrictLLM(calls(call("deep")), "done"), log=False)
        return inner.input("go")

    entry = run(outer)[2]
    assert "deep" in terminal.shown
    assert "output" not in entry


def test_text_written_apart_belongs_to_no_call(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    with script_output().bracket("call") as captured:
        with apart():
            print("not the call's")
        print("the call's")
    assert captured.text == "the call's\n"
    assert terminal.shown == "not the call's\nthe call's\n"


def test_what_a_call_prints_after_its_end_is_only_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    go = threading.Event()
    threads: list[threading.Thread] = []

    def leave_behind() -> str:
        def late() -> None:
            go.wait(60)
            print("late")

        threads.append(threading.Thread(target=late))
        threads[0].start()
        return "ok"

    entry = run(leave_behind)[2]
    go.set()
    threads[0].join()
    assert "output" not in entry
    assert terminal.shown == "late\n"


def test_a_stream_that_the_script_put_there_in_the_meantime_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    output, other = ScriptOutput(), io.StringIO()
    with redirect_stdout(terminal):
        with output.bracket("call"):
            sys.stdout = other
        assert sys.stdout is other


def test_a_redirection_that_outlives_a_call_leads_to_the_scripts_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = at_terminal(monkeypatch)
    output, aside = ScriptOutput(), io.StringIO()
    redirected = redirect_stdout(aside)
    with output.bracket("one"):
        redirected.__enter__()
    redirected.__exit__(None, None, None)
    print("after")
    with output.bracket("two") as captured:
        print("in the next call")
    assert captured.text == "in the next call\n"
    assert terminal.shown == "after\nin the next call\n"


def test_the_stream_is_the_scripts_own_in_all_respects(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = at_terminal(monkeypatch)
    with ScriptOutput().bracket("call"):
        ear = sys.stdout
        assert (ear.encoding, ear.errors, ear.newlines) == ("utf-8", "strict", None)
        assert ear.isatty() is False
        assert ear.writable()
        assert ear.line_buffering is False
        with pytest.raises(io.UnsupportedOperation):
            ear.fileno()
        assert not hasattr(ear, "nonsense")
    del ear
    assert not terminal.closed


def test_a_stream_without_bytes_below_has_none_here_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with ScriptOutput().bracket("call"):
        assert not hasattr(sys.stdout, "buffer")


def test_no_streams_at_all_are_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with ScriptOutput().bracket("call") as captured:
        print("nowhere")
    assert captured.text == ""


def test_log_records_are_kept_with_the_call_and_shown_as_the_script_has_it(
    monkeypatch: pytest.MonkeyPatch, logger: logging.Logger
) -> None:
    terminal = at_terminal(monkeypatch)
    mine = logging.StreamHandler(terminal)
    mine.setFormatter(logging.Formatter("mine: %(message)s"))
    logger.addHandler(mine)
    before = list(logging.root.handlers)
    with ScriptOutput().bracket("call") as captured:
        logger.warning("slow")
    assert captured.text == "WARNING a_tool: slow\n"
    assert terminal.shown == "mine: slow\n"
    assert logging.root.handlers == before


def test_a_script_without_any_logging_sees_warnings_as_before(tmp_path: Path) -> None:
    # in a process of its own: pytest has handlers on the root logger
    script = """
import logging, sys
from workbench.console.script_output import ScriptOutput
with ScriptOutput().bracket("call") as captured:
    logging.getLogger("a_tool").warning("slow")
print(repr(captured.text))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stderr == "slow\n"
    assert done.stdout == "'slow\\n'\n"
