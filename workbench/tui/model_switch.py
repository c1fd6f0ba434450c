"""Which model answers, and with which parameters: what ``/model`` and ``/set`` do."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from workbench.errors import WorkbenchError
from workbench.tui import events

if TYPE_CHECKING:
    from workbench.engine.agent import Agent
    from workbench.engine.llm import LLM
    from workbench.providers.catalog import Catalog, Snapshot
    from workbench.tui.events import Post

MakeModel: TypeAlias = "Callable[[str, Mapping[str, Any]], LLM]"
"""Makes a model of its name and parameters, those that are None left to nobody's choice."""

Do: TypeAlias = "Callable[[Callable[[Agent], object]], None]"
"""Runs a job with the agent, between turns."""


class ModelSwitch:
    """Switches on the agent's thread, looks for models on one of its own, and reports with events.

    What was set by command holds for every model that is switched to; the address of a local server
    holds only for the model that was chosen there.
    """

    def __init__(
        self,
        make: MakeModel | None = None,
        catalog: Callable[[], Catalog] | None = None,
        configured: Mapping[str, Any] | None = None,
    ) -> None:
        """``catalog`` makes the list of models when it is first asked for.

        ``configured`` are the parameters that each model that is made gets besides those set by command.
        """
        self._configured = dict(configured or {})
        self._make = make or _plain_model
        self._make_catalog = catalog or _usual_catalog
        self._catalog: Catalog | None = None
        self._looking = threading.Lock()
        self.snapshot: Snapshot | None = None
        """What was found last."""
        self._set: dict[str, Any] = {}
        self._do: Do = _nobody
        self._post: Post = _nobody

    def bind(self, do: Do, post: Post) -> None:
        """Work with this agent thread, and tell the screen with ``post``."""
        self._do, self._post = do, post

    # the list

    def look(self) -> None:
        """Post ``ModelsFound`` with what is known, again and again until nothing more is awaited.

        While that goes on, looking once more changes nothing.
        """
        if self._looking.acquire(blocking=False):
            threading.Thread(target=self._look, name="workbench-models", daemon=True).start()

    def _look(self) -> None:
        try:
            if self._catalog is None:
                self._catalog = self._make_catalog()
            self._catalog.look(self._found)
        finally:
            self._looking.release()

    def _found(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._post(events.ModelsFound("", time.time(), snapshot))

    # switching

    def switch(self, model: str, base_url: str | None = None) -> None:
        """From the next request on ``model`` answers; the conversation stays."""
        if base_url is not None:
            self._set.pop("base_url", None)
        parameters = dict(self._set) if base_url is None else {**self._set, "base_url": base_url}

        def job(agent: Agent) -> None:
            try:
                agent.llm = self._make(model, parameters)
            except WorkbenchError as error:
                self._complain("The model stays as it was", error)
                return
            from workbench.tui.facts import missing_key, usage_event
            from workbench.tui.words import missing_key_words

            missing = missing_key(agent) or self._listed_as_missing(model, parameters)
            self._post(events.ModelChanged(agent.name, time.time(), model, missing))
            self._post(usage_event(agent))
            if missing:
                title = f"There is no key for {model}: the next message fails"
                self._say(title, hint=missing_key_words(missing), tone="warning")

        self._do(job)

    def _listed_as_missing(self, model: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
        """The variables that the list names for a model, where none of them is set."""
        given = {**self._configured, **parameters}
        if self.snapshot is None or any(given.get(name) for name in ("api_key", "base_url", "api_base")):
            return ()
        for group in self.snapshot.groups:
            if any(info.name == model for info in group.models):
                return () if group.usable or any(map(os.environ.get, group.variables)) else group.variables
        return ()

    # parameters

    def set(self, words: str) -> None:
        """``temperature 0.2`` sets it, ``temperature`` takes it away, nothing shows what is set."""
        name, _, text = words.strip().partition(" ")
        if not name:
            self._do(self._show)
            return
        from workbench.providers.parameters import read_parameter

        name, text = name.rstrip("=:"), text.strip()
        try:
            value = read_parameter(name, text)
        except WorkbenchError as error:
            self._complain("Nothing was set", error)
            return
        self._set[name] = value
        self._do(lambda agent: self._apply(agent, name, value))

    def _apply(self, agent: Agent, name: str, value: Any) -> None:
        parameters = _parameters_of(agent)
        if parameters is None:
            hint = "It holds for the next model that takes parameters."
            self._say(f"{agent.model} takes no parameters", hint=hint)
            return
        before = parameters.pop(name, None)
        if value is not None:
            parameters[name] = value
            left_out = "" if _is_taken(agent, name) else f"{agent.model} does not take it: it is left out."
            tone = "warning" if left_out else "text"
            self._say(f"{name} is {value} from the next request on", hint=left_out, tone=tone)
        elif before is not None:
            self._say(f"{name} is no longer set")
        else:
            self._say(f"{name} was not set")

    def _show(self, agent: Agent) -> None:
        from workbench.providers.parameters import PARAMETERS

        hint = f"/set NAME VALUE sets one, /set NAME takes it away: {', '.join(PARAMETERS)}."
        parameters = _parameters_of(agent)
        if parameters is None:
            waiting = {**self._configured, **self._set}
            title = f"{agent.model} takes no parameters"
            title += "; these wait for the next model" if waiting else ""
            parameters = {name: value for name, value in waiting.items() if value is not None}
        else:
            title = f"Parameters of {agent.model}"
        width = max(map(len, PARAMETERS)) + 2
        shown = [
            f"{name:<{width}}{parameters[name]}{'' if _is_taken(agent, name) else '   left out: not taken'}"
            for name in PARAMETERS
            if name in parameters
        ]
        # a configuration may hold a key among them
        others = ", ".join(sorted(parameters.keys() - PARAMETERS.keys()))
        shown += [f"{'also set':<{width}}{others}"] if others else []
        self._say(title, "\n".join(shown) or "None is set.", hint)

    # words

    def _say(self, title: str, text: str = "", hint: str = "", tone: str = "text") -> None:
        self._post(events.Notice("", time.time(), title, text, hint, tone))

    def _complain(self, title: str, error: WorkbenchError) -> None:
        self._say(title, str(error), error.hint, "warning")


def _parameters_of(agent: Agent) -> dict[str, Any] | None:
    parameters = getattr(agent.llm, "parameters", None)
    return parameters if isinstance(parameters, dict) else None


def _is_taken(agent: Agent, name: str) -> bool:
    from workbench.providers.parameters import is_taken

    return is_taken(name, getattr(agent.llm, "takes", None))


def _plain_model(model: str, parameters: Mapping[str, Any]) -> LLM:
    from workbench.providers.base import create_llm

    return create_llm(model, **parameters)


def _usual_catalog() -> Catalog:
    from workbench.providers.catalog import Catalog

    return Catalog()


def _nobody(_: object) -> None:
    raise RuntimeError("the model switch was used before it was bound to an agent")
