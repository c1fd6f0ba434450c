"""Puts the parts together: the public ``Agent``, and an agent built from what the command line names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.console.script_output import script_output
from workbench.engine import single
from workbench.engine.agent import Agent as EngineAgent
from workbench.engine.ceilings import ceilings
from workbench.engine.llm import LLM
from workbench.engine.observer import Observer
from workbench.engine.trust import apply_trust
from workbench.engine.xray_context import TraceView
from workbench.errors import ConfigError, StorageError
from workbench.registry import ToolRegistry
from workbench.resources import resource_folder

if TYPE_CHECKING:
    from workbench.toolbox.tool_source import ToolSource

DEFAULT_MODEL = "offline"
SYSTEM_PROMPT = (
    "You are a careful assistant with tools. Call a tool when it helps, several at once when they do not "
    "depend on each other, and say briefly what you found. When a call is rejected, do not repeat it: "
    "read the reason and find another way, or ask."
)
_LENIENT = "lenient:"
_REPLAYED = "Behind replay: stands the file of a session, as in .workbench/sessions/."
TRUST_WORDS = ("open", "careful", "strict")


class Agent(EngineAgent):
    """An agent with everything that a script wants: any model, console output and logs.

    ``agent.input("…")`` runs a turn and returns the answer; ``agent.tools`` is its ``ToolRegistry``,
    ``agent.current_session`` the conversation as plain dicts, with times in milliseconds and timestamps in
    Unix seconds. What tools and hooks print is printed, and kept in their trace entries; ``agent.output =
    None`` keeps nothing, ``with ProcessOutput() as agent.output:`` keeps what child processes and C code
    write too. As a context manager it is closed at the end.

    Args:
        name: Shown to people, and part of the names of its logs.
        tools: A ToolRegistry, or functions, modules, instances, other agents, singly or in lists.
        system_prompt: Text, a file, or a name in ``prompts/``; None looks for ``prompts/<name>.md``.
        model: ``offline`` (no key needed, the default) or any name that litellm knows.
        llm: The model itself; needs only ``complete(messages, tools=None)``. Wins over ``model``.
        trust: ``open``, ``careful``, ``strict``, the path of a policy file, a policy, or an agent that
            answers for the person; None asks nobody, the handlers alone decide.
        quiet: Nothing is printed.
        log: Sessions, logs and long results are written.
        folder: Where ``.workbench/`` goes; None for the working directory.
        observers: Who else is told what happens.
        options: ``max_iterations`` (10), how often the model may be asked in one turn; ``on_events`` and
            ``plugins``, handlers singly or nested in lists, where plugins come first.

    Raises ConfigError for a model or trust that there is none of, HookError and ToolRegistrationError for
    handlers and tools that cannot be used.
    """

    def __init__(
        self,
        name: str,
        tools: Any = (),
        system_prompt: str | Path | None = None,
        model: str | None = None,
        *,
        llm: LLM | Any | None = None,
        trust: Any = None,
        quiet: bool = False,
        log: bool = True,
        folder: str | Path | None = None,
        observers: Sequence[Observer] = (),
        **options: Any,
    ) -> None:
        super().__init__(
            name,
            tools,
            system_prompt,
            model if model or llm else DEFAULT_MODEL,
            llm=llm,
            trust=policy_of(trust),
            quiet=quiet,
            log=log,
            observers=(*default_observers(quiet=quiet, log=log, folder=folder), *observers),
            llm_factory=make_llm,
            **options,
        )
        self.trace_drawer = _draw_trace
        self.keep_result = _result_files(folder) if log else None
        self.output = script_output()


def _draw_trace(view: TraceView) -> None:
    from workbench.console.trace_tree import draw_view

    draw_view(view)


def _result_files(folder: str | Path | None) -> Any:
    from workbench.storage.result_files import ResultFiles

    return ResultFiles(folder)


def llm_do(prompt: str, *, model: str | None = None, **options: Any) -> Any:
    """Ask a model once, without tools or memory, and return the answer.

    ``model`` is as in ``Agent``. Options: ``output``, a pydantic model or any type, of which the answer is
    then an object, otherwise it is a text; ``images``, as in ``Agent.input``; ``system_prompt``; ``llm``,
    the model itself. Raises ProviderError when there is no answer or none that fits, ConfigError when there
    is no such model or an image cannot be sent.
    """
    return single.llm_do(prompt, model=model or DEFAULT_MODEL, llm_factory=make_llm, **options)


def make_llm(model: str, parameters: Mapping[str, Any] | None = None) -> LLM:
    """The model of that name, with the parameters of the configuration, getting ready already.

    ``parameters`` come before those of the configuration, None takes one away. ``replay:PATH`` answers
    from a session file, ``replay:lenient:PATH`` whatever is asked. Raises ConfigError for a name that is
    none.
    """
    from workbench.config import load_settings
    from workbench.project_review import log_waiting_parameters
    from workbench.providers.base import create_llm

    if not isinstance(model, str):
        raise ConfigError(
            f"model must be a name, not {type(model).__name__}",
            hint="Pass an object that answers as llm=…, for example Agent('tester', llm=Fake()).",
        )
    kind, _, path = model.partition(":")
    if kind == "replay":
        return _replay(path.removeprefix(_LENIENT), strict=not path.startswith(_LENIENT))
    settings = load_settings(Path.cwd())
    log_waiting_parameters(settings.waiting)
    llm = create_llm(model, **{**settings.config.parameters, **(parameters or {})})
    warm = getattr(llm, "warm", None)
    if warm is not None:
        warm()
    return llm


def _replay(path: str, *, strict: bool) -> LLM:
    from workbench.providers.replay import ReplayModel
    from workbench.storage.session_file import read_session

    try:
        recorded = read_session(path).messages
    except StorageError as error:
        raise ConfigError(str(error), hint=error.hint or _REPLAYED) from error
    if not any(message.get("role") == "assistant" for message in recorded):
        raise ConfigError(f"no model has answered in {path}", hint=_REPLAYED)
    return ReplayModel(recorded, strict=strict)


def policy_of(trust: Any) -> Any:
    """``trust`` as the engine takes it: a path becomes the policy that the file holds."""
    if isinstance(trust, Path) or (isinstance(trust, str) and trust not in TRUST_WORDS):
        from workbench.toolbox.policy_file import load_policy

        return load_policy(Path(trust))
    return trust


def default_observers(*, quiet: bool, log: bool, folder: str | Path | None) -> list[Observer]:
    """Console and logs, as asked for."""
    observers: list[Observer] = []
    if log:
        from workbench.storage.masking import Masker
        from workbench.storage.session_log import SessionLog
        from workbench.storage.text_log import TextLog

        root = Path(folder) if folder is not None else Path.cwd()
        mask = Masker()
        observers += [TextLog(root, mask=mask), SessionLog(root, mask=mask)]
    if not quiet:
        from workbench.console.printer import ConsolePrinter

        observers.append(ConsolePrinter())
    return observers


Progress = Callable[[int, int, str], None]
"""Told ``(done, total, at_work)`` while tools load."""

Problem = Callable[[str, str, str], None]
"""Told ``(source, reason, where)`` of tools that could not be loaded, and settings that wait for a yes."""


def build_agent(
    target: str | None,
    *,
    model: str | None = None,
    tools: Sequence[str] = (),
    trust: str | None = None,
    progress: Progress | None = None,
    problem: Problem | None = None,
    loaded: Callable[[ToolSource], object] | None = None,
) -> EngineAgent:
    """The agent that TARGET names, or a new one with the tools that it names.

    An agent that states its own ``trust`` keeps it unless ``trust`` is given; all others get ``careful``.
    ``loaded`` is given each source of tools, for a watcher that shall follow it. Nothing is printed: whoever
    runs the agent shows it. Raises ConfigError when there is no such target.
    """
    from workbench.config import load_config
    from workbench.project_review import keep_grants, tell_what_waits
    from workbench.toolbox.loader import load_tools
    from workbench.toolbox.target import resolve_target

    config = load_config(Path.cwd())
    tell_what_waits(Path.cwd(), problem)
    resolved = resolve_target(target if target is not None else str(resource_folder("sample_tools")))
    agent = resolved.agent
    if agent is None:
        agent = Agent(
            _name_for(target),
            ToolRegistry(),
            SYSTEM_PROMPT,
            model or config.model,
            trust=trust or config.approval,
            quiet=True,
        )
    else:
        if model:
            agent.llm = make_llm(model)
        _silence(agent)
        if trust or agent.trust is None:
            apply_trust(agent.tools, policy_of(trust or config.approval))
    if loaded is not None and resolved.source is not None:
        loaded(resolved.source)
    sources = (*resolved.tools, *tools)
    for number, source in enumerate(sources):
        if progress is not None:
            progress(number, len(sources), Path(source).name)
        report = load_tools(source, agent.tools)
        if loaded is not None:
            loaded(report.source)
        for failure in report.failures:
            if problem is not None:
                problem(failure.path.name, failure.reason, f"line {failure.line}" if failure.line else "")
    if progress is not None:
        progress(len(sources), len(sources), "")
    if config.max_cost is not None or config.max_turn_tokens is not None:
        limits = ceilings(max_cost=config.max_cost, max_turn_tokens=config.max_turn_tokens)
        agent.hooks.add(limits, first=True)
    keep_grants(agent.tools, Path.cwd())
    return agent


def _name_for(target: str | None) -> str:
    return "assistant" if target is None else Path(target.partition(":")[0]).stem or "assistant"


def _silence(agent: EngineAgent) -> None:
    from workbench.console.printer import ConsolePrinter

    for observer in tuple(agent.observers):
        if isinstance(observer, ConsolePrinter):
            agent.observers.remove(observer)
    agent.quiet = True
