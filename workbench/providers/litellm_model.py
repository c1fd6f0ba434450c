"""Any model that litellm reaches, through the model host."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from workbench.engine.cancel import CancelToken
from workbench.engine.llm import Delta, LLMResponse, OnDelta, TokenUsage, ToolSchema
from workbench.errors import ContentFilterError, ProviderConnectionError, ProviderError, RateLimitError
from workbench.providers.assembly import Assembly
from workbench.providers.failures import is_transient, no_key, provider_error
from workbench.providers.host_client import ModelHost, shared_host
from workbench.providers.keys import missing_key
from workbench.providers.protocol import Event
from workbench.providers.sight import fit_to_blind, holds_images

LOG = logging.getLogger(__name__)

_DEFAULT_TIMEOUT = 600.0  # seconds of silence from the server
_MAX_TRIES = 4
_MAX_WAIT = 120.0  # seconds; a server that asks for more gets no further try


class LitellmModel:
    """A model by its litellm name, such as ``openai/gpt-5-mini``.

    ``parameters`` go to litellm as they are: ``base_url``, ``api_key``, ``temperature``, ``max_tokens``,
    ``reasoning_effort``, ``timeout`` (seconds) and whatever else it takes. They may be changed between
    calls. ``context_window`` is in tokens, ``takes`` the names of the parameters that this model makes use
    of (litellm leaves the others out), ``takes_images`` whether it looks at pictures; all are None until the
    host has told them or if nobody knows.
    ``first_pause`` is the wait in seconds before the second try when the server names none; it doubles.
    """

    def __init__(
        self, model: str, *, host: ModelHost | None = None, first_pause: float = 1.0, **parameters: Any
    ) -> None:
        self.model = model
        self.context_window: int | None = None
        self.takes: frozenset[str] | None = None
        self.takes_images: bool | None = None
        self._learned = False
        self.parameters: dict[str, Any] = {
            key: value for key, value in parameters.items() if value is not None
        }
        self._host = host or shared_host()
        self._first_pause = first_pause

    def __repr__(self) -> str:
        return f"LitellmModel({self.model!r})"

    @property
    def missing_key(self) -> tuple[str, ...]:
        """The environment variables one of which it needs and none of which is set, as far as that is sure.

        Found without the model library, which takes seconds to load.
        """
        return missing_key(self.model, self.parameters)

    def warm(self) -> None:
        """Start the model host in the background and ask it for the context size."""
        threading.Thread(target=self._learn, name="model-facts", daemon=True).start()

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSchema] | None = None,
        *,
        on_delta: OnDelta | None = None,
        cancel: CancelToken | None = None,
    ) -> LLMResponse:
        """Answer the messages.

        A rate limit or a fault of the server is waited out and tried again, as long as nothing of the
        answer has arrived. Raises ``ProviderError`` when there is no answer, at once where it surely lacks a
        key, and ``StopTurn`` when cancelled.
        """
        if cancel is not None:
            cancel.raise_if_cancelled()
        if self.missing_key:
            raise no_key(self.model, " or ".join(self.missing_key))
        started = time.perf_counter()
        if holds_images(messages):
            messages = self._fit_images(messages, on_delta, cancel)
        for number in range(1, _MAX_TRIES + 1):
            attempt = _Attempt(on_delta, started)
            try:
                return self._attempt(attempt, messages, tools, cancel)
            except _Failed as failed:
                wait = self._wait_after(failed, number)
                if attempt.streamed or wait is None:
                    raise failed.error from None
                _count_down(failed.error, wait, on_delta, cancel)
        raise AssertionError("the last try either answers or raises")

    def _attempt(
        self,
        attempt: _Attempt,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSchema] | None,
        cancel: CancelToken | None,
    ) -> LLMResponse:
        parameters = {"timeout": _DEFAULT_TIMEOUT, **self.parameters}
        if not self._host.ready:
            attempt.status("loading the model library")
        events = self._host.complete(self.model, messages, tools, parameters, cancel)
        with closing(events):
            for event in events:
                if event["kind"] == "chunks":
                    attempt.take(event["chunks"])
                elif event["kind"] == "failed":
                    failure = event["error"]
                    self._remember(failure.get("context_window"))
                    raise _Failed(provider_error(failure, self.model, parameters), failure)
                elif event["kind"] == "done":
                    self._remember(event.get("context_window"))
                    return attempt.response(event, self.model)
        raise ProviderError(f"{self.model} ended without an answer.", hint="Try again.")

    def _fit_images(
        self, messages: Sequence[Mapping[str, Any]], on_delta: OnDelta | None, cancel: CancelToken | None
    ) -> Sequence[Mapping[str, Any]]:
        """The messages as they are, or without pictures for a model that is known to take none.

        A server of the user's own may have anything under any name, so it is asked.
        """
        if not self._learned:
            if not self._host.ready and on_delta is not None:
                on_delta(Delta("status", "loading the model library"))
            self._take_facts(self._host.facts(self.model, cancel))
        if self.takes_images is not False or self.parameters.get("base_url"):
            return messages
        fitted, count = fit_to_blind(messages, self.model)
        if on_delta is not None:
            pictures = "an earlier image is" if count == 1 else f"{count} earlier images are"
            on_delta(Delta("status", f"{self.model} takes no images: {pictures} left out"))
        return fitted

    def _wait_after(self, failed: _Failed, number: int) -> float | None:
        """Seconds before the try after ``number``, or None if there should be none."""
        if number == _MAX_TRIES or not is_transient(failed.failure):
            return None
        hint = failed.failure.get("retry_after")
        wait = float(hint) if hint is not None else self._first_pause * 2 ** (number - 1)
        return wait if wait <= _MAX_WAIT else None

    def _learn(self) -> None:
        try:
            self._take_facts(self._host.facts(self.model))
        except ProviderError as error:
            if not self._host.closed:  # whoever ends it wants no answer any more
                LOG.warning("the model host could not be warmed up: %s", error)

    def _take_facts(self, facts: Event) -> None:
        self._remember(facts.get("context_window"))
        takes = facts.get("takes")
        self.takes = frozenset(takes) if takes else None
        self.takes_images = facts.get("images")
        self._learned = True

    def _remember(self, window: Any) -> None:
        if isinstance(window, int):
            self.context_window = window


class _Failed(Exception):
    """A failed try: the error to raise, and the failure that it was made from."""

    def __init__(self, error: ProviderError, failure: Event) -> None:
        super().__init__(str(error))
        self.error = error
        self.failure = failure


class _Attempt:
    """One try: puts its chunks together and passes on what is new."""

    def __init__(self, on_delta: OnDelta | None, started: float) -> None:
        self._assembly = Assembly()
        self._on_delta = on_delta
        self._started = started
        self._first_ms: float | None = None

    @property
    def streamed(self) -> bool:
        """Whether anything of the answer has arrived."""
        return self._first_ms is not None

    def status(self, text: str) -> None:
        """A line for people."""
        if self._on_delta is not None:
            self._on_delta(Delta("status", text))

    def take(self, chunks: Sequence[Mapping[str, Any]]) -> None:
        for chunk in chunks:
            for delta in self._assembly.add(chunk):
                if self._first_ms is None:
                    self._first_ms = (time.perf_counter() - self._started) * 1000
                if self._on_delta is not None:
                    self._on_delta(delta)

    def response(self, done: Event, model: str) -> LLMResponse:
        """The whole answer.

        Raises ``ContentFilterError`` if the filter cut it, ``ProviderConnectionError`` if nothing of what
        the server sent could be read.
        """
        if done.get("unread"):
            raise ProviderConnectionError(
                f"The server of {model} sent nothing that could be read.",
                hint="Is base_url the address of an API that litellm speaks, up to and with its /v1?",
            )
        response = self._assembly.response()
        if response.finish_reason == "content_filter":
            raise ContentFilterError(
                f"The content filter of {model} cut the answer.", hint="Change the message and try again."
            )
        counts = done["usage"]
        response.usage = TokenUsage(counts["input"], counts["output"], counts["cached"], done["cost"])
        response.model = done.get("model") or model
        response.first_token_ms = self._first_ms
        response.raw_response = {key: value for key, value in done.items() if key not in ("kind", "id")}
        return response


def _count_down(
    error: ProviderError, seconds: float, on_delta: OnDelta | None, cancel: CancelToken | None
) -> None:
    """Wait, saying every second how long still. Raises ``StopTurn`` when cancelled."""
    what = "rate limited" if isinstance(error, RateLimitError) else "the server failed"
    stop = threading.Event()
    forget = cancel.on_cancel(stop.set) if cancel is not None else None
    end = time.monotonic() + seconds
    try:
        while True:
            left = max(end - time.monotonic(), 0.0)
            if on_delta is not None:
                on_delta(Delta("status", f"{what}, trying again in {-(-left // 1):.0f} s"))
            stopped = stop.wait(min(left, 1.0))
            if cancel is not None:
                cancel.raise_if_cancelled()
            if stopped or time.monotonic() >= end:
                return
    finally:
        if forget is not None:
            forget()
