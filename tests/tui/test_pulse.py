"""What moves on the screen: in its rhythm where it is seen whole, by seconds below another screen."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.tui.driving import Driven, driven
from workbench.tui import pulse as pulse_module

WAITING = 'write_file(path="a.txt", text="hi")'


def beats_at(it: Driven, monkeypatch: pytest.MonkeyPatch, times: list[float]) -> list[float]:
    """At which of these moments, in Unix seconds, the timer's tick moves the screen."""
    pulse, moved = it.app.pulse, list[float]()
    for now in times:
        clock = SimpleNamespace(time=lambda now=now: now)
        with monkeypatch.context() as patch:
            patch.setattr(pulse_module, "time", clock)
            patch.setattr(pulse, "beat", lambda now=now: moved.append(now))
            pulse.tick()
    return moved


async def test_below_a_question_the_screen_moves_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    async with driven() as it:
        await it.send(WAITING)
        await it.asked()
        found: list[float] = []
        times = [10.0, 10.2, 10.9, 11.0, 11.3]
        await it.act(lambda: found.extend(beats_at(it, monkeypatch, times)))
        await it.until(lambda: found)
        assert found == [10.0, 11.0]
        await it.press("escape")
        await it.until(lambda: it.idle)


async def test_what_is_seen_whole_moves_at_every_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    async with driven() as it:
        found: list[float] = []
        await it.act(lambda: found.extend(beats_at(it, monkeypatch, [10.0, 10.2, 10.4])))
        await it.until(lambda: found)
        assert found == [10.0, 10.2, 10.4]
