"""The pipes of a model host: lines through a narrow pipe, in pieces, and a reader that is called away."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from queue import Empty
from typing import IO

import pytest

from workbench.providers.host_pipes import EventPipe, OrderPipe

LONG = b"x" * 1_000_000 + b"\n"
"""A line that no pipe takes at once."""


class Pipe:
    """A pipe whose ends are files."""

    def __init__(self) -> None:
        reads, writes = os.pipe()
        self.out: IO[bytes] = os.fdopen(reads, "rb")
        self.into: IO[bytes] = os.fdopen(writes, "wb")


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.out.close()
    pipe.into.close()


@pytest.fixture
def orders(pipe: Pipe) -> Iterator[OrderPipe]:
    orders = OrderPipe(pipe.into)
    thread = threading.Thread(target=orders.serve)
    thread.start()
    yield orders
    pipe.out.close()
    orders.end()
    thread.join()


@pytest.fixture
def lines(pipe: Pipe) -> list[bytes]:
    return []


@pytest.fixture
def events(pipe: Pipe, lines: list[bytes]) -> Iterator[EventPipe]:
    events = EventPipe(pipe.out, lines.append)
    yield events
    events.close()


def write(pipe: Pipe, data: bytes) -> None:
    pipe.into.write(data)
    pipe.into.flush()


def test_a_line_that_fits_is_written_by_who_sends_it(pipe: Pipe) -> None:
    OrderPipe(pipe.into).send(b"one\n")
    assert pipe.out.readline() == b"one\n"


def test_a_sender_is_free_although_nobody_reads_and_nothing_is_lost_or_out_of_order(
    pipe: Pipe, orders: OrderPipe
) -> None:
    orders.send(LONG)
    orders.send(b"one\n")
    orders.send(LONG)
    orders.send(b"two\n")
    assert [pipe.out.readline() for _ in range(4)] == [LONG, b"one\n", LONG, b"two\n"]
    orders.send(b"three\n")
    assert pipe.out.readline() == b"three\n"


def test_the_end_comes_after_what_was_sent(pipe: Pipe, orders: OrderPipe) -> None:
    orders.send(LONG)
    orders.end()
    assert pipe.out.read() == LONG


def test_sending_to_a_host_that_is_gone_is_no_fault(pipe: Pipe, orders: OrderPipe) -> None:
    orders.send(LONG)
    pipe.out.close()
    orders.send(b"one\n")


def test_lines_arrive_whole_however_the_pipe_cuts_them(
    pipe: Pipe, events: EventPipe, lines: list[bytes]
) -> None:
    for data in (b"on", b"e\ntwo\nth", b"r", b"ee\n", b"four\n"):
        write(pipe, data)
        assert events.wait(60)
        assert events.read()
    assert [line.strip() for line in lines] == [b"one", b"two", b"three", b"four"]


def test_the_end_of_the_pipe_is_told(pipe: Pipe, events: EventPipe) -> None:
    pipe.into.close()
    assert events.wait(60)
    assert not events.read()


def test_a_wait_that_is_over_says_that_nothing_came(events: EventPipe) -> None:
    with pytest.raises(Empty):
        events.wait(0)


def test_a_ring_ends_one_wait_however_often_it_rang_and_takes_no_line_away(
    pipe: Pipe, events: EventPipe, lines: list[bytes]
) -> None:
    for _ in range(100_000):
        events.ring()
    while not events.wait(None):
        with pytest.raises(Empty):
            events.wait(0)
        write(pipe, b"one\n")
    events.read()
    assert lines == [b"one\n"]


def test_a_ring_after_the_end_reaches_nobody(pipe: Pipe) -> None:
    events = EventPipe(pipe.out, lambda _line: None)
    events.close()
    descriptors = os.pipe()
    os.set_blocking(descriptors[0], False)
    events.ring()
    with pytest.raises(BlockingIOError):
        os.read(descriptors[0], 1)
    for descriptor in descriptors:
        os.close(descriptor)
