"""Streaming from a server on this machine: first token, cost of a chunk in the screen's process, stopping."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from benchmarks.contest import Contestant, contestants
from benchmarks.table import Row, Table, at_most, median, percentile, ratio_to
from tests.providers.loopback import Loopback, Payload, Reply, delta, usage

ROUNDS: Final = 7
FIRSTS: Final = 10
"""First tokens and stops that are measured in each round."""

PACES: Final = {"as fast as they come": (1_500, 0.0), "100 a second": (300, 0.01)}
"""Chunks of a stream, and seconds between two of them."""


class Paced(list["Payload | str"]):
    """Events that are there one after the other, ``pause`` seconds apart."""

    def __init__(self, count: int, pause: float) -> None:
        # one letter each, so that letters count chunks
        super().__init__([*(delta(content="x") for _ in range(count)), delta(finish="stop"), usage()])
        self._pause = pause

    def __iter__(self) -> Iterator[Payload | str]:
        begin = time.perf_counter()
        for number, event in enumerate(super().__iter__()):
            if self._pause:
                time.sleep(max(0.0, begin + number * self._pause - time.perf_counter()))
            yield event


def run(rounds: int) -> Table:
    """Both clients in turn; a round that does not count comes first."""
    first: dict[str, list[float]] = {}
    chunks: dict[tuple[str, str], list[float]] = {}
    stops: list[float] = []
    with (
        Loopback() as server,
        contestants(
            "benchmarks.stream_subjects", ["workbench", "litellm directly"], {"url": server.base_url}
        ) as those,
    ):
        for number in range(rounds + 1):
            server.script(Reply(Paced(3, 0.0)))
            for _ in range(FIRSTS):
                for each in those:
                    _keep(number, first.setdefault(each.subject, []), each.measure("first"))
            for pace, (count, pause) in PACES.items():
                server.script(Reply(Paced(count, pause)))
                for each in those:
                    _keep(number, chunks.setdefault((each.subject, pace), []), each.measure("chunks"))
            server.script(Reply(Paced(100_000, 0.002)))
            for _ in range(FIRSTS):
                _keep(number, stops, _stop(those[0]))
    table = Table("Streaming over HTTP on the loopback address, everything warm")
    ours, direct = Row("time to first token", tuple(first["workbench"]), "ms"), first["litellm directly"]
    floor = Row("  litellm.acompletion directly", tuple(direct), "ms")
    table.rows += [at_most(ratio_to(ours, floor, "direct"), median(direct), "no later than direct"), floor]
    for pace in PACES:
        row = Row(f"CPU of a chunk, {pace}: the screen's process", tuple(chunks["workbench", pace]), "µs")
        peer = Row("  litellm in its own process", tuple(chunks["litellm directly", pace]), "µs")
        table.rows += [at_most(ratio_to(row, peer, "litellm"), 35, "≤ 35 µs"), peer]
    stopped = Row("stop: the caller is free", tuple(stops), "ms")
    late = Row("  95th percentile", (percentile(stops, 0.95),), "ms")
    table.rows += [at_most(stopped, 5, "≤ 5 ms"), late]
    table.note = (
        "The server is a thread of this process, each client a process of its own; litellm's work for "
        "workbench is done in the model host, a third one. CPU: all threads of the process, the model's "
        "part only, no painting. At 100 chunks a second five go in one message between the processes: its "
        "wake-ups are the cost."
    )
    return table


def _keep(number: int, kept: list[float], value: float) -> None:
    if number:
        kept.append(value)


def _stop(contestant: Contestant) -> float:
    value: float = contestant.measure("stop")
    return value
