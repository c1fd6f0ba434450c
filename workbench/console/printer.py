"""What a script shows on its terminal: the prompt, a line per tool call, the answer, how it ended."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from workbench.console import lines
from workbench.console.captured import apart
from workbench.console.lines import MUTED, stderr_console
from workbench.engine.images import images_of_turn
from workbench.engine.llm import Delta
from workbench.engine.observer import Observer, TraceEntry, TurnSummary
from workbench.errors import WorkbenchError
from workbench.visible import visible

if TYPE_CHECKING:
    from workbench.engine.agent import Agent


class ConsolePrinter(Observer):
    """Prints to stderr, so that stdout stays the script's own, or to a given console.

    The answer is printed when it is complete; while it is on its way only remarks such as "rate limited"
    appear. Calls of agents that run inside tools are indented under their agent's name. An agent that is
    ``quiet`` prints nothing.
    """

    nested = True

    def __init__(self, console: Console | None = None, *, show_result: bool = True) -> None:
        """``show_result=False`` leaves the answer to whoever called the agent."""
        self.console = stderr_console() if console is None else console
        self._show_result = show_result
        self._lock = RLock()

    def turn_started(self, agent: Agent, prompt: str) -> None:
        """Print who was asked what."""
        name = Text(f"{lines.plain(agent.name)} ", MUTED)
        self._print(agent, Text.assemble(name, ("❯ ", "blue"), visible(prompt)))
        for facts in images_of_turn(agent.current_session):
            self._print(agent, Text(f"  {lines.plain(facts.name)}  {' '.join(facts.parts)}", MUTED))

    def stream(self, agent: Agent, delta: Delta) -> None:
        """Print remarks of the provider; pieces of the answer wait until it is whole."""
        if delta.kind == "status":
            self._print(agent, Text(f"· {lines.plain(delta.text)}", MUTED))

    def entry_added(self, agent: Agent, entry: TraceEntry) -> None:
        """Print a line for a call, and why it failed if it did."""
        kind = entry.get("type")
        if kind == "tool_execution":
            self._tool_call(agent, entry)
        elif kind == "llm_call" and entry.get("status") == "error" and "parent_call_id" in entry:
            self._print(agent, Text(f"  ✗ {lines.reason(entry)}", "red"))
        elif kind == "note":
            text = f"· {lines.plain(str(entry.get('text')))} {lines.plain(str(entry.get('hint') or ''))}"
            self._print(agent, Text(text.rstrip(), MUTED))
        elif kind == "late_result":
            name = lines.plain(str(entry.get("tool_name")))
            self._print(agent, Text(f"· {name} ended after it was given up; its result was dropped", MUTED))

    def turn_finished(self, agent: Agent, summary: TurnSummary) -> None:
        """Print the answer or the error, and a line with status, time, tokens and cost."""
        interrupted = isinstance(summary.error, KeyboardInterrupt)
        if summary.error is not None and not interrupted:
            self._error(agent, summary.error)
        elif summary.result and (self._show_result or summary.status != "success"):
            self._print(agent, Text(f"\n{visible(summary.result)}\n"))
        status = "interrupted" if interrupted else summary.status
        parts = [status, lines.duration(summary.duration_ms)]
        if summary.waited_ms:
            parts.append(f"{lines.duration(summary.waited_ms)} of it waiting for you")
        if summary.tools_called:
            parts.append(lines.count(len(summary.tools_called), "call"))
        rejected = sum(entry.get("status") == "rejected" for entry in summary.trace)
        if rejected:
            parts.append(f"{rejected} rejected")
        parts += [lines.count(summary.usage.total_tokens, "token"), lines.money(summary.usage.cost)]
        self._print(agent, Text.assemble(lines.state(status), " ", (" · ".join(parts), MUTED)))

    def _tool_call(self, agent: Agent, entry: TraceEntry) -> None:
        indent = Text("")
        if "parent_call_id" in entry:
            indent = Text(f"  {lines.plain(agent.name)} · ", MUTED)
        width = self.console.width - indent.cell_len
        line = Text.assemble(indent, lines.call_line(entry, width))
        self._print(agent, line)
        why = lines.reason(entry)
        if why:
            text = Text(f"{' ' * indent.cell_len}  {why}", "red" if entry.get("status") == "error" else MUTED)
            text.truncate(max(20, self.console.width * 3), overflow="ellipsis")
            self._print(agent, text)

    def _error(self, agent: Agent, error: BaseException) -> None:
        self._print(agent, Text(f"✗ {type(error).__name__}: {visible(str(error))}", "red"))
        if isinstance(error, WorkbenchError) and error.hint:
            self._print(agent, Text(f"  {visible(error.hint)}"))

    def _has_another_printer(self, agent: Agent) -> bool:
        """An agent inside a tool may bring its own printer; its calls are not to be printed twice."""
        return self not in agent.observers and any(
            isinstance(observer, ConsolePrinter) for observer in agent.observers
        )

    def _print(self, agent: Agent, what: Text) -> None:
        if agent.quiet or self._has_another_printer(agent):
            return
        with self._lock, apart():  # it may run inside a call, whose output this is not
            self.console.print(what, soft_wrap=not what.no_wrap)
