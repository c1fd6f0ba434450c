"""Which model answers: by object, by name, and fakes that leave things out."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM
from workbench.engine import LLMResponse, before_llm, llm_do
from workbench.engine.agent import Agent
from workbench.errors import ConfigError, ProviderError


class Named:
    """Answers with its name."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.requests: list[list[Any]] = []

    def complete(self, messages: Any, tools: Any = None) -> LLMResponse:
        self.requests.append(list(messages))
        return LLMResponse(f"I am {self.model}")


class Maker:
    def __init__(self) -> None:
        self.made: list[Named] = []

    def __call__(self, model: str) -> Named:
        if model == "nobody":
            raise ConfigError("no such model")
        self.made.append(Named(model))
        return self.made[-1]


def models(agent: Agent) -> list[str]:
    assert agent.current_session is not None
    return [entry["model"] for entry in agent.current_session["trace"] if entry["type"] == "llm_call"]


def test_a_model_set_by_name_is_the_one_that_answers_in_the_same_conversation() -> None:
    maker = Maker()
    agent = Agent("a", model="one", llm_factory=maker)
    assert agent.input("who?") == "I am one"
    agent.model = "two"
    assert agent.input("and now?") == "I am two"
    assert [m["content"] for m in maker.made[1].requests[0]][1:] == ["who?", "I am one", "and now?"]
    agent.llm = Named("three")
    assert agent.model == "three"
    assert agent.input("and now?") == "I am three"
    agent.model = "two"
    assert agent.input("and now?") == "I am two"
    assert models(agent) == ["one", "two", "three", "two"]


def test_a_model_that_is_set_already_is_not_made_again() -> None:
    maker = Maker()
    agent = Agent("a", model="one", llm_factory=maker)
    agent.model = "one"
    own = Named("two")
    agent.llm = own
    agent.model = "two"
    assert agent.llm is own
    assert [llm.model for llm in maker.made] == ["one"]


def test_a_name_that_gives_no_model_changes_nothing() -> None:
    agent = Agent("a", model="one", llm_factory=Maker())
    with pytest.raises(ConfigError, match="no such model"):
        agent.model = "nobody"
    assert agent.model == "one"
    assert agent.input("who?") == "I am one"


def test_a_name_is_refused_where_nobody_can_make_a_model_of_it() -> None:
    agent = Agent("a", llm=StrictLLM("fine"))
    with pytest.raises(ConfigError, match="cannot make the model 'gpt'") as caught:
        agent.model = "gpt"
    assert "agent.llm" in caught.value.hint
    assert agent.model == "strict"


def test_a_model_that_was_passed_in_is_called_by_its_own_name() -> None:
    agent = Agent("a", model="ignored", llm=Named("real"), llm_factory=Maker())
    assert agent.model == "real"
    agent.model = "ignored"
    assert agent.input("who?") == "I am ignored"


def test_a_handler_may_switch_the_model_for_the_next_request() -> None:
    @before_llm
    def switch(agent: Agent) -> None:
        agent.model = "two"

    agent = Agent("a", model="one", llm_factory=Maker(), on_events=switch)
    assert agent.input("who?") == "I am two"
    assert models(agent) == ["two"]


def test_llm_do_awaits_an_async_model() -> None:
    class Async:
        async def complete(self, messages: Any, tools: Any = None) -> LLMResponse:
            return LLMResponse("hello")

    assert llm_do("hi", llm=Async()) == "hello"


async def test_llm_do_awaits_an_async_model_also_below_a_running_loop() -> None:
    class Async:
        async def complete(self, messages: Any, tools: Any = None) -> LLMResponse:
            return LLMResponse("hello")

    assert llm_do("hi", llm=Async()) == "hello"


def test_what_a_fake_model_leaves_out_counts_as_empty() -> None:
    class Fake:
        def complete(self, messages: Any, tools: Any = None) -> LLMResponse:
            nothing: Any = None
            return LLMResponse("hello", tool_calls=nothing, usage=nothing, extra=nothing)

    agent = Agent("a", llm=Fake())
    assert agent.input("hi") == "hello"
    assert agent.total_usage.total_tokens == 0


def test_an_error_without_a_text_is_an_error_of_the_model_all_the_same() -> None:
    class SilentError(Exception):
        def __str__(self) -> str:
            raise LookupError("no words")

    agent = Agent("a", llm=StrictLLM(SilentError()))
    with pytest.raises(ProviderError, match=r"SilentError: .its text cannot be shown: LookupError"):
        agent.input("hi")
