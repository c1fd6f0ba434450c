"""``/compact`` in the app: what it shows, what it leaves alone, and how it is stopped."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.tui.driving import Driven, driven
from workbench.engine.cancel import CancelToken
from workbench.engine.compaction import HEAD
from workbench.engine.llm import LLMResponse, OnDelta, ToolSchema
from workbench.errors import ContextOverflowError, ProviderError, StopTurn


class Summing:
    """A model that sums up when it is let, or fails."""

    model = "summing"
    context_window = 32_000

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure
        self.asked = threading.Event()
        self.go_on = threading.Event()

    def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSchema] | None = None,
        *,
        on_delta: OnDelta | None = None,
        cancel: CancelToken | None = None,
    ) -> LLMResponse:
        assert cancel is not None
        cancel.on_cancel(self.go_on.set)
        self.asked.set()
        assert self.go_on.wait(30)
        cancel.raise_if_cancelled()
        if self.failure is not None:
            raise self.failure
        return LLMResponse("They added numbers.")


def chat(it: Driven) -> str:
    return it.shown(it.app.main.conversation)


def contents(it: Driven) -> list[str]:
    session = it.agent.current_session
    assert session is not None
    return [message["content"] for message in session["messages"]]


async def three_turns(it: Driven) -> None:
    for number in range(3):
        await it.turn(f"add(a={number}, b=1)")


async def test_older_turns_become_a_summary_that_is_shown_and_the_conversation_goes_on() -> None:
    async with driven() as it:
        await three_turns(it)
        await it.send("/compact 1")
        await it.until(lambda: "messages are one now" in chat(it) and it.idle)
        assert "User: add(a=0, b=1)" in chat(it)
        assert "/sessions" in chat(it)
        assert contents(it)[1].startswith(HEAD)
        assert contents(it)[2] == "add(a=2, b=1)"
        assert it.trace[-1]["type"] == "compaction"
        assert "messages summed up" in it.shown(it.app.main.trace)
        await it.turn("add(a=7, b=1)")
        assert it.agent.last_status == "success"


async def test_the_palette_has_it() -> None:
    async with driven() as it:
        await three_turns(it)
        await it.press("ctrl+p")
        await it.write("compact")
        await it.until(lambda: "Sum up all but the last two turns" in it.shown())
        await it.press("enter")
        await it.until(lambda: "messages are one now" in chat(it))


async def test_while_it_sums_up_the_screen_says_so_and_messages_wait() -> None:
    async with driven() as it:
        await three_turns(it)
        it.agent.llm = model = Summing()
        await it.send("/compact")
        await it.until(model.asked.is_set)
        await it.until(lambda: "summing up" in it.shown())
        await it.send("and now?")
        await it.until(lambda: "and now?" in it.shown(it.app.main.queue))
        model.go_on.set()
        await it.until(lambda: "They added numbers." in chat(it) and it.idle)
        await it.until(lambda: contents(it)[-2:] == ["and now?", "They added numbers."])


async def test_escape_stops_it_and_the_conversation_is_as_it_was() -> None:
    async with driven() as it:
        await three_turns(it)
        before = contents(it)
        it.agent.llm = model = Summing()
        await it.send("/compact")
        await it.until(lambda: model.asked.is_set() and "summing up" in it.shown())
        await it.press("escape")
        await it.until(lambda: "The conversation is as it was." in chat(it) and it.idle)
        assert contents(it) == before


@pytest.mark.parametrize("failure", [ProviderError("The server is gone.", hint="Try later."), StopTurn("no")])
async def test_a_model_that_fails_changes_nothing_and_says_why(failure: Exception) -> None:
    async with driven() as it:
        await three_turns(it)
        before = contents(it)
        it.agent.llm = model = Summing(failure)
        model.go_on.set()
        await it.send("/compact")
        if isinstance(failure, StopTurn):
            await it.until(lambda: "The conversation is as it was." in chat(it))
        else:
            await it.until(lambda: "Nothing was summed up. The server is gone." in chat(it))
            assert "Try later." in chat(it)
        await it.until(lambda: it.idle)
        assert contents(it) == before


@pytest.mark.parametrize(
    ("words", "says"),
    [("/compact", "nothing to sum up yet"), ("/compact all", "'all' is no number of turns")],
)
async def test_what_cannot_be_done_says_what_could(words: str, says: str) -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
        await it.send(words)
        await it.until(lambda: says in chat(it) and it.idle)
        await it.turn("add(a=2, b=1)")
        assert it.agent.last_status == "success"


async def test_a_context_that_is_full_offers_to_compact_to_fork_or_to_start_anew() -> None:
    class Full(Summing):
        def complete(self, *_: Any, **__: Any) -> LLMResponse:
            from workbench.providers.failures import provider_error

            text = "This model's maximum context length is 8192 tokens. Your messages had 9000 tokens."
            failure = {"classes": ["ContextWindowExceededError"], "message": text}
            error = provider_error(failure, "summing", {})
            assert isinstance(error, ContextOverflowError)
            raise error

    async with driven() as it:
        it.agent.llm = Full()
        await it.turn("much")
        shown = " ".join(chat(it).split())
        assert "9,000 tokens, 808 more than the 8,192" in shown
        for command in ("/compact", "/fork", "/new", "/model"):
            assert command in shown
