"""Random batches, handlers, failures, stops and edits never lead to a request that a provider refuses."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.engine.strict_llm import StrictLLM, check_request
from workbench.engine import hooks
from workbench.engine.agent import Agent
from workbench.engine.llm import LLMResponse, ToolCall
from workbench.engine.xray_context import xray
from workbench.errors import ProviderError, StopTurn, ToolRejected
from workbench.registry import ToolMetadata, ToolRegistry


class Boom(Exception):
    """What tools, handlers and models raise here."""


FAILURES: dict[str, Callable[[], BaseException]] = {
    "exception": lambda: Boom("boom"),
    "keyboard": KeyboardInterrupt,
    "exit": lambda: SystemExit(3),
    "stop": lambda: StopTurn("enough"),
    "reject": lambda: ToolRejected("not that one"),
}


def tool_registry() -> ToolRegistry:
    registry = ToolRegistry()

    @registry.register
    def echo(value: str) -> str:
        """Give it back."""
        return value

    @registry.register
    def fail(value: str = "") -> str:
        """Raise."""
        raise Boom(value)

    @registry.register
    def leave(value: str = "") -> str:
        """Leave the process."""
        raise SystemExit(value)

    @registry.register
    def halt(value: str = "") -> str:
        """End the turn."""
        raise StopTurn(value)

    @registry.register
    async def later(value: str) -> list[str]:
        """Give it back in time."""
        return [value]

    @registry.register(metadata=ToolMetadata(parallel_safe=True))
    def beside(value: str) -> str:
        """Run beside others."""
        return value

    @registry.register
    def off(value: str = "") -> str:
        """Switched off."""
        return value

    registry.disable("off", "not today")
    return registry


TOOL_CALLS = st.builds(
    ToolCall,
    st.sampled_from(
        ["echo", "fail", "leave", "halt", "later", "beside", "beside", "off", "nowhere", "a b.c", ""]
    ),
    st.one_of(
        st.fixed_dictionaries({"value": st.sampled_from(["a", "", "\ud800", "é\u2028"])}),
        st.just({}),
        st.just({"value": 7}),
        st.sampled_from(['{"value": "x"}', "{broken", "[1]", ""]),
    ),
    st.sampled_from(["", "1", "1", "2", "call_x"]),
    error=st.sampled_from([None, None, None, None, "the arguments were cut off"]),
)
BATCHES = st.builds(
    LLMResponse, st.sampled_from([None, "", "I'll do that."]), st.lists(TOOL_CALLS, min_size=1, max_size=4)
)
ANSWERS = st.one_of(
    BATCHES,
    BATCHES,
    BATCHES,
    st.sampled_from(["fine", ""]).map(LLMResponse),
    st.sampled_from(["provider", "crash", "keyboard"]),
)
MESSAGES = st.sampled_from(
    [
        {"role": "user", "content": "by the way"},
        {"role": "assistant", "content": "let me see"},
        {"role": "tool", "tool_call_id": "1", "content": "a stray answer"},
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "type": "function", "function": {}}]},
        {"role": "nobody", "content": "?"},
        {"role": ["unhashable"], "content": "?"},
        {"role": "user", "content": "torn \ud800"},
        "not even a dict",
    ]
)
SOUND = [{"role": "user", "content": "by the way"}, {"role": "assistant", "content": "let me see"}]
KEEPS = {"raise", "append", "edit", "arguments", "clear calls", "stop"}
"""Actions that take no message away."""
DAMAGES: dict[str, Callable[[Any], object]] = {
    "content to dict": lambda message: message.update(content={"not": "text"}),
    "content to number": lambda message: message.__setitem__("content", 7),
    "content torn": lambda message: message.__setitem__("content", "\udfff"),
    "role away": lambda message: message.pop("role"),
    "role unknown": lambda message: message.__setitem__("role", "nobody"),
    "role unhashable": lambda message: message.__setitem__("role", ["user"]),
    "answer to another": lambda message: message.__setitem__("tool_call_id", "other"),
    "answer to a list": lambda message: message.__setitem__("tool_call_id", []),
    "no calls": lambda message: message["tool_calls"].clear(),
    "calls to text": lambda message: message.__setitem__("tool_calls", "text"),
    "call away": lambda message: message["tool_calls"].pop(),
    "call id": lambda message: message["tool_calls"][0].__setitem__("id", "other"),
    "call arguments": lambda message: message["tool_calls"][0]["function"].update(arguments={}),
    "call function": lambda message: message["tool_calls"][-1].pop("function"),
    "not JSON": lambda message: message.setdefault("extra", object()),
    "everything": lambda message: message.clear(),
}
"""What a handler can do to a message that it has got hold of."""

ACTIONS = st.one_of(
    st.tuples(st.just("raise"), st.sampled_from(sorted(FAILURES))),
    st.tuples(st.just("append"), st.sampled_from(SOUND)),
    st.tuples(st.just("append"), st.sampled_from(SOUND)),
    st.tuples(st.just("append"), MESSAGES),
    st.tuples(st.just("spoil"), MESSAGES, st.sampled_from(sorted(FAILURES))),
    st.tuples(st.just("insert"), st.integers(0, 6), MESSAGES),
    st.tuples(st.just("drop"), st.integers(-4, 4)),
    st.tuples(st.just("replace"), st.booleans()),
    st.tuples(st.just("swap")),
    st.tuples(st.just("edit"), st.sampled_from(["approve", "reject", "maybe", None])),
    st.tuples(st.just("arguments"), st.sampled_from([{}, {"value": "edited"}, {"value": object()}, "text"])),
    st.tuples(st.just("pending"), st.sampled_from(["away", "number", "cleared", "renamed"])),
    st.tuples(st.just("clear calls")),
    st.tuples(st.just("stop")),
    st.tuples(st.just("damage"), st.integers(-6, 6), st.sampled_from(sorted(DAMAGES))),
)


PLANS = st.tuples(st.sampled_from(hooks.EVENTS), ACTIONS, st.sampled_from([0, 0, 1, 2]))


def planned(event: hooks.Event, action: tuple[Any, ...], skip: int, said: list[str]) -> hooks.Handler:
    """A handler that acts once, when it was called ``skip`` times before; ``said`` gets what it says."""
    calls_left = [skip]

    def handler(agent: Agent) -> None:
        calls_left[0] -= 1
        if calls_left[0] == -1:
            act(agent, action, said)

    bound: hooks.Handler = getattr(hooks, event)(handler)
    return bound


def act(agent: Agent, action: tuple[Any, ...], said: list[str]) -> None:
    """Do to a session what a handler may do to it."""
    session = agent.current_session
    assert session is not None
    messages = session["messages"]
    match action:
        case "raise", kind:
            error = FAILURES[kind]()
            raise error
        case "append", message:
            messages.append(copy.deepcopy(message))
            if message in SOUND:
                messages[-1]["content"] += f" ({len(said)})"
                said.append(messages[-1]["content"])
        case "spoil", message, kind:
            messages.append(copy.deepcopy(message))
            failure = FAILURES[kind]()
            raise failure
        case "insert", at, message:
            messages.insert(at, copy.deepcopy(message))
        case "drop", at if messages:
            messages.pop(at % len(messages))
        case "replace", deep:
            session["messages"] = copy.deepcopy(messages) if deep else list(messages)
        case ("swap",) if len(messages) > 1:
            messages[-1], messages[-2] = messages[-2], messages[-1]
        case "edit", decision:
            for pending in session.get("pending_tools", [])[:1]:
                pending["decision"] = decision
        case "arguments", arguments:
            for pending in session.get("pending_tools", [])[:2]:
                pending["arguments"] = copy.copy(arguments)
        case "pending", "away":
            session.pop("pending_tools", None)
        case "pending", "number" if "pending_tools" in session:
            session["pending_tools"] = 7
        case "pending", how:
            for pending in [*session.get("pending_tools", []), session.get("pending_tool", {})]:
                pending.clear() if how == "cleared" else pending.update(name="other", id="other")
        case ("clear calls",) if "llm_response" in session:
            session["llm_response"].tool_calls.clear()
        case ("stop",):
            agent.stop()
        case "damage", at, how if messages:
            with suppress(
                KeyError, IndexError, TypeError, AttributeError
            ):  # not every message has what it takes
                DAMAGES[how](messages[at % len(messages)])


class EngineMachine(RuleBasedStateMachine):
    """One agent, one strict model, any order of everything."""

    @initialize()
    def begin(self) -> None:
        self.llm = StrictLLM()
        self.agent = Agent("machine", tool_registry(), llm=self.llm, max_iterations=3)

    @rule(plans=st.lists(PLANS, min_size=1, max_size=4), answers=st.lists(ANSWERS, min_size=1, max_size=4))
    def turn(self, plans: list[tuple[hooks.Event, tuple[Any, ...], int]], answers: list[Any]) -> None:
        said: list[str] = []
        handlers = [planned(*plan, said) for plan in plans]
        self.agent.hooks.add(handlers)
        errors = {"provider": ProviderError("no"), "crash": Boom("model"), "keyboard": KeyboardInterrupt()}
        self.llm.answers = [
            errors.get(answer, answer) if isinstance(answer, str) else answer for answer in answers
        ]
        left: BaseException | None = None
        try:
            self.agent.input("go on")
        except (Exception, KeyboardInterrupt, SystemExit) as error:
            left = error
        # What a handler or the model raised may leave, a fault of the engine's own may not.
        mistakes = AssertionError | AttributeError | TypeError | LookupError
        assert not isinstance(left, mistakes), left
        self.agent.hooks.remove(handlers)
        session = self.agent.current_session
        assert session is not None
        check_request(session["messages"])
        if all(action[0] in KEEPS for _, action, _ in plans):
            kept = [message["content"] for message in session["messages"]]
            assert [text for text in said if text not in kept] == [], "a message that a handler added is lost"

    @rule(count=st.integers(0, 5))
    def cut(self, count: int) -> None:
        """A session that lost its tail is loaded."""
        session = self.agent.current_session
        if session is not None:
            kept = session["messages"][: len(session["messages"]) - count]
            self.agent.current_session = {
                "messages": copy.deepcopy(kept),
                "trace": [],
                "turn": session["turn"],
            }

    @rule()
    def reset(self) -> None:
        self.agent.reset_conversation()

    @invariant()
    def no_request_was_refused(self) -> None:
        assert not self.llm.refusals
        assert not self.agent.running

    @invariant()
    def nothing_transient_stays(self) -> None:
        session = self.agent.current_session or {}
        assert not {"pending_tools", "pending_tool", "llm_response"} & session.keys()
        assert xray.agent is None
        json.dumps([entry for entry in session.get("trace", []) if entry["type"] != "llm_call"])

    def teardown(self) -> None:
        if hasattr(self, "agent"):
            self.agent.close()


EngineMachine.TestCase.settings = settings(
    max_examples=200, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
TestEngineMachine = EngineMachine.TestCase
