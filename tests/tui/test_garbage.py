"""What lives long is not looked at by each pass of the collector, and is looked at once nobody is there."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from tests.tui.driving import driven
from workbench.tui.garbage import Garbage


class Knot:
    """Something that refers to itself, which only the cyclic collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def garbage() -> Iterator[Garbage]:
    """At work for the length of a test."""
    keeper = Garbage()
    keeper.install()
    yield keeper
    keeper.remove()


def test_what_is_there_at_the_start_is_set_aside_without_a_pass() -> None:
    kept = Knot()
    passes: list[int] = []

    def passed(phase: str, info: dict[str, int]) -> None:
        passes.append(info["generation"])

    gc.callbacks.append(passed)
    garbage = Garbage()
    try:
        garbage.install()
        assert 2 not in passes
        assert not any(found is kept for found in gc.get_objects())
    finally:
        gc.callbacks.remove(passed)
        garbage.remove()


async def test_the_collector_waits_while_somebody_types(monkeypatch: pytest.MonkeyPatch) -> None:
    async with driven() as it:
        rests: list[str] = []
        monkeypatch.setattr(it.app.garbage, "rest", lambda: rests.append(it.app.main.prompt.draft))
        await it.write("hel")
        await it.act(lambda: it.app.pulse._resting._rest("he"))
        assert rests == []
        await it.until(lambda: rests)
        assert rests == ["hel"]


def test_what_survived_a_full_pass_is_not_looked_at_again(garbage: Garbage) -> None:
    kept = Knot()
    garbage.rest()
    assert not any(found is kept for found in gc.get_objects())
    assert gc.get_freeze_count() > 0


def test_what_became_garbage_since_it_was_set_aside_goes_with_the_next_sweep(garbage: Garbage) -> None:
    knot = Knot()
    seen = weakref.ref(knot)
    garbage.rest()
    del knot
    garbage.rest()
    assert seen() is not None
    garbage.sweep()
    assert seen() is None


def test_what_survived_a_sweep_is_set_aside_again(garbage: Garbage) -> None:
    kept = Knot()
    garbage.rest()
    garbage.sweep()
    assert not any(found is kept for found in gc.get_objects())


def test_a_sweep_with_nothing_set_aside_since_looks_at_nothing(garbage: Garbage) -> None:
    passes: list[str] = []
    garbage.rest()
    garbage.sweep()

    def passed(phase: str, info: dict[str, int]) -> None:
        passes.append(phase)

    gc.callbacks.append(passed)
    garbage.sweep()
    gc.callbacks.remove(passed)
    assert passes == []


def test_when_it_is_removed_nothing_stays_aside() -> None:
    garbage = Garbage()
    garbage.install()
    garbage.rest()
    garbage.remove()
    assert gc.get_freeze_count() == 0
    gc.collect()
    assert gc.get_freeze_count() == 0


async def test_a_question_that_was_answered_is_freed_with_all_that_it_showed() -> None:
    async with driven() as it:
        await it.send('write_file(path="a.txt", text="1")')
        screen = weakref.ref(await it.asked())
        await it.press("x")
        await it.until(lambda: it.idle)

        def freed() -> bool:
            it.app.garbage.keep()
            it.app.garbage.sweep()
            return screen() is None

        await it.until(freed)
