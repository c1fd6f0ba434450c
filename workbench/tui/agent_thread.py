"""The daemon thread that an agent lives on, so that neither its work nor its hanging holds up the screen."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from workbench.errors import AgentChoiceError, WorkbenchError
from workbench.tui import events
from workbench.tui.error_texts import error_texts

if TYPE_CHECKING:
    from workbench.engine.agent import Agent
    from workbench.engine.output import OutputCapture
    from workbench.toolbox.mending import Mending
    from workbench.tui.bridge import Bridge
    from workbench.tui.events import Post

_log = logging.getLogger("workbench.agent")

_LOOK_SECONDS: Final = 0.5
"""How often is looked whether files were saved, while there is no agent."""

Start: TypeAlias = "Callable[[Post], Agent]"
"""Builds the agent; reports ``LoadProgress`` and ``LoadFailed`` on the way. Runs on the agent's thread."""


class AgentThread:
    """Runs one job after the other; what goes wrong in one is reported and the next one still runs.

    ``bridge`` is asked for on this thread, once the agent is built. ``built`` is set
    when it is known whether there is one. An agent that could not be built is built anew once a file of the
    project was saved, or when ``build_again`` asks for it.
    """

    def __init__(
        self, start: Start, bridge: Callable[[], Bridge], capture: OutputCapture, post: Post
    ) -> None:
        self._start = start
        self._make_bridge = bridge
        self._bridge: Bridge | None = None
        self._capture = capture
        self._post = post
        self._reason = "", ""
        self._mending: Mending | None = None
        self._jobs: queue.SimpleQueue[Callable[[Agent], object] | Literal["build"] | None] = (
            queue.SimpleQueue()
        )
        self._thread = threading.Thread(target=self._run, name="workbench-agent", daemon=True)
        self.agent: Agent | None = None
        self._lent: Agent | None = None
        self.built = threading.Event()

    def start(self) -> None:
        """Build the agent and take jobs."""
        self._thread.start()

    def do(self, job: Callable[[Agent], object]) -> None:
        """Run a job with the agent, after the jobs before it."""
        self._jobs.put(job)

    def build_again(self) -> None:
        """Try to build the agent that could not be built, with the files as they are now."""
        self._jobs.put("build")

    def leave(self) -> None:
        """Watch the agent no longer; it is as it was before."""
        if self._bridge is not None:
            self._bridge.detach()

    @contextmanager
    def lend(self, guest: int) -> Iterator[Agent]:
        """Within a job: the agent inside a tool that has this number, watched, and reached by a stop.

        For 0 it is the agent itself. Raises WorkbenchError where it is gone, or still at work.
        """
        agent, bridge = self.agent, self._bridge
        assert agent is not None
        assert bridge is not None
        if not guest:
            yield agent
            return
        inner = bridge.guests.agent(guest)
        if inner is None:
            raise WorkbenchError("the agent that made the call is gone", hint="Run the call around it again.")
        with bridge.watching(inner):
            self._lent = inner
            try:
                yield inner
            finally:
                self._lent = None

    def stop_turn(self) -> None:
        """Ask the running turn to end."""
        for agent in (self.agent, self._lent):
            if agent is not None:
                agent.stop()

    def finish(self, timeout: float) -> bool:
        """End after the jobs at hand; True when the thread ended within ``timeout`` seconds."""
        self.stop_turn()
        self._jobs.put(None)
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            while (furnished := self._furnish()) is None:
                if not self._to_be_tried_again():
                    return
        except CancelledError:  # the app ended before the agent was furnished
            return
        self._serve(*furnished)

    def _serve(self, agent: Agent, bridge: Bridge) -> None:
        while (job := self._jobs.get()) is not None:
            if job == "build":
                continue  # asked for while it was being built
            ended = bridge.turns_ended
            try:
                job(agent)
            except BaseException as error:  # noqa: BLE001  # the top of a worker: a tool may even call exit()
                _log.error("a turn failed", exc_info=error)
                if bridge.turns_ended == ended:
                    self._fail(agent.name, *error_texts(error))
        agent.close()

    def _furnish(self) -> tuple[Agent, Bridge] | None:
        """The agent, watched by the screen; None when that cannot be, which is said."""
        agent: Agent | None = None
        try:
            agent = self._start(self._post)
            self.built.set()
            self._bridge = bridge = self._make_bridge()
            self._present(agent, bridge)
        except BaseException as error:
            self.built.set()
            self.agent = None
            if agent is not None:
                agent.close()
            if isinstance(error, CancelledError):
                raise
            self._refuse(error)
            return None
        return agent, bridge

    def _refuse(self, error: BaseException) -> None:
        """Say why there is no agent."""
        from workbench.toolbox.mending import Mending

        _log.error("the agent could not be built", exc_info=error)
        self._reason = error_texts(error)
        self._mending = Mending(error, Path.cwd())
        choices = error.choices if isinstance(error, AgentChoiceError) else ()
        self._post(events.AgentFailed("", time.time(), *self._reason, choices))

    def _to_be_tried_again(self) -> bool:
        """Wait for a reason to build the agent anew, and answer jobs that want one; False at the end."""
        while (job := self._next_job()) is not None:
            if isinstance(job, str):
                self._post(events.AgentAwaited("", time.time(), asked=job == "build"))
                return True
            self._fail("", f"There is no agent: {self._reason[0]}", self._reason[1])
        return False

    def _next_job(self) -> Callable[[Agent], object] | Literal["build", "saved"] | None:
        while True:
            try:
                return self._jobs.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                if self._mending is not None and self._mending.saved():
                    return "saved"

    def _present(self, agent: Agent, bridge: Bridge) -> None:
        from workbench.tui.facts import approval_word, missing_key, tool_row
        from workbench.tui.trial_call import trial_call

        agent.output = self._capture
        bridge.attach(agent)
        self.agent = agent
        tools = tuple(tool_row(agent.tools, tool) for tool in agent.tools)
        approval = approval_word(agent.tools.policy)
        missing = missing_key(agent)
        trial = trial_call(agent.tools)
        model = agent.model or ""
        self._post(events.AgentReady(agent.name, time.time(), model, approval, tools, missing, trial))

    def _fail(self, name: str, error: str, hint: str) -> None:
        """A turn that could not even begin has ended."""
        self._post(events.TurnFinished(name, time.time(), 0, "error", 0.0, 0.0, "", error, hint))
