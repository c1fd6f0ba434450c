"""How often the trace is drawn: not for what changes nothing in it, and not more often than clocks need."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tui.panel_app import GRAPHITE, PanelApp, Story, running
from workbench.tui import events
from workbench.tui.panels.trace import TracePanel
from workbench.tui.rows import RowList

ORIGINAL: dict[str, Any] = {"settle": RowList.settle, "refresh": RowList.refresh}


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What asked for the rows to be drawn: grows each time."""
    asked: list[str] = []
    for name in ("settle", "refresh"):

        def noted(rows: RowList[object], *args: object, _name: str = name, **options: object) -> object:
            asked.append(_name)
            return ORIGINAL[_name](rows, *args, **options)

        monkeypatch.setattr(RowList, name, noted)
    return asked


def piece(story: Story, kind: str = "text") -> events.ModelDelta:
    """A piece of an answer."""
    return events.ModelDelta(story.agent, story.now, kind, "more")  # type: ignore[arg-type]  # named by the tests


async def test_of_an_answer_in_pieces_only_the_first_is_drawn(drawn: list[str]) -> None:
    panel, story = TracePanel(GRAPHITE), Story()
    async with running(PanelApp(panel), (80, 20)) as pilot:
        story.begin()
        story.ask_model(0.4)
        panel.apply(story.take())
        await pilot.pause()
        drawn.clear()
        for _ in range(20):
            panel.apply([piece(story)])
        await pilot.pause()
        assert drawn == []
        panel.apply([piece(story, "tool_call")])
        assert drawn
        story.answer(0.1)
        drawn.clear()
        panel.apply(story.take())
        assert drawn


async def test_clocks_move_ten_times_a_second_however_often_time_is_told(drawn: list[str]) -> None:
    panel, story = TracePanel(GRAPHITE), Story()
    async with running(PanelApp(panel), (80, 20)) as pilot:
        story.begin()
        story.ask_model()
        panel.apply(story.take())
        await pilot.pause()
        drawn.clear()
        for frame in range(31):
            panel.tick(story.now + frame / 30)
        assert 8 <= len(drawn) <= 11
