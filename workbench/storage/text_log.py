"""The agent's diary in plain lines: when it was asked what, called what, answered what."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.engine.faults import describe_fault
from workbench.engine.images import images_of_turn
from workbench.engine.observer import TraceEntry, TurnSummary
from workbench.errors import WorkbenchError
from workbench.storage import private_file
from workbench.storage.file_log import FileLog
from workbench.storage.masking import Masker
from workbench.storage.plain import json_text, to_plain
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.engine.agent import Agent

logger = logging.getLogger(__name__)

_LONGEST_FIELD: Final = 2_000  # characters; the session file has everything
_LONGEST_SECRET: Final = 1_000  # characters read beyond, so that no secret is cut in two and missed


class TextLog(FileLog):
    """Appends to ``<root>/.workbench/logs/<agent>.log``: a line with the UTC time for each event.

    All sessions of an agent share the file; each line is one write, so processes do not mix. Texts are cut
    at 2,000 characters, secrets are covered, control characters are shown as escapes. What a handler raised
    is written with its traceback, a line for each of its lines. A failure to write
    ends no turn: it is logged once, and the log says how many lines it misses once it can be written again.
    """

    def __init__(
        self,
        root: str | Path | None = None,
        *,
        mask: Masker | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(root, mask=mask, clock=clock)
        self.path: Path | None = None
        """The file, once something was written."""
        self._descriptor = -1
        self._missing = 0

    def turn_started(self, agent: Agent, prompt: str) -> None:
        """Write what the user asked."""
        self._mask.refresh()
        self._line(agent, "user", self._shown(prompt))
        for facts in images_of_turn(agent.current_session):
            self._line(agent, "image", self._shown(f"{facts.name} {facts}"))

    def entry_added(self, agent: Agent, entry: TraceEntry) -> None:
        """Write a model call or a tool call; the user's input has its line already."""
        kind = entry.get("type")
        if kind == "llm_call":
            self._line(agent, "llm", self._llm_call(entry))
        elif kind == "tool_execution":
            self._line(agent, "tool", self._tool_call(entry))
        elif kind != "user_input":
            rest = {key: value for key, value in entry.items() if key not in {"type", "timestamp"}}
            self._line(agent, str(kind), self._json(rest))

    def turn_finished(self, agent: Agent, summary: TurnSummary) -> None:
        """Write the answer or the error, and how the turn ended."""
        if summary.error is not None:
            self._line(agent, "error", self._shown(f"{type(summary.error).__name__}: {summary.error}"))
            if isinstance(summary.error, Exception) and not isinstance(summary.error, WorkbenchError):
                for line in str(describe_fault(summary.error)["traceback"]).splitlines():
                    self._line(agent, "error", self._shown(line))
        if summary.result:
            self._line(agent, "answer", self._shown(summary.result))
        cost = "unknown" if summary.usage.cost is None else f"${summary.usage.cost:.4f}"
        waited = f", {summary.waited_ms:.0f} ms of it waiting" if summary.waited_ms else ""
        self._line(
            agent,
            "turn",
            f"{summary.turn} {summary.status} in {summary.duration_ms:.0f} ms{waited}, "
            f"{summary.usage.total_tokens} tokens, cost {cost}",
        )

    def session_reset(self, agent: Agent) -> None:
        """Write that the conversation begins anew."""
        self._line(agent, "reset", "conversation")

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._descriptor >= 0:
                os.close(self._descriptor)
                self._descriptor = -1

    def _llm_call(self, entry: TraceEntry) -> str:
        usage = entry.get("usage")
        tokens = f", {usage.total_tokens} tokens" if usage is not None else ""
        failed = f", {self._shown(str(entry['error']))}" if entry.get("error") else ""
        return (
            f"{self._shown(str(entry.get('model', '')))} {entry.get('tool_calls_count', 0)} calls "
            f"in {entry.get('duration_ms') or 0:.0f} ms{tokens}{failed}"
        )

    def _tool_call(self, entry: TraceEntry) -> str:
        status = entry.get("status")
        text = (
            f"{self._shown(str(entry.get('tool_name')))}({self._json(entry.get('arguments') or {})}) {status}"
        )
        if entry.get("timing") is not None:
            text += f" in {entry['timing']:.1f} ms"
        if entry.get("error"):
            error = f"{entry.get('error_type', 'error')}: {entry['error']}"
            return f"{text}: {self._shown(error)}"
        result = entry.get("result")
        return text if result is None else f"{text}: {self._shown(str(result))}"

    def _json(self, value: object) -> str:
        return self._shown(json_text(to_plain(value, self._mask)))

    def _shown(self, text: str) -> str:
        whole = len(text)
        text = self._mask(text[: _LONGEST_FIELD + _LONGEST_SECRET])
        cut = f"… ({whole:,} characters)" if whole > _LONGEST_FIELD else ""
        return visible_line(text[:_LONGEST_FIELD]) + cut

    def _line(self, agent: Agent, kind: str, text: str) -> None:
        with self._lock:
            try:
                self._open(agent.name)
                if self._missing:
                    self._write("log", f"{self._missing} lines before this one could not be written")
                    self._missing = 0
                self._write(kind, text)
            except OSError as error:
                if not self._missing:
                    logger.warning("the log of %s cannot be written: %s", agent.name, error.strerror)
                self._missing += 1

    def _open(self, agent_name: str) -> None:
        if self._descriptor < 0:
            folder = self._folder("logs")
            path = folder / f"{private_file.file_safe(agent_name)}.log"
            self._descriptor = private_file.open_private(path)
            self.path = path

    def _write(self, kind: str, text: str) -> None:
        now = datetime.fromtimestamp(self._clock(), UTC)
        stamp = f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z"
        rest = memoryview(f"{stamp} {visible_line(kind):<6} {text}\n".encode())
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
