"""Registries that hold the same tools: ours and toolregistry."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

TOOLS = 1_000
FEW = 50


def made(number: int) -> Callable[..., str]:
    """A new function with three parameters and a docstring."""

    def tool(path: str, count: int = 3, tags: list[str] | None = None) -> str:
        """Look at a file.

        Args:
            path: Where it is.
            count: How many lines.
            tags: What it is about.
        """
        return f"{path} {count} {tags}"

    tool.__name__ = tool.__qualname__ = f"tool_{number}"
    return tool


def noop(x: int) -> int:
    """Give back what was given.

    Args:
        x: Anything.
    """
    return x


class Subject:
    """Measures a registry; ``new`` makes an empty one. Values in microseconds, per operation."""

    def __init__(self) -> None:
        self._full = self.new()
        for number in range(TOOLS):
            self._full.register(made(number))
        self._small = self.new()
        self._small.register(noop)
        self._heard = 0

    def new(self) -> Any:
        """An empty registry."""
        raise NotImplementedError

    def call_noop(self) -> object:
        """One validated call."""
        raise NotImplementedError

    def schemas(self, registry: Any) -> list[Any]:
        """The schemas of all tools."""
        raise NotImplementedError

    def register(self) -> float:
        """Register a new function."""
        functions, registry = [made(number) for number in range(FEW)], self.new()
        begin = time.perf_counter()
        for function in functions:
            registry.register(function)
        return (time.perf_counter() - begin) / FEW * 1e6

    def toggle(self, callbacks: int, repeats: int = 2_000) -> float:
        """Switch a tool off or on, with callbacks that count."""
        registry = self.new()
        registry.register(noop)
        for _ in range(callbacks):
            registry.on_change(self._listener())
        self._heard = 0
        begin = time.perf_counter()
        for _ in range(repeats):
            registry.disable("noop", reason="because")
            registry.enable("noop")
        spent = (time.perf_counter() - begin) / (2 * repeats) * 1e6
        if self._heard != callbacks * 2 * repeats:
            raise RuntimeError(f"{self._heard} events were heard of {callbacks * 2 * repeats}")
        return spent

    def toggle_0(self) -> float:
        """Nobody listens."""
        return self.toggle(0)

    def toggle_1(self) -> float:
        """One callback."""
        return self.toggle(1)

    def toggle_10(self) -> float:
        """Ten callbacks."""
        return self.toggle(10)

    def call(self, repeats: int = 1_000) -> float:
        """A no-op call, its arguments validated."""
        begin = time.perf_counter()
        for _ in range(repeats):
            self.call_noop()
        return (time.perf_counter() - begin) / repeats * 1e6

    def export(self, repeats: int = 3) -> float:
        """The schemas of tools that have not changed since the last time."""
        found: list[Any] = []
        begin = time.perf_counter()
        for _ in range(repeats):
            found = self.schemas(self._full)
        spent = (time.perf_counter() - begin) / repeats * 1e6
        if len(found) != TOOLS:
            raise RuntimeError(f"{len(found)} schemas of {TOOLS} tools")
        return spent

    def export_changed(self) -> float:
        """The schemas after one tool was switched off."""
        self._full.disable("tool_7", reason="because")
        begin = time.perf_counter()
        self.schemas(self._full)
        spent = (time.perf_counter() - begin) * 1e6
        self._full.enable("tool_7")
        self.schemas(self._full)
        return spent

    def _listener(self) -> Callable[[object], None]:
        def listen(_event: object) -> None:
            self._heard += 1

        return listen


class Workbench(Subject):
    """Ours: a call also asks the policy and counts."""

    def new(self) -> Any:
        from workbench.registry import ToolRegistry

        return ToolRegistry()

    def call_noop(self) -> object:
        return self._small.call("noop", {"x": 1})

    def schemas(self, registry: Any) -> list[Any]:
        found: list[Any] = registry.schemas()
        return found


class ToolRegistryPeer(Subject):
    """toolregistry: a call is looked up and validated, nothing else."""

    def new(self) -> Any:
        return import_module("toolregistry").ToolRegistry()

    def call_noop(self) -> object:
        return self._small.get_tool("noop").run({"x": 1})

    def whole_call(self, repeats: int = 200) -> float:
        """A call by its door for whole batches, which also asks whether the tool is on, on a thread."""
        function = {"name": "noop", "arguments": '{"x": 1}'}
        call = [{"id": "1", "type": "function", "function": function}]
        begin = time.perf_counter()
        for _ in range(repeats):
            self._small.execute_tool_calls(call, execution_mode="thread")
        return (time.perf_counter() - begin) / repeats * 1e6

    def schemas(self, registry: Any) -> list[Any]:
        found: list[Any] = registry.get_schemas()
        return found


SUBJECTS: dict[str, Callable[[], Subject]] = {"workbench": Workbench, "toolregistry": ToolRegistryPeer}
