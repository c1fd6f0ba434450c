"""Agents wait for a person: every way in which a question can end is one path."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from textual.message import Message

from tests.tui.approval_app import Agent, call, request, trial
from workbench.engine.cancel import CancelToken
from workbench.errors import StopTurn
from workbench.tui.approval import ApprovalRequest, ApprovalResult, Verdict
from workbench.tui.broker import ApprovalBroker, Asked, Pending
from workbench.tui.screens.question import QuestionScreen, QuestionText, Reply

RUN = ApprovalResult((Verdict("a", "approve"),))


class Posted:
    """Takes messages in the app's place."""

    def __init__(self, taken: bool = True) -> None:
        self.messages: list[Asked] = []
        self.arrived = threading.Semaphore(0)
        self.taken = taken

    def __call__(self, message: Message) -> bool:
        assert isinstance(message, Asked)
        self.messages.append(message)
        self.arrived.release()
        return self.taken

    def next(self) -> Pending:
        assert self.arrived.acquire(timeout=60)
        return self.messages[-1].pending


def test_the_answer_reaches_the_thread_that_asked() -> None:
    post = Posted()
    broker = ApprovalBroker(post)
    agent = Agent(broker, request(call("a")))
    pending = post.next()
    assert [each.agent for each in broker.pending] == ["assistant"]

    broker.answer(pending, RUN)

    assert agent.done.wait(60)
    assert agent.result == RUN
    assert broker.pending == ()


def test_the_first_answer_holds() -> None:
    post = Posted()
    broker = ApprovalBroker(post)
    agent = Agent(broker, request(call("a")))
    pending = post.next()

    broker.answer(pending, RUN)
    broker.answer(pending, ApprovalResult((Verdict("a", "reject"),)))
    broker.stop()

    assert agent.done.wait(60)
    assert agent.ran_ids == ["a"]


def test_the_stop_of_one_turn_leaves_the_questions_of_others_open() -> None:
    post = Posted()
    broker = ApprovalBroker(post)
    stop = CancelToken()
    ended: list[str] = []

    def ask() -> None:
        with pytest.raises(StopTurn) as stopped:
            broker.ask(request(call("inner")), stop)
        ended.append(str(stopped.value))

    inner = threading.Thread(target=ask)
    inner.start()
    post.next()
    other = Agent(broker, request(call("a")))
    pending = post.next()

    stop.cancel("it took too long")
    inner.join(60)
    assert ended == ["it took too long"]
    assert len(broker.pending) == 1

    broker.answer(pending, RUN)
    assert other.done.wait(60)
    assert other.result == RUN


@pytest.mark.parametrize("end", [ApprovalBroker.stop, ApprovalBroker.close])
def test_stopping_and_closing_end_every_open_question(end: Callable[[ApprovalBroker], None]) -> None:
    post = Posted()
    broker = ApprovalBroker(post)
    agents = [Agent(broker, request(call("a"))) for _ in range(3)]
    for _ in agents:
        post.next()

    end(broker)

    assert all(agent.done.wait(60) for agent in agents)
    assert all(agent.stopped is not None and agent.ran == [] for agent in agents)


def test_a_question_left_without_an_answer_runs_nothing() -> None:
    post = Posted()
    broker = ApprovalBroker(post)
    agent = Agent(broker, request(call("a")))

    broker.answer(post.next(), None)

    assert agent.done.wait(60)
    assert agent.stopped is not None
    assert agent.ran == []


def test_a_closed_broker_refuses_to_ask() -> None:
    post = Posted()
    broker = ApprovalBroker(post)
    broker.close()

    with pytest.raises(StopTurn, match="closed"):
        broker.ask(request(call("a")))

    assert post.messages == []


def test_a_stopped_broker_takes_the_next_question() -> None:
    post = Posted()
    broker = ApprovalBroker(post)
    broker.stop()
    agent = Agent(broker, request(call("a")))

    broker.answer(post.next(), RUN)

    assert agent.done.wait(60)
    assert agent.ran_ids == ["a"]


def test_an_app_that_takes_no_message_any_more_stops_the_turn() -> None:
    broker = ApprovalBroker(Posted(taken=False))

    with pytest.raises(StopTurn, match="closing"):
        broker.ask(request(call("a")))

    assert broker.pending == ()


