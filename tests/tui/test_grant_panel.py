"""What `a` grants, judged by the registry that will apply it: never more than the panel says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.tui.approval_app import Trial, call, trial
from tests.tui.driving import driven
from workbench import Agent
from workbench.engine.agent import Agent as EngineAgent
from workbench.registry import Grant, GrantScope, Tool, ToolRegistry
from workbench.tui.approval import Proposal
from workbench.tui.events import Post

LONG = "make " + "one_[of]_many? " * 20
SCRIPT = "cd /tmp\nrm -r *\n"


def shell(command: str, count: int = 1) -> str:
    """Run a command."""
    return command * count


def save(path: str, text: str, tags: list[str] | None = None) -> str:
    """Save a text."""
    return path + text + str(tags)


REGISTRY = ToolRegistry()
REGISTRY.register(shell)
REGISTRY.register(save)
TOOLS: dict[str, Tool] = {tool.name: tool for tool in REGISTRY}


def covers(proposal: Proposal, tool: str, arguments: Mapping[str, Any]) -> bool:
    return granted(proposal).fits(TOOLS[tool], arguments)


def granted(proposal: Proposal) -> Grant:
    return Grant(proposal.tool, dict(proposal.arguments), GrantScope(proposal.scope))


async def opened(it: Trial, tool: str, **arguments: Any) -> None:
    await it.ask(call("a", tool, **arguments), call("b", tool, **(arguments | {"count": 7})), covers=covers)
    await it.press("a")
    await it.until(lambda: it.app.focused is not None)
    await it.pilot.pause()


@pytest.mark.parametrize("command", [LONG, SCRIPT, "echo *", "*", "[!a]?", "echo \u202e"])
async def test_granting_these_arguments_grants_no_others_however_they_look(command: str) -> None:
    async with trial() as it:
        await opened(it, "shell", command=command, count=1)
        await it.press("enter")

        (proposal,) = it.screen.calls.grants
        assert covers(proposal, "shell", {"command": command, "count": 1})
        for other in ("rm -rf /", command[:-1], command.replace("*", "x") + "x", "!x"):
            assert not covers(proposal, "shell", {"command": other, "count": 1})
        assert it.decisions == ["approve", None]


async def test_granting_these_arguments_grants_no_call_with_further_ones() -> None:
    async with trial() as it:
        await opened(it, "save", path="a.txt", text="t")
        await it.press("enter")

        (proposal,) = it.screen.calls.grants
        assert covers(proposal, "save", {"path": "a.txt", "text": "t"})
        assert not covers(proposal, "save", {"path": "a.txt", "text": "t", "tags": []})


async def test_an_argument_that_may_be_anything_stays_visible_in_the_grant() -> None:
    async with trial() as it:
        await opened(it, "save", path="a.txt", text="t")
        await it.press("down", "down", "down", "end", "backspace", "*")
        await it.until(lambda: "save(path='a.txt', text='*') runs" in it.shown("#covers"))
        await it.press("enter")

        (proposal,) = it.screen.calls.grants
        assert proposal.arguments == {"path": "a.txt", "text": "*"}
        assert covers(proposal, "save", {"path": "a.txt", "text": "other"})


async def test_a_long_text_is_stated_with_its_length_and_its_beginning() -> None:
    async with trial() as it:
        await opened(it, "save", path="a.txt", text="x" * 312)

        shown = it.shown("#always")
        assert "this exact text, 312 characters: xxxx" in shown
        assert "any arguments" in shown
        await it.press("enter")

        (proposal,) = it.screen.calls.grants
        assert not covers(proposal, "save", {"path": "a.txt", "text": "x" * 313})


async def test_a_value_that_no_pattern_fits_can_run_once_and_is_never_remembered() -> None:
    async with trial() as it:
        await opened(it, "save", path="a.txt", text="t", tags=["a", "b"])

        shown = it.shown("#always")
        assert "no pattern fits this value" in shown
        assert "until you quit" not in shown
        assert "No pattern fits the value of tags, so these arguments can run once only." in shown
        await it.press("right", "enter")

        assert it.decisions == ["approve", None]
        assert it.screen.calls.grants == ()
        assert it.screen.sheet.note == "It runs, this once; nothing is remembered. u takes it back."


async def test_any_arguments_of_such_a_call_are_granted_only_when_chosen() -> None:
    async with trial() as it:
        await opened(it, "save", path="a.txt", text="t", tags=["a", "b"])
        await it.press("down", "right", "up", "right")
        await it.until(lambda: "every save runs without asking" in it.shown("#covers"))

        await it.press("enter")

        assert it.screen.calls.grants == (Proposal("session", "save"),)


async def test_granting_a_command_covers_no_row_that_has_more_words_until_a_pattern_says_so() -> None:
    async with trial() as it:
        plain = call("a", "shell", command="git push", count=1)
        forced = call("b", "shell", command="git push --force", count=1)
        await it.ask(plain, forced, covers=covers)
        await it.press("a")
        await it.until(lambda: "it covers no other call here" in it.shown("#covers"))

        await it.press("down", "down", "end", "space", "*")
        await it.until(lambda: "Runs this call and call 2" in it.shown("#covers"))
        await it.press("enter")

        (proposal,) = it.screen.calls.grants
        assert covers(proposal, "shell", {"command": "git push --force", "count": 1})
        assert it.decisions == ["approve", "approve"]


async def test_after_a_long_command_was_granted_another_one_still_asks() -> None:
    ran: list[str] = []

    def start(post: Post) -> EngineAgent:
        def run(command: str) -> str:
            """Run a command."""
            ran.append(command)
            return "done"

        return Agent("tester", [run], model="offline", quiet=True, trust="strict")

    async with driven(start) as it:
        long = "echo " + "word " * 30
        await it.send(f"run(command={long!r})")
        await it.asked()
        await it.press("a")
        await it.until(lambda: it.app.focused is not None)
        await it.press("enter", "enter")
        await it.until(lambda: it.idle and ran == [long])

        await it.turn(f"run(command={long!r})")
        assert ran == [long, long]

        await it.send("run(command='rm -rf /')")
        await it.asked()
        await it.press("escape")
        await it.until(lambda: it.idle)
        assert ran == [long, long]
