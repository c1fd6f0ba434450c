"""shift+tab goes through the modes of approval; what a rule denies stays denied in each."""

from __future__ import annotations

import pytest

from tests.tui.driving import Driven, driven, sample_agent
from workbench.engine.agent import Agent
from workbench.registry import PermissionPolicy, PermissionResult, PermissionRule
from workbench.tui.approval_mode import ApprovalModes, mode_of
from workbench.tui.events import Post
from workbench.tui.mode_desk import CONFIRM_SECONDS

DENY = PermissionRule(PermissionResult.DENY, "arithmetic.divide")
OWN = PermissionPolicy((PermissionRule(PermissionResult.ALLOW, "files.*"), DENY), PermissionResult.ASK)


def own_rules(post: Post) -> Agent:
    """The sample tools under rules of the person's own."""
    agent = sample_agent(post)
    agent.tools.policy = OWN
    return agent


def header(it: Driven) -> str:
    """The top line."""
    return it.shown(it.app.main.top_line)


async def mode(it: Driven, words: str) -> None:
    """Wait until the top line says the mode."""
    await it.until(lambda: f"approval {words}  " in header(it))


async def test_shift_tab_goes_from_risky_over_allow_to_ask() -> None:
    async with driven() as it:
        await mode(it, "ask for risky")
        await it.press("shift+tab")
        assert "approval ask for risky" in header(it)
        await it.press("shift+tab")
        await mode(it, "allow")
        assert it.agent.tools.policy == PermissionPolicy.open()
        await it.press("shift+tab")
        await mode(it, "ask")
        assert it.agent.tools.policy == PermissionPolicy.strict()
        await it.press("shift+tab")
        await mode(it, "ask for risky")
        assert it.agent.tools.policy == PermissionPolicy.careful()


async def test_one_press_never_lets_everything_run() -> None:
    async with driven() as it:
        await it.press("shift+tab")
        await it.pilot.pause()
        (note,) = it.app._notifications
        assert note.title == "Ask nothing?"
        assert "shift+tab again" in note.message
        assert mode_of(it.agent.tools.policy) == "careful"
        it.clock.now += CONFIRM_SECONDS
        await it.press("shift+tab")
        await mode(it, "ask")


async def test_the_mode_that_asks_nothing_stands_out() -> None:
    async with driven() as it:
        await it.press("shift+tab", "shift+tab")
        await mode(it, "allow")
        strip = it.app.main.top_line.render_line(0)
        (style,) = [segment.style for segment in strip if segment.text.strip() == "allow"]
        assert style is not None
        assert style.bold
        assert style.color is not None
        assert style.color.name == it.app.themes.palette.colors["warning"]


async def test_the_next_batch_of_a_running_turn_is_asked_by_the_new_mode() -> None:
    async with driven() as it:
        await it.send("add(a=1, b=2) and write_file(path='x.txt', text='hi')")
        screen = await it.asked()
        await it.press("escape")
        await it.until(lambda: it.app.screen is not screen and it.idle)
        await it.press("shift+tab")
        it.clock.now += CONFIRM_SECONDS
        await it.press("shift+tab")
        await mode(it, "ask")
        await it.send("add(a=1, b=2)")
        screen = await it.asked()
        await it.press("escape")
        await it.until(lambda: it.app.screen is not screen and it.idle)


async def test_a_change_is_marked_in_conversation_and_trace() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        await it.press("shift+tab", "shift+tab")
        await mode(it, "allow")
        await it.until(lambda: "No call asks from now on." in it.shown(it.app.main.conversation))
        assert "What a rule denies stays denied." in " ".join(it.shown(it.app.main.conversation).split())
        await it.until(lambda: "approval: allow" in it.shown(it.app.main.trace))


async def test_of_changes_one_after_the_other_the_trace_keeps_the_last() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        for mode in ("allow", "ask", "ask for risky", "allow", "ask"):
            await it.press("shift+tab")
            if mode == "allow":
                await it.press("shift+tab")
            await it.until(lambda: f"approval: {mode}\n" in _rows(it))  # noqa: B023  # waited for at once
        assert _rows(it).count("approval: ") == 1


def _rows(it: Driven) -> str:
    return "".join(f"{line.strip()}\n" for line in it.shown(it.app.main.trace).splitlines())


async def test_rules_of_ones_own_are_a_fourth_mode_and_what_they_deny_is_denied_in_all() -> None:
    async with driven(own_rules) as it:
        await mode(it, "own rules")
        divide = it.agent.tools.get("arithmetic.divide")
        read = it.agent.tools.get("files.read_file")
        assert divide is not None
        assert read is not None
        for words, result in (("ask", "ask"), ("ask for risky", "allow"), ("allow", "allow")):
            await it.press(*["shift+tab"] * (2 if words == "allow" else 1))
            await mode(it, words)
            assert it.agent.tools.evaluate(divide, {}).result is PermissionResult.DENY
            assert it.agent.tools.evaluate(read, {}).result.value == result
        await it.press("shift+tab")
        await mode(it, "own rules")
        assert it.agent.tools.policy is OWN


async def test_a_policy_that_a_plugin_sets_is_shown_too() -> None:
    async with driven() as it:
        it.app.background.do("set it", lambda: setattr(it.agent.tools, "policy", PermissionPolicy.strict()))
        await mode(it, "ask")


@pytest.mark.parametrize("width", [40, 80, 120, 200])
async def test_the_mode_is_said_in_words_at_every_width(width: int) -> None:
    async with driven(size=(width, 24)) as it:
        await it.until(lambda: "ask for risky" in header(it))


def test_a_policy_is_known_by_its_rules_whatever_it_denies_first() -> None:
    deny = (DENY,)
    assert mode_of(PermissionPolicy.careful()) == "careful"
    assert mode_of(PermissionPolicy.careful().with_rules(deny)) == "careful"
    assert mode_of(PermissionPolicy(deny)) == "strict"
    assert mode_of(PermissionPolicy.open().with_rules(deny)) == "open"
    assert mode_of(OWN) == "custom"


def test_the_policy_of_the_beginning_comes_back_as_it_was() -> None:
    own = PermissionPolicy((DENY,), default_reason="mine")
    modes = ApprovalModes(own)
    assert modes.order == ("strict", "careful", "open")
    assert modes.policy("strict") is own
    assert modes.policy("open").rules[0] is DENY
