"""What is written while a call runs is kept with that call."""

import contextvars
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from workbench.console.captured import KEPT
from workbench.console.stray_log import StrayLog
from workbench.console.stream_capture import StreamCapture
from workbench.engine.output import OutputCapture


class Setting:
    """A capture and the text that it found no call for."""

    def __init__(self) -> None:
        self.strays: list[str] = []
        self.capture = StreamCapture(stray=self.strays.append)

    @property
    def stray(self) -> str:
        return "".join(self.strays)


@contextmanager
def installed() -> Iterator[Setting]:
    """Not a fixture: pytest puts its own streams back between a fixture and its test."""
    setting = Setting()
    ready, over = threading.Event(), threading.Event()

    def app() -> None:
        # the installing thread counts as the app's own: the tests write on another one, as agents do
        setting.capture.install()
        ready.set()
        over.wait()

    thread = threading.Thread(target=app)
    thread.start()
    ready.wait()
    try:
        yield setting
    finally:
        setting.capture.remove()
        over.set()
        thread.join()


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    logger = logging.getLogger("a_tool")
    yield logger
    logger.handlers.clear()
    logger.setLevel(logging.NOTSET)
    logger.propagate = True


def in_thread(work: Callable[[], object], context: contextvars.Context | None = None) -> None:
    thread = threading.Thread(target=work if context is None else lambda: context.run(work))
    thread.start()
    thread.join()


def test_the_capture_is_an_output_capture_of_the_engine() -> None:
    port: OutputCapture = StreamCapture()
    with port.bracket("call") as captured:
        assert captured.text == ""


def test_print_stderr_and_the_byte_stream_end_on_the_call_in_order() -> None:
    with installed() as setting:
        with setting.capture.bracket("call") as captured:
            print("one")
            print("two", file=sys.stderr)
            sys.stdout.buffer.write("drei ✓\n".encode())
        assert captured.text == "one\ntwo\ndrei ✓\n"
        assert setting.stray == ""


def test_what_a_child_wrote_before_stands_before_what_is_printed_then() -> None:
    with installed() as setting:
        waiting = ["from a child\n"]

        def drain() -> None:
            while waiting:
                setting.capture.write_unowned(waiting.pop())

        with setting.capture.bracket("call") as captured:
            setting.capture.drain = drain
            print("mine")
            waiting.append("from another\n")
            print("mine again")
        assert captured.text == "from a child\nmine\nfrom another\nmine again\n"


def test_text_can_be_read_while_the_call_still_runs() -> None:
    with installed() as setting, setting.capture.bracket("call") as captured:
        print("so far", end="")
        assert captured.text == "so far"


def test_a_character_cut_in_two_writes_is_whole_again() -> None:
    with installed() as setting:
        with setting.capture.bracket("call") as captured:
            sys.stdout.buffer.write(b"\xe2\x9c")
            sys.stdout.buffer.write(b"\x93")
        assert captured.text == "✓"


def test_bytes_and_characters_that_are_no_text_are_shown_as_escapes() -> None:
    with installed() as setting:
        with setting.capture.bracket("call") as captured:
            sys.stdout.buffer.write(b"\xff\n")
            print("\ud800")
        assert captured.text == "\\xff\n\\ud800\n"


def test_text_of_no_call_is_stray() -> None:
    with installed() as setting:
        print("nobody's")
        assert setting.stray == "nobody's\n"


def test_what_a_call_writes_after_its_end_is_stray() -> None:
    with installed() as setting:
        with setting.capture.bracket("call") as captured:
            context = contextvars.copy_context()
        in_thread(lambda: print("late"), context)
        assert captured.text == ""
        assert setting.stray == "late\n"


def test_what_a_call_of_an_earlier_capture_still_writes_is_stray() -> None:
    with StreamCapture().bracket("long ago"):
        context = contextvars.copy_context()
    with installed() as setting:
        with setting.capture.bracket("now") as captured:
            in_thread(lambda: print("still here"), context)
        assert captured.text == ""
        assert setting.stray == "still here\n"


