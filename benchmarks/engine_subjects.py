"""Engines that make no-op tool calls for a scripted model: ours and a bare loop.

The model answers at once with what it has prepared: either one response with ``count`` calls, or
``count`` responses with one call each, then a closing answer.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, Final

_REST: Final = 0.15
"""Seconds before a measure."""

ANSWER = "done"
ARGUMENTS = {"x": 1}
ARGUMENTS_TEXT = json.dumps(ARGUMENTS)


def noop(x: int) -> int:
    """Give back what was given.

    Args:
        x: Anything.
    """
    return x


class Script:
    """How many calls the model asks for, in which answers."""

    def __init__(self) -> None:
        self._left: list[int] = []
        self._number = 0

    def plan(self, count: int, *, batch: bool) -> None:
        """``count`` calls in one answer, or in as many answers."""
        self._left = [count] if batch else [1] * count

    def ids(self) -> list[str]:
        """New ids for the calls of the next answer; none for the closing one."""
        calls = self._left.pop() if self._left else 0
        first, self._number = self._number, self._number + calls
        return [f"call_{number}" for number in range(first, self._number)]


class Subject:
    """Measures ``go``, which runs one turn; values are microseconds a call."""

    def __init__(self) -> None:
        self.script = Script()

    def go(self) -> None:
        """One turn."""
        raise NotImplementedError

    def batch(self, count: int = 100) -> float:
        """One response with ``count`` calls."""
        return self._timed(count, batch=True)

    def sequential(self, count: int = 100) -> float:
        """``count`` responses with one call."""
        return self._timed(count, batch=False)

    def _timed(self, count: int, *, batch: bool) -> float:
        self.script.plan(count, batch=batch)
        # after a long pass of the collector Linux spreads threads over the cores for a while
        time.sleep(_REST)
        begin = time.perf_counter()
        self.go()
        return (time.perf_counter() - begin) / count * 1e6


class Bare(Subject):
    """The loop that one writes by hand: parse, look up, call, append."""

    def __init__(self) -> None:
        super().__init__()
        self._tools: dict[str, Callable[..., Any]] = {"noop": noop}

    def go(self) -> None:
        messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
        while calls := self._complete(messages)["tool_calls"]:
            messages.append({"role": "assistant", "content": None, "tool_calls": calls})
            for call in calls:
                function = call["function"]
                try:
                    result = json.dumps(self._tools[function["name"]](**json.loads(function["arguments"])))
                except Exception as error:  # noqa: BLE001  the model reads whatever a tool raises
                    result = f"{type(error).__name__}: {error}"
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})

    def _complete(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        function = {"name": "noop", "arguments": ARGUMENTS_TEXT}
        return {
            "tool_calls": [
                {"id": each, "type": "function", "function": function} for each in self.script.ids()
            ]
        }


class Workbench(Subject):
    """Our engine with full trace, three handlers on each of eight hooks, and ``earlier`` calls behind it."""

    def __init__(self, earlier: int = 0) -> None:
        super().__init__()
        from workbench.engine import LLMResponse, ToolCall, hooks
        from workbench.engine.agent import Agent

        script = self.script

        class Model:
            """Answers what the script says."""

            def complete(
                self, messages: object, tools: object = None, *, cancel: object = None
            ) -> LLMResponse:
                calls = [ToolCall("noop", dict(ARGUMENTS), each) for each in script.ids()]
                return LLMResponse(None if calls else ANSWER, calls)

        def watch(agent: Agent) -> None:
            """A handler that does nothing."""

        handlers = [
            getattr(hooks, event)(watch, watch, watch) for event in hooks.EVENTS if event != "on_error"
        ]
        self.agent = Agent("bench", [noop], llm=Model(), on_events=handlers, max_iterations=1_000_000)
        if earlier:
            self.sequential(earlier)

    def go(self) -> None:
        self.agent.input("go")
