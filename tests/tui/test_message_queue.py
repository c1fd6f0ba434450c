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
