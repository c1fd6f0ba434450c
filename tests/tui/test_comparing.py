"""Both runs of a call are compared: short results at once, long ones off the loop while they are wanted."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from difflib import SequenceMatcher

import pytest

from tests.tui.driving import Driven, driven
from tests.tui.test_lab import at_call
from workbench.registry import ToolTag, tool
from workbench.tui import comparer
from workbench.tui.comparer import Comparer
from workbench.tui.comparison import AT_ONCE, Comparison, compare
from workbench.tui.diff import Diff
from workbench.tui.matching import Watched
from workbench.tui.rerun import Rerun
from workbench.tui.result_diff import comparison_lines, result_lines
from workbench.tui.screens.rerun import RerunScreen
from workbench.tui.trace_records import Entry


def rerun(before: str, now: str) -> Rerun:
    """A call that ran again, and what it gave."""
    entry = Entry(1, "tool", None, "a", "success", 0.0)  # type: ignore[arg-type]  # no iteration is looked at
    entry.data = {"tool_name": "a", "status": "success", "result": before}
    return Rerun("a", {}, state="ended", data={"status": "success", "result": now}, entry=entry)


class Jobs:
    """Keeps what was to be done, until a test does it."""

    def __init__(self) -> None:
        self.jobs: list[Callable[[], object]] = []
        self.news = 0
        self.comparer = Comparer(lambda _, job: self.jobs.append(job), lambda job: job(), self.told)

    def told(self) -> None:
        self.news += 1

    def work(self) -> None:
        jobs, self.jobs = self.jobs, []
        for job in jobs:
            job()


def test_short_results_are_compared_at_once() -> None:
    it, run = Jobs(), rerun("a\nb", "a\nc")
    it.comparer.begin([run])
    assert run.compared == ("+1 −1 lines", "accent")
    assert (it.jobs, it.news) == ([], 0)


def test_long_results_are_compared_elsewhere_and_said_to_be() -> None:
    it, run = Jobs(), rerun("a\n" * AT_ONCE, "b\n" * AT_ONCE)
    it.comparer.begin([run])
    it.comparer.begin([run])
    assert run.changed
    assert run.compared[0] == "comparing …"
    assert len(it.jobs) == 1
    it.work()
    assert run.compared[0] == f"+{AT_ONCE:,} −{AT_ONCE:,} lines"
    assert it.news == 1


def test_a_comparison_that_fails_is_no_longer_said_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    it, run = Jobs(), rerun("a\n" * AT_ONCE, "b\n" * AT_ONCE)
    it.comparer.begin([run])
    monkeypatch.setattr(comparer, "compare", fail)
    with pytest.raises(MemoryError):
        it.work()
    assert run.comparing == "stopped"


def test_what_nobody_wants_compared_any_more_is_not_until_somebody_does_again() -> None:
    it, one, other = Jobs(), rerun("a\n" * AT_ONCE, "b\n" * AT_ONCE), rerun("c" * AT_ONCE, "d" * AT_ONCE)
    it.comparer.begin([one, other])
    it.comparer.stop([one])
    it.comparer.begin([one, other])
    it.work()
    assert one.compared[0] == "not compared"
    assert other.compared[0] == "+1 −1 lines"
    it.comparer.take_up([one])
    it.work()
    assert one.compared[0] == f"+{AT_ONCE:,} −{AT_ONCE:,} lines"


def test_a_comparison_that_ends_after_it_was_stopped_changes_nothing() -> None:
    it, run = Jobs(), rerun("a\n" * AT_ONCE, "b\n" * AT_ONCE)
    later: list[Callable[[], object]] = []
    it.comparer = Comparer(lambda _, job: job(), later.append, it.told)
    it.comparer.begin([run])
    it.comparer.stop([run])
    later[0]()
    assert run.found is None
    assert it.news == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n".join(map(str, range(3_000))), "\n".join(map(str, range(0, 6_000, 2)))),
        (str(list(range(900))), str(list(range(0, 1_800, 2)))),
        ("a\n" * 9_000, "b\n" * 9_000),
    ],
)
def test_comparing_ends_soon_after_it_was_stopped(old: str, new: str) -> None:
    asked = 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return asked > 20

    with pytest.raises(CancelledError):
        compare(old, new, stopped)
    assert asked == 21


def test_of_a_long_line_the_part_that_differs_is_shown() -> None:
    line = "x" * 50_000
    found = compare(line, line[:30_000] + "HERE" + line[30_000:]).found
    assert isinstance(found, Diff)
    cut, add = found.rows
    assert cut.text.startswith("29,900 characters … xxx")
    assert add.text.index("HERE") == len("29,900 characters … ") + 100
    assert add.text.endswith("x … 18,104 more characters")
    assert len(comparison_lines(Comparison("", found), 120)) < 200


def test_of_long_texts_that_are_compared_on_the_spot_the_beginning_is_and_it_says_so() -> None:
    lines = result_lines("a\n" * AT_ONCE, "b" + "a\n" * AT_ONCE, 120)
    assert lines[-1][0][0] == f"  Compared as far as here; {AT_ONCE + 1:,} more characters."


@pytest.mark.parametrize("depth", [90, 110, 400, 600, 900])
def test_results_that_are_nested_without_end_are_compared_too(depth: int) -> None:
    old, new = ("[" * depth + item + "]" * depth for item in ("1", "2"))
    found = compare(old, new)
    assert found.told == ("1 changed" if depth < 100 else "+1 −1 lines")
    assert list(comparison_lines(found, 80))


@tool(tags={ToolTag.READ_ONLY})
def pages(word: str) -> str:
    """A long text that is another one each time."""
    pages.count += 1  # type: ignore[attr-defined]  # a test's own counter
    return f"{word} {pages.count}\n" * AT_ONCE  # type: ignore[attr-defined]  # the same


async def long_rerun(it: Driven) -> RerunScreen:
    pages.count = 0  # type: ignore[attr-defined]  # the same
    it.agent.tools.register(pages)
    await it.turn("pages(word='so')")
    await at_call(it)
    await it.press("R")
    await it.until(lambda: isinstance(it.app.screen, RerunScreen) and it.app.screen.run.state == "ended")
    screen = it.app.screen
    assert isinstance(screen, RerunScreen)
    return screen


async def test_keys_work_while_long_results_are_compared_and_escape_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, ended = threading.Event(), threading.Event()

    def endless(old: str, new: str, stopped: Callable[[], bool]) -> Comparison:
        begun.set()
        while not stopped():
            ended.wait(0.01)
        ended.set()
        raise CancelledError

    monkeypatch.setattr(comparer, "compare", endless)
    async with driven() as it:
        screen = await long_rerun(it)
        await it.until(begun.is_set)
        await it.until(lambda: "comparing …   both are long, esc ends it" in it.shown())
        await it.press("escape")
        await it.until(ended.is_set)
        await it.until(lambda: "not compared: you ended it" in it.shown())
        assert it.app.screen is screen
        await it.press("escape")
        await it.until(lambda: it.app.screen is it.app.main)


async def test_long_results_stand_beside_each_other_once_they_are_compared() -> None:
    async with driven() as it:
        await long_rerun(it)
        await it.until(lambda: f"+{AT_ONCE:,} −{AT_ONCE:,} lines" in it.shown())
        assert "so 2" in it.shown()


def test_a_matcher_ends_at_the_next_item_that_it_reads() -> None:
    read = 0

    def stopped() -> bool:
        nonlocal read
        read += 1
        return read > 5

    matcher = SequenceMatcher(None, Watched("a" * 20, stopped), "b" * 20)
    with pytest.raises(CancelledError):
        matcher.get_opcodes()
    assert read == 6
