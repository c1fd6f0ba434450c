"""What was sent with each request: exactly, whatever handlers did, and without keeping it twice."""

from __future__ import annotations

import gc
import weakref
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import after_llm, before_llm
from workbench.engine.agent import Agent
from workbench.engine.request_log import RequestLog, _Chain


def double(number: int) -> int:
    """Twice the number."""
    return number * 2


def made(*answers: Any, on_events: Any = ()) -> tuple[Agent, StrictLLM, RequestLog]:
    llm, log = StrictLLM(*answers), RequestLog()
    agent = Agent("a", [double], llm=llm, on_events=on_events, observers=[log], quiet=True, log=False)
    return agent, llm, log


def entries(agent: Agent) -> list[dict[str, Any]]:
    assert agent.current_session is not None
    return [entry for entry in agent.current_session["trace"] if entry["type"] == "llm_call"]


def requests_of(agent: Agent, log: RequestLog) -> list[list[dict[str, Any]]]:
    found = [log.sent(dict(entry)) for entry in entries(agent)]
    return [list(sent.messages) for sent in found if sent is not None]


def test_each_request_is_what_the_model_got() -> None:
    agent, llm, log = made(calls(call("double", number=2)), "four", calls(call("double", number=3)), "six")
    agent.input("twice two?")
    agent.input("twice three?")
    assert requests_of(agent, log) == llm.requests


def test_what_handlers_change_before_and_after_a_request_is_told_apart() -> None:
    @before_llm
    def edit(agent: Agent) -> None:
        session = agent.current_session
        assert session is not None
        session["messages"][0]["content"] = f"It is now {len(session['trace'])}."

    @after_llm
    def later(agent: Agent) -> None:
        session = agent.current_session
        assert session is not None
        session["messages"][0]["content"] = "after"

    agent, llm, log = made(calls(call("double", number=2)), "four", on_events=[edit, later])
    agent.input("twice two?")
    assert requests_of(agent, log) == llm.requests
    second = log.sent(entries(agent)[1])
    assert second is not None
    assert second.before[0]["content"] == llm.requests[0][0]["content"]
    assert second.messages[0]["content"] != second.before[0]["content"]
    assert second.new_from == len(llm.requests[0])
    assert second.removed == 0


def test_a_history_that_was_cut_says_how_many_are_gone() -> None:
    agent, llm, log = made("one", "two")
    agent.input("first")
    assert agent.current_session is not None
    del agent.current_session["messages"][1:]
    agent.input("second")
    assert requests_of(agent, log) == llm.requests
    sent = log.sent(entries(agent)[1])
    assert sent is not None
    assert (sent.removed, list(sent.before)) == (0, [1])


def test_a_new_conversation_has_no_request_before() -> None:
    agent, _, log = made("one", "two")
    agent.input("first")
    agent.reset_conversation()
    agent.input("second")
    sent = log.sent(entries(agent)[0])
    assert sent is not None
    assert (dict(sent.before), sent.new_from) == ({}, 0)


def test_each_request_has_the_schemas_that_went_with_it_and_those_of_the_one_before() -> None:
    agent, _, log = made(calls(call("double", number=2)), "four", "off")
    (schema,) = agent.tools.schemas()
    agent.input("twice two?")
    agent.tools.disable("double")
    agent.input("and now?")
    sent = [log.sent(entry) for entry in entries(agent)]
    assert [(each.tools, each.tools_before) for each in sent if each is not None] == [
        ((schema,), ()),
        ((schema,), (schema,)),
        ((), (schema,)),
    ]
    assert sent[0] is not None
    assert sent[1] is not None
    assert sent[0].tools is sent[1].tools


def test_the_schemas_of_an_agent_within_a_tool_are_its_own() -> None:
    inner, _, _ = made("inside")

    def ask() -> str:
        """Ask the other agent."""
        return inner.input("go")

    log = RequestLog()
    outer = Agent(
        "o", [ask], llm=StrictLLM(calls(call("ask")), "done"), observers=[log], quiet=True, log=False
    )
    outer.input("start")
    (entry,) = entries(inner)
    sent = log.sent(entry)
    assert sent is not None
    assert [tool["function"]["name"] for tool in sent.tools] == ["double"]


def test_a_call_that_was_not_seen_has_no_messages() -> None:
    assert RequestLog().sent({"timestamp": 1.0, "message_count": 2}) is None


def with_inner_agents(number: int) -> tuple[Agent, RequestLog, list[weakref.ref[Agent]]]:
    """An agent whose one turn ran so many others, each made inside its tool, and what is left of those."""
    made_inside: list[weakref.ref[Agent]] = []

    def ask() -> str:
        """Ask another agent."""
        inner, _, _ = made("inside")
        made_inside.append(weakref.ref(inner))
        return inner.input("go")

    log = RequestLog()
    batch = calls(*(call("ask") for _ in range(number)))
    outer = Agent("o", [ask], llm=StrictLLM(batch, "done", "again"), observers=[log], quiet=True, log=False)
    outer.input("start")
    return outer, log, made_inside


def test_two_hundred_agents_inside_tools_leave_nothing_once_the_conversation_is_over() -> None:
    outer, log, inside = with_inner_agents(200)
    assert len(log) == 202
    gc.collect()
    assert not [agent for agent in inside if agent() is not None]
    outer.reset_conversation()
    assert len(log) == 0
    assert not [kept for kept in (log._chains, log._tools, log._requests) if kept]


def test_in_another_conversation_only_what_its_trace_tells_of_is_kept() -> None:
    outer, log, _ = with_inner_agents(3)
    assert outer.current_session is not None
    first = outer.current_session["trace"]
    outer.current_session = {"messages": [], "trace": [dict(entry) for entry in first[:2]], "turn": 1}
    outer.input("go on")
    assert len(log) == 2
    sent = log.sent(first[1])
    assert sent is not None
    assert sent.messages[-1]["content"] == "start"
    last = log.sent(outer.current_session["trace"][-1])
    assert last is not None
    assert (last.new_from, last.removed) == (0, 0)
    assert last.messages[-1]["content"] == "go on"


def test_a_message_that_is_sent_again_is_kept_once() -> None:
    chain = _Chain()
    messages = [{"role": "user", "content": f"m{n}"} for n in range(50)]
    chain.add(messages)
    chain.add([*messages, {"role": "user", "content": "new"}])
    chain.add([{"role": "system", "content": "in front"}, *messages])
    kept = {id(message) for number in range(3) for message in chain.sent(number).messages}
    assert len(kept) == 52


@given(st.lists(st.lists(st.sampled_from("abcde"), max_size=8), min_size=1, max_size=8))
def test_any_sequence_of_requests_comes_back_as_it_was(requests: list[list[str]]) -> None:
    chain = _Chain()
    given_ = [[{"role": "user", "content": text} for text in request] for request in requests]
    numbers = [chain.add(request) for request in given_]
    before: list[dict[str, Any]] = []
    for number, request in zip(numbers, given_, strict=True):
        sent = chain.sent(number)
        assert list(sent.messages) == request
        assert all(before[place] == message for place, message in sent.before.items())
        unchanged = [place for place in range(sent.new_from) if place not in sent.before]
        assert all(before[place] == request[place] for place in unchanged)
        assert len(before) - sent.removed == sent.new_from
        before = request
