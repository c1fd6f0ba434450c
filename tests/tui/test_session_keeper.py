"""A what-if goes on from exactly what was there before it, whatever the session went through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.engine.strict_llm import StrictLLM, call, calls
from workbench.engine import Agent, after_tools, after_user_input, before_tools
from workbench.engine.fault_injection import Fault, FaultInjector
from workbench.engine.transcript import validate_messages
from workbench.errors import StopTurn, StorageError
from workbench.storage.export import to_markdown
from workbench.storage.journal import journal_path
from workbench.storage.session_file import SessionRecord, read_session
from workbench.storage.session_format import Origin
from workbench.storage.session_log import SessionLog
from workbench.tui import events, session_keeper
from workbench.tui.session_keeper import Instead, SessionKeeper


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def fail(why: str) -> str:
    """Fail."""
    raise ValueError(why)


class Desk:
    """An agent whose session is kept in ``folder``, and the keeper of its sessions."""

    def __init__(self, folder: Path, *on_events: Any, tools: tuple[Any, ...] = (add, fail)) -> None:
        self.log = SessionLog(folder)
        self.llm = StrictLLM()
        self.agent = Agent(
            "tester", list(tools), llm=self.llm, on_events=list(on_events), observers=[self.log]
        )
        self.keeper = SessionKeeper(lambda _: None)

    def turn(self, prompt: str, *answers: Any) -> list[str]:
        """Live a turn; the ids of its calls."""
        before = len(self.trace)
        self.llm.answers = list(answers)
        self.agent.input(prompt)
        return [str(entry["call_id"]) for entry in self.trace[before:] if entry["type"] == "tool_execution"]

    @property
    def trace(self) -> list[dict[str, Any]]:
        session = self.agent.current_session
        return list(session["trace"]) if session is not None else []

    @property
    def record(self) -> SessionRecord:
        assert self.log.path is not None
        return read_session(self.log.path)

    def calls(self, turn: int = -1) -> list[dict[str, Any]]:
        """The calls of a turn as the file holds them."""
        return [entry for entry in self.record.turns[turn].trace if entry["type"] == "tool_execution"]

    def what_if(self, call_id: str, text: str, *, failed: bool = False) -> None:
        """Go on from a past call; the session that it was in stays as it is, byte for byte."""
        path = self.log.path
        assert path is not None
        before = path.read_bytes()
        self.llm.answers = ["and so on"]
        prompt, begun, images = self.keeper.what_if(self.agent, Instead(call_id, text, failed))
        self.agent.resume_turn(prompt, begun, images=images)
        assert path.read_bytes() == before
        session = self.agent.current_session
        assert session is not None
        validate_messages(session["messages"])
        assert [dict(message) for message in session["messages"]] == self.record.messages


def two(a: int) -> Any:
    """A batch of two calls."""
    return calls(call("add", a=a, b=1), call("add", a=a, b=2))


def test_the_iterations_before_the_call_are_kept_and_those_behind_it_are_not(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    batch = calls(call("add", a=2, b=2), call("fail", why="x"), call("add", a=3, b=3))
    ids = desk.turn("go", calls(call("add", a=1, b=1)), batch, calls(call("add", a=4, b=4)), "end")
    desk.what_if(ids[2], "it worked")
    assert [entry["call_id"] for entry in desk.calls()] == ids[:4]
    assert [entry["result"] for entry in desk.calls()][1:] == ["4", "it worked", "6"]
    (later,) = desk.turn("next", calls(call("add", a=9, b=9)), "end")
    desk.what_if(later, "another")
    desk.what_if(ids[0], "broken", failed=True)
    assert [entry["status"] for entry in desk.calls()] == ["error"]


def test_a_turn_that_was_stopped_in_its_batch_takes_nothing_from_the_next_one(tmp_path: Path) -> None:
    stops = [StopTurn("enough")]

    def stop(_: Agent) -> None:
        if stops:
            raise stops.pop()

    desk = Desk(tmp_path, after_tools(stop))
    (first,) = desk.turn("go", calls(call("add", a=1, b=1)))
    desk.turn("second", calls(call("add", a=2, b=2)), "end")
    desk.what_if(first, "5")
    assert [entry["call_id"] for entry in desk.calls()] == [first]


def test_the_summary_of_older_turns_is_kept_before_the_first_turn_behind_it(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    for number in range(4):
        desk.turn(f"prompt {number}", calls(call("add", a=number, b=1)), "end")
    desk.llm.answers = ["what was before"]
    desk.agent.compact(1)
    (last,) = desk.turn("after", calls(call("add", a=9, b=9)), "end")
    told = desk.record.messages
    desk.what_if(last, "99")
    assert [turn.input for turn in desk.record.turns] == ["after"]
    assert [m["content"] for m in desk.record.messages] == [
        *(m["content"] for m in told[:-2]),
        "99",
        "and so on",
    ]


def test_a_history_that_a_handler_replaced_is_the_one_that_goes_on(tmp_path: Path) -> None:
    def shrink(agent: Agent) -> None:
        session = agent.current_session
        assert session is not None
        if session["turn"] == 3:
            session["messages"] = [{"role": "user", "content": "all in short"}, session["messages"][-1]]

    desk = Desk(tmp_path, after_user_input(shrink))
    made = [desk.turn(f"prompt {n}", calls(call("add", a=n, b=1)), "end")[0] for n in range(3)]
    desk.what_if(made[2], "77")
    contents = [message["content"] for message in desk.record.messages]
    assert contents == ["all in short", "prompt 2", "", "77", "and so on"]
    desk.what_if(made[0], "66")
    told = [message["content"] for message in desk.record.messages]
    assert told == [desk.agent.system_prompt, "prompt 0", "", "66", "and so on"]


def test_a_fork_before_the_first_turn_keeps_the_system_prompt(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.turn("go", "answer")
    desk.keeper.fork(desk.agent, None, 0)
    desk.turn("another way", "another answer")
    told = [message["content"] for message in desk.record.messages]
    assert told == [desk.agent.system_prompt, "another way", "another answer"]


def test_a_result_that_came_too_late_is_not_taken_for_the_call(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (made,) = desk.turn("go", calls(call("add", a=1, b=1)), "end")
    session = desk.agent.current_session
    assert session is not None
    session["trace"].append(
        {"type": "late_result", "tool_name": "add", "call_id": made, "status": "success", "timestamp": 1.0}
    )
    desk.turn("next", "end")
    desk.what_if(made, "5")
    assert [entry["result"] for entry in desk.calls()] == ["5"]


def test_a_handler_that_adds_to_the_prompt_adds_once(tmp_path: Path) -> None:
    def add_context(agent: Agent) -> None:
        session = agent.current_session
        assert session is not None
        prompt = session["messages"][-1]
        prompt["content"] = "[context] " + prompt["content"]
        session["messages"].append({"role": "user", "content": "a reminder"})

    desk = Desk(tmp_path, after_user_input(add_context))
    desk.turn("go", calls(call("add", a=1, b=1)), "end")
    (made,) = desk.turn("go", calls(call("add", a=2, b=2)), "end")
    desk.what_if(made, "5")
    own = [message["content"] for message in desk.record.turns[-1].own_messages]
    assert own == ["[context] go", "a reminder", "", "5", "and so on"]


def test_what_a_call_really_gave_is_known_after_the_second_what_if_too(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    ids = desk.turn("go", two(1), "end")
    desk.what_if(ids[1], "6")
    desk.what_if(ids[1], "7")
    assert [(e["result"], e.get("original_result")) for e in desk.calls()] == [("2", None), ("7", "3")]


def test_a_call_of_an_agent_inside_a_tool_is_no_call_of_the_conversation(tmp_path: Path) -> None:
    inner = Agent("inner", [add], llm=StrictLLM(calls(call("add", a=1, b=1)), "inner answer"))
    desk = Desk(tmp_path, tools=(add, inner))
    (made,) = desk.turn("go", calls(call("inner", task="do it")), "end")
    (nested,) = desk.calls()[0]["nested"]
    (inside,) = [entry for entry in nested["trace"] if entry["type"] == "tool_execution"]
    with pytest.raises(StorageError, match="not part of the present conversation"):
        desk.keeper.what_if(desk.agent, Instead(inside["call_id"], "1"))
    desk.what_if(made, "another answer")
    assert "nested" not in desk.calls()[0]


def test_what_was_run_by_hand_is_no_part_of_a_what_if_and_no_note(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    (made,) = desk.turn("go", calls(call("add", a=1, b=1)), "end")
    desk.agent.run_tool("add", {"a": 5, "b": 5}, rerun_of=made)
    assert desk.record.notes == ()
    (later,) = desk.turn("next", calls(call("add", a=2, b=1)), "end")
    desk.what_if(later, "8")
    assert [entry["result"] for entry in desk.calls()] == ["8"]


def test_a_call_that_was_lost_can_be_given_a_result_in_a_what_if(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    paths: list[Path] = []

    def die(_: Agent) -> None:
        assert desk.log.path is not None
        copy = tmp_path / "copy.yaml"
        for path in (desk.log.path, journal_path(desk.log.path)):
            copy.with_name(path.name.replace(desk.log.path.name, copy.name)).write_bytes(path.read_bytes())
        paths.append(copy)

    desk.agent.hooks.add(before_tools(die))
    ids = desk.turn("go", two(1), "end")
    desk.agent.reset_conversation()
    desk.keeper.resume(desk.agent, paths[0])
    assert [entry["status"] for entry in desk.calls()] == ["cancelled", "cancelled"]
    desk.what_if(ids[1], "what it would have given")
    assert [entry["result"] for entry in desk.calls()][1] == "what it would have given"


def test_what_a_what_if_took_from_the_record_is_not_counted_as_paid_again(tmp_path: Path) -> None:
    first = Desk(tmp_path)
    (call_id,) = first.turn("add", calls(call("add", a=1, b=2)), "three")
    prompt, begun, _ = first.keeper.what_if(first.agent, Instead(call_id, "4"))
    first.llm.answers = ["four"]
    first.agent.resume_turn(prompt, begun)
    fork = first.log.path
    assert fork is not None
    paid = first.agent.total_usage
    first.agent.close()
    first.log.close()
    second = Desk(tmp_path)
    second.keeper.resume(second.agent, fork)
    assert second.agent.total_usage == paid
    assert paid.total_tokens > 0


def test_of_a_long_session_the_screen_is_told_the_newest_turns_piece_by_piece_and_all_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_keeper, "_MOST_SHOWN", 3)
    monkeypatch.setattr(session_keeper, "_PIECE", 2)
    desk = Desk(tmp_path)
    for number in range(1, 6):
        desk.turn(f"prompt {number}", f"answer {number}")
    path = desk.record.path
    desk.agent.close()
    told: list[events.AgentEvent | float] = []
    after = Desk(tmp_path)
    after.keeper = SessionKeeper(told.append, told.append)
    after.keeper.resume(after.agent, path)
    turns = [event.turn for event in told if isinstance(event, events.TurnStarted)]
    assert turns == [3, 4, 5]
    paused = [at for at, event in enumerate(told) if isinstance(event, float)]
    assert [type(told[at + 1]).__name__ for at in paused] == ["TurnStarted"]
    notices = [event for event in told if isinstance(event, events.Notice)]
    assert notices[0].title == "2 earlier turns are not shown here"
    session = after.agent.current_session
    assert session is not None
    assert session["turn"] == 5
    assert sum(message["role"] == "user" for message in session["messages"]) == 5
    after.turn("prompt 6", "answer 6")
    assert [turn.input for turn in after.record.turns] == [f"prompt {number}" for number in range(1, 7)]


def test_a_file_that_names_itself_as_the_one_before_is_read_once(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.turn("go", calls(call("add", a=1, b=1)), "end")
    told = desk.record.path
    text = told.read_text(encoding="utf-8")
    odd = told.with_name("odd.yaml")
    head = f"turns_before: 5\ngoes_on_from: {odd.name}\nturns:\n"
    odd.write_text(text.replace("turns:\n", head, 1), encoding="utf-8")
    desk.keeper.resume(desk.agent, odd)
    with pytest.raises(StorageError, match="has turns 6 to 6, not 3"):
        desk.keeper.fork(desk.agent, odd, 3)


@pytest.mark.parametrize(
    ("has", "missing"),
    [
        ({}, "add, fail"),
        ({"tools": [add]}, "fail"),
        ({"tools": [add, fail]}, ""),
        ({"tools": [fail], "one": [add], "two": [add]}, "add"),
    ],
)
def test_the_tools_that_a_resumed_session_lacks_are_those_that_its_calls_would_not_find(
    tmp_path: Path, has: dict[str, list[Any]], missing: str
) -> None:
    desk = Desk(tmp_path)
    desk.turn("go", calls(call("add", a=1, b=2), call("fail", why="x"), call("nothing")), "end")
    path = desk.record.path
    desk.agent.close()
    said: list[events.AgentEvent] = []
    agent = Agent("later", [], llm=StrictLLM(), observers=[SessionLog(tmp_path)])
    for namespace, tools in has.items():
        for tool in tools:
            agent.tools.register(tool, namespace=namespace)
    SessionKeeper(said.append).resume(agent, path)
    agent.close()
    (notice,) = (event for event in said if isinstance(event, events.Notice))
    assert notice.text == "1 turn." + f" It called tools that are not loaded here: {missing}." * bool(missing)
    assert notice.hint.endswith(f": workbench TOOLS --resume {path.stem}") is bool(missing)


def test_a_made_up_result_has_nothing_of_what_made_the_real_one(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FaultInjector({"add": Fault("raise")}))
    first, second = desk.turn("go", two(1), "end")
    real = {"fault", "error", "error_type"}
    assert real <= desk.calls()[0].keys()
    desk.what_if(first, "2")
    made_up, kept = desk.calls()
    assert (made_up["status"], made_up["result"]) == ("success", "2")
    assert not real & made_up.keys()
    assert (kept["call_id"], kept["fault"]) == (second, "raise RuntimeError")


def test_a_what_if_says_inside_which_turn_it_left_and_a_fork_behind_which(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.turn("first", "end")
    (made,) = desk.turn("second", calls(call("add", a=1, b=2)), "end")
    whole = desk.record.path.name
    desk.what_if(made, "99")
    assert desk.record.origin == Origin(whole, 1, inside=True)
    assert "inside turn 2" in "".join(to_markdown(desk.record))
    inner = desk.record.path.name
    desk.keeper.fork(desk.agent, None, 1)
    assert desk.record.origin == Origin(inner, 1)
    assert "after turn 1" in "".join(to_markdown(desk.record))
