"""The agent: its parts, its session, and the doors to a turn."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from workbench.engine.begun import BegunTurn
from workbench.engine.breakpoints import Breakpoints, Debugger
from workbench.engine.by_hand import HandCall, HandTurn
from workbench.engine.cancel import CancelToken
from workbench.engine.compaction import CompactTurn
from workbench.engine.hooks import Hooks
from workbench.engine.images import Image, Images, load_images
from workbench.engine.jobs import LateOutcome, LeftRunning, running
from workbench.engine.llm import LLM, TokenUsage
from workbench.engine.loop_jobs import LoopThread
from workbench.engine.observer import Observer, TraceEntry, TurnStatus
from workbench.engine.observers import Observers
from workbench.engine.output import OutputCapture
from workbench.engine.places import run_on_thread
from workbench.engine.prompts import load_system_prompt
from workbench.engine.results import ResultKeeper
from workbench.engine.scope import STOPPED
from workbench.engine.session import SESSION_KEYS, Session, Unreported, adopt, new_session
from workbench.engine.toolset import build_registry
from workbench.engine.trace import late_result
from workbench.engine.trust import apply_trust
from workbench.engine.turn import Turn
from workbench.engine.verified import VerifiedTranscript
from workbench.engine.watched import WatchedDict
from workbench.engine.xray_context import TraceDrawer, current_context
from workbench.errors import ConfigError, WorkbenchError
from workbench.registry import ToolRegistry

logger = logging.getLogger("workbench.engine")

_CLOSING_PATIENCE = 5.0
"""Seconds that ``close()`` waits for a turn; a stop is answered at once unless a handler keeps it."""

LLMFactory = Callable[[str], LLM | Any]


class Agent:
    """A model, tools, handlers and a conversation.

    Args:
        name: Shown to people and in logs.
        tools: A ToolRegistry, or functions, modules, instances, other agents, singly or in lists.
        system_prompt: Text, a file, or a name in ``prompts/``; None looks for ``prompts/<name>.md``.
        model: What ``llm_factory`` makes the model of.
        llm: The model itself; needs only ``complete(messages, tools=None)``. Wins over ``model``.
        trust: "open", "careful", "strict", a policy, or an Agent that answers what the policy asks.
        max_iterations: How often the model may be asked in one turn.
        on_events: Handlers, singly or nested in lists. ``plugins`` are the same and run before them.
        observers: Who is told what happens.
        quiet: Nothing of this agent is printed. ``log``: it may write logs. Both are for its observers.
        llm_factory: Makes a model of its name.

    Raises ConfigError when there is no way to a model, HookError and ToolRegistrationError for handlers
    and tools that cannot be used.
    """

    def __init__(
        self,
        name: str,
        tools: object = (),
        system_prompt: str | Path | None = None,
        model: str | None = None,
        *,
        llm: LLM | Any | None = None,
        trust: object = None,
        max_iterations: int = 10,
        on_events: object = (),
        plugins: object = (),
        observers: Iterable[Observer] = (),
        quiet: bool = False,
        log: bool = True,
        llm_factory: LLMFactory | None = None,
    ) -> None:
        self.name = name
        self.quiet = quiet
        self.log = log
        self.max_iterations = _at_least_one(max_iterations)
        self.hooks = Hooks(plugins, on_events)
        self.observers = Observers(observers)
        self.tools: ToolRegistry = build_registry(tools)
        apply_trust(self.tools, trust)
        self.trust = trust
        self.breakpoints = Breakpoints()
        self.debugger: Debugger | None = None
        self.output: OutputCapture | None = None
        self.trace_drawer: TraceDrawer | None = None
        self.keep_result: ResultKeeper | None = None
        """Keeps results that are too long for the model; without it only the trace has them whole."""
        self.total_usage = TokenUsage()
        self.last_usage = TokenUsage()
        self.last_status: TurnStatus | None = None
        self.turn_lock = threading.RLock()
        """Held by those who may have to wait for their turn with this agent."""
        self.transcript = VerifiedTranscript()
        self.unreported = Unreported()
        self.late_results: deque[TraceEntry] = deque()
        self.loop_thread = LoopThread(f"workbench-{name}-loop")
        weakref.finalize(self, self.loop_thread.close)
        self._system_prompt = load_system_prompt(system_prompt, name)
        self._session: Session | None = None
        self._turn: Turn | None = None
        self._turn_guard = threading.Lock()
        self._closing = False
        self._llm_factory = llm_factory
        self.llm = llm if llm is not None else _make_llm(name, model, llm_factory)
        self._model = model if llm is None else None

    def __repr__(self) -> str:
        return f"<Agent {self.name} {self.model}, {len(self.tools)} tools>"

    # ── model ────────────────────────────────────────────────────────────────────────────────────

    @property
    def llm(self) -> Any:
        """The model; may be set between turns, the conversation goes on."""
        return self._llm

    @llm.setter
    def llm(self, llm: Any) -> None:
        complete = getattr(llm, "complete", None)
        if not callable(complete):
            raise ConfigError(
                f"{type(llm).__name__} has no complete(messages, tools=None)",
                hint="An llm needs one method: complete(messages, tools=None) -> LLMResponse.",
            )
        self._llm = llm
        self._model = None
        self.llm_options = _options_of(complete)

    @property
    def model(self) -> str:
        """The model's name. Setting another has ``llm_factory`` make it; the conversation goes on.

        Raises ConfigError without a factory, and whatever the factory raises; the model stays then.
        """
        return self._model or str(getattr(self._llm, "model", None) or type(self._llm).__name__)

    @model.setter
    def model(self, model: str) -> None:
        if model == self.model:
            return
        if self._llm_factory is None:
            raise ConfigError(
                f"agent {self.name} cannot make the model {model!r} of its name",
                hint="Set agent.llm to the model itself, or use workbench.Agent, which makes one of a name.",
            )
        self.llm = self._llm_factory(model)
        self._model = model

    @property
    def context_window(self) -> int | None:
        """How many tokens the model can read; None if nobody knows."""
        window = getattr(self._llm, "context_window", None)
        return window if isinstance(window, int) and window > 0 else None

    @property
    def context_percent(self) -> float:
        """How full the context was at the last answer, 0.0 to 100.0 and above; 0.0 while unknown."""
        window = self.context_window
        return 100.0 * self.last_usage.total_tokens / window if window else 0.0

    def count_usage(self, usage: TokenUsage) -> None:
        """Note what one model call used."""
        self.last_usage = usage
        self.total_usage = self.total_usage + usage

    # ── conversation ─────────────────────────────────────────────────────────────────────────────

    @property
    def system_prompt(self) -> str:
        """The system prompt's text; a new one takes effect at the next model call."""
        return self._system_prompt

    @system_prompt.setter
    def system_prompt(self, source: str | Path) -> None:
        self._system_prompt = load_system_prompt(source, self.name)
        messages = self._session["messages"] if self._session else []
        if messages and messages[0].get("role") == "system":
            messages[0] = WatchedDict({**messages[0], "content": self._system_prompt})

    @property
    def current_session(self) -> Session | None:
        """Messages, trace and counters of the conversation; None before the first turn.

        Set it between turns to go on with a session from elsewhere; the next turn mends its messages.
        """
        return self._session

    @current_session.setter
    def current_session(self, session: Session | None) -> None:
        self._refuse_while_running("its session cannot be replaced")
        if session is not None:
            adopt(session)
        self._start_over(session)

    def open_session(self) -> Session:
        """The session of the turn that begins; a new one if there is none."""
        if self._session is None:
            self._session = new_session(self._system_prompt)
        elif not self._session.keys() >= SESSION_KEYS:  # a handler took some out
            adopt(self._session)
        return self._session

    def reset_conversation(self) -> None:
        """Forget the conversation; the next turn starts a new session. ``total_usage`` goes on."""
        self._refuse_while_running("it cannot be reset")
        self._start_over(None)
        self.observers.tell("session_reset", self)

    def _start_over(self, session: Session | None) -> None:
        self._session = session
        self.transcript = VerifiedTranscript()
        self.unreported = Unreported()
        if session is not None:
            self.unreported.start_at(session)
        self.last_usage = TokenUsage()
        self.last_status = None

    # ── turns ────────────────────────────────────────────────────────────────────────────────────

    def input(self, prompt: str, max_iterations: int | None = None, *, images: Images = ()) -> str:
        """Run one turn on this thread and return the answer; ``last_status`` says how it ended.

        ``images`` go to the model with the prompt: each a path, bytes, or a ``data:`` or ``https:`` address,
        PNG, JPEG, GIF or WebP, of 20 MB at most. Raises ConfigError for one that cannot be sent, before
        anything is changed; ProviderError when the model failed, and what handlers raise. However it ends,
        every call is answered and the next turn works.
        """
        return self._run(self._new_turn(prompt, max_iterations, None, images=load_images(images)))

    def resume_turn(
        self, prompt: str, begun: BegunTurn, max_iterations: int | None = None, *, images: Images = ()
    ) -> str:
        """Run a turn whose first part is over: ``begun`` follows the prompt, and the model is asked next.

        For a turn that was interrupted, or to see how it would go on if a call had given something else.
        ``max_iterations`` counts from here. Otherwise as ``input()``.
        """
        return self._run(self._new_turn(prompt, max_iterations, None, begun, load_images(images)))

    async def ainput(self, prompt: str, max_iterations: int | None = None, *, images: Images = ()) -> str:
        """``input()`` for async code: the turn runs on a thread, async tools and handlers on this loop.

        Cancelling the task stops the turn, and waits until it has ended.
        """
        loaded = await asyncio.to_thread(load_images, images) if images else ()
        turn = self._new_turn(prompt, max_iterations, asyncio.get_running_loop(), images=loaded)
        return await run_on_thread(lambda: self._run(turn), turn.cancel, f"workbench-{self.name}-turn")

    def run_tool(self, name: str, arguments: Mapping[str, Any], *, rerun_of: str | None = None) -> TraceEntry:
        """Run one call without the model, between turns; returns its trace entry, however it ended.

        Handlers and permissions are those of a call that the model asked for; the conversation's messages
        stay as they are. The entry says ``by_hand``; ``rerun_of`` names the traced call that is run again.
        Raises what handlers raise.
        """
        return self.run_tools([HandCall(name, arguments, rerun_of)])[0]

    def run_tools(self, calls: Iterable[HandCall]) -> list[TraceEntry]:
        """The same for several calls as one batch; after ``stop()`` those that are left end as cancelled."""
        turn = HandTurn(self, calls)
        self._run(turn)
        return turn.entries

    def compact(self, keep_turns: int = 2) -> TraceEntry:
        """Put a summary, which the model writes, in the place of all but the last turns; its trace entry.

        The last ``keep_turns`` turns stay word for word. Logs begin a new session, so that the old one stays
        whole. Raises WorkbenchError when there is nothing to sum up, ProviderError when the model failed,
        StopTurn after ``stop()``; the conversation is as it was then.
        """
        turn = CompactTurn(self, keep_turns)
        self._run(turn)
        return turn.entry

    def _new_turn(
        self,
        prompt: str,
        max_iterations: int | None,
        loop: asyncio.AbstractEventLoop | None,
        begun: BegunTurn | None = None,
        images: Sequence[Image] = (),
    ) -> Turn:
        limit = self.max_iterations if max_iterations is None else _at_least_one(max_iterations)
        if not isinstance(prompt, str):
            raise ConfigError(f"a prompt is text, not {type(prompt).__name__}")
        return Turn(self, prompt, limit, loop, begun, images)

    def _take_up(self, turn: Turn) -> None:
        with self._turn_guard:
            self._refuse_while_running("it cannot begin another turn")
            self._turn = turn

    def _run(self, turn: Turn) -> str:
        try:
            self._take_up(turn)
            return turn.run()
        finally:
            closing = False
            with self._turn_guard:
                if self._turn is turn:  # no other one was under way
                    self._turn = None
                    closing, self._closing = self._closing, False
            turn.ended.set()
            if closing:
                self._let_go()

    def _refuse_while_running(self, what: str) -> None:
        if self._turn is not None:
            raise WorkbenchError(
                f"agent {self.name} is in the middle of a turn: {what}",
                hint="Wait for the turn to end, or call stop().",
            )

    @property
    def running(self) -> bool:
        """Whether a turn is under way."""
        return self._turn is not None

    @property
    def by_hand(self) -> bool:
        """Whether what is under way are calls that a person runs, without the model."""
        return isinstance(self._turn, HandTurn)

    @property
    def cancel(self) -> CancelToken | None:
        """The stop of the turn that is under way, to wait on; None between turns."""
        turn = self._turn
        return turn.cancel if turn is not None else None

    def stop(self, reason: str = STOPPED, *, around: bool = False) -> bool:
        """End the turn that is under way, from any thread; False if there is none.

        ``around``: where this agent works inside a tool of another one, the turn of the outermost, with it.
        """
        turn = self._turn
        if turn is None:
            return False
        while around and turn.parent is not None:
            turn = turn.parent.turn
        turn.cancel.cancel(reason)
        return True

    @property
    def left_running(self) -> list[LeftRunning]:
        """Calls that were stopped or timed out and whose threads still run."""
        return running.of(self)

    def note_late_result(self, call_id: str, late: LateOutcome) -> None:
        """Log the outcome of a call that nobody waits for any more; the model never sees it."""
        logger.warning(
            "%s ended %.1f s after it began, nobody waits for it", late.label, late.duration_ms / 1000
        )
        self.late_results.append(late_result(call_id, late))

    @contextmanager
    def human_wait(self, what: str) -> Iterator[None]:
        """Account the time inside as time in which a person thinks; for handlers and tools.

        Inside a tool, and wherever its context reaches (``xray.agent.human_wait(…)``), the time is the
        entry's ``human_ms`` and no part of its ``timing``. Between turns this does nothing.
        """
        turn = self._turn
        if turn is None:
            yield
            return
        context = current_context()
        inside = context.scope if context is not None and context.agent is self else None
        with turn.human_wait(what, inside):
            yield

    def close(self) -> None:
        """Stop a running turn, wait for its end, end the agent's event loop, and let the observers go.

        A turn that has not ended after some seconds does the rest itself at its end; so does one that
        runs on this very thread, below a handler or tool that closes its agent.
        """
        turn = self._turn
        if turn is not None:
            turn.cancel.cancel("the agent was closed")
            own = turn.thread_id == threading.get_ident()
            if own or not turn.ended.wait(_CLOSING_PATIENCE):
                with self._turn_guard:
                    self._closing = self._turn is turn
                    if self._closing:
                        return
        self._let_go()

    def _let_go(self) -> None:
        self.loop_thread.close()
        self.observers.tell("close")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _at_least_one(max_iterations: int) -> int:
    if max_iterations < 1:
        raise ConfigError(f"max_iterations must be at least 1, not {max_iterations}")
    return max_iterations


def _make_llm(name: str, model: str | None, factory: LLMFactory | None) -> Any:
    if factory is None or model is None:
        raise ConfigError(
            f"agent {name} has no model",
            hint="Pass llm=…, or use workbench.Agent, which makes one of model=….",
        )
    return factory(model)


def _options_of(complete: Callable[..., Any]) -> frozenset[str]:
    """Which of the optional arguments this ``complete`` takes."""
    try:
        parameters = inspect.signature(complete).parameters
    except (TypeError, ValueError):
        return frozenset()
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()):
        return frozenset({"on_delta", "cancel"})
    return frozenset({"on_delta", "cancel"} & parameters.keys())
