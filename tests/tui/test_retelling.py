"""A recorded session told again is the conversation that it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import Agent, before_tools
from workbench.errors import ProviderError, ToolRejected
from workbench.storage.session_file import Turns, read_session
from workbench.storage.session_log import SessionLog
from workbench.tui import events
from workbench.tui.retelling import retell
from workbench.tui.trace_model import TraceModel
from workbench.tui.trace_records import Mark
from workbench.tui.transcript.call import CallBlock
from workbench.tui.transcript.document import Document
from workbench.tui.transcript.story import Story


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def fail(why: str) -> str:
    """Fail."""
    raise ValueError(why)


class Refuse:
    """Rejects calls of one tool."""

    def __call__(self, agent: Any) -> None:
        for pending in agent.current_session["pending_tools"]:
            if pending["arguments"].get("a") == 13:
                pending["decision"], pending["reason"] = "reject", "bad luck"


def recorded(folder: Path, *turns: Iterable[Any]) -> list[events.AgentEvent]:
    """Live the turns, and tell them again from the file."""
    log = SessionLog(folder)
    agent = Agent("tester", [add, fail], llm=StrictLLM(), on_events=[before_tools(Refuse())], observers=[log])
    for number, answers in enumerate(turns):
        agent.llm.answers = list(answers)
        try:
            agent.input(f"prompt {number}")
        except ProviderError:
            continue
    assert log.path is not None
    record = read_session(log.path)
    agent.close()
    return list(retell("tester", record))


def kinds(told: Iterable[events.AgentEvent]) -> list[str]:
    return [type(event).__name__ for event in told]


def test_a_turn_with_a_batch_is_told_in_its_order(tmp_path: Path) -> None:
    told = recorded(tmp_path, [calls(call("add", a=1, b=2), call("fail", why="x"), text="Let me see."), "3"])
    assert kinds(told) == [
        "TurnStarted",
        "ModelStarted",
        "ModelFinished",
        "BatchStarted",
        "ToolStarted",
        "ToolFinished",
        "ToolStarted",
        "ToolFinished",
        "ModelStarted",
        "ModelFinished",
        "TurnFinished",
    ]
    first = next(event for event in told if isinstance(event, events.ModelFinished))
    assert (first.content, first.calls) == ("Let me see.", 2)


def test_a_rejected_call_is_told_as_rejected_and_never_as_begun(tmp_path: Path) -> None:
    told = recorded(tmp_path, [calls(call("add", a=13, b=2)), "ok"])
    assert "ToolStarted" not in kinds(told)
    (batch,) = [event for event in told if isinstance(event, events.BatchStarted)]
    assert batch.calls[0].decision == "reject"
    (ended,) = [event for event in told if isinstance(event, events.ToolFinished)]
    assert ended.entry["status"] == "rejected"


def test_a_turn_that_failed_says_why(tmp_path: Path) -> None:
    told = recorded(tmp_path, [ProviderError("no key")], ["fine"])
    ended = [event for event in told if isinstance(event, events.TurnFinished)]
    assert [event.status for event in ended] == ["error", "success"]
    assert "no key" in ended[0].error


def test_a_turn_whose_program_ended_says_so(tmp_path: Path) -> None:
    class Died(BaseException):
        pass

    log = SessionLog(tmp_path)
    path: list[Path] = []

    def die(agent: Any) -> None:
        assert log.path is not None
        copy = tmp_path / "copy.yaml"
        copy.write_bytes(log.path.read_bytes())
        journal = log.path.with_name(log.path.name + ".journal")
        copy.with_name("copy.yaml.journal").write_bytes(journal.read_bytes())
        path.append(copy)
        raise ToolRejected("never mind")

    llm = StrictLLM(calls(call("add", a=1, b=2)), "done")
    agent = Agent("tester", [add], llm=llm, on_events=[before_tools(die)], observers=[log])
    agent.input("prompt")
    agent.close()
    told = list(retell("tester", read_session(path[0])))
    ended = told[-1]
    assert isinstance(ended, events.TurnFinished)
    assert (ended.status, ended.error) == ("error", "The program ended before this turn did.")


ANSWERS = st.lists(
    st.one_of(
        st.lists(
            st.one_of(
                st.builds(lambda a, b: call("add", a=a, b=b), st.integers(10, 14), st.integers(0, 3)),
                st.builds(lambda why: call("fail", why=why), st.text(max_size=3)),
                st.just(call("nothing")),
            ),
            min_size=1,
            max_size=3,
        ).map(lambda made: calls(*(call(each.name, **each.arguments) for each in made))),
        st.text(max_size=10),
    ),
    max_size=4,
)


@given(st.lists(ANSWERS, min_size=1, max_size=3))
def test_whatever_was_recorded_is_taken_by_conversation_and_trace(
    tmp_path_factory: Any, turns: list[list[Any]]
) -> None:
    told = recorded(tmp_path_factory.mktemp("sessions"), *turns)
    story, trace = Story(Document()), TraceModel(lambda *_: None)
    for event in told:
        story.tell(event)
    trace.apply(told)
    begun = [event for event in told if isinstance(event, events.BatchStarted)]
    ended = [event for event in told if isinstance(event, events.ToolFinished)]
    assert [c.id for batch in begun for c in batch.calls] == [str(e.entry["call_id"]) for e in ended]
    assert kinds(told).count("TurnStarted") == kinds(told).count("TurnFinished") == len(turns)
    assert not [entry for entry in trace.flat if entry.state in ("pending", "running", "waiting")]


def test_what_came_before_a_turn_is_told_before_it_and_takes_no_time_of_it(tmp_path: Path) -> None:
    log = SessionLog(tmp_path)
    agent = Agent("tester", [add], llm=StrictLLM(), observers=[log])
    for number in range(2):
        agent.llm.answers = ["yes"]
        agent.input(f"prompt {number}")
    agent.llm.answers = ["a summary"]
    agent.compact(1)
    agent.llm.answers = ["no"]
    agent.input("after")
    assert log.path is not None
    record = read_session(log.path)
    agent.close()
    (turn,) = record.turns
    old = dict(turn.trace[0], timestamp=turn.trace[0]["timestamp"] - 60)
    late = {"type": "late_result", "tool_name": "add", "timestamp": old["timestamp"]}
    mended = replace(record, turns=Turns([replace(turn, trace=(late, old, *turn.trace[1:]))]))
    told = list(retell("tester", mended))
    assert kinds(told)[:4] == ["Notice", "Notice", "Compacted", "TurnStarted"]
    model = TraceModel(lambda start, removed, added: None)
    model.apply(told)
    assert model.turns[0].total < 30_000
    assert [row.names for row in model.outline.rows if isinstance(row, Mark)] == [["2 messages summed up"]]


def test_a_call_that_was_edited_is_told_as_one(tmp_path: Path) -> None:
    def edit(agent: Any) -> None:
        first = agent.current_session["pending_tools"][0]
        first["arguments"] = {"a": 1, "b": 40}

    log = SessionLog(tmp_path)
    agent = Agent("tester", [add], llm=StrictLLM(), on_events=[before_tools(edit)], observers=[log])
    agent.llm.answers = [calls(call("add", a=1, b=2), call("add", a=3, b=4)), "41"]
    agent.input("go")
    assert log.path is not None
    story = Story(Document())
    for event in retell("tester", read_session(log.path)):
        story.tell(event)
    agent.close()
    blocks = [block for block in story._document.blocks if isinstance(block, CallBlock)]
    assert [block.edited for block in blocks] == [True, False]
    assert blocks[0].source() == "add(a=1, b=40)"