def test_what_is_approved_is_what_was_shown_although_the_batch_was_changed_meanwhile() -> None:
    post = Posted()
    broker = ApprovalBroker(post)
    paths = ["a.txt"]
    agent = Agent(broker, request(call("a", "delete", paths=paths)))
    pending = post.next()
    paths.append("everything")

    broker.answer(pending, RUN)

    assert agent.done.wait(60)
    assert agent.ran == [("a", {"paths": ["a.txt"]})]


async def test_questions_are_shown_one_after_the_other() -> None:
    async with trial() as it:
        first = await it.ask(call("a"), agent="outer")
        second = Agent(it.app.broker, request(call("b"), agent="inner"))
        await it.until(lambda: len(it.app.broker.pending) == 2)
        await it.pilot.pause()
        assert len(it.app.screen_stack) == 2

        await it.press("y", "enter")
        await it.until(first.done.is_set)
        await it.until(lambda: it.asking and it.screen.calls.request.agent == "inner")
        it.app.clock.now += 1
        await it.press("n", "enter")
        await it.answered(second)

        assert (first.ran_ids, second.ran_ids) == (["a"], [])


async def test_a_question_that_was_stopped_while_it_waited_is_never_shown() -> None:
    async with trial() as it:
        first = await it.ask(call("a"))
        second = Agent(it.app.broker, request(call("b")))
        await it.until(lambda: len(it.app.broker.pending) == 2)

        it.app.broker.stop()
        await it.until(lambda: first.done.is_set() and second.done.is_set())
        await it.until(lambda: not it.asking)

        assert first.stopped is not None
        assert second.stopped is not None
        assert it.app.bells == 1


async def test_a_stop_from_another_thread_ends_the_question_and_leaves_what_lies_above_it() -> None:
    async with trial() as it:
        agent = await it.ask()
        await it.press("f1")
        await it.until(lambda: len(it.app.screen_stack) == 3)
        above = it.app.screen
        assert "Approve" in it.screen_text()

        threading.Thread(target=it.app.broker.stop, daemon=True).start()
        await it.until(agent.done.is_set)
        await it.until(lambda: "Approve" not in it.screen_text())
        assert it.app.screen is above

        await it.press("escape")
        await it.until(lambda: len(it.app.screen_stack) == 1)
        assert agent.ran == []


async def test_a_line_that_a_tool_asks_for_is_still_asked_when_the_batch_below_is_decided() -> None:
    async with trial() as it:
        agent = await it.ask()
        replies: list[Reply] = []
        line = QuestionScreen(QuestionText("Go on? "), replies.append, clock=it.app.clock)
        it.app.push_screen(line)
        await it.until(lambda: it.app.screen is line and line.is_mounted)
        it.app.clock.now += 1

        threading.Thread(target=it.app.broker.stop, daemon=True).start()
        await it.until(agent.done.is_set)
        await it.until(lambda: it.app.desk.screen is None)
        await it.press("y", "enter")
        await it.until(lambda: replies)
        line.finish()
        await it.until(lambda: len(it.app.screen_stack) == 1)

        assert replies == [Reply("answer", "y")]


async def test_a_question_arrives_above_open_help() -> None:
    async with trial() as it:
        await it.press("f1")
        agent = await it.ask(call("a"))

        await it.press("y", "enter")
        await it.answered(agent)

        assert agent.ran_ids == ["a"]


async def test_a_screen_that_somebody_takes_away_ends_the_question_and_shows_the_next() -> None:
    async with trial() as it:
        agent = await it.ask(call("a"))
        await it.press("y")

        it.app.pop_screen()
        await it.until(agent.done.is_set)
        assert agent.stopped is not None
        assert agent.ran == []

        later = await it.ask(call("b"))
        await it.press("y", "enter")
        await it.answered(later)


async def test_leaving_the_app_with_an_open_question_runs_nothing() -> None:
    async with trial() as it:
        agent = await it.ask(call("a"))
        await it.press("y")
    assert agent.done.wait(60)
    assert agent.stopped is not None
    assert agent.ran == []
    assert isinstance(agent.question, ApprovalRequest)
