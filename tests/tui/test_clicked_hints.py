"""A click on a hint is the key: on every screen, for every hint that it shows."""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest
from textual.screen import Screen
from textual.widgets import Input

from tests.tui import hostile
from tests.tui.driving import Driven, driven
from tests.tui.test_debugging_snapshots import request
from tests.tui.test_lab_snapshots import called, nothing
from workbench.engine import Breakpoint
from workbench.tui import screens
from workbench.tui.commands import TABLE, key_text
from workbench.tui.palette import Palette, pressed_key
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.screens.approval_keys import ApprovalKeys
from workbench.tui.screens.earlier_calls import EarlierCallsScreen
from workbench.tui.screens.finder import FinderScreen
from workbench.tui.screens.held import HeldScreen
from workbench.tui.screens.inspector import InspectorScreen
from workbench.tui.screens.main import MainScreen
from workbench.tui.screens.pause import PauseScreen
from workbench.tui.screens.tool import ToolScreen

Make = Callable[[Palette], Screen[Any]]

SCREENS: Mapping[str, Make] = {
    **hostile.SCREENS,
    "earlier calls": lambda palette: EarlierCallsScreen(called(result="9")[1:], palette),
    "inspector": lambda palette: InspectorScreen([*called(result="[1, 2]"), *called(result="9")], 1, palette),
    "tool": lambda palette: ToolScreen("files.read", [("cost", "9 tokens")], 0, palette),
    "pause before": lambda palette: PauseScreen(request(), nothing, palette),
}
KEYS_BEFORE: Mapping[str, tuple[str, ...]] = {
    "approval, edit": ("e",),
    "approval, reason": ("r",),
    "breakpoints, condition": ("c",),
    "fault, words": ("e",),
    "inspector, search": ("slash", "1"),
    "inspector, search kept": ("slash", "1", "enter"),
    "pause, arguments": ("e",),
    "pause, result": ("r",),
    "pause before, made up": ("k",),
    "pause, search": ("slash",),
    "sessions, search": ("slash", "x"),
}
"""States of these screens that have keys of their own."""

SMALL = ("call form", "fault", "inspector", "pause before", "what if")
"""What is looked at without room for all hints too."""

COMMANDS = {command.id: command for command in TABLE}
NO_HINTS = {FinderScreen, MainScreen}
"""The one is Textual's own; the other has tests of its own below."""


class Shown(NamedTuple):
    """A hint on the screen."""

    key: str
    x: int
    y: int


def hints(it: Driven) -> list[Shown]:
    """What says of itself that it is a hint, and what reads like one: a key that holds, and its label."""
    screen = it.app.screen
    found: dict[str, Shown] = {}
    held = {
        f"{key_text(key)} {command.label}": key
        for key, active in screen.active_bindings.items()
        if active.enabled and (command := COMMANDS.get(active.binding.id or "")) and key in command.keys[:1]
    }
    for y, strip in enumerate(screen._compositor.render_strips()):
        x = 0
        for segment in strip:
            key = pressed_key(segment.style) if segment.style is not None else ""
            if key:
                found.setdefault(key, Shown(key, x, y))
            x += segment.cell_length
        for text, key in held.items():
            # what reads like a hint and is one has been found above
            for match in re.finditer(rf"(?<!\S){re.escape(text)}(?!\S)", strip.text):
                if screen.get_widget_at(match.start(), y)[0] is not screen:  # else it lies below this one
                    found.setdefault(key, Shown(key, match.start(), y))
    return list(found.values())


class Done:
    """What was done, and what is seen then."""

    def __init__(self, it: Driven, monkeypatch: pytest.MonkeyPatch) -> None:
        self._it = it
        self._said: list[str] = []
        dispatch = it.app._dispatch_action

        async def noted(namespace: Any, action_name: str, params: Any) -> bool:
            self._said.append(f"{action_name}{params}")
            return await dispatch(namespace, action_name, params)

        monkeypatch.setattr(it.app, "_dispatch_action", noted)
        monkeypatch.setattr(it.app.desks.errands, "run", lambda errand: self._note(type(errand).__name__))
        monkeypatch.setattr(it.app.desks, "do", lambda command, rest: self._note(command))
        monkeypatch.setattr(it.app, "exit", lambda *_: self._note("exit"))

    def _note(self, said: str) -> None:
        self._said.append(said)

    def forget(self) -> None:
        """From here on."""
        self._said.clear()

    @property
    def found(self) -> tuple[list[str], list[str], str]:
        """What was done, the screens, and what has the focus."""
        focused = self._it.app.focused
        stack = [type(screen).__name__ for screen in self._it.app.screen_stack]
        return list(self._said), stack, f"{type(focused).__name__} {focused.id if focused else ''}"


def keys_held(it: Driven) -> ApprovalKeys | None:
    """What waits on an approval to see whether a key begins a text."""
    return it.app.screen._keys if isinstance(it.app.screen, ApprovalScreen) else None


async def away(it: Driven) -> None:
    """Nothing lies on the main screen."""
    while it.app.screen is not it.app.main:
        await it.act(it.app.pop_screen)
        await it.pilot.pause()


async def come(it: Driven, make: Make, *keys: str) -> None:
    """The screen is there, and takes keys and clicks."""
    await away(it)
    screen = make(it.app.themes.palette)
    await it.act(lambda: it.app.push_screen(screen, nothing))
    await it.until(lambda: it.app.screen is screen and screen.is_mounted)
    if isinstance(screen, HeldScreen):
        screen._keys_held.end()
        screen._clicks_held.end()
    await it.pilot.pause()
    for key in keys:
        await it.press(key)
        await it.pilot.pause()
    await it.pilot.pause()


