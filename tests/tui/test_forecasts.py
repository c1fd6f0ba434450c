"""What tools tell of their changes before a person decides: whatever they do, the question is asked."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest

from tests.tui.driving import Driven, driven
from workbench import Agent, tool
from workbench.engine.agent import Agent as EngineAgent
from workbench.registry import ToolRegistry
from workbench.tui.events import Post
from workbench.tui.forecasts import preview_of
from workbench.tui.screens.approval import ApprovalScreen

SEND = 'note(text="new") and other(text="b")'


def starts(preview: Callable[..., Any], **options: Any) -> Callable[[Post], EngineAgent]:
    """An agent with a tool that has this preview, and one without any; both ask."""

    @tool(preview=preview, **options)
    def note(text: str) -> str:
        """Write a note."""
        return f"noted {text}"

    def other(text: str) -> str:
        """Do something else."""
        return "done"

    def start(post: Post) -> EngineAgent:
        return Agent("chief", [note, other], model="offline", quiet=True, trust="strict")

    return start


@asynccontextmanager
async def asked(preview: Callable[..., Any], **options: Any) -> AsyncIterator[tuple[Driven, ApprovalScreen]]:
    """The app with the question of both calls on the screen."""
    async with driven(starts(preview, **options)) as it:
        await it.send(SEND)
        yield it, await it.asked()
        await it.until(lambda: it.idle)


@contextmanager
def gate() -> Iterator[threading.Event]:
    """Something that a preview waits for; open at the end, whatever happens."""
    event = threading.Event()
    try:
        yield event
    finally:
        event.set()


async def test_a_preview_that_never_ends_holds_up_neither_the_question_nor_its_answer() -> None:
    with gate() as opened:

        def waits(text: str) -> tuple[str, str, str]:
            opened.wait()
            return "note.txt", "", text

        async with asked(waits) as (it, screen):
            await it.until(lambda: "working out what would change" in it.shown(screen.sheet.page))
            await it.press("y")
            await it.press("y")
            await it.press("enter")
            await it.until(lambda: it.idle)
            results = [entry["result"] for entry in it.trace if entry["type"] == "tool_execution"]
            assert results == ["noted new", "done"]


async def test_a_late_preview_is_shown_as_soon_as_it_is_there_and_made_once() -> None:
    made = []
    with gate() as opened:

        def waits(text: str) -> tuple[str, str, str]:
            opened.wait()
            made.append(text)
            return "note.txt", "old\n", f"{text}\n"

        async with asked(waits) as (it, screen):
            opened.set()
            await it.until(lambda: "+ new" in it.shown(screen.sheet.page))
            assert "− old" in it.shown(screen.sheet.page)
            await it.press("escape")
    assert made == ["new"]


def fails(text: str) -> None:
    raise ValueError(f"cannot [/] {text}")


def leaves(text: str) -> None:
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("preview", "why"),
    [
        (fails, "ValueError: cannot [/] new"),
        (leaves, "SystemExit: 3"),
        (lambda text: ("a", b"old", text), "its preview gave bytes as the old text"),
        (lambda text: [("a", "", text)], "its preview gave list of 1, not (path, old text, new text)"),
        (lambda text: ("a", "b"), "its preview gave tuple of 2, not (path, old text, new text)"),
        (lambda text: 7, "its preview gave int, not (path, old text, new text)"),
    ],
)
async def test_a_preview_that_tells_nothing_useful_leaves_the_arguments_and_says_why(
    preview: Callable[..., Any], why: str
) -> None:
    async with asked(preview) as (it, screen):
        await it.until(lambda: screen.sheet.tab == "arguments")
        await it.until(lambda: f"There is no diff to judge by: {why}" in it.shown(screen.sheet.page))
        assert '"new"' in it.shown(screen.sheet.page)
        await it.press("escape")


async def of_later(text: str) -> tuple[str, str, str]:
    return "note.txt", "", f"{text}\n"


@pytest.mark.parametrize(
    "preview",
    [of_later, lambda text: ("note.txt", None, f"{text}\n"), lambda text: ["note.txt", "", f"{text}\n"]],
)
async def test_a_preview_may_be_async_give_a_list_and_none_for_a_file_that_is_not_there(
    preview: Callable[..., Any],
) -> None:
    async with asked(preview) as (it, screen):
        await it.until(lambda: "+ new" in it.shown(screen.sheet.page))
        await it.press("escape")


async def test_a_preview_that_changes_its_arguments_changes_no_call() -> None:
    def spoils(items: list[Any]) -> tuple[str, str, str]:
        items[0].append("more")
        return "note.txt", "", f"{items}\n"

    ran = []

    @tool(preview=spoils)
    def keep(items: list[Any]) -> str:
        """Keep items."""
        ran.append(items)
        return "kept"

    def start(post: Post) -> EngineAgent:
        return Agent("chief", [keep], model="offline", quiet=True, trust="strict")

    async with driven(start) as it:
        await it.send('keep(items=[["a"]])')
        await it.asked()
        await it.press("y")
        await it.press("enter")
        await it.until(lambda: it.idle and bool(ran))
    assert ran == [[["a"]]]


async def test_the_same_call_of_a_later_turn_is_previewed_as_the_file_is_then() -> None:
    texts = ["one\n"]
    async with asked(lambda text: ("note.txt", texts[-1], f"{text}\n")) as (it, screen):
        await it.until(lambda: "− one" in it.shown(screen.sheet.page))
        await it.press("escape")
        await it.until(lambda: it.idle)
        texts.append("two\n")
        it.agent.reset_conversation()
        await it.send(SEND)
        again = await it.asked()
        await it.until(lambda: "− two" in it.shown(again.sheet.page))
        await it.press("escape")


async def test_a_tool_of_the_callers_thread_tells_its_change_there() -> None:
    threads = []

    def notes(text: str) -> tuple[str, str, str]:
        threads.append(threading.current_thread().name)
        return "note.txt", "", f"{text}\n"

    async with asked(notes, caller_thread=True) as (it, screen):
        await it.until(lambda: "+ new" in it.shown(screen.sheet.page))
        await it.press("escape")
    assert threads != []
    assert "approval-preview" not in threads


def test_what_a_preview_does_to_its_arguments_stays_with_it() -> None:
    def spoils(items: list[Any]) -> tuple[str, str, str]:
        items[0].append("more")
        return "note.txt", "", f"{items}\n"

    @tool(preview=spoils)
    def keep(items: list[Any]) -> str:
        """Keep items."""
        return "kept"

    registry, arguments = ToolRegistry(), {"items": [["a"]]}
    registry.register(keep)
    (kept,) = registry
    preview_of(kept, arguments)

    assert arguments == {"items": [["a"]]}