def test_parallel_calls_never_mix() -> None:
    with installed() as setting:
        texts: dict[str, str] = {}
        barrier = threading.Barrier(4)

        def call(name: str) -> None:
            with setting.capture.bracket(name) as captured:
                barrier.wait(60)
                for number in range(200):
                    print(name, number)
            texts[name] = captured.text

        threads = [threading.Thread(target=call, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name in "abcd":
            assert texts[name] == "".join(f"{name} {number}\n" for number in range(200))
        assert setting.stray == ""


def test_a_call_inside_a_call_keeps_its_own_text_and_gives_the_rest_back() -> None:
    with installed() as setting:
        beside = setting.capture.bracket("beside")
        contextvars.Context().run(beside.__enter__)
        with setting.capture.bracket("outer") as outer:
            print("before")
            with setting.capture.bracket("inner") as inner:
                print("inside")
            print("after")
        beside.__exit__(None, None, None)
        assert outer.text == "before\nafter\n"
        assert inner.text == "inside\n"


def test_a_thread_that_a_tool_starts_itself_belongs_to_the_only_running_call() -> None:
    with installed() as setting:
        with setting.capture.bracket("outer") as outer, setting.capture.bracket("inner") as inner:
            in_thread(lambda: print("own thread"))
        assert inner.text == "own thread\n"
        assert outer.text == ""


def test_text_without_a_context_belongs_to_the_call_that_all_running_ones_are_inside_of() -> None:
    with installed() as setting:
        capture = setting.capture
        with capture.bracket("outer") as outer:
            context = contextvars.copy_context()
            first, second = capture.bracket("first"), capture.bracket("second")
            one = context.run(first.__enter__)
            two = contextvars.copy_context().run(second.__enter__)
            in_thread(lambda: print("whose?"))
            context.run(first.__exit__, None, None, None)
            second.__exit__(None, None, None)
        assert (outer.text, one.text, two.text) == ("whose?\n", "", "")


def test_text_without_a_context_is_stray_while_calls_run_side_by_side() -> None:
    with installed() as setting:
        capture = setting.capture
        with capture.bracket("one") as one:
            other = contextvars.Context()
            two = capture.bracket("two")
            captured = other.run(two.__enter__)
            in_thread(lambda: print("whose?"))
            other.run(two.__exit__, None, None, None)
        assert (one.text, captured.text) == ("", "")
        assert setting.stray == "whose?\n"


def test_the_apps_own_thread_never_writes_into_a_call() -> None:
    strays: list[str] = []
    capture = StreamCapture(stray=strays.append)
    capture.install()
    try:
        ready, done = threading.Event(), threading.Event()
        texts: list[str] = []

        def call() -> None:
            with capture.bracket("call") as captured:
                ready.set()
                done.wait(60)
            texts.append(captured.text)

        thread = threading.Thread(target=call)
        thread.start()
        ready.wait(60)
        print("the app")
        done.set()
        thread.join()
    finally:
        capture.remove()
    assert texts == [""]
    assert "".join(strays) == "the app\n"


def test_of_a_long_text_both_ends_are_kept_and_a_line_says_what_is_missing() -> None:
    with installed() as setting:
        with setting.capture.bracket("call") as captured:
            print("first")
            for number in range(40):
                print(f"{number:02}" * 50_000)
            print("last")
        head, missing, tail = captured.text.split("\n… ")[0], captured.text.split("…")[1], captured.text[-5:]
        assert head.startswith("first\n00")
        assert len(head) == KEPT // 2
        assert missing == f" {6 + 40 * 100_001 + 5 - KEPT:,} characters not kept "
        assert tail == "last\n"
        assert len(captured.text) < KEPT + 100


def test_one_huge_write_is_bounded_too() -> None:
    with installed() as setting:
        with setting.capture.bracket("call") as captured:
            sys.stdout.write("a" * 5_000_000 + "z")
        assert captured.text.startswith("aaa")
        assert captured.text.endswith("az")
        assert f"{5_000_001 - KEPT:,} characters" in captured.text


def test_a_text_that_just_fits_is_whole() -> None:
    with installed() as setting:
        whole = "".join(f"{number:9}\n" for number in range(KEPT // 10))
        with setting.capture.bracket("call") as captured:
            for start in range(0, KEPT, 999):
                sys.stdout.write(whole[start : start + 999])
        assert captured.text == whole


def test_log_records_of_a_call_are_shown_on_it(logger: logging.Logger) -> None:
    with installed() as setting:
        logger.setLevel(logging.INFO)
        with setting.capture.bracket("call") as captured:
            logger.debug("too little")
            logger.info("fetching %s", "a.txt")
            logger.warning("slow")
        assert captured.text == "INFO a_tool: fetching a.txt\nWARNING a_tool: slow\n"


def test_workbenchs_own_log_records_are_not_the_calls() -> None:
    with installed() as setting:
        with setting.capture.bracket("call") as captured:
            logging.getLogger("workbench.engine").warning("ours")
        assert captured.text == ""


def test_a_record_that_the_users_own_handler_prints_is_shown_once(logger: logging.Logger) -> None:
    early = logging.StreamHandler(sys.stderr)
    early.setFormatter(logging.Formatter("mine: %(message)s"))
    logger.addHandler(early)
    stream = early.stream
    with installed() as setting, setting.capture.bracket("call") as captured:
        logger.warning("slow")
    assert captured.text == "mine: slow\n"
    assert early.stream is stream


def test_a_record_whose_arguments_do_not_fit_does_not_fail_the_tool(
    logger: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    with installed() as setting:
        monkeypatch.setattr(logging, "raiseExceptions", False)
        logger.propagate = False
        with setting.capture.bracket("call") as captured:
            logger.warning("%d", "no number")
            print("goes on")
        assert captured.text == "goes on\n"


def test_a_tools_own_logging_setup_works_inside_the_app() -> None:
    # in a process of its own: pytest has handlers on the root logger
    script = """
import logging, threading
from workbench.console.stream_capture import StreamCapture
capture = StreamCapture()
threading.Thread(target=capture.install).start()
with capture.bracket("call") as captured:
    logging.basicConfig(level=logging.INFO, format="set up: %(message)s")
    logging.getLogger("a_tool").info("hello")
capture.remove()
print(repr(captured.text))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "'set up: hello\\n'\n"


def test_stray_text_is_logged_by_line_to_our_handlers_only_and_never_because_of_itself() -> None:
    lines: list[str] = []
    others: list[str] = []

    class Handler(logging.Handler):
        def __init__(self, kept: list[str]) -> None:
            super().__init__()
            self.kept = kept

        def emit(self, record: logging.LogRecord) -> None:
            self.kept.append(record.getMessage())
            print("written by the handler")

    ours, root = logging.getLogger("workbench"), logging.getLogger()
    level = ours.level
    mine, foreign = Handler(lines), Handler(others)
    ours.addHandler(mine)
    root.addHandler(foreign)
    ours.setLevel(logging.INFO)
    stray = StrayLog()
    try:
        with installed() as setting:
            setting.capture.stray = stray
            print("one\ntwo")
            print("half", end="")
            assert lines == ["one", "two"]
            stray.flush()
    finally:
        ours.removeHandler(mine)
        root.removeHandler(foreign)
        ours.setLevel(level)
    assert lines == ["one", "two", "half"]
    assert others == []


def test_removing_gives_back_what_was_there() -> None:
    before = (sys.stdout, sys.stderr, logging.lastResort, list(logging.root.handlers))
    capture = StreamCapture()
    capture.install()
    assert sys.stdout is not before[0]
    capture.remove()
    assert (sys.stdout, sys.stderr, logging.lastResort, list(logging.root.handlers)) == before


def test_removing_leaves_alone_what_somebody_else_put_there() -> None:
    before = sys.stdout
    capture = StreamCapture()
    capture.install()
    sys.stdout = sys.__stdout__
    try:
        capture.remove()
        assert sys.stdout is sys.__stdout__
    finally:
        sys.stdout = before


def test_a_tool_that_closes_its_stream_does_not_silence_the_next_one() -> None:
    with installed() as setting:
        with setting.capture.bracket("one"):
            sys.stdout.close()
        with setting.capture.bracket("two") as captured:
            print("still here")
        assert captured.text == "still here\n"


def test_the_streams_say_what_they_are() -> None:
    with installed():
        assert not sys.stdout.isatty()
        assert sys.stdout.encoding == "utf-8"
        assert (sys.stdout.fileno(), sys.stderr.fileno()) == (1, 2)
        assert sys.stderr.name == "<stderr>"


def test_a_forked_child_writes_to_the_file_descriptor_it_shares(capfd: pytest.CaptureFixture[str]) -> None:
    with installed() as setting:
        with setting.capture.bracket("call") as captured:
            child = os.fork()
            if child == 0:
                print("from the child")
                os._exit(0)
            os.waitpid(child, 0)
        assert captured.text == ""
        assert capfd.readouterr().out == "from the child\n"


def test_recent_text_is_what_the_same_call_or_thread_wrote() -> None:
    with installed() as setting:
        seen: list[str] = []
        print("mine")
        in_thread(lambda: seen.append(setting.capture.recent()))
        with setting.capture.bracket("call"):
            print("the call's")
            assert setting.capture.recent() == "the call's\n"
        assert setting.capture.recent() == "mine\n"
        assert seen == [""]


def test_recent_text_includes_what_still_waits_in_the_file_descriptors() -> None:
    waiting = ["from a child\n"]

    def drain() -> None:
        while waiting and capture.write_unowned(waiting[0]):
            del waiting[0]

    capture = StreamCapture(drain=drain)
    with capture.bracket("call"):
        waiting.append("and another\n")
        assert capture.recent() == "from a child\nand another\n"
