"""Makes a long conversation short: everything before the last turns becomes one message that sums it up."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.engine.content import image_tokens, text_of
from workbench.engine.content import told as said
from workbench.engine.jobs import Abandoned
from workbench.engine.llm import Delta, Message, TokenUsage
from workbench.engine.model_call import ask_model
from workbench.engine.observer import TraceEntry
from workbench.engine.results import sendable, shorten
from workbench.engine.session import Unreported
from workbench.engine.transcript import repair_messages, validate_messages
from workbench.engine.turn import Turn
from workbench.engine.verified import MessageList, VerifiedTranscript
from workbench.engine.watched import WatchedDict
from workbench.errors import ConfigError, ContextOverflowError, ProviderError, StopTurn, WorkbenchError

if TYPE_CHECKING:
    from workbench.engine.agent import Agent

HEAD = "[Summary of the conversation so far]"
"""How the message begins that stands for the older turns."""

_CHARACTERS_PER_TOKEN = 4
_LONGEST_TEXT = 4_000
"""Characters of one message or result that are summed up; of a longer one head and tail."""

_USUAL_WINDOW = 32_000
"""Tokens that a model is taken to read where nobody knows."""

_SMALLEST_PART = 2_000
_LONGEST_LINE = 300
_MOST_LINES = 50
_ORDER = (
    "You are given the first part of a conversation between a user and an assistant that has tools. Sum it "
    "up for the assistant, who goes on without it. Keep what the user wants, what was decided, facts and "
    "values that were found, names of files and things, what was done with which result, and what is still "
    "open. Write plain text of at most 600 words, and nothing but the summary."
)


class Parts(NamedTuple):
    """A conversation: what comes before the first turn, what is to be summed up, and what stays."""

    head: list[Message]
    old: list[Message]
    kept: list[Message]


class CompactTurn(Turn):
    """Sums up, in the place of a turn: the agent is busy meanwhile, and a stop leaves everything as it was.

    ``entry`` is the trace entry once it is done.
    """

    def __init__(self, agent: Agent, keep_turns: int) -> None:
        if keep_turns < 0:
            raise ConfigError(f"keep_turns must be 0 or more, not {keep_turns}")
        super().__init__(agent, "", 1)
        self.entry: TraceEntry = {}
        self._keep = keep_turns

    def _live(self) -> str:
        """The summary. Raises WorkbenchError if there is nothing to sum up, ProviderError, StopTurn."""
        agent = self.agent
        self.session = session = agent.open_session()
        messages = list(session["messages"])
        repair_messages(messages)
        prompts = [entry["prompt"] for entry in session["trace"] if entry.get("type") == "user_input"]
        parts = divide(messages, prompts, self._keep)
        if len(parts.old) < 2:
            raise WorkbenchError(
                "There is nothing to sum up yet.",
                hint=f"The last {self._keep} turns stay as they are; /compact 0, or compact(0), keeps none.",
            )
        begin = time.perf_counter()
        try:
            summary = self._summary(parts.old)
        except Abandoned:
            raise StopTurn(self.stop_reason) from None
        self.cancel.raise_if_cancelled()
        after = [*parts.head, WatchedDict(role="user", content=f"{HEAD}\n\n{summary}"), *parts.kept]
        validate_messages(after)
        self._put(after)
        self.entry = {
            "type": "compaction",
            "model": agent.model,
            "summary": summary,
            "replaced": len(parts.old),
            "kept": len(parts.kept),
            "tokens_before": _tokens(messages),
            "tokens_after": _tokens(after),
            "usage": self.usage,
            "duration_ms": (time.perf_counter() - begin) * 1000,
            "timestamp": self.started,
        }
        self.recorder.begin(session)
        self.recorder.record(self.entry)
        return summary

    def _put(self, messages: list[Message]) -> None:
        agent, session = self.agent, self.session
        session["messages"] = MessageList(messages)
        agent.transcript = VerifiedTranscript()
        agent.unreported = Unreported()
        # the history is another one, and reported anew; what led to it was reported
        agent.unreported.start_at({"messages": [], "trace": session["trace"]})
        agent.last_usage = TokenUsage()

    def _summary(self, old: list[Message]) -> str:
        own = getattr(self.agent.llm, "summarise", None)
        if callable(own):
            return sendable(str(own(old)))
        lines = list(told(old, _LONGEST_TEXT))
        room = (self.agent.context_window or _USUAL_WINDOW) * _CHARACTERS_PER_TOKEN // 2
        summary, done = "", 0
        while done < len(lines):
            part = _first(lines[done:], room)
            self._say(f"summing up {done + len(part)} of {len(lines)} messages")
            try:
                summary = self._go_on(summary, part)
            except ContextOverflowError:
                room = sum(map(len, part)) // 2
                if len(part) == 1 or room < _SMALLEST_PART:
                    raise
            else:
                done += len(part)
        return summary

    def _go_on(self, summary: str, part: Sequence[str]) -> str:
        before = f"{HEAD}\n\n{summary}\n\n[How it goes on]\n\n" if summary else ""
        text = before + "\n\n".join(part)
        messages: list[Message] = [{"role": "system", "content": _ORDER}, {"role": "user", "content": text}]
        try:
            response = ask_model(self, messages, None, self._heard)
        except (WorkbenchError, Abandoned):
            raise
        except Exception as error:
            raise ProviderError(f"{self.agent.model} failed: {type(error).__name__}: {error}") from error
        self.usage = self.usage + response.usage
        self.agent.total_usage = self.agent.total_usage + response.usage
        answer = sendable(response.content or "").strip()
        if not answer:
            raise ProviderError(f"{self.agent.model} wrote no summary.", hint="Try again, or another model.")
        return answer

    def _heard(self, delta: Delta) -> None:
        if delta.kind == "status":
            self._say(delta.text)

    def _say(self, text: str) -> None:
        self.recorder.tell("stream", Delta("status", text))


def divide(messages: Sequence[Message], prompts: Sequence[str], keep_turns: int) -> Parts:
    """Cut a sound message list before its last turns; ``prompts`` began the turns, as far as known.

    Each part is sound by itself. With fewer turns than are to be kept there is nothing old.
    """
    first = next(
        (at for at, message in enumerate(messages) if message["role"] not in _LEADING), len(messages)
    )
    begins = [at for at in _turn_begins(messages, prompts) if at >= first]
    cut = (begins[-keep_turns] if len(begins) >= keep_turns else first) if keep_turns else len(messages)
    return Parts(list(messages[:first]), list(messages[first:cut]), list(messages[cut:]))


def told(messages: Sequence[Mapping[str, Any]], longest: int) -> Iterator[str]:
    """Each message as text that a model or a person can read, long ones without their middle."""
    names: dict[str, str] = {}
    for message in messages:
        role, text = str(message["role"]), shorten(said(message.get("content")), longest)
        if role == "tool":
            yield f"Result of {names.get(str(message.get('tool_call_id')), 'a tool')}: {text}"
            continue
        parts = [f"{role.capitalize()}: {text}"] if text else []
        for call in message.get("tool_calls") or ():
            function = call["function"]
            names[call["id"]] = function["name"]
            parts.append(f"Call: {function['name']}({shorten(function['arguments'], longest)})")
        yield "\n".join(parts)


def digest(messages: Sequence[Mapping[str, Any]]) -> str:
    """A summary that needs no model: the last messages, a short line for each."""
    lines = [" ".join(line.split()) for text in told(messages, _LONGEST_LINE) for line in text.split("\n")]
    left_out = len(lines) - _MOST_LINES
    return "\n".join(
        [f"… {left_out} earlier lines are left out", *lines[left_out:]] if left_out > 0 else lines
    )


_LEADING = frozenset({"system", "developer"})


def _turn_begins(messages: Sequence[Message], prompts: Sequence[str]) -> list[int]:
    """Where each turn begins whose prompt is still there; every message of a user, if none is known."""
    users = [at for at, message in enumerate(messages) if message["role"] == "user"]
    begins: list[int] = []
    left = list(users)
    for prompt in reversed(prompts):
        # what handlers add to a prompt stands behind it
        found = next((at for at in reversed(left) if _begins_with(messages[at], prompt)), None)
        if found is not None:
            begins.append(found)
            left = [at for at in left if at < found]
    return begins[::-1] or users


def _begins_with(message: Message, prompt: str) -> bool:
    text = text_of(message.get("content"))
    return text.startswith(prompt) if prompt else not text


def _first(lines: Sequence[str], room: int) -> list[str]:
    """As many of the lines as fit into so many characters, at least one."""
    taken = 0
    for number, line in enumerate(lines):
        taken += len(line)
        if taken > room and number:
            return list(lines[:number])
    return list(lines)


def _tokens(messages: Sequence[Message]) -> int:
    """About how many tokens the messages take."""
    texts = sum(len(line) for line in told(messages, 10**9)) // _CHARACTERS_PER_TOKEN
    return texts + image_tokens(messages)
