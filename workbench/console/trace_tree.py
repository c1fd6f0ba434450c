"""The trace as a tree: turns, iterations, model calls and tool calls with their real times, and totals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from workbench.console import lines
from workbench.console.lines import MUTED, stderr_console
from workbench.engine.observer import TraceEntry

if TYPE_CHECKING:
    from workbench.engine.xray_context import TraceView


@dataclass(slots=True)
class _Totals:
    """Sums over entries; times in milliseconds, cost in US dollars (None: not known)."""

    models: int = 0
    tools: int = 0
    failed: int = 0
    model_ms: float = 0.0
    tool_ms: float = 0.0
    waited_ms: float = 0.0
    tokens: int = 0
    cost: float | None = None

    def add(self, entry: TraceEntry) -> None:
        kind = entry.get("type")
        if kind == "llm_call":
            self.models += 1
            self.model_ms += entry.get("duration_ms") or 0.0
            self.tokens += lines.tokens(entry.get("usage"))
            dollars = lines.cost(entry.get("usage"))
            if dollars is not None:
                self.cost = (self.cost or 0.0) + dollars
        elif kind == "tool_execution":
            self.tools += 1
            self.failed += entry.get("status") in {"error", "not_found"}
            self.tool_ms += entry.get("timing") or 0.0
        elif kind == "human_wait":
            self.waited_ms += entry.get("duration_ms") or 0.0

    def text(self) -> Text:
        parts = [
            f"{lines.count(self.models, 'model call')} {lines.duration(self.model_ms)}",
            f"{lines.count(self.tools, 'tool call')} {lines.duration(self.tool_ms)}",
        ]
        if self.failed:
            parts.append(f"{self.failed} failed")
        if self.waited_ms:
            parts.append(f"waited {lines.duration(self.waited_ms)}")
        parts += [lines.count(self.tokens, "token"), lines.money(self.cost)]
        return Text(" · ".join(parts), MUTED)


def draw_trace(trace: Iterable[TraceEntry], console: Console | None = None, *, title: str = "trace") -> None:
    """Draw entries of a trace on ``console``, by default on stderr."""
    console = stderr_console() if console is None else console
    console.print(trace_tree(trace, title=title, width=console.width))


def draw_view(view: TraceView, console: Console | None = None) -> None:
    """Draw what ``xray.trace()`` looks at: the turn so far, and the tool that is on its way."""
    console = stderr_console() if console is None else console
    tree = trace_tree(view.entries, title=f"{view.agent.name}: {view.task}", width=console.width)
    if view.running is not None:
        tree.add(Text.assemble(("● ", "blue"), (lines.plain(view.running), "bold"), ("   running", MUTED)))
    console.print(tree)


def trace_tree(trace: Iterable[TraceEntry], *, title: str = "trace", width: int = 100) -> Tree:
    """The tree itself; lines are cut to ``width`` cells."""
    entries = list(trace)
    tree = Tree(_shortened(Text(lines.plain(title), "bold"), width), guide_style=MUTED)
    _grow(tree, entries, width - 4)
    totals = _Totals()
    for entry in entries:
        totals.add(entry)
    tree.add(Text.assemble(("total  ", "bold"), totals.text()))
    return tree


def _grow(tree: Tree, entries: list[TraceEntry], width: int) -> None:
    """Add entries: those of a turn below its prompt, those of an iteration below its number."""
    turn, branch, iteration = tree, tree, None
    for entry in entries:
        kind = entry.get("type")
        if kind == "user_input":
            head = Text.assemble(
                (f"turn {entry.get('turn', '?')}  ", "bold"), lines.plain(str(entry["prompt"]))
            )
            turn = branch = tree.add(_shortened(head, width))
            iteration = None
            continue
        if entry.get("iteration") and entry["iteration"] != iteration:
            iteration = entry["iteration"]
            branch = turn.add(Text(f"iteration {iteration}", MUTED))
        _add_entry(branch, entry, width - 8)


def _add_entry(branch: Tree, entry: TraceEntry, width: int) -> None:
    kind = entry.get("type")
    if kind == "llm_call":
        branch.add(_shortened(_model_line(entry), width))
    elif kind == "tool_execution":
        node = branch.add(lines.call_line(entry, width))
        why = lines.reason(entry)
        if why:
            node.add(_shortened(Text(why, "red" if entry.get("status") == "error" else MUTED), width - 4))
        for turn in entry.get("nested") or ():
            inner = node.add(Text(lines.plain(str(turn.get("agent", "agent"))), "bold"))
            _grow(inner, list(turn.get("trace") or ()), width - 8)
    elif kind == "human_wait":
        waited = lines.duration(entry.get("duration_ms") or 0.0)
        text = f"{lines.plain(str(entry.get('what', 'waited')))}   {waited}"
        branch.add(_shortened(Text.assemble(("◇ ", "yellow"), (text, MUTED)), width))
    else:
        said = entry.get("reason") or entry.get("violation") or entry.get("tool_name") or ""
        text = f"· {str(kind).replace('_', ' ')}  {said}"
        branch.add(_shortened(Text(lines.plain(text), MUTED), width))


def _model_line(entry: TraceEntry) -> Text:
    status = str(entry.get("status", "success"))
    glyph = Text("◆", "blue") if status == "success" else lines.state(status)
    calls = entry.get("tool_calls_count") or 0
    wants = f"  {lines.count(calls, 'call')}" if calls else ""
    facts = [
        lines.duration(entry.get("duration_ms") or 0.0),
        lines.count(lines.tokens(entry.get("usage")), "token"),
    ]
    line = Text.assemble(glyph, " ", lines.plain(str(entry.get("model", ""))), wants)
    line.append(f"   {' · '.join(facts)}", MUTED)
    if status == "error":
        line.append(f"  {lines.reason(entry)}", "red")
    return line


def _shortened(text: Text, width: int) -> Text:
    text.truncate(max(16, width), overflow="ellipsis")
    text.no_wrap = True
    return text
