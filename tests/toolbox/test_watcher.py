"""Saves are seen by themselves: through events, by polling where there are none, and when asked."""

from __future__ import annotations

import logging
import os
import queue
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.toolbox.conftest import Write
from workbench.registry import ChangeEvent, ToolRegistry
from workbench.toolbox.loader import load_tools
from workbench.toolbox.reload import Reloader, ReloadReport
from workbench.toolbox.watcher import ToolWatcher

PATIENCE = 60.0
ONE = "def one() -> int:\n    return {}\n"


class Watched:
    """A folder of tools under watch, and what was reported."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.registry = ToolRegistry()
        self.reports: queue.Queue[ReloadReport] = queue.Queue()
        source = load_tools(folder, self.registry).source
        self.watcher = ToolWatcher(self.registry, [source], self.reports.put, **options)

    def next(self) -> ReloadReport:
        return self.reports.get(timeout=PATIENCE)

    def one(self) -> Any:
        return self.registry.call("a.one", {})


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Callable[..., Watched]]:
    """Watch the test's folder until the test ends."""
    started: list[Watched] = []

    def start(**options: Any) -> Watched:
        watched = Watched(tmp_path, **options)
        started.append(watched)
        watched.watcher.start()
        return watched

    yield start
    for each in started:
        each.watcher.stop()
        assert not each.watcher.running


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """A file system that tells nothing unless it is polled; lists how it was watched."""
    import watchfiles

    real = watchfiles.watch
    asked: list[bool] = []

    def without_events(*places: Any, force_polling: bool, rust_timeout: int, **options: Any) -> Iterator[Any]:
        asked.append(force_polling)
        if force_polling:
            yield from real(*places, force_polling=True, rust_timeout=rust_timeout, **options)
        while not options["stop_event"].wait(rust_timeout / 1000):
            yield set()

    monkeypatch.setattr(watchfiles, "watch", without_events)
    return asked


def save_atomically(path: Path, source: str) -> None:
    """As many editors do: the new text goes to another file, which then takes the name."""
    beside = path.with_name(f".{path.name}.swp")
    beside.write_text(source, encoding="utf-8")
    os.replace(beside, path)


def test_a_save_is_seen_and_the_new_version_is_called(write: Write, watch: Callable[..., Watched]) -> None:
    write("a.py", ONE.format(1))
    watched = watch()
    for number in range(2, 5):
        write("a.py", ONE.format(number))
        assert watched.next().changed == ("a.one",)
        assert watched.one() == number
    assert not watched.watcher.polling


def test_atomic_saves_are_seen_again_and_again(write: Write, watch: Callable[..., Watched]) -> None:
    path = write("a.py", ONE.format(1))
    watched = watch()
    watched.registry.disable("a.one", "mine")
    for number in range(2, 5):
        save_atomically(path, ONE.format(number))
        report = watched.next()
        assert (report.changed, report.removed) == (("a.one",), ())
    assert watched.registry.get_disable_reason("a.one") == "mine"


