"""The daemon thread that an agent lives on, so that neither its work nor its hanging holds up the screen."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, TypeAlias

from workbench.tui import events
from workbench.tui.error_texts import error_texts

if TYPE_CHECKING:
    from workbench.engine.agent import Agent
    from workbench.engine.output import OutputCapture
    from workbench.tui.bridge import Bridge
    from workbench.tui.events import Post

_log = logging.getLogger("workbench.agent")

Start: TypeAlias = "Callable[[Post], Agent]"
"""Builds the agent; reports ``LoadProgress`` and ``LoadFailed`` on the way. Runs on the agent's thread."""


class AgentThread:
    """Runs one job after the other; what goes wrong in one is reported and the next one still runs.

    ``bridge`` is asked for on this thread, once the agent is built. ``built`` is set
    when it is known whether there is one.
    """

    def __init__(
        self, start: Start, bridge: Callable[[], Bridge], capture: OutputCapture, post: Post
    ) -> None:
        self._start = start
        self._make_bridge = bridge
        self._bridge: Bridge | None = None
        self._capture = capture
        self._post = post
        self._jobs: queue.SimpleQueue[Callable[[Agent], object] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="workbench-agent", daemon=True)
        self.agent: Agent | None = None
        self.built = threading.Event()

    def start(self) -> None:
        """Build the agent and take jobs."""
        self._thread.start()

    def do(self, job: Callable[[Agent], object]) -> None:
        """Run a job with the agent, after the jobs before it."""
        self._jobs.put(job)

    def leave(self) -> None:
        """Watch the agent no longer; it is as it was before."""
        if self._bridge is not None:
            self._bridge.detach()

    def stop_turn(self) -> None:
        """Ask the running turn to end."""
        if self.agent is not None:
            self.agent.stop()

    def finish(self, timeout: float) -> bool:
        """End after the jobs at hand; True when the thread ended within ``timeout`` seconds."""
        self.stop_turn()
        self._jobs.put(None)
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        agent = self._build()
        self.built.set()
        if agent is None:
            return
        try:
            self._bridge = bridge = self._make_bridge()
            self._present(agent, bridge)
        except CancelledError:  # the app ended before it was furnished
            agent.close()
            return
        except BaseException as error:  # noqa: BLE001  # the top of a worker: reported to the person
            self._refuse(error)
            agent.close()
            return
        while (job := self._jobs.get()) is not None:
            ended = bridge.turns_ended
            try:
                job(agent)
            except BaseException as error:  # noqa: BLE001  # the top of a worker: a tool may even call exit()
                _log.error("a turn failed", exc_info=error)
                if bridge.turns_ended == ended:
                    self._fail(agent.name, *error_texts(error))
        agent.close()

    def _build(self) -> Agent | None:
        try:
            return self._start(self._post)
        except BaseException as error:  # noqa: BLE001  # the top of a worker: reported to the person
            self._refuse(error)
            return None

    def _refuse(self, error: BaseException) -> None:
        """Say why there is no agent, now and to each job that wants one."""
        _log.error("the agent could not be built", exc_info=error)
        text, hint = error_texts(error)
        self._post(events.AgentFailed("", time.time(), text, hint))
        while self._jobs.get() is not None:
            self._fail("", f"There is no agent: {text}", hint)

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
