"""What code prints outside of every call can be read in the conversation, gathered, and is never a flood."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator

import pytest

from tests.tui.driving import Driven, driven
from workbench.console.stray_log import StrayLog
from workbench.tui import events
from workbench.tui.stray_notices import StrayNotices


class Later:
    """A timer that tests let run out."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.due: Callable[[], None] = lambda: None

    def __call__(self, seconds: float, function: Callable[[], None]) -> threading.Timer:
        self.waits.append(seconds)
        self.due = function
        return threading.Timer(0.0, lambda: None)


class Told:
    def __init__(self) -> None:
        self.later = Later()
        self.posted: list[events.AgentEvent] = []
        self.notices = StrayNotices(self.later)
        self.notices.attach(self.posted.append)

    def texts(self) -> list[str]:
        return [event.text for event in self.posted if isinstance(event, events.Notice)]


@pytest.fixture
def told() -> Iterator[Told]:
    here = Told()
    yield here
    here.notices.remove()


def test_lines_are_gathered_into_one_notice(told: Told) -> None:
    stray = StrayLog()
    stray("one\ntw")
    stray("o\n")
    assert told.texts() == []
    told.later.due()
    assert told.texts() == ["one\ntwo"]
    stray("three\n")
    told.later.due()
    assert told.texts()[1:] == ["three"]
    assert told.later.waits == [0.3, 0.3]


def test_a_flood_is_told_ever_more_rarely_and_only_its_end(told: Told) -> None:
    stray = StrayLog()
    for _ in range(9):
        stray("".join(f"{line}\n" for line in range(100)))
        told.later.due()
    assert told.later.waits == [0.3, 0.6, 1.2, 2.4, 4.8, 9.6, 19.2, 30.0, 30.0]
    first, *lines = told.texts()[0].splitlines()
    assert first == "… 80 lines before"
    assert lines == [str(line) for line in range(80, 100)]


def test_nothing_is_told_once_nobody_listens() -> None:
    level = logging.getLogger("workbench.screen").level
    here = Told()
    here.notices.remove()
    StrayLog()("one\n")
    assert here.later.waits == []
    assert logging.getLogger("workbench.screen").level == level


async def test_what_a_change_callback_prints_when_a_person_switches_a_tool_is_shown() -> None:
    async with driven() as it:
        notices = StrayNotices()
        notices.attach(it.app.inbox.post)
        try:
            it.agent.tools.on_change(lambda event: print("heard of", event.tool_name))
            await it.focus("tools")
            await it.press("down", "space")
            await it.until(lambda: printed(it) and "heard of arithmetic." in printed(it))
        finally:
            notices.remove()


def printed(it: Driven) -> str:
    return " ".join(it.shown(it.app.main.conversation).partition("Printed outside of every call")[2].split())
