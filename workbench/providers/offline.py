"""A deterministic model that needs no key: it makes the calls written in the prompt, or plays a scenario."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.engine.cancel import CancelToken
from workbench.engine.compaction import digest
from workbench.engine.content import image_facts, image_tokens, image_urls, shortened, text_of
from workbench.engine.images import ImageFacts
from workbench.engine.llm import Delta, LLMResponse, OnDelta, TokenUsage, ToolCall, ToolSchema
from workbench.providers.offline_answer import (
    estimate_tokens,
    faults_answer,
    images_answer,
    introduction,
    results_answer,
)
from workbench.providers.offline_prompt import ToolNames, WrittenCall, find_calls, own_words
from workbench.providers.scenario import Scenario, Step, load_scenario

Messages = Sequence[Mapping[str, Any]]

_ENDED = ("Not run:", "Interrupted:")  # how the results of a turn begin that was stopped, or failed
_NATURAL_PACE = 0.006  # seconds a word
_WORD = re.compile(r"\s*\S+\s*")
_RESULT = re.compile(r"\{\{(\d+)\}\}")


class OfflineModel:
    """A model without a model.

    ``scenario`` is one, or the path of its file. ``pace`` is the time a streamed word takes, in seconds:
    None for the scenario's own or a natural one, 0 to stream at once and skip the scenario's waits.
    """

    def __init__(self, scenario: Scenario | Path | str | None = None, *, pace: float | None = None) -> None:
        if isinstance(scenario, Path | str):
            scenario = load_scenario(Path(scenario).expanduser())
        self.model = "offline"
        self.context_window: int | None = 32_000
        self._scenario = scenario
        own_pace = scenario.pace if scenario is not None else None
        self._pace = next(value for value in (pace, own_pace, _NATURAL_PACE) if value is not None)
        self._lock = threading.Lock()
        self._answers = 0

    def complete(
        self,
        messages: Messages,
        tools: Sequence[ToolSchema] | None = None,
        *,
        on_delta: OnDelta | None = None,
        cancel: CancelToken | None = None,
    ) -> LLMResponse:
        """Answer the messages. Raises ``StopTurn`` when cancelled, and what a scenario lets fail."""
        started = time.perf_counter()
        conversation = _Conversation(messages)
        with self._lock:
            step = self._next_step(conversation, list(tools or ()))
            self._answers += 1
            number = self._answers
        speaker = _Speaker(on_delta, cancel, self._pace, started)
        speaker.speak(step)
        if step.fail is not None:
            raise step.fail.exception()
        return self._response(step, messages, tools, speaker.first_ms, number)

    def summarise(self, messages: Messages) -> str:
        """What was said and done in ``messages``, without being asked as a model is."""
        return digest(messages)

    def _next_step(self, conversation: _Conversation, tools: list[ToolSchema]) -> Step:
        results = conversation.open_results()
        if results is not None:
            step = self._scenario.go_on() if self._scenario else None
            if step is not None:
                return _fill(step, results, tools)
            return Step(say=results_answer(results))
        prompt = conversation.prompt()
        seen = images_answer(conversation.images())
        found = find_calls(prompt, tools, conversation.called_names())
        if found.faults:
            return Step(say=seen + faults_answer(found.faults))
        if found.calls:
            return Step(say=seen.rstrip(), calls=found.calls)
        step = self._scenario.begin(prompt) if self._scenario else None
        return _fill(step, (), tools) if step else Step(say=seen + introduction(tools))

    def _response(
        self,
        step: Step,
        messages: Messages,
        tools: Sequence[ToolSchema] | None,
        first_ms: float | None,
        number: int,
    ) -> LLMResponse:
        calls = [
            ToolCall(call.name, dict(call.arguments), id=f"call_offline_{len(messages)}_{position}")
            for position, call in enumerate(step.calls, 1)
        ]
        said = [step.say, step.reason, *(call.name + json.dumps(call.arguments) for call in step.calls)]
        usage = TokenUsage(
            input_tokens=sum(map(_tokens, messages)) + sum(map(estimate_tokens, tools or ())),
            output_tokens=sum(map(estimate_tokens, said)),
            cost=0.0,
        )
        return LLMResponse(
            content=step.say or None,
            tool_calls=calls,
            usage=usage,
            raw_response={"provider": "offline", "usage": "estimated: one token for every four characters"},
            reasoning=step.reason or None,
            finish_reason="tool_calls" if calls else "stop",
            model=self.model,
            first_token_ms=first_ms,
        )


class _Conversation:
    """What the offline model reads in a message list."""

    def __init__(self, messages: Messages) -> None:
        self._messages = messages

    def open_results(self) -> list[tuple[str, str]] | None:
        """The results that wait for an answer, in order with their tools' names; None if none does.

        Messages that a hook puts behind the results change nothing, unless they spell out calls. Results
        of a turn that was stopped are not waiting: what follows them is a new prompt.
        """
        last = self._last("tool")
        if last is None:
            return None
        newer = [message for message in self._messages[last + 1 :] if message.get("role") == "user"]
        results = self._results_before(last)
        if newer:
            answered = any(message.get("role") == "assistant" for message in self._messages[last + 1 :])
            stopped = any(text.startswith(_ENDED) for _, text in results)
            spelt = any(find_calls(own_words(_text(message)), ()).calls for message in newer)
            if answered or stopped or spelt:
                return None
        return results

    def prompt(self) -> str:
        """What the user wrote since the model last spoke."""
        users = [own_words(_text(item)) for item in self._unanswered()]
        if not users and (last := self._last("user")) is not None:
            users = [own_words(_text(self._messages[last]))]
        return "\n\n".join(users)

    def images(self) -> list[ImageFacts]:
        """The pictures that the user sent since the model last spoke."""
        return [facts for item in self._unanswered() for facts in image_facts(item.get("content"))]

    def _unanswered(self) -> list[Mapping[str, Any]]:
        first = 0
        for position, message in enumerate(self._messages):
            if message.get("role") in ("assistant", "tool"):
                first = position + 1
        return [message for message in self._messages[first:] if message.get("role") == "user"]

    def called_names(self) -> frozenset[str]:
        """Every tool name called so far."""
        return frozenset(self._names().values())

    def _results_before(self, last: int) -> list[tuple[str, str]]:
        start = last
        while start > 0 and self._messages[start - 1].get("role") == "tool":
            start -= 1
        names = self._names()
        written = "\n".join(_text(message) for message in self._messages if message.get("role") == "user")
        results = []
        for message in self._messages[start : last + 1]:
            name = names.get(str(message.get("tool_call_id")), str(message.get("name") or "tool"))
            dotted = name.replace("-", ".")
            results.append((dotted if dotted in written else name, _text(message)))
        return results

    def _names(self) -> dict[str, str]:
        return {
            str(call.get("id")): str(call.get("function", {}).get("name"))
            for message in self._messages
            for call in message.get("tool_calls") or ()
        }

    def _last(self, role: str) -> int | None:
        for position in range(len(self._messages) - 1, -1, -1):
            if self._messages[position].get("role") == role:
                return position
        return None


class _Speaker:
    """Streams a step at its pace and stops at once when asked to."""

    def __init__(
        self, on_delta: OnDelta | None, cancel: CancelToken | None, pace: float, started: float
    ) -> None:
        self._on_delta = on_delta
        self._cancel = cancel
        self._pace = pace
        self._started = started
        self._stop = threading.Event()
        self.first_ms: float | None = None

    def speak(self, step: Step) -> None:
        """Stream all of ``step``. Raises ``StopTurn`` when cancelled."""
        forget = self._cancel.on_cancel(self._stop.set) if self._cancel else None
        try:
            if self._pace:
                self._pause(step.wait)
            for delta in _deltas(step):
                self._emit(delta)
        finally:
            if forget is not None:
                forget()

    def _emit(self, delta: Delta) -> None:
        if self._cancel is not None:
            self._cancel.raise_if_cancelled()
        if self.first_ms is None:
            self.first_ms = (time.perf_counter() - self._started) * 1000
        if self._on_delta is not None:
            self._on_delta(delta)
            self._pause(self._pace)

    def _pause(self, seconds: float) -> None:
        if seconds:
            self._stop.wait(seconds)
        if self._cancel is not None:
            self._cancel.raise_if_cancelled()


def _deltas(step: Step) -> Iterator[Delta]:
    for word in _WORD.findall(step.reason):
        yield Delta("reasoning", word)
    for word in _WORD.findall(step.say):
        yield Delta("text", word)
    for index, call in enumerate(step.calls):
        pieces = _WORD.findall(json.dumps(call.arguments, ensure_ascii=False))
        for position, piece in enumerate(pieces):
            yield Delta("tool_call", piece, index, call.name if position == 0 else None)


def _fill(step: Step, results: Sequence[tuple[str, str]], tools: Sequence[ToolSchema]) -> Step:
    """``step`` with ``{{1}}`` and so on replaced by what the calls before it gave, and full tool names."""
    names = ToolNames(tools)
    calls = []
    for call in step.calls:
        owners = names.owners(call.name)
        calls.append(WrittenCall(owners[0], call.arguments) if len(owners) == 1 else call)

    def value(match: re.Match[str]) -> str:
        number = int(match.group(1))
        return results[number - 1][1] if 0 < number <= len(results) else match.group()

    return Step(_RESULT.sub(value, step.say), step.reason, step.wait, tuple(calls), step.fail)


def _text(message: Mapping[str, Any]) -> str:
    """A message's text, whether it is plain or in parts."""
    return text_of(message.get("content"))


def _tokens(message: Mapping[str, Any]) -> int:
    if not image_urls(message.get("content")):
        return estimate_tokens(message)
    return estimate_tokens(shortened(message)) + image_tokens([message])
