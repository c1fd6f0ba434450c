"""What a message with pictures looks like; look first, then ``--snapshot-update``."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from tests.tui.stage import AGENT, START, StageApp
from tests.tui.test_snapshots import THEMES, Compare, settled
from workbench.engine.images import ImageFacts
from workbench.tui import events

PROMPT = (
    "What do @plots/march.png and the chart differ in? See @notes.txt, not @cut.png.\n\n"
    "[attached notes.txt: 4 characters]\nLima\n[end of notes.txt]\n"
    "[not attached cut.png: a picture that is damaged or cut off]"
)
IMAGES = (
    ImageFacts("plots/march.png", "image/png", 640, 480, 31_200),
    ImageFacts(
        "a photo with a long name, once more and once more and once more.jpg",
        "image/jpeg",
        4000,
        3000,
        7_400_000,
    ),
    ImageFacts("chart.webp", host="example.org"),
)


@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=["80x24", "40x12"])
@pytest.mark.parametrize("theme", THEMES)
def test_a_message_with_pictures(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    async def go(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        await pilot.press("home")
        await settled(pilot)

    story = (
        events.TurnStarted(AGENT, START, 1, PROMPT, "[Tools changed: add is off.]", images=IMAGES),
        events.TurnStarted(AGENT, START, 2, "look", images=IMAGES[:1]),
    )
    app = StageApp(story, theme=theme, tab="conversation")
    assert snap_compare(app, terminal_size=size, run_before=go)
