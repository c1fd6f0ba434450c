"""A batch: verdicts, texts and statuses, messages in the wrong place, and an answer to every call."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import (
    LLMResponse,
    ToolCall,
    after_each_tool,
    after_llm,
    after_tools,
    before_each_tool,
    before_tools,
    hooks,
    on_error,
)
from workbench.engine.agent import Agent
from workbench.engine.jobs import Job
from workbench.engine.observer import Observer, TurnSummary
from workbench.errors import HookError, MessageOrderError, ToolRejected
from workbench.registry import PermissionPolicy, PermissionResult, PermissionRule, ToolMetadata, ToolRegistry


class Tools:
    """Counts what really ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def write(self, path: str, text: str = "") -> str:
        """Write."""
        self.ran.append(path)
        return f"wrote {path}"

    def fail(self, why: str) -> str:
        """Raise."""
        raise ConnectionError(why)


@pytest.fixture
def tools() -> Tools:
    return Tools()


def make(tools: Tools, *answers: Any, on_events: Any = (), **options: Any) -> tuple[Agent, StrictLLM]:
    llm = StrictLLM(*answers)
    return Agent("a", [tools.write, tools.fail], llm=llm, on_events=on_events, **options), llm


def entries(agent: Agent) -> list[dict[str, Any]]:
    assert agent.current_session is not None
    return [entry for entry in agent.current_session["trace"] if entry["type"] == "tool_execution"]


def results(llm: StrictLLM) -> list[str]:
    return [message["content"] for message in llm.requests[-1] if message["role"] == "tool"]


def test_a_rejected_call_never_runs_and_the_model_reads_why(tools: Tools) -> None:
    @before_tools
    def decide(agent: Agent) -> None:
        assert agent.current_session is not None
        first, second, third = agent.current_session["pending_tools"]
        first["decision"] = "approve"
        second.update(decision="reject", reason="not that file")
        third["decision"] = "reject"

    batch = calls(call("write", path="a"), call("write", path="b"), call("write", path="c"))
    agent, llm = make(tools, batch, "done", on_events=decide)
    assert agent.input("go") == "done"
    assert tools.ran == ["a"]
    assert results(llm) == ["wrote a", "Rejected: not that file", "Rejected."]
    assert [entry["status"] for entry in entries(agent)] == ["success", "rejected", "rejected"]


