"""Messages typed during a run wait in order, and a stop holds them."""

from __future__ import annotations

import pytest

from workbench.tui.message_queue import MessageQueue


def test_messages_leave_in_the_order_they_came() -> None:
    queue = MessageQueue()
    queue.add("a")
    queue.add("b")
    assert (queue.next(), queue.next(), queue.next()) == ("a", "b", None)


def test_a_held_queue_keeps_everything() -> None:
    queue = MessageQueue()
    queue.add("a")
    queue.held = True
    assert queue.next() is None
    assert queue.messages == ("a",)


def test_a_message_can_be_taken_back() -> None:
    queue = MessageQueue()
    queue.add("a")
    queue.add("b")
    assert queue.take(0) == "a"
    assert queue.messages == ("b",)
    with pytest.raises(IndexError):
        queue.take(5)


def test_a_message_that_was_taken_back_returns_to_its_place_once() -> None:
    queue = MessageQueue()
    for text in "abc":
        queue.add(text)
    queue.take(1)
    queue.put_back("B")
    assert queue.messages == ("a", "B", "c")
    queue.put_back("d")
    assert list(queue.messages) == ["a", "B", "c", "d"]


def test_the_place_of_a_message_moves_up_as_those_before_it_are_sent() -> None:
    queue = MessageQueue()
    for text in "abc":
        queue.add(text)
    queue.take(1)
    assert queue.next() == "a"
    queue.put_back("B")
    assert queue.messages == ("B", "c")


def test_the_place_of_a_message_that_was_thrown_away_is_nobodys() -> None:
    queue = MessageQueue()
    for text in "abc":
        queue.add(text)
    queue.take(0)
    queue.close_gap()
    queue.put_back("d")
    assert queue.messages == ("b", "c", "d")
