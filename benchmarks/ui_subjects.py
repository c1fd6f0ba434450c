"""The real app on a real agent whose model streams what it is told to, as fast as it is told to."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Static, TextArea

from benchmarks.screen import MARKS, BenchDriver, Stage, resident, staged
from workbench.compose import Agent
from workbench.engine.cancel import CancelToken
from workbench.engine.llm import Delta, LLMResponse, OnDelta, ToolCall
from workbench.registry import ToolRegistry
from workbench.resources import resource_folder
from workbench.toolbox.loader import load_tools
from workbench.tui.app import WorkbenchApp
from workbench.tui.events import Post
from workbench.tui.prompt_area import PromptArea
from workbench.tui.themes import load_themes

_EARLIER: Final = "earlier"
_WHOLE: Final = 4_000
"""Characters of which a painting of the whole screen has more, and one of a line or two less."""

SIZES: Final = ((150, 45), (90, 30), (120, 40))
"""Sizes of the terminal, the last one as it was at first."""

_SECTION: Final = """## Section {n}

A paragraph with **strong** and *light* words, some `code` and a [link](https://example.org/{n}), long enough
to be wrapped several times over, as prose is in real life, and as every answer of a model is too.

- the first of the items in this list
- the second, with `code` in it
  - one that is nested
- the last

```python
def measure_{n}(values: list[float]) -> float:
    return sum(values) / len(values)  # the mean
```

| city | degrees | sky |
|------|--------:|-----|
| Lima | 19 | grey |
| Osaka | 17 | clear |

"""


def mixed(size: int) -> str:
    """Markdown of about ``size`` characters, of every kind."""
    text = "".join(_SECTION.replace("{n}", str(n)) for n in range(size // len(_SECTION) + 1))
    return text[:size] + "\n"


TEXTS: Final[Mapping[str, Callable[[], str]]] = {
    "mixed": lambda: mixed(25_000),
    "fence": lambda: (
        "```python\n"
        + "".join(f"    value_{n} = call({n}, 'text')  # a note\n" for n in range(2_000))
        + "```\n"
    ),
    "table": lambda: (
        "| a | b | c |\n|--|--:|--|\n"
        + "".join(f"| row {n} | {n * n} | text {n % 7} |\n" for n in range(1_000))
    ),
    _EARLIER: lambda: mixed(5_000),
}


CALLS: Final[Mapping[str, Callable[[], list[ToolCall]]]] = {
    "megabyte": lambda: [_write(1, "".join(f"line {n} of a long text\n" for n in range(38_000)))],
    "fifty": lambda: [_write(number, "hello") for number in range(50)],
}


def _write(number: int, text: str) -> ToolCall:
    return ToolCall("files-write_file", {"path": f"note_{number}.txt", "text": text}, f"call_{number}")


class Typist:
    """A model whose answer is the text that the prompt names, in pieces: ``NAME`` or ``NAME SECONDS``.

    With seconds, that is how long it streams, 100 pieces a second; without, it is there at once. A name
    of ``CALLS`` brings those calls instead; ``answered`` is when that was (``perf_counter``).
    """

    answered = 0.0

    model = "openai/typist"
    context_window = 1_000_000

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: object = None,
        *,
        on_delta: OnDelta | None = None,
        cancel: CancelToken | None = None,
    ) -> LLMResponse:
        """Stream the text."""
        name, _, seconds = str(messages[-1]["content"]).partition(" ")
        if messages[-1]["role"] != "user":
            return LLMResponse("Done.", model=self.model)
        if name in CALLS:
            calls = CALLS[name]()
            self.answered = time.perf_counter()
            return LLMResponse("", calls, model=self.model)
        text = TEXTS[name]()
        pieces = max(1, round(float(seconds or 0) * 100))
        size = -(-len(text) // pieces)
        begin = time.perf_counter()
        for number in range(pieces):
            time.sleep(max(0.0, begin + number / 100 - time.perf_counter()))
            if on_delta is not None:
                on_delta(Delta("text", text[number * size : (number + 1) * size]))
        return LLMResponse(text, model=self.model)


class Session:
    """The app with ``earlier`` messages in its conversation; lives from one measure to the next."""

    def __init__(self, earlier: int = 0) -> None:
        self._earlier = earlier
        self._model = Typist()
        self._folder = Path(tempfile.mkdtemp())
        self._runner = asyncio.Runner()
        self._loop = self._runner.get_loop()
        self._closing = asyncio.Event()
        self._themes, _ = load_themes([resource_folder("themes")])
        self._empty = resident()
        self._app = WorkbenchApp(
            self._start, themes=self._themes, theme="graphite", model="typist", driver_class=BenchDriver
        )
        self._up: asyncio.Future[Stage] = self._loop.create_future()
        self._living = self._loop.create_task(self._live())
        self._stage: Stage = self._run(self._up)
        self._run(self._fill())

    def stream(self, name: str, seconds: float) -> dict[str, Any]:
        """Stream a text while somebody types: key times and the longest stall in ms, CPU in percent."""
        found: dict[str, Any] = self._run(self._stream(name, seconds))
        return found

    def do(self, what: str, times: int = 6) -> dict[str, Any]:
        """``resize``, ``theme`` or ``jump`` several times: ms until painted, the longest stall in ms."""
        found: dict[str, Any] = self._run(self._do(what, times))
        return found

    def after(self, seconds: float = 2.5) -> dict[str, Any]:
        """Type on after an answer, while the app puts things in order: key times and stall in ms."""
        found: dict[str, Any] = self._run(self._after(seconds))
        return found

    def ask(self, what: str) -> dict[str, float]:
        """A batch of ``CALLS`` is asked about: ms until the question and, at a key, the editor is painted,
        and until one more key is; the longest stall in ms.
        """
        found: dict[str, float] = self._run(self._ask(what))
        return found

    def idle(self, seconds: float = 5.0) -> dict[str, float]:
        """Share of one core in percent while nothing happens, and megabytes more than before the app."""
        found: dict[str, float] = self._run(self._idle(seconds))
        return found

    # within the loop

    def _run(self, waitable: Any) -> Any:
        return self._loop.run_until_complete(asyncio.wait_for(waitable, 600))

    def _start(self, post: Post) -> Agent:
        registry = ToolRegistry()
        load_tools(str(resource_folder("sample_tools")), registry)
        return Agent(
            "bench", registry, "Be brief.", llm=self._model, trust="careful", quiet=True, folder=self._folder
        )

    async def _live(self) -> None:
        async with staged(self._app):
            self._up.set_result(Stage(self._app))
            await self._closing.wait()

    async def _fill(self) -> None:
        stage = self._stage
        await stage.until(lambda: self._app.agent_thread.agent is not None and not self._app.busy)
        for _ in range(self._earlier // 2):
            self._app.agent_thread.do(lambda agent: agent.input(_EARLIER))
        agent = self._app.agent_thread.agent
        assert agent is not None
        told = self._earlier // 2
        await stage.until(lambda: told == 0 or _turns(agent) == told)
        await stage.until(lambda: not agent.running and not self._app.busy)
        await self._turn("mixed")
        await asyncio.sleep(1.0)

    def _clear(self) -> None:
        self._app.main.prompt.draft = ""

    async def _turn(self, prompt: str) -> None:
        agent = self._app.agent_thread.agent
        before = _turns(agent)
        self._say(prompt)
        await self._stage.until(lambda: _turns(agent) > before and not self._app.busy)

    def _say(self, prompt: str) -> None:
        self._stage.act(lambda: self._app.on_prompt_area_sent(PromptArea.Sent(prompt, prompt)))

    async def _stream(self, name: str, seconds: float) -> dict[str, Any]:
        stage = self._stage
        self._clear_later()
        self._say(f"{name} {seconds}")
        await stage.until(lambda: self._app.busy)
        await asyncio.sleep(0.3)
        stage.heart.reset()
        begin, cpu = time.perf_counter(), time.process_time()
        times = await stage.type_while(self._app.main.prompt.area, lambda: self._app.busy)
        spent = (time.process_time() - cpu) / (time.perf_counter() - begin) * 100
        held = stage.heart.held()
        self._clear_later()
        await asyncio.sleep(1.0)
        return {**times, **held, "cpu": spent}

    async def _after(self, seconds: float) -> dict[str, Any]:
        stage = self._stage
        await self._turn("mixed")
        self._clear_later()
        stage.heart.reset()
        end = time.perf_counter() + seconds
        times = await stage.type_while(self._app.main.prompt.area, lambda: time.perf_counter() < end)
        held = stage.heart.held()
        self._clear_later()
        return {**times, **held}

    async def _ask(self, what: str) -> dict[str, float]:
        stage = self._stage
        stage.heart.reset()
        painted = stage.driver.expect("nothing runs until")
        self._say(what)
        async with asyncio.timeout(30):
            opened = (await painted - self._model.answered) * 1000
        await asyncio.sleep(0.1)  # the heart tells of this painting with its next beat
        held = stage.heart.held()
        # keys decide nothing until the person has had time to see what is asked
        await asyncio.sleep(1.5)
        edit = await stage.key("e", "e", echo="fits the schema")
        edited = await stage.key(MARKS[0], MARKS[0], echo=MARKS[0])
        stage.driver.send_message(events.Key("escape", None))
        await asyncio.sleep(0.2)
        stage.driver.send_message(events.Key("x", "x"))
        await stage.until(lambda: not self._app.busy)
        await asyncio.sleep(0.5)
        return {"opened": opened, "edit": edit, "edited": edited, **held}

    def _clear_later(self) -> None:
        self._stage.act(self._clear)

    async def _do(self, what: str, times: int) -> dict[str, Any]:
        stage = self._stage
        action = {"resize": self._resize, "theme": self._theme, "jump": self._jump}[what]
        painted: list[float] = []
        stage.heart.reset()
        for number in range(times):
            painted.append(await action(number))
            await asyncio.sleep(0.3)
        held = stage.heart.held()
        self._stage.act(lambda: self._app.main.focus_panel("prompt"))
        await asyncio.sleep(0.3)
        return {"painted": painted, **held}

    async def _resize(self, number: int) -> float:
        width, height = SIZES[number % 3]
        return await self._stage.painted(lambda: self._stage.driver.resize(width, height), _WHOLE)

    async def _theme(self, number: int) -> float:
        name = ("paper", "graphite")[number % 2]
        return await self._stage.painted(lambda: setattr(self._app, "theme", name), _WHOLE)

    async def _jump(self, number: int) -> float:
        if number == 0:
            self._stage.act(lambda: self._app.main.focus_panel("conversation"))
            await asyncio.sleep(0.3)
        return await self._stage.key(("home", "end")[number % 2], least=_WHOLE // 2)

    async def _idle(self, seconds: float) -> dict[str, float]:
        beating = self._stage.heart
        beating.stop()
        await asyncio.sleep(0.5)
        cpu, begin = time.process_time(), time.perf_counter()
        await asyncio.sleep(seconds)
        spent = (time.process_time() - cpu) / (time.perf_counter() - begin) * 100
        self._stage.heart = type(beating)()
        return {"cpu": spent, "megabytes": resident() - self._empty}


def _turns(agent: Any) -> int:
    session = agent.current_session
    return session["turn"] if session is not None else 0


class BareApp(App[None]):
    """A text area, and a line that changes thirty times a second."""

    def compose(self) -> ComposeResult:
        yield Static("", id="line")
        yield TextArea()

    def on_mount(self) -> None:
        """Begin to change."""
        self.query_one(TextArea).focus()
        self.set_interval(1 / 30, lambda: self.query_one(Static).update(f"it is {time.time()}"))


class Bare:
    """The floor: what Textual itself costs."""

    def do(self, what: str, times: int = 6) -> dict[str, Any]:
        """``resize`` or ``theme`` several times, as with the whole app."""
        return asyncio.run(self._do(what, times))

    async def _do(self, what: str, times: int) -> dict[str, Any]:
        async with staged(BareApp(driver_class=BenchDriver)) as app:
            stage = Stage(app)
            await asyncio.sleep(0.5)
            stage.heart.reset()
            painted: list[float] = []
            for number in range(times):
                action = {
                    "resize": partial(stage.driver.resize, *SIZES[number % 3]),
                    "theme": partial(setattr, app, "theme", ("textual-light", "textual-dark")[number % 2]),
                }[what]
                painted.append(await stage.painted(action, _WHOLE // 4))
                await asyncio.sleep(0.3)
            held = stage.heart.held()
            stage.heart.stop()
        return {"painted": painted, **held}

    def stream(self, name: str, seconds: float) -> dict[str, Any]:
        """Type for some seconds; the text's name means nothing here."""
        return asyncio.run(self._stream(seconds))

    async def _stream(self, seconds: float) -> dict[str, Any]:
        async with staged(BareApp(driver_class=BenchDriver)) as app:
            stage = Stage(app)
            await asyncio.sleep(0.5)
            stage.heart.reset()
            end = time.perf_counter() + seconds
            begin, cpu = time.perf_counter(), time.process_time()
            times = await stage.type_while(app.query_one(TextArea), lambda: time.perf_counter() < end)
            spent = (time.process_time() - cpu) / (time.perf_counter() - begin) * 100
            held = stage.heart.held()
            stage.heart.stop()
        return {**times, **held, "cpu": spent}


SUBJECTS: dict[str, Callable[..., Any]] = {
    "new session": Session,
    "2,000 messages": lambda: Session(2_000),
    "bare app": Bare,
}