def test_what_a_hook_decides_while_it_waits_for_a_person_is_that_person_s_verdict(tools: Tools) -> None:
    @before_tools
    def by_rule(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["pending_tools"][0]["decision"] = "reject"

    @before_tools
    def ask(agent: Agent) -> None:
        assert agent.current_session is not None
        with agent.human_wait("a question"):
            _, second, third = agent.current_session["pending_tools"]
            second.update(decision="reject", reason="not today")
            third["arguments"] = {"path": "mine"}

    batch = calls(call("write", path="a"), call("write", path="b"), call("write", path="c"))
    agent, llm = make(tools, batch, "done", on_events=[by_rule, ask])
    agent.input("go")
    assert results(llm)[:2] == ["Rejected.", "Rejected by the user: not today"]
    assert results(llm)[2].startswith("[The user edited the arguments")
    assert [entry.get("decided_by") for entry in entries(agent)] == ["hook", "user", None]


def test_a_hook_of_one_call_is_named_for_what_it_decides(tools: Tools) -> None:
    @before_each_tool
    def decide(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["pending_tool"].update(decision="reject", reason="not here")

    agent, llm = make(tools, calls(call("write", path="a")), "done", on_events=decide)
    agent.input("go")
    assert results(llm) == ["Rejected: not here"]
    assert entries(agent)[0]["decided_by"] == "hook"


def test_pending_tools_say_everything_about_each_call(tools: Tools) -> None:
    seen: list[dict[str, Any]] = []

    @before_tools
    def look(agent: Agent) -> None:
        assert agent.current_session is not None
        seen.extend(dict(pending) for pending in agent.current_session["pending_tools"])

    agent, _ = make(
        tools, calls(call("write", id="c1", path="a"), call("nope")), trust="careful", on_events=look
    )
    agent.input("go")
    assert seen[0] == {
        "name": "write",
        "arguments": {"path": "a"},
        "id": "c1",
        "description": "Write.",
        "permission": "ask",
        "decision": None,
        "reason": None,
        "asks_because": "not marked read-only",
        "decided_by": None,
        "origin": [],
    }
    assert (seen[1]["name"], seen[1]["permission"]) == ("nope", None)
    assert agent.current_session is not None
    assert "pending_tools" not in agent.current_session


def test_edited_arguments_run_and_the_model_is_told(tools: Tools) -> None:
    @before_tools
    def edit(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["pending_tools"][0]["arguments"]["path"] = "safe"

    @before_each_tool
    def edit_more(agent: Agent) -> None:
        assert agent.current_session is not None
        pending = agent.current_session["pending_tool"]
        if pending["arguments"]["path"] == "b":
            pending["arguments"] = {"path": "hooked"}

    agent, llm = make(
        tools, calls(call("write", path="a"), call("write", path="b")), "done", on_events=[edit, edit_more]
    )
    agent.input("go")
    assert tools.ran == ["safe", "hooked"]
    assert results(llm) == [
        '[A hook changed the arguments before the run: {"path": "safe"}]\nwrote safe',
        '[A hook changed the arguments before the run: {"path": "hooked"}]\nwrote hooked',
    ]
    first, second = entries(agent)
    assert (first["arguments"], first["edited_from"], first["edited_by"]) == (
        {"path": "safe"},
        {"path": "a"},
        "hook",
    )
    assert (second["edited_from"], second["edited_by"], second["result"]) == (
        {"path": "b"},
        "hook",
        "wrote hooked",
    )


def test_arguments_that_json_does_not_have_are_written_in_words(tools: Tools) -> None:
    @before_tools
    def edit(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["pending_tools"][0]["arguments"]["path"] = Path("there")

    agent, _ = make(tools, calls(call("write", path="a")), "done", on_events=edit)
    agent.input("go")
    assert entries(agent)[0]["arguments"] == {"path": "there"}


def test_arguments_changed_after_the_verdict_do_not_reach_the_tool(tools: Tools) -> None:
    kept: list[dict[str, Any]] = []

    @before_tools
    def keep(agent: Agent) -> None:
        assert agent.current_session is not None
        kept.append(agent.current_session["pending_tools"][0])

    def late(path: list[str]) -> str:
        """Change what was shown, while running."""
        kept[0]["arguments"]["path"].append("sneaked in")
        return ",".join(path)

    llm = StrictLLM(calls(call("late", path=["shown"])), "done")
    Agent("a", [late], llm=llm, on_events=keep).input("go")
    assert results(llm)[0].endswith("shown")


def test_a_decision_that_is_neither_yes_nor_no_is_an_error_and_nothing_runs(tools: Tools) -> None:
    @before_tools
    def decide(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["pending_tools"][0]["decision"] = "yes please"

    agent, llm = make(tools, calls(call("write", path="a")), on_events=decide)
    with pytest.raises(HookError, match="'yes please'"):
        agent.input("go")
    assert tools.ran == []
    agent.hooks.remove(decide)
    assert agent.input("again") == "done"
    assert results(llm) == ["Not run: the turn ended with an error."]


def test_tool_rejected_before_each_tool_refuses_that_call_only(tools: Tools) -> None:
    @before_each_tool
    def guard(agent: Agent) -> None:
        assert agent.current_session is not None
        if agent.current_session["pending_tool"]["arguments"]["path"] == "b":
            raise ToolRejected("b is not ours")

    batch = calls(call("write", path="a"), call("write", path="b"), call("write", path="c"))
    agent, llm = make(tools, batch, "done", on_events=guard)
    assert agent.input("go") == "done"
    assert tools.ran == ["a", "c"]
    assert results(llm) == ["wrote a", "Rejected: b is not ours", "wrote c"]


def test_tool_rejected_before_tools_refuses_the_whole_batch(tools: Tools) -> None:
    @before_tools
    def guard(agent: Agent) -> None:
        raise ToolRejected("not now")

    agent, llm = make(tools, calls(call("write", path="a"), call("write", path="b")), "done", on_events=guard)
    assert agent.input("go") == "done"
    assert tools.ran == []
    assert results(llm) == ["Rejected: not now"] * 2


def test_each_way_to_end_has_its_own_text_and_status(tools: Tools) -> None:
    registry = ToolRegistry(
        PermissionPolicy((PermissionRule(PermissionResult.DENY, tool="secret"),), PermissionResult.ALLOW)
    )
    registry.register(tools.write)
    registry.register(tools.fail)
    registry.register(lambda: "no", name="secret")
    registry.register(lambda: "no", name="off")
    registry.disable("off", "tagged destructive")
    batch = calls(
        call("write", path="a"),
        call("fail", why="unplugged"),
        call("writ", path="a"),
        call("off"),
        call("secret"),
        call("write", pth="a"),
        ToolCall("write", {}, "", error='The arguments are not valid JSON: {"path'),
    )
    llm = StrictLLM(batch, "done")
    agent = Agent("a", registry, llm=llm)
    agent.input("go")
    statuses = [entry["status"] for entry in entries(agent)]
    assert statuses == ["success", "error", "not_found", "disabled", "rejected", "error", "error"]
    texts = results(llm)
    assert texts[1] == "Error executing fail: ConnectionError: unplugged"
    assert "no tool named 'writ'" in texts[2]
    assert "write" in texts[2]
    assert texts[3] == "off is switched off: tagged destructive"
    assert texts[4].startswith("secret was not allowed to run")
    assert "path" in texts[5]
    assert texts[6].startswith("The arguments are not valid JSON")
    assert tools.ran == ["a"]
    failed = entries(agent)[1]
    assert (failed["error"], failed["error_type"]) == ("unplugged", "ConnectionError")
    assert "raise ConnectionError(why)" in failed["traceback"]
    assert "workbench/engine" not in failed["traceback"]
    assert failed["failing_frame"]["locals"]["why"] == "'unplugged'"
    assert entries(agent)[4]["decided_by"] == "policy"


def test_the_summary_names_the_tools_that_were_called_and_no_others(tools: Tools) -> None:
    summaries: list[TurnSummary] = []

    class Watching(Observer):
        def turn_finished(self, agent: Agent, summary: TurnSummary) -> None:
            summaries.append(summary)

    registry = ToolRegistry()
    registry.register(tools.write)
    registry.register(tools.fail)
    registry.register(lambda: "no", name="off")
    registry.disable("off")
    batch = calls(call("off"), call("write", path="a"), call("nothing"), call("fail", why="unplugged"))
    agent = Agent("a", registry, llm=StrictLLM(batch, "done"), observers=[Watching()])
    agent.input("go")
    assert summaries[0].tools_called == ("write", "fail")


def test_arguments_that_cannot_be_read_count_as_wrong_ones_of_their_tool(tools: Tools) -> None:
    registry = ToolRegistry()
    registry.register(tools.write, namespace="files")
    batch = calls(ToolCall("write", '{"path": '), ToolCall("nothing", "{"))  # type: ignore[arg-type]  # a model's text
    Agent("a", registry, llm=StrictLLM(batch, "done")).input("go")
    (wrong,) = registry.statistics("files.write").wrong_calls
    assert wrong.arguments == '{"path": '
    assert "not valid JSON" in wrong.error


def test_a_denied_call_stays_denied_when_somebody_approves_it(tools: Tools) -> None:
    @before_tools
    def approve(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["pending_tools"][0]["decision"] = "approve"

    policy = PermissionPolicy((PermissionRule(PermissionResult.DENY, tool="write"),))
    agent, _ = make(tools, calls(call("write", path="a")), "done", trust=policy, on_events=approve)
    agent.input("go")
    assert tools.ran == []


@pytest.mark.parametrize(("answer", "ran"), [(True, ["a"]), (False, []), (None, []), ("yes", [])])
def test_what_asks_runs_only_after_an_explicit_yes(tools: Tools, answer: Any, ran: list[str]) -> None:
    agent, _ = make(tools, calls(call("write", path="a")), "done", trust="strict")
    agent.tools.permission_handler = lambda request: answer
    agent.input("go")
    assert tools.ran == ran


def test_what_asks_is_denied_when_nobody_can_be_asked(tools: Tools) -> None:
    agent, llm = make(tools, calls(call("write", path="a")), "done", trust="strict")
    agent.input("go")
    assert tools.ran == []
    assert "not allowed to run" in results(llm)[0]


def test_a_call_taken_out_of_the_pending_list_does_not_run_and_an_exchanged_entry_counts(
    tools: Tools,
) -> None:
    @before_tools
    def sift(agent: Agent) -> None:
        assert agent.current_session is not None
        first, _, third = agent.current_session["pending_tools"]
        agent.current_session["pending_tools"] = [first, {**third, "decision": "reject", "reason": "no"}]

    batch = calls(call("write", path="a"), call("write", path="b"), call("write", path="c"))
    agent, llm = make(tools, batch, "done", on_events=sift)
    agent.input("go")
    assert tools.ran == ["a"]
    assert results(llm)[1:] == ["Rejected: a hook took it out of the batch", "Rejected: no"]


def test_a_message_added_before_tools_moves_behind_the_results(tools: Tools) -> None:
    @before_tools
    def note(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["messages"].append({"role": "user", "content": "mind the gap"})

    _, llm = agent_and_llm = make(
        tools, calls(call("write", path="a"), call("write", path="b")), "done", on_events=note
    )
    agent_and_llm[0].input("go")
    assert [message["role"] for message in llm.requests[-1]] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
    ]
    assert llm.requests[-1][-1]["content"] == "mind the gap"


def test_nobody_else_is_blamed_for_a_message_added_before_tools(tools: Tools) -> None:
    @before_tools
    def note(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["messages"].append({"role": "user", "content": "mind the gap"})

    @before_each_tool
    def innocent(agent: Agent) -> None:
        """Do nothing."""

    agent, llm = make(tools, calls(call("write", path="a")), "done", on_events=[note, innocent])
    assert agent.input("go") == "done"
    assert llm.requests[-1][-1]["content"] == "mind the gap"


@pytest.mark.parametrize("event", [before_each_tool, after_each_tool, on_error])
def test_a_message_added_between_a_call_and_its_result_is_an_error(
    tools: Tools, event: hooks.EventDecorator
) -> None:
    @event
    def misplaced(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["messages"].append({"role": "user", "content": "hello"})

    agent, llm = make(tools, calls(call("fail", why="x"), call("write", path="b")), on_events=misplaced)
    with pytest.raises(MessageOrderError, match="misplaced") as caught:
        agent.input("go")
    assert "after_tools" in caught.value.hint
    agent.hooks.remove(misplaced)
    assert agent.input("again") == "done"
    assert [m["role"] for m in llm.requests[-1]][-5:] == ["assistant", "tool", "tool", "user", "user"]


def test_messages_added_after_tools_stand_behind_the_results(tools: Tools) -> None:
    @after_tools
    def reflect(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["messages"].append({"role": "assistant", "content": "Observation: fine"})

    agent, llm = make(tools, calls(call("write", path="a")), "done", on_events=reflect)
    agent.input("go")
    assert llm.requests[-1][-1] == {"role": "assistant", "content": "Observation: fine"}


def test_a_result_shortened_in_place_is_kept_that_way(tools: Tools) -> None:
    @after_each_tool
    def shorten(agent: Agent) -> None:
        assert agent.current_session is not None
        messages = agent.current_session["messages"]
        messages[-1] = {**messages[-1], "content": "short"}

    agent, llm = make(
        tools, calls(call("write", path="a"), call("write", path="b")), "done", on_events=shorten
    )
    agent.input("go")
    assert results(llm) == ["short", "short"]
    assert entries(agent)[0]["result"] == "wrote a"


def test_edits_of_the_response_after_llm_take_effect(tools: Tools) -> None:
    @after_llm
    def change(agent: Agent) -> None:
        assert agent.current_session is not None
        response: LLMResponse = agent.current_session["llm_response"]
        if response.tool_calls:
            response.tool_calls.pop()
            response.tool_calls[0].arguments["path"] = "changed"

    agent, llm = make(
        tools, calls(call("write", path="a"), call("write", path="b")), "done", on_events=change
    )
    agent.input("go")
    assert tools.ran == ["changed"]
    assert len(llm.requests[-1][2]["tool_calls"]) == 1


def test_a_response_exchanged_after_llm_is_the_answer_and_nonsense_is_refused(tools: Tools) -> None:
    @after_llm
    def exchange(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["llm_response"] = LLMResponse("another answer")

    agent, _ = make(tools, calls(call("write", path="a")), on_events=exchange)
    assert agent.input("go") == "another answer"
    assert tools.ran == []

    @after_llm
    def spoil(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["llm_response"] = "text"

    agent.hooks.add(spoil)
    with pytest.raises(HookError, match="put str in the place of the response"):
        agent.input("go")


def test_text_beside_calls_and_provider_fields_are_kept(tools: Tools) -> None:
    made = ToolCall(
        "write", {"path": "a"}, "c1", extra={"provider_specific_fields": {"thought_signature": "s"}}
    )
    answer = LLMResponse("I'll write it.", [made], extra={"thinking_blocks": [{"signature": "t"}]})
    agent, llm = make(tools, answer, "done")
    agent.input("go")
    message = llm.requests[-1][2]
    assert message["content"] == "I'll write it."
    assert message["thinking_blocks"] == [{"signature": "t"}]
    assert message["tool_calls"][0]["provider_specific_fields"] == {"thought_signature": "s"}


def test_missing_and_repeated_ids_are_told_apart(tools: Tools) -> None:
    batch = [calls(call("write", id="1", path="a"), call("write", id="1", path="b"), call("write", path="c"))]
    agent, llm = make(tools, *batch, calls(call("write", id="1", path="d")), "done")
    agent.input("go")
    assert tools.ran == ["a", "b", "c", "d"]
    assert not llm.refusals
    assert len({entry["call_id"] for entry in entries(agent)}) == 4


def test_one_call_given_twice_is_two_calls(tools: Tools) -> None:
    twice = call("write", path="a")
    agent, llm = make(tools, calls(twice, twice), "done")
    agent.input("go")
    assert tools.ran == ["a", "a"]
    assert not llm.refusals
    assert len({entry["call_id"] for entry in entries(agent)}) == 2


def test_arguments_that_came_as_text_are_read_or_answered(tools: Tools) -> None:
    batch = LLMResponse(
        None,
        [
            ToolCall("write", '{"path": "a"}', "1"),  # type: ignore[arg-type]  # what providers really send
            ToolCall("write", '{"path": ', "2"),  # type: ignore[arg-type]  # the same
            ToolCall("write", "[1]", "3"),  # type: ignore[arg-type]  # the same
        ],
    )
    agent, llm = make(tools, batch, "done")
    agent.input("go")
    assert tools.ran == ["a"]
    assert results(llm)[1].startswith("The arguments are not valid JSON")
    assert results(llm)[2].startswith("The arguments must be a JSON object")


def test_results_are_json_where_they_can_be_and_whole_in_the_trace() -> None:
    registry = ToolRegistry()

    @registry.register(metadata=ToolMetadata(max_result=100))
    def long() -> str:
        """Much text."""
        return "x" * 500

    @registry.register
    def thing(kind: str) -> Any:
        """Something of a kind."""
        things: dict[str, Any] = {
            "dict": {"a": 1, 2: Path("b")},
            "none": None,
            "set": {7},
            "torn": "a\ud800b",
            "bytes": b"\xff",
        }
        return things[kind]

    kinds = ("dict", "none", "set", "torn", "bytes")
    llm = StrictLLM(calls(call("long"), *(call("thing", kind=kind) for kind in kinds)), "done")
    agent = Agent("a", registry, llm=llm)
    agent.input("go")
    texts = results(llm)
    assert len(texts[0]) == 100
    assert "500 characters in all" in texts[0]
    assert entries(agent)[0]["result"] == "x" * 500
    assert texts[1:4] == ['{"a": 1, "2": "b"}', "null", "[7]"]
    assert texts[4] == "a\ufffd\ufffd\ufffdb"
    assert texts[5] == '"base64:/w=="'


def test_calls_marked_for_it_run_at_the_same_time_and_answer_in_order() -> None:
    registry = ToolRegistry()
    both = threading.Barrier(2, timeout=30)
    log: list[str] = []

    @registry.register(metadata=ToolMetadata(parallel_safe=True))
    def meet(name: str) -> str:
        """Wait for the other one."""
        both.wait()
        return name

    @registry.register
    def alone(name: str) -> str:
        """Run alone."""
        return name

    @before_each_tool
    def before(agent: Agent) -> None:
        assert agent.current_session is not None
        log.append("before " + agent.current_session["pending_tool"]["arguments"]["name"])

    @after_each_tool
    def after(agent: Agent) -> None:
        assert agent.current_session is not None
        log.append("after " + agent.current_session["trace"][-1]["arguments"]["name"])

    llm = StrictLLM(calls(call("meet", name="a"), call("meet", name="b"), call("alone", name="c")), "done")
    agent = Agent("a", registry, llm=llm, on_events=[before, after])
    agent.input("go")
    assert results(llm) == ["a", "b", "c"]
    assert log == ["before a", "before b", "after a", "after b", "before c", "after c"]


def test_a_handler_that_fails_between_parallel_calls_leaves_each_answered() -> None:
    registry = ToolRegistry()
    release = threading.Event()

    @registry.register(metadata=ToolMetadata(parallel_safe=True))
    def slow(name: str) -> str:
        """Wait."""
        release.wait(30)
        return name

    @before_each_tool
    def second_fails(agent: Agent) -> None:
        assert agent.current_session is not None
        if agent.current_session["pending_tool"]["arguments"]["name"] == "b":
            raise LookupError("no")

    llm = StrictLLM(calls(call("slow", name="a"), call("slow", name="b")), "done")
    agent = Agent("a", registry, llm=llm, on_events=second_fails)
    with pytest.raises(LookupError):
        agent.input("go")
    release.set()
    agent.hooks.remove(second_fails)
    llm.answers = ["fine"]
    agent.input("again")
    assert results(llm) == [
        "Interrupted: the turn ended with an error while running; it may have had effects.",
        "Not run: the turn ended with an error.",
    ]


def test_a_parallel_call_that_had_ended_keeps_its_result_when_a_handler_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registry = ToolRegistry()
    ended = threading.Event()
    announce = Job.announce

    def announce_and_say(job: Job) -> None:
        announce(job)
        if job.errand.label == "quick":
            ended.set()

    monkeypatch.setattr(Job, "announce", announce_and_say)

    @registry.register(metadata=ToolMetadata(parallel_safe=True))
    def quick(name: str) -> str:
        """End at once."""
        return name

    @before_each_tool
    def second_fails(agent: Agent) -> None:
        assert agent.current_session is not None
        if agent.current_session["pending_tool"]["arguments"]["name"] == "b":
            assert ended.wait(30)
            raise LookupError("no")

    llm = StrictLLM(calls(call("quick", name="a"), call("quick", name="b")), "done")
    agent = Agent("a", registry, llm=llm, on_events=second_fails)
    with pytest.raises(LookupError):
        agent.input("go")
    agent.hooks.remove(second_fails)
    llm.answers = ["fine"]
    agent.input("again")
    assert results(llm) == ["a", "Not run: the turn ended with an error."]


def test_a_message_added_after_a_call_of_a_rejected_batch_is_an_error(tools: Tools) -> None:
    def refuse(agent: Agent) -> None:
        raise ToolRejected("not now")

    def add(agent: Agent) -> None:
        session = agent.current_session
        assert session is not None
        session["messages"].append({"role": "user", "content": "by the way"})

    batch = calls(call("write", path="a"))
    agent, _ = make(tools, batch, on_events=[before_tools(refuse), after_each_tool(add)])
    with pytest.raises(MessageOrderError) as raised:
        agent.input("go")
    assert "after_tools" in str(raised.value.hint)
    assert tools.ran == []


def test_a_call_is_recorded_under_the_name_of_the_tool_that_ran(tools: Tools) -> None:
    def rename(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["pending_tools"][0]["name"] = "harmless"

    agent, _ = make(tools, calls(call("write", path="a")), on_events=[before_tools(rename)])
    agent.input("go")
    assert tools.ran == ["a"]
    assert entries(agent)[0]["tool_name"] == "write"


def test_something_else_in_the_place_of_pending_tools_is_an_error_of_the_hook(tools: Tools) -> None:
    def spoil(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["pending_tools"] = 7

    agent, _ = make(tools, calls(call("write", path="a")), on_events=[before_tools(spoil)])
    with pytest.raises(HookError, match="left int in the place of pending_tools"):
        agent.input("go")
    assert tools.ran == []


def test_a_pending_tool_without_its_arguments_is_an_error_of_the_hook(tools: Tools) -> None:
    def empty(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["pending_tool"].clear()

    agent, _ = make(tools, calls(call("write", path="a")), on_events=[before_each_tool(empty)])
    with pytest.raises(HookError, match="the arguments of write are NoneType"):
        agent.input("go")
    assert entries(agent)[0]["status"] == "cancelled"


def test_arguments_that_cannot_be_compared_count_as_edited(tools: Tools) -> None:
    class Undecided:
        def __eq__(self, other: object) -> bool:
            raise ValueError("neither equal nor not")

        __hash__ = None  # type: ignore[assignment]  # as of an array

    def edit(agent: Agent) -> None:
        assert agent.current_session is not None
        agent.current_session["pending_tools"][0]["arguments"] = {"path": "a", "text": Undecided()}

    agent, _ = make(tools, calls(call("write", path="a", text="b")), on_events=[before_tools(edit)])
    agent.input("go")
    assert entries(agent)[0]["edited_by"] == "hook"
    assert entries(agent)[0]["status"] == "error"
