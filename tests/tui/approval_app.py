"""A small app with a prompt, a broker and an agent's thread, in which approval is tried."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from fnmatch import fnmatchcase
from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widget import Widget

from workbench.errors import StopTurn
from workbench.resources import resource_folder
from workbench.tui.approval import ApprovalRequest, ApprovalResult, Preview, Proposal
from workbench.tui.broker import ApprovalBroker, ApprovalDesk, Asked, Decide
from workbench.tui.events import CallInfo, Permission
from workbench.tui.prompt_area import PromptArea
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.screens.burst import BURST_SECONDS
from workbench.tui.screens.held import HeldScreen
from workbench.tui.screens.help import HelpScreen
from workbench.tui.themes import css_variables, load_theme, textual_theme


def covers(proposal: Proposal, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a grant would cover a call, told as `Grant.fits` tells it, by globs alone."""
    patterns = dict(proposal.arguments)
    others = patterns.pop("*", None if patterns else "*")
    return (
        proposal.tool == tool
        and patterns.keys() <= arguments.keys()
        and all(
            (pattern := patterns.get(name, others)) is not None and fnmatchcase(str(value), pattern)
            for name, value in arguments.items()
        )
    )


def check(tool: str, arguments: Mapping[str, Any]) -> str | None:
    """Every argument must be a string."""
    wrong = [name for name, value in arguments.items() if not isinstance(value, str)]
    return f"{wrong[0]}: expected a string" if wrong else None


def preview(tool: str, arguments: Mapping[str, Any]) -> Preview | None:
    """Tools that take a text write it."""
    return Preview(arguments["path"], "", arguments["text"]) if "text" in arguments else None


def call(
    call_id: str,
    name: str = "shell",
    permission: Permission = "ask",
    because: str = "writes",
    **arguments: Any,
) -> CallInfo:
    """One call of a batch."""
    return CallInfo(call_id, name, arguments or {"command": f"make {call_id}"}, permission, because)


def request(*calls: CallInfo, agent: str = "assistant", **options: Any) -> ApprovalRequest:
    """A question about these calls; three of a shell if none are given."""
    calls = calls or (call("a"), call("b"), call("c"))
    options = {"check": check, "preview": preview, "covers": covers, "opened": 1_000.0, **options}
    return ApprovalRequest(agent, "offline", 1, 2, calls, **options)


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


class Agent:
    """An agent's own thread: it asks, runs what was approved, and keeps what came of it."""

    def __init__(self, broker: ApprovalBroker, question: ApprovalRequest) -> None:
        self.broker = broker
        self.question = question
        self.ran: list[tuple[str, Mapping[str, Any]]] = []
        self.result: ApprovalResult | None = None
        self.stopped: StopTurn | None = None
        self.done = threading.Event()
        threading.Thread(target=self._live, daemon=True).start()

    def _live(self) -> None:
        try:
            self.result = self.broker.ask(self.question)
        except StopTurn as stop:
            self.stopped = stop
        else:
            for verdict, asked in zip(self.result.verdicts, self.question.calls, strict=True):
                if verdict.decision == "approve":
                    self.ran.append((verdict.call_id, verdict.arguments or asked.arguments))
        finally:
            self.done.set()

    @property
    def ran_ids(self) -> list[str]:
        """Which calls ran."""
        return [call_id for call_id, _ in self.ran]


class ApprovalApp(App[None]):
    """A prompt, and whatever agents ask."""

    BINDINGS = [("f1", "help", "help")]  # noqa: RUF012  # as Textual declares it

    def __init__(self) -> None:
        self.palette = load_theme(resource_folder("themes") / "graphite.yaml")
        super().__init__()
        self.register_theme(textual_theme(self.palette))
        self.theme = self.palette.name
        self.clock = Clock()
        self.bells = 0
        self.broker = ApprovalBroker(self.post_message)
        self.desk = ApprovalDesk(self, self.broker, self._make_screen)

    def compose(self) -> ComposeResult:
        yield PromptArea(id="prompt")

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return css_variables(self.palette)

    def _make_screen(self, question: ApprovalRequest, decide: Decide) -> ApprovalScreen:
        return ApprovalScreen(question, decide, self.palette, clock=self.clock, now=lambda: 1_012.0)

    def on_asked(self, message: Asked) -> None:
        self.desk.asked(message)

    def on_unmount(self) -> None:
        self.desk.close()

    def bell(self) -> None:
        self.bells += 1

    def on_held_screen_typed(self, message: HeldScreen.Typed) -> None:
        message.give_to(self.prompt)

    def action_do(self, command: str) -> None:
        self.push_screen(HelpScreen(self.palette))

    def action_help(self) -> None:
        self.push_screen(HelpScreen(self.palette))

    @property
    def prompt(self) -> PromptArea:
        return self.screen_stack[0].query_one("#prompt", PromptArea)


class Trial:
    """A running app, and the few things that tests ask of it."""

    def __init__(self, app: ApprovalApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    async def until(self, fact: Callable[[], object]) -> None:
        """Wait until it is so."""
        async with asyncio.timeout(60):
            while not fact():
                await self.pilot.pause()

    async def ask(self, *calls: CallInfo, quiet: bool = True, **options: Any) -> Agent:
        """An agent asks; with ``quiet`` the time in which keys are held back is over."""
        agent = Agent(self.app.broker, request(*calls, **options))
        await self.until(lambda: isinstance(self.app.screen, ApprovalScreen) and self.app.screen.is_mounted)
        await self.pilot.pause()
        if quiet:
            self.app.clock.now += 2
        return agent

    @property
    def screen(self) -> ApprovalScreen:
        """The question, wherever in the stack it is."""
        return next(screen for screen in self.app.screen_stack if isinstance(screen, ApprovalScreen))

    @property
    def asking(self) -> bool:
        """Whether a question is anywhere on the screen."""
        return any(isinstance(screen, ApprovalScreen) for screen in self.app.screen_stack)

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other as one does who decides: slower than typing."""
        for key in keys:
            await self.pilot.press(key)
            self.app.clock.now += BURST_SECONDS

    async def write(self, text: str) -> None:
        """Type text, key by key."""
        names = {" ": "space", "\n": "ctrl+j"}
        await self.pilot.press(*(names.get(char, char) for char in text))

    async def answered(self, agent: Agent) -> ApprovalResult:
        """Wait for the answer to have arrived, and the screen to be gone."""
        await self.until(agent.done.is_set)
        await self.until(lambda: not self.asking)
        assert agent.result is not None
        return agent.result

    @property
    def decisions(self) -> list[str | None]:
        """The verdicts so far."""
        return [row.decision for row in self.screen.calls.rows]

    def shown(self, selector: str = "#sheet") -> str:
        """What a part of the question shows, as text."""
        region = self.screen.query_one(selector, Widget).region
        strips = self.screen._compositor.render_strips()[region.y : region.bottom]
        return "\n".join(strip.crop(region.x, region.right).text for strip in strips)

    def screen_text(self) -> str:
        """All that can be read on the screen, whatever lies above what."""
        return self.app.export_screenshot().replace("&#160;", " ")


@asynccontextmanager
async def trial(size: tuple[int, int] = (120, 40)) -> AsyncIterator[Trial]:
    """The running app."""
    app = ApprovalApp()
    async with app.run_test(size=size) as pilot:
        yield Trial(app, pilot)
