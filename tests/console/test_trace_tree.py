"""The drawn trace: the real structure, the real times, the real sums."""

from __future__ import annotations

import io
import re
from types import SimpleNamespace
from typing import Any

from rich.console import Console

from workbench.console.trace_tree import draw_trace, draw_view
from workbench.engine.llm import TokenUsage
from workbench.engine.observer import TraceEntry
from workbench.engine.xray_context import TraceView

USAGE = TokenUsage(100, 20, 0, 0.01)


def model(iteration: int, ms: float, calls: int = 0, **extra: Any) -> TraceEntry:
    entry = {"type": "llm_call", "model": "m", "duration_ms": ms, "tool_calls_count": calls}
    return {**entry, "iteration": iteration, "usage": USAGE, "status": "success", **extra}


def tool(name: str, ms: float, iteration: int = 1, **extra: Any) -> TraceEntry:
    entry = {"type": "tool_execution", "tool_name": name, "arguments": {"q": 1}, "status": "success"}
    return {**entry, "timing": ms, "iteration": iteration, "result": "r", **extra}


TRACE: list[TraceEntry] = [
    {"type": "user_input", "turn": 1, "prompt": "compare [/dim] \x1b[2J"},
    model(1, 1300, 2),
    {"type": "human_wait", "what": "approval", "duration_ms": 12_400, "iteration": 1},
    tool("search", 210),
    tool("save", 5, status="error", error="disk\n[full]", error_type="OSError"),
    model(2, 700),
    {"type": "user_input", "turn": 2, "prompt": "again"},
    model(1, 100, usage={"input_tokens": 1, "output_tokens": 1, "cost": None}),
]


def drawn(trace: list[TraceEntry], width: int = 100) -> str:
    out = io.StringIO()
    draw_trace(trace, Console(file=out, width=width, color_system=None))
    return out.getvalue()


def test_turns_iterations_and_calls_stand_below_each_other() -> None:
    lines = [line.rstrip() for line in drawn(TRACE).splitlines()]
    assert lines == [
        "trace",
        "├── turn 1  compare [/dim] \\e[2J",
        "│   ├── iteration 1",
        "│   │   ├── ◆ m  2 calls   1.30 s · 120 tokens",
        "│   │   ├── ◇ approval   12.40 s",
        "│   │   ├── ✓ search  q=1   210 ms",
        "│   │   └── ✗ save  q=1   5 ms",
        "│   │       └── OSError: disk [full]",
        "│   └── iteration 2",
        "│       └── ◆ m   700 ms · 120 tokens",
        "├── turn 2  again",
        "│   └── iteration 1",
        "│       └── ◆ m   100 ms · 2 tokens",
        "└── total  3 model calls 2.10 s · 2 tool calls 215 ms · 1 failed · waited 12.40 s · 242 tokens ·",
        "    $0.0200",
    ]


def test_an_agent_inside_a_call_is_a_subtree() -> None:
    nested = [
        {"agent": "inner", "trace": [{"type": "user_input", "turn": 1, "prompt": "sub"}, tool("deep", 2)]}
    ]
    text = drawn([tool("delegate", 9, nested=nested)])
    assert re.search(r"delegate.*\n.*inner\n.*turn 1  sub\n.*iteration 1\n.*deep", text)


def test_no_line_is_wider_than_the_terminal() -> None:
    trace = [
        *TRACE,
        tool("long", 1, arguments={"text": "x" * 10_000}),
        tool("why", 1, status="rejected", result="y" * 999),
    ]
    assert max(map(len, drawn(trace, 60).splitlines())) <= 60


def test_an_empty_trace_is_drawn_too() -> None:
    assert "0 model calls" in drawn([])


def test_a_view_shows_task_and_the_tool_on_its_way() -> None:
    out = io.StringIO()
    agent: Any = SimpleNamespace(name="helper")
    view = TraceView(agent, "do it", 1, tuple(TRACE[1:4]), running="search")
    draw_view(view, Console(file=out, width=80, color_system=None))
    assert out.getvalue().startswith("helper: do it\n")
    assert "● search   running" in out.getvalue()