async def compare(
    it: Driven, monkeypatch: pytest.MonkeyPatch, begin: Callable[[], Any], *, least: int
) -> list[str]:
    """Each hint's key and a click on it do the same, and something; the keys of the hints."""
    done = Done(it, monkeypatch)
    await begin()
    keys = [each.key for each in hints(it)]
    assert len(keys) >= least, it.shown()
    for key in keys:
        outcomes = []
        for clicks in (False, True):
            await begin()
            before = it.shown()
            (place,) = [each for each in hints(it) if each.key == key]
            done.forget()
            if clicks:
                await it.pilot.click(offset=(place.x, place.y))
            else:
                await it.press(key)
                # no other key follows one that could have begun a text
                await it.until(lambda: not (held := keys_held(it)) or held._waiting is None)
            for _ in range(3):
                await it.pilot.pause()
            did, *rest = done.found
            outcomes.append((did, rest, before != it.shown()))
        assert outcomes[1] == outcomes[0], f"{key}: {outcomes}"
        assert outcomes[0][0] or outcomes[0][2], f"{key} does nothing"
    return keys


@pytest.mark.parametrize(
    ("name", "size"),
    [(name, (120, 40)) for name in (*SCREENS, *KEYS_BEFORE)] + [(name, (40, 12)) for name in SMALL],
)
async def test_a_click_on_any_hint_of_a_screen_does_what_its_key_does(
    name: str, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    make = SCREENS[name.partition(",")[0]]
    async with driven(size=size, notifications=False) as it, asyncio.timeout(120):
        await compare(it, monkeypatch, lambda: come(it, make, *KEYS_BEFORE.get(name, ())), least=1)


async def test_no_screen_is_left_out_above() -> None:
    for module in pkgutil.iter_modules(screens.__path__):
        importlib.import_module(f"workbench.tui.screens.{module.name}")
    async with driven() as it:
        shown: set[type[Screen[Any]]] = set()
        await it.act(lambda: shown.update(type(make(it.app.themes.palette)) for make in SCREENS.values()))
    ours = {each for each in every(Screen) if each.__module__.startswith("workbench.tui.screens.")}
    bases = {base for each in ours for base in each.__mro__[1:]}
    assert ours - bases - NO_HINTS == shown


def every(kind: type[Screen[Any]]) -> set[type[Screen[Any]]]:
    """All that are made of it."""
    found: set[type[Screen[Any]]] = set()
    for each in kind.__subclasses__():
        found |= {each, *every(each)}
    return found


async def click(it: Driven, key: str) -> None:
    """Click the hint for a key."""
    (place,) = [each for each in hints(it) if each.key == key]
    await it.pilot.click(offset=(place.x, place.y))
    await it.pilot.pause()


async def test_a_click_on_a_hint_of_a_question_that_has_just_come_decides_nothing() -> None:
    async with driven() as it:
        it.agent.breakpoints.add(Breakpoint("arithmetic.add"))
        await it.send("add(a=1, b=2)")
        await it.until(lambda: isinstance(it.app.screen, PauseScreen))
        screen = it.app.screen
        await it.pilot.pause()
        for key in ("s", "e", "escape", "enter"):
            await click(it, key)
        assert it.app.screen is screen
        assert not screen.query("TextArea")
        await it.pilot.press("h")  # someone writes: keys go to the draft for a while, clicks are none of it
        it.clock.now += 0.5
        await click(it, "enter")
        await it.until(lambda: it.idle and it.app.screen is it.app.main)
        assert it.app.main.prompt.draft == "h"
        assert [entry["result"] for entry in it.trace if entry["type"] == "tool_execution"] == ["3"]


async def test_the_hints_below_the_panels_are_those_of_the_panel_with_the_focus() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        await it.focus("trace")
        await it.act(lambda: it.app.main.trace.go_to(it.app.main.trace.calls()[0]))
        await click(it, "enter")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))
        await click(it, "escape")
        await it.until(lambda: it.app.screen is it.app.main)
        for panel in ("trace", "tools"):
            await it.focus(panel)
            await click(it, "slash")
            await it.until(lambda: isinstance(it.app.focused, Input))
            await it.write("add")
            await click(it, "enter")
            await it.until(lambda: not isinstance(it.app.focused, Input))
            assert "enter keep" not in it.shown()
            await click(it, "escape")
            await it.until(lambda: "esc all" not in it.shown())
        await it.focus("conversation")
        await click(it, "slash")
        await it.until(lambda: it.app.main.conversation.searching)
        await click(it, "escape")
        await it.until(lambda: not it.app.main.conversation.searching)


async def test_a_running_turn_is_stopped_by_a_click_on_the_words_for_it() -> None:
    async with driven() as it:
        await it.send("slow_countdown(seconds=30)")
        await it.until(lambda: "esc stop" in it.shown(it.app.main.activity_line))
        await click(it, "escape")
        await it.until(lambda: it.idle)


async def test_half_a_surrogate_pair_can_be_copied() -> None:
    async with driven() as it:
        await it.act(lambda: it.app.copy_to_clipboard("a\ud800b"))
        assert it.app.clipboard == "a?b"
