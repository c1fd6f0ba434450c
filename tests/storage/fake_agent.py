"""An agent that only has what the logs look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from workbench.engine.llm import Message, TokenUsage
from workbench.engine.observer import Observer, TraceEntry, TurnStatus, TurnSummary
from workbench.storage.masking import Masker
from workbench.storage.session_log import SessionLog


class FakeAgent:
    """Plays turns to observers the way the engine does."""

    def __init__(self, *observers: Observer, name: str = "tester", model: str = "offline") -> None:
        self.name = name
        self.model = model
        self.observers = observers
        self.current_session: dict[str, Any] | None = {"messages": [], "trace": [], "turn": 0}
        self.started_at = 0

    @property
    def session(self) -> dict[str, Any]:
        assert self.current_session is not None
        return self.current_session

    def begin(self, prompt: str) -> None:
        self.started_at = len(self.session["messages"])
        self.trace_at = len(self.session["trace"])
        self.session["turn"] += 1
        self.session["messages"].append({"role": "user", "content": prompt})
        self.prompt = prompt
        self.trace(
            {"type": "user_input", "turn": self.session["turn"], "prompt": prompt, "timestamp": 1000.0}
        )
        for observer in self.observers:
            observer.turn_started(self, prompt)  # type: ignore[arg-type]  # duck-typed on purpose

    def say(self, message: Message) -> None:
        self.session["messages"].append(message)

    def trace(self, entry: TraceEntry) -> None:
        self.session["trace"].append(entry)
        for observer in self.observers:
            observer.entry_added(self, entry)  # type: ignore[arg-type]  # duck-typed on purpose

    def call(self, call_id: str, name: str, result: str | None, **extra: Any) -> None:
        """The model asks for one call; with a result, it also ran."""
        function = {"name": name, "arguments": "{}"}
        call = {"id": call_id, "type": "function", "function": function}
        usage = TokenUsage(10, 5, 0, 0.00001)
        self.trace({"type": "llm_call", "model": self.model, "timestamp": 1001.0, "usage": usage})
        self.say({"role": "assistant", "content": None, "tool_calls": [call]})
        for observer in self.observers:
            observer.batch_started(self)  # type: ignore[arg-type]  # duck-typed on purpose
        if result is not None:
            self.start_call(call_id)
            self.say({"role": "tool", "tool_call_id": call_id, "content": result})
            entry = {"type": "tool_execution", "tool_name": name, "arguments": {}, "call_id": call_id}
            self.trace(
                {**entry, "result": result, "status": "success", "timing": 1.5, "timestamp": 1002.0, **extra}
            )

    def start_call(self, call_id: str) -> None:
        """The call begins to run."""
        for observer in self.observers:
            observer.call_started(self, call_id)  # type: ignore[arg-type]  # duck-typed on purpose

    def end(
        self,
        result: str = "done",
        *,
        status: TurnStatus = "success",
        error: BaseException | None = None,
        replaces: bool = False,
    ) -> TurnSummary:
        """``replaces``: the whole history is reported, because it is no longer what it was."""
        self.say({"role": "assistant", "content": result})
        trace = tuple(self.session["trace"][self.trace_at :])
        summary = TurnSummary(
            turn=self.session["turn"],
            input=self.prompt,
            model=self.model,
            started=1000.0,
            duration_ms=2500.1234,
            waited_ms=12.0,
            status=status,
            result=result,
            usage=TokenUsage(10, 5, 0, 0.00001),
            iterations=1,
            tools_called=tuple(e["tool_name"] for e in trace if e["type"] == "tool_execution"),
            messages=tuple(self.session["messages"][0 if replaces else self.started_at :]),
            trace=trace,
            error=error,
            replaces=replaces,
        )
        for observer in self.observers:
            observer.turn_finished(self, summary)  # type: ignore[arg-type]  # duck-typed on purpose
        return summary

    def turn(self, prompt: str = "hello", result: str = "done") -> TurnSummary:
        self.begin(prompt)
        self.call("c1", "add", "5")
        return self.end(result)


NOON = 1764763200.0  # 2025-12-03T12:00:00Z


def new_log(root: Path, **environ: str) -> SessionLog:
    """A log with its own environment and a clock that stands."""
    return SessionLog(root, mask=Masker(environ), clock=lambda: NOON)


def path_of(log: SessionLog) -> Path:
    """The file that the log writes."""
    assert log.path is not None
    return log.path


def load(log: SessionLog) -> dict[str, Any]:
    """The file as any YAML reader reads it."""
    loaded = yaml.safe_load(path_of(log).read_bytes())
    assert isinstance(loaded, dict)
    return loaded
