"""What hooks take and print after an entry was told of reaches the screen too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.tui.driving import driven
from workbench import Agent
from workbench.engine import hooks
from workbench.tui.events import Post
from workbench.tui.inspector_pages import pages
from workbench.tui.trace_records import Entry


def say(event: str) -> hooks.Handler:
    """A handler that prints where it was called."""
    handler: hooks.Handler = getattr(hooks, event)(lambda agent: print(f"said in {event}"))
    return handler


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


ON_CALL = ["before_each_tool", "after_each_tool"]
ON_FIRST_ANSWER = ["before_llm", "after_llm", "before_tools", "after_tools"]
ON_LAST_ANSWER = ["before_llm", "after_llm", "on_complete"]


@pytest.mark.parametrize(
    ("place", "expected"),
    [("call", ON_CALL), ("first answer", ON_FIRST_ANSWER), ("last answer", ON_LAST_ANSWER)],
)
async def test_all_hooks_of_an_entry_are_in_its_record(place: str, expected: list[str]) -> None:
    def start(post: Post) -> Agent:
        handlers = [say(event) for event in {*ON_CALL, *ON_FIRST_ANSWER, *ON_LAST_ANSWER}]
        return Agent("chief", [add], model="offline", quiet=True, trust="open", on_events=handlers)

    async with driven(start) as it:
        await it.turn("add(a=2, b=3)")

        def found() -> Entry:
            entries = it.app.main.trace.entries()
            answers = [entry for entry in entries if entry.kind == "llm"]
            calls = [entry for entry in entries if entry.kind == "tool"]
            return {"call": calls[0], "first answer": answers[0], "last answer": answers[-1]}[place]

        def said(key: str) -> set[str]:
            noted: dict[str, Any] = dict(found().data.get(key) or {})
            return set(noted) & {*expected}

        await it.until(lambda: said("hook_output") == {*expected})
        assert said("hooks_ms") == {*expected}
        (output,) = [page for page in pages(found()) if page.name == "Output"]
        copied: Callable[[], str] = output.text
        for event in expected:
            assert f"{event}:\nsaid in {event}\n" in copied()


async def test_what_a_hook_printed_about_a_message_stands_below_it() -> None:
    def start(post: Post) -> Agent:
        return Agent(
            "chief", [add], model="offline", quiet=True, trust="open", on_events=[say("after_user_input")]
        )

    async with driven(start) as it:
        await it.turn("add(a=2, b=3)")
        rows = [row.strip() for row in it.shown(it.app.main.conversation).split("\n")]
        at = rows.index("– Printed by hooks")
        assert rows[at + 1] == "said in after_user_input"
        assert at > rows.index("❯ add(a=2, b=3)")
        assert at < next(index for index, row in enumerate(rows) if row.startswith("✓ add"))
