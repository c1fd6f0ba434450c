"""Follows tool files on disk and reloads what changes, on a thread of its own."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

from workbench.registry import ToolRegistry
from workbench.registry.acting import acting
from workbench.toolbox.reload import Reloader, ReloadReport
from workbench.toolbox.tool_files import LoadFailure
from workbench.toolbox.tool_source import ToolSource

logger = logging.getLogger(__name__)

DEBOUNCE_MS: Final = 400
STEP_MS: Final = 50
IDLE_MS: Final = 500
"""After this long without an event the files are looked at all the same."""

SETTLING: Final = 0.15
"""Seconds that a file may be missing or empty while an editor replaces it."""

_GLANCE: Final = 0.01

OnReload: TypeAlias = Callable[[ReloadReport], None]
"""Called on the thread that reloaded, after each reload; what it raises is logged."""

_Signature: TypeAlias = dict[Path, tuple[int, ...]]


class ToolWatcher:
    """Keeps a registry in step with the files that its tools were loaded from.

    Changed functions are refreshed, new ones registered, lost ones taken out; a file that cannot be
    imported keeps its last good version. A switched-off tool stays off, and grants, statistics and what
    was changed at run time are kept. Helper modules below the tools' folder count too. One reload runs
    at a time. Every method is safe on any thread.
    """

    def __init__(
        self,
        registry: ToolRegistry,
        sources: Iterable[ToolSource],
        on_reload: OnReload | None = None,
        *,
        force_polling: bool = False,
        idle_ms: int = IDLE_MS,
    ) -> None:
        """``sources`` come from `load_tools` reports. Without ``force_polling`` the file system's events
        are used, and polling only where these do not come. Nothing is watched before `start`.
        """
        self._reloader = Reloader(registry, sources)
        self._on_reload = on_reload
        self._polling = force_polling
        self._idle_ms = idle_ms
        self._lock = threading.RLock()
        self._busy = False
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._folders, self._files = self._reloader.watched()
        self._seen = self._signature()

    @property
    def polling(self) -> bool:
        """Whether files are polled; may become True while watching."""
        return self._polling

    @property
    def running(self) -> bool:
        """Whether the files are being watched."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def failures(self) -> tuple[LoadFailure, ...]:
        """What is wrong in the files as they are now."""
        return self._reloader.failures

    def start(self) -> None:
        """Watch on a daemon thread; does nothing when it already does."""
        with self._lock:
            if not self.running:
                self._stop = threading.Event()
                self._thread = threading.Thread(
                    target=self._watch, args=(self._stop,), name="tool-watcher", daemon=True
                )
                self._thread.start()

    def stop(self) -> None:
        """End watching, and wait for a reload that is under way."""
        self._stop.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def check(self) -> ReloadReport | None:
        """Reload if a file differs from when it was last looked at; costs little when none does."""
        with self._alone() as alone:
            return self._reload_if_seen_changed() if alone else None

    def reload(self, *, everything: bool = False) -> ReloadReport:
        """Load again what differs, or all files: then the tools are replaced in one step."""
        with self._alone() as alone:
            if not alone:  # called from a callback of this very reload
                return ReloadReport(failures=self.failures)
            return self._reload(everything=everything) or ReloadReport(failures=self.failures)

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """Wait for a reload of another thread; False inside of one on this thread."""
        with self._lock:
            if self._busy:
                yield False
                return
            self._busy = True
            try:
                yield True
            finally:
                self._busy = False

    def _reload_if_seen_changed(self) -> ReloadReport | None:
        return self._reload() if self._signature() != self._seen else None

    def _reload(self, *, everything: bool = False) -> ReloadReport | None:
        self._let_settle()
        # Taken before the files are read, so that a change during the reload is seen as one.
        before = self._signature()
        try:
            with acting("reload"):
                report = self._reloader.reload(everything=everything)
        finally:
            self._folders, self._files = self._reloader.watched()
            known = {path: facts for path, facts in before.items() if self._matters(path)}
            self._seen = {**self._signature(), **known}
        if report is not None and self._on_reload is not None:
            try:
                self._on_reload(report)
            except Exception:
                logger.exception("a reload callback failed: %r", self._on_reload)
        return report

    def _let_settle(self) -> None:
        """Wait a moment for files that are not there or empty: editors save in more than one step."""
        end = time.monotonic() + SETTLING
        while time.monotonic() < end:
            if all(self._has_text(path) for path in self._seen if path.suffix == ".py"):
                return
            time.sleep(_GLANCE)

    def _has_text(self, path: Path) -> bool:
        try:
            return path.stat().st_size > 0 or self._seen[path][-1] == 0
        except OSError:
            return False

    def _signature(self) -> _Signature:
        """What the file system says about everything that matters; files that are not there are left out."""
        paths = [*self._folders, *self._files]
        for folder in self._folders:
            paths.extend(folder.glob("*.py"))
        found: _Signature = {}
        for path in paths:
            try:
                facts = path.stat()
            except OSError:  # not there: its absence from the signature says so
                continue
            if path in self._folders:
                found[path] = (facts.st_dev, facts.st_ino)
            else:
                found[path] = (facts.st_ino, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size)
        return found

    def _matters(self, path: Path) -> bool:
        return path in self._folders or path in self._files or path.parent in self._folders

    # On the watcher's thread

    def _watch(self, stop: threading.Event) -> None:
        """Watch again and again, as reloads change what there is to watch."""
        while not stop.is_set():
            try:
                self._watch_once(stop)
            except OSError as error:
                # No more watches to be had, or a folder that went away at this moment.
                logger.warning("watching tool files by polling: %s", error)
                self._polling = True
                stop.wait(self._idle_ms / 1000)
            except BaseException:  # the top of a worker: a hook of a file may even call exit()
                logger.exception("watching tool files failed")
                stop.wait(self._idle_ms / 1000)

    def _watch_once(self, stop: threading.Event) -> None:
        from watchfiles import watch

        places, polling = self._places(), self._polling
        suspect: _Signature | None = None
        first = True
        if not places:
            stop.wait(self._idle_ms / 1000)
            self.check()
            return
        for events in watch(
            *places,
            watch_filter=lambda _, path: path.endswith(".py"),
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            stop_event=stop,
            rust_timeout=self._idle_ms,
            yield_on_timeout=True,
            raise_interrupt=False,
            force_polling=polling,
            poll_delay_ms=200,
            recursive=False,
        ):
            if events or first:
                # What changed before the watch stood brings no event, and is not its fault.
                self.check()
                first, suspect = False, None
            else:
                suspect = self._look_for_missed(suspect)
            if self._places() != places or self._polling != polling:
                return

    def _look_for_missed(self, suspect: _Signature | None) -> _Signature | None:
        """Reload for a change that brought no event during a whole idle time, and poll from now on."""
        now = self._signature()
        if now == self._seen:
            return None
        if now != suspect:
            return now
        self.check()
        if not self._polling:
            logger.info("tool files change without events; polling from now on")
            self._polling = True
        return None

    def _places(self) -> dict[Path, tuple[int, ...]]:
        """The folders to watch, with what tells a folder from another of the same name."""
        found: dict[Path, tuple[int, ...]] = {}
        for folder in {*self._folders, *(path.parent for path in self._files)}:
            if folder.is_dir():
                facts = folder.stat()
                found[folder] = (facts.st_dev, facts.st_ino)
        return found
