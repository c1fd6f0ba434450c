"""What a person decided is told as theirs, and what somebody else did is not: live, and from the record."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.driving import Driven, driven
from workbench import Agent, before_each_tool
from workbench.engine.agent import Agent as EngineAgent
from workbench.errors import ToolRejected
from workbench.storage.session_file import read_session
from workbench.tui.events import Post
from workbench.tui.inspector_pages import facts
from workbench.tui.retelling import retell
from workbench.tui.trace_model import TraceModel
from workbench.tui.trace_records import Entry

THREE = "scale(value=1) and scale(value=13) and scale(value=2)"


def scale(value: int) -> int:
    """Scale."""
    return value * 10


def unlucky(agent: EngineAgent) -> None:
    """Reject one call."""
    assert agent.current_session is not None
    if agent.current_session["pending_tool"]["arguments"]["value"] == 13:
        raise ToolRejected("bad luck")


def start(post: Post) -> Agent:
    """Asks about its calls, and has a hook that refuses one."""
    return Agent(
        "asker", [scale], model="offline", on_events=[before_each_tool(unlucky)], trust="strict", quiet=True
    )


def verdicts(model: TraceModel) -> list[str]:
    """What the rows of the waits say."""
    return [entry.detail for entry in model.flat if entry.kind == "you"]


def retold(it: Driven) -> TraceModel:
    """The trace as it is told from the session's file."""
    path = it.app.desks.sessions._keeper.path(it.agent)
    assert path is not None
    model = TraceModel(lambda start, removed, added: None)
    model.apply(retell("asker", read_session(path)))
    return model


def time_of(call: Entry) -> dict[str, str]:
    """What the inspector says about the time of a call."""
    return dict(dict(facts(call))["Time"])


@pytest.mark.parametrize(("keys", "said"), [(["Y"], "3 run"), (["n", "Y"], "2 run   1 rejected")])
async def test_a_call_that_a_hook_rejects_counts_as_the_person_decided_and_never_ran(
    keys: list[str], said: str, own_folder: Path
) -> None:
    async with driven(start) as it:
        await it.send(THREE)
        await it.asked()
        await it.press(*keys)
        await it.press("enter")
        await it.until(lambda: it.idle)
        trace = it.app.main.trace
        calls = trace.calls()
        assert [call.state for call in calls][1] == "rejected"
        assert verdicts(trace._model) == [said]
        assert f"you  {said}" in it.shown(trace)
        assert time_of(calls[1])["ran"] == "never"
        assert time_of(calls[2])["ran"] != "never"
        told = retold(it)
        assert verdicts(told) == [said]
        rejected = [call for call in told.flat if call.state == "rejected"]
        assert {time_of(call)["ran"] for call in rejected} == {"never"}