def test_an_editor_that_deletes_before_it_writes_loses_no_tool(
    write: Write, watch: Callable[..., Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.toolbox.watcher.SETTLING", PATIENCE)
    path = write("a.py", ONE.format(1))
    watched = watch()
    for gap in (path.unlink, lambda: path.write_text("")):
        told: list[ChangeEvent] = []
        unsubscribe = watched.registry.on_change(told.append)
        gap()
        started = threading.Thread(target=watched.watcher.check)
        started.start()
        path.write_text(ONE.format(gap is path.unlink), encoding="utf-8")
        started.join(PATIENCE)
        watched.watcher.check()
        assert [event.event_type.value for event in told].count("unregister") == 0
        unsubscribe()


def test_a_burst_of_saves_during_a_reload_gives_one_more_reload(
    write: Write, watch: Callable[..., Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, go_on = threading.Event(), threading.Event()
    monkeypatch.setattr(sys, "inside_in_test", inside, raising=False)
    monkeypatch.setattr(sys, "go_on_in_test", go_on, raising=False)
    path = write("a.py", ONE.format(1))
    watched = watch()
    wait = "import sys\nsys.inside_in_test.set()\nsys.go_on_in_test.wait(60)\n"
    path.write_text(wait + ONE.format(2), encoding="utf-8")
    assert inside.wait(PATIENCE)
    for number in range(3, 30):
        save_atomically(path, ONE.format(number))
    go_on.set()
    watched.next()
    watched.next()
    assert watched.one() == 29
    assert watched.watcher.check() is None
    assert watched.reports.empty()


def test_new_files_and_helpers_in_new_folders_are_watched_from_then_on(
    write: Write, watch: Callable[..., Watched]
) -> None:
    write("a.py", ONE.format(1))
    watched = watch()
    write("lib/part.py", "V = 1\n")
    write("b.py", "from lib.part import V\ndef bee() -> int: return V\n")
    assert watched.next().added == ("b.bee",)
    write("lib/part.py", "V = 2\n")
    assert watched.next().changed == ("b.bee",)
    assert watched.registry.call("b.bee", {}) == 2
    assert not watched.watcher.polling


def test_polling_can_be_asked_for(write: Write, watch: Callable[..., Watched], deaf: list[bool]) -> None:
    write("a.py", ONE.format(1))
    watched = watch(force_polling=True)
    write("a.py", ONE.format(22))
    watched.next()
    assert watched.one() == 22
    assert all(deaf)


def test_where_no_events_come_it_polls_from_then_on(
    write: Write, watch: Callable[..., Watched], deaf: list[bool]
) -> None:
    write("a.py", ONE.format(1))
    watched = watch(idle_ms=20)
    for number in (22, 333):
        write("a.py", ONE.format(number))
        watched.next()
        assert watched.one() == number
    assert watched.watcher.polling
    while len(deaf) < 2:  # the watch begins anew a moment after the report
        threading.Event().wait(0.001)
    assert deaf == [False, True]


def test_a_system_without_watches_left_is_polled(
    write: Write, watch: Callable[..., Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    import watchfiles

    real = watchfiles.watch

    def exhausted(*places: Any, force_polling: bool, **options: Any) -> Iterator[Any]:
        if not force_polling:
            raise OSError("OS file watch limit reached")
        return real(*places, force_polling=True, **options)

    monkeypatch.setattr(watchfiles, "watch", exhausted)
    write("a.py", ONE.format(1))
    watched = watch(idle_ms=20)
    write("a.py", ONE.format(22))
    watched.next()
    assert watched.watcher.polling


def test_a_check_sees_a_save_without_any_watching(write: Write, tmp_path: Path) -> None:
    write("a.py", ONE.format(1))
    watched = Watched(tmp_path)
    assert watched.watcher.check() is None
    write("a.py", ONE.format(2))
    report = watched.watcher.check()
    assert report is not None
    assert report == watched.next()
    assert watched.one() == 2
    assert watched.watcher.check() is None


def test_a_helper_that_nobody_imports_any_more_is_forgotten(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("lib/part.py", "V = 1\n")
    write("a.py", "from lib.part import V\n" + ONE.format("V"))
    watched = Watched(tmp_path)
    write("a.py", ONE.format(2))
    assert watched.watcher.check() is not None
    monkeypatch.setattr(Reloader, "reload", lambda self, **options: pytest.fail("there is nothing to reload"))
    assert watched.watcher.check() is None
    write("lib/part.py", "V = 22\n")
    assert watched.watcher.check() is None


def test_a_folder_that_vanishes_and_returns_is_followed(
    tmp_path: Path, write: Write, watch: Callable[..., Watched]
) -> None:
    write("a.py", ONE.format(1))
    watched = watch(idle_ms=20)
    shutil.rmtree(tmp_path)
    assert watched.next().removed == ("a.one",)
    write("a.py", ONE.format(2))
    while not watched.next().added:
        pass
    assert watched.one() == 2


def test_reloads_from_many_threads_run_one_at_a_time(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running: list[int] = []
    monkeypatch.setattr(sys, "running_in_test", running, raising=False)
    source = (
        "import sys, threading\n"
        "sys.running_in_test.append(1)\n"
        "assert len(sys.running_in_test) == 1\n"
        "threading.Event().wait(0.001)\n"
        "sys.running_in_test.pop()\n"
        "def one() -> int:\n    return {}\n"
    )
    write("a.py", source.format(0))
    watched = Watched(tmp_path)
    threads = [threading.Thread(target=watched.watcher.reload, kwargs={"everything": True}) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert watched.watcher.failures == ()
    assert watched.reports.qsize() == 8


def test_a_callback_may_ask_for_a_reload_and_may_fail(
    write: Write, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write("a.py", ONE.format(1))
    registry = ToolRegistry()
    source = load_tools(tmp_path, registry).source
    asked: list[ReloadReport | None] = []

    def on_reload(report: ReloadReport) -> None:
        asked.append(watcher.check())
        asked.append(watcher.reload())
        raise ValueError("the callback's own fault")

    watcher = ToolWatcher(registry, [source], on_reload)
    write("a.py", ONE.format(2))
    with caplog.at_level(logging.ERROR):
        assert watcher.check() is not None
    assert asked == [None, ReloadReport()]
    assert "a reload callback failed" in caplog.text
    assert registry.call("a.one", {}) == 2


def test_loading_tools_loads_neither_watchfiles_nor_mcp() -> None:
    import subprocess

    code = (
        "import sys, workbench.toolbox.loader, workbench.toolbox.watcher, workbench.toolbox.mcp_servers\n"
        "print({'watchfiles', 'mcp', 'httpx2'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


@pytest.mark.parametrize(
    "raised", ["KeyboardInterrupt", "SystemExit(3)", "GeneratorExit", "BaseException('no')"]
)
def test_whatever_a_file_raises_as_it_is_imported_the_next_save_is_seen(
    raised: str, write: Write, watch: Callable[..., Watched]
) -> None:
    write("a.py", ONE.format(1))
    watched = watch()
    write("a.py", f"raise {raised}\n")
    failure = watched.next().failures[0]
    assert failure.reason.startswith(raised.partition("(")[0])
    assert watched.one() == 1
    write("a.py", ONE.format(2))
    assert watched.next().ok
    assert watched.one() == 2


def test_a_cached_function_of_a_file_is_a_tool(write: Write, watch: Callable[..., Watched]) -> None:
    write("a.py", "import functools\n\n\n@functools.cache\ndef one() -> int:\n    return 1\n")
    watched = watch()
    assert watched.one() == 1
    write("a.py", "import functools\n\n\n@functools.lru_cache\ndef one() -> int:\n    return 2\n")
    assert watched.next().changed == ("a.one",)
    assert watched.one() == 2
