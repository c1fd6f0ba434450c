"""A screen without a terminal: the app paints everything it would send, and tells when.

The driver is not Textual's headless one, for which the app leaves the last step of painting out.
"""

from __future__ import annotations

import asyncio
import itertools
import resource
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from textual import events
from textual.app import App
from textual.driver import Driver
from textual.geometry import Size
from textual.widgets import TextArea

AnyApp = TypeVar("AnyApp", bound=App[Any])

BEAT: Final = 0.002
"""Seconds between two beats of the heart that measures stalls."""

MARKS: Final = "ႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽ"
"""Letters to type: nothing else on the screen holds them, so that their echo can be told apart."""


class BenchDriver(Driver):
    """Takes what is painted and forgets it, after a look for what somebody waits for."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        self._sought: tuple[str, int, asyncio.Future[float]] | None = None

    def expect(self, text: str = "", least: int = 100) -> asyncio.Future[float]:
        """The time (``perf_counter``) at which ``text`` is painted, in a writing of ``least`` characters."""
        future: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._sought = (text, least, future)
        return future

    def write(self, data: str) -> None:
        if self._sought is None:
            return
        text, least, future = self._sought
        if len(data) >= least and text in data:
            self._sought = None
            future.set_result(time.perf_counter())

    def start_application_mode(self) -> None:
        width, height = self._size or (120, 40)
        self.resize(width, height)

    def resize(self, width: int, height: int) -> None:
        """The terminal has another size."""
        size = Size(width, height)
        self.send_message(events.Resize(size, size))

    def disable_input(self) -> None:
        """There is none."""

    def stop_application_mode(self) -> None:
        """There was no terminal."""


class Heart:
    """Beats on the loop; ``stall`` is by how much the longest gap between two beats was too long, in ms.

    ``work`` is the most that the loop's own thread worked in one gap: what other programs and threads
    took of the time is not in it.
    """

    def __init__(self) -> None:
        self.stall = self.work = 0.0
        self._task = asyncio.get_running_loop().create_task(self._beat())

    def reset(self) -> None:
        """Forget what was."""
        self.stall = self.work = 0.0

    def held(self) -> dict[str, float]:
        """How long anything had to wait: ``stall`` and ``work``."""
        return {"stall": self.stall, "work": self.work}

    def stop(self) -> None:
        """Beat no more."""
        self._task.cancel()

    async def _beat(self) -> None:
        while True:
            begin, worked = time.perf_counter(), time.thread_time()
            await asyncio.sleep(BEAT)
            self.stall = max(self.stall, (time.perf_counter() - begin - BEAT) * 1000)
            self.work = max(self.work, (time.thread_time() - worked) * 1000)


class Stage:
    """A running app with its driver and a heart."""

    def __init__(self, app: App[Any]) -> None:
        driver = app._driver  # the app gives out no other way to its driver
        assert isinstance(driver, BenchDriver)
        self.app = app
        self.driver = driver
        self.heart = Heart()

    async def key(self, key: str, character: str | None = None, echo: str = "", least: int = 100) -> float:
        """Press a key; milliseconds until ``echo`` is painted, in a painting of ``least`` characters."""
        painted = self.driver.expect(echo, least)
        begin = time.perf_counter()
        self.driver.send_message(events.Key(key, character))
        async with asyncio.timeout(30):
            return (await painted - begin) * 1000

    async def type_while(
        self, area: TextArea, busy: Callable[[], bool], every: float = 0.037
    ) -> dict[str, list[float]]:
        """Type marks into an area as long as something goes on.

        Milliseconds from each key until the area has taken it, and until it is painted.
        """
        taken = 0.0

        def take() -> None:
            nonlocal taken
            taken = time.perf_counter()

        times: dict[str, list[float]] = {"taken": [], "painted": []}
        self.app.watch(area, "selection", take, init=False)
        marks = itertools.cycle(MARKS)
        while busy():
            mark = next(marks)
            if mark == MARKS[0]:
                self.act(area.clear)
                await asyncio.sleep(every)
            begin = time.perf_counter()
            times["painted"].append(await self.key(mark, mark, echo=mark))
            times["taken"].append((taken - begin) * 1000)
            await asyncio.sleep(every)
        return times

    def act(self, action: Callable[[], object]) -> None:
        """Do something as the app itself would."""
        self.app.call_later(action)

    async def until(self, fact: Callable[[], object], seconds: float = 300) -> None:
        """Wait until it is so."""
        async with asyncio.timeout(seconds):
            while not fact():
                await asyncio.sleep(0.01)

    async def painted(self, action: Callable[[], object], least: int) -> float:
        """Do something; milliseconds until ``least`` characters are painted at once."""
        seen = self.driver.expect(least=least)
        begin = time.perf_counter()
        self.act(action)
        async with asyncio.timeout(30):
            return (await seen - begin) * 1000


@asynccontextmanager
async def staged(app: AnyApp) -> AsyncIterator[AnyApp]:
    """Run an app made with ``driver_class=BenchDriver`` in this loop, from its first frame to its end."""
    up = asyncio.Event()

    async def ready(_pilot: object) -> None:
        up.set()

    task = asyncio.get_running_loop().create_task(app.run_async(size=(120, 40), auto_pilot=ready))
    waiting = asyncio.get_running_loop().create_task(up.wait())
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        await task
    try:
        yield app
    finally:
        app.exit()
        await task


def resident() -> float:
    """Megabytes of memory that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6
