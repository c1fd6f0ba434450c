"""Whoever sits before the screen is told, once, when nothing can be kept; and the turn goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.driving import Driven, driven, sample_agent
from workbench.engine.agent import Agent
from workbench.tui.events import Post
from workbench.tui.log_notices import LogNotices


@pytest.fixture
def notices() -> Iterator[LogNotices]:
    handler = LogNotices()
    yield handler
    handler.remove()


async def test_a_folder_that_refuses_is_said_once_in_the_conversation_and_turns_go_on(
    own_folder: Path, notices: LogNotices
) -> None:
    (own_folder / ".workbench").write_text("a file in the way")

    def start(post: Post) -> Agent:
        notices.attach(post)
        return sample_agent(post)

    async with driven(start, size=(120, 80)) as it:
        for number in (2, 3):
            await it.turn(f"add(a={number}, b={number})")
        said = conversation(it)
    assert "6" in said
    assert said.count("The session cannot be kept") == 1
    assert said.count("The log of assistant cannot be written") == 1
    assert "this is tried again with each turn" in said


def conversation(it: Driven) -> str:
    """What the conversation says, without line breaks."""
    return " ".join(it.shown(it.app.main.conversation).split())
