"""The activity line tells what is going on, from the events alone."""

from __future__ import annotations

from workbench.tui import events
from workbench.tui.activity import ActivityTracker


def tracker(*happened: events.AgentEvent) -> ActivityTracker:
    made = ActivityTracker()
    made.apply([events.AgentReady("a", 0, "offline", "careful", ()), *happened])
    return made


TURN = events.TurnStarted("a", 1, 1, "hi")
ASKED = events.ModelStarted("a", 1, 1, 1, "offline")


def what(made: ActivityTracker, now: float = 10) -> str | None:
    activity = made.activity(now)
    return activity.what if activity is not None else None


def test_nothing_is_shown_while_nothing_goes_on() -> None:
    assert what(tracker()) is None


def test_before_the_agent_is_there_it_says_what_is_loading() -> None:
    made = ActivityTracker()
    made.apply([events.LoadProgress("", 0, 1, 3, "files.py")])
    assert what(made) == "loading files.py"


def test_the_model_is_waited_for_then_answers_with_a_rate() -> None:
    made = tracker(TURN, ASKED)
    assert what(made) == "waiting for the model"
    made.apply([events.ModelDelta("a", 2, "text", "x" * 400)])
    activity = made.activity(4)
    assert activity is not None
    assert activity.what == "answering"
    assert activity.details == ("100 tok", "50 tok/s")


def test_a_status_of_the_provider_is_shown_until_text_comes() -> None:
    made = tracker(TURN, ASKED, events.ModelDelta("a", 2, "status", "rate limited, trying again in 8 s"))
    assert what(made) == "rate limited, trying again in 8 s"
    made.apply([events.ModelDelta("a", 3, "text", "hello")])
    assert what(made) == "answering"


def test_a_person_who_is_waited_for_comes_before_everything() -> None:
    made = tracker(TURN, events.WaitStarted("a", 3, ("1", "2")))
    activity = made.activity(5)
    assert activity is not None
    assert (activity.what, activity.details) == ("waiting for you", ("2 calls to decide",))
    made.apply([events.WaitFinished("a", 6, 3000, ()), events.ToolStarted("a", 6, "1", "add", {})])
    assert what(made) == "running add"


def test_the_end_of_the_turn_ends_it_all() -> None:
    made = tracker(TURN, ASKED, events.ToolStarted("a", 6, "1", "add", {}))
    made.stopping = True
    made.apply([events.TurnFinished("a", 7, 1, "stopped", 6, 0)])
    assert what(made) is None
    assert not made.stopping
