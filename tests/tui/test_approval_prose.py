"""The approval screen: prose that begins late, Esc at the end, arguments in the person's own editor."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Input, TextArea

from tests.tui.approval_app import Trial, call, trial
from workbench.tui.external_editor import ExternalEditor


@pytest.mark.parametrize("prose", ["and then", "can you", "yes do", "always", "ok so"])
async def test_prose_begun_after_the_wait_takes_its_verdicts_back_and_goes_to_the_draft(prose: str) -> None:
    async with trial() as it:
        it.app.prompt.focus()
        agent = await it.ask()
        await it.write(prose)
        await it.press("enter")
        await it.until(lambda: it.app.prompt.text == prose)
        assert it.decisions == [None, None, None]
        assert not agent.done.is_set()
        assert "draft" in it.screen.sheet.note
        it.app.clock.now += 2
        await it.press("Y", "enter")
        assert len((await it.answered(agent)).verdicts) == 3


async def test_prose_takes_back_only_what_it_decided_itself() -> None:
    async with trial() as it:
        it.app.prompt.focus()
        await it.ask()
        await it.press("n")
        it.app.clock.now += 1
        await it.write("yes")
        await it.until(lambda: it.app.prompt.text == "yes")
        assert it.decisions == ["reject", None, None]


async def type_at(it: Trial, text: str, seconds: float) -> None:
    """Type with so much time between two keys."""
    for char in text:
        await it.write(char)
        it.app.clock.now += seconds


@pytest.mark.parametrize("begins", [0.41, 1.0, 5.0])
async def test_two_hundred_characters_begun_after_the_wait_decide_nothing_and_are_all_there(
    begins: float,
) -> None:
    text = ("xml yes, No: Explain e a r c N? Y all; ok, " * 5)[:200]
    async with trial() as it:
        it.app.prompt.focus()
        agent = await it.ask(quiet=False)
        it.app.clock.now += begins
        await type_at(it, text, 0.12)
        await it.until(lambda: len(it.app.prompt.text) >= len(text))
        assert it.app.prompt.text == text
        assert it.decisions == [None, None, None]
        assert it.screen.sheet.mode == "calls"
        assert not agent.done.is_set()


async def test_slow_prose_is_known_by_two_letters_that_mean_nothing() -> None:
    async with trial() as it:
        it.app.prompt.focus()
        agent = await it.ask()
        await type_at(it, "the answer", 0.4)
        await it.until(lambda: it.app.prompt.text == "the answer")
        assert it.decisions == [None, None, None]
        assert it.screen.sheet.mode == "calls"
        assert not agent.done.is_set()


async def test_one_letter_that_means_nothing_says_what_would_and_the_next_key_decides() -> None:
    async with trial() as it:
        it.app.prompt.focus()
        await it.ask()
        await type_at(it, "t", 0.4)
        assert "t decides nothing" in it.screen.sheet.note
        await type_at(it, "y", 0.4)
        it.app.clock.now += 1
        await type_at(it, "t", 0.4)
        assert it.decisions == ["approve", None, None]
        assert it.app.prompt.text == ""


async def test_a_word_that_begins_with_the_key_that_stops_stops_nothing() -> None:
    async with trial() as it:
        it.app.prompt.focus()
        agent = await it.ask()
        await it.write("xy")
        await it.until(lambda: it.app.prompt.text == "xy")
        assert not agent.done.is_set()
        assert it.asking


@pytest.mark.parametrize("keys", [["x"], ["x", "x"], ["x", "enter"]])
async def test_the_key_that_stops_does_so_and_what_follows_is_not_done(keys: list[str]) -> None:
    async with trial() as it:
        agent = await it.ask(call("a"), call("b"))
        await it.press("Y")
        await it.pilot.press(*keys)
        await it.until(agent.done.is_set)
        assert agent.ran == []
        assert agent.stopped is not None or (agent.result is not None and agent.result.stop)


async def test_a_word_that_begins_with_the_key_of_the_editor_opens_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[str] = []

    def edit(_editor: ExternalEditor, text: str, *, name: str) -> str:
        opened.append(name)
        return text

    monkeypatch.setattr(ExternalEditor, "edit", edit)
    async with trial() as it:
        it.app.prompt.focus()
        await it.ask()
        await it.write("Each")
        await it.until(lambda: it.app.prompt.text == "Each")
        it.app.clock.now += 2
        await it.write("E")
        await it.until(lambda: opened)
        assert len(opened) == 1


async def test_verdicts_pressed_quickly_one_after_the_other_all_count() -> None:
    async with trial() as it:
        it.app.prompt.focus()
        agent = await it.ask()
        await it.pilot.press("y", "n", "y", "enter")
        result = await it.answered(agent)
        assert [verdict.decision for verdict in result.verdicts] == ["approve", "reject", "approve"]


async def test_esc_with_every_call_decided_submits_nothing_and_says_what_would() -> None:
    async with trial() as it:
        agent = await it.ask(call("a"))
        await it.press("y")
        await it.press("escape")
        await it.until(lambda: "enter submits" in it.screen.sheet.note)
        assert not agent.done.is_set()
        assert "esc" in it.shown("#foot")
        await it.press("enter")
        await it.answered(agent)
        assert agent.ran_ids == ["a"]


def _editor(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    script = folder / "editor.py"
    script.write_text(f"import json, pathlib, sys\npath = pathlib.Path(sys.argv[-1])\n{code}\n")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")


@pytest.mark.parametrize("key", ["E", "ctrl+g"])
async def test_the_arguments_are_edited_in_the_persons_editor(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    _editor(
        own_folder,
        monkeypatch,
        "assert path.name == 'arguments.json'\n"
        "path.write_text(json.dumps(json.loads(path.read_text()) | {'command': 'ls'}))",
    )
    async with trial() as it:
        agent = await it.ask(call("a"))
        await it.press(key)
        await it.until(lambda: it.decisions == ["approve"])
        await it.press("enter")
        await it.answered(agent)
        assert agent.ran == [("a", {"command": "ls"})]


async def test_what_does_not_fit_after_the_editor_is_told_beside_the_field_and_not_lost(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _editor(own_folder, monkeypatch, "path.write_text('{\"command\": 3}')")
    async with trial() as it:
        agent = await it.ask(call("a"))
        await it.press("E")
        await it.until(lambda: it.screen.sheet.mode == "edit" and "expected a string" in it.shown("#fault"))
        assert it.screen.query_one(TextArea).text == '{"command": 3}'
        assert it.decisions == [None]
        _editor(own_folder, monkeypatch, 'path.write_text(\'{"command": "ls"}\')')
        await it.press("ctrl+g")
        await it.until(lambda: "fits the schema" in it.shown("#fault"))
        await it.press("ctrl+s", "enter")
        await it.answered(agent)
        assert agent.ran == [("a", {"command": "ls"})]


async def test_an_editor_that_fails_decides_nothing(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _editor(own_folder, monkeypatch, "path.write_text('{}'); sys.exit(1)")
    async with trial() as it:
        await it.ask(call("a"))
        await it.press("E")
        await it.until(lambda: "ended with 1" in it.screen.sheet.note)
        assert it.decisions == [None]


async def test_every_key_of_a_decision_can_be_read_at_forty_columns() -> None:
    async with trial(size=(40, 12)) as it:
        await it.ask()
        words = it.shown("#foot").split()
        assert {"y", "n", "e", "r", "a", "Y", "N", "x", "c", "esc", "f1"} <= set(words)


async def test_what_is_typed_at_once_in_a_pattern_stays_in_it() -> None:
    async with trial() as it:
        it.app.prompt.focus()
        await it.ask()
        await it.press("a", "down", "down")
        pattern = it.app.focused
        assert isinstance(pattern, Input)
        await it.press("ctrl+a", "ctrl+k")
        await it.write("make all yes")
        await it.until(lambda: pattern.value == "make all yes")
        assert it.screen.sheet.mode == "always"
        assert it.app.prompt.text == ""


async def at_once(it: Trial, *keys: str) -> None:
    """Keys that a slow line brings together."""
    for key in keys:
        it.app.post_message(events.Key(key, key if len(key) == 1 else None))
    await it.pilot.pause()


@pytest.mark.parametrize("before", ["", "a"])
@pytest.mark.parametrize("prose", ["ab", "yb", "ends", "xa", "any"])
async def test_prose_that_comes_at_once_decides_nothing_and_goes_to_the_draft(
    before: str, prose: str
) -> None:
    async with trial() as it:
        it.app.prompt.focus()
        agent = await it.ask()
        await it.press(*before, "down")
        await at_once(it, *prose)
        await it.until(lambda: it.app.prompt.text == prose)
        assert it.screen.sheet.mode == "calls"
        assert it.decisions == [None, None, None]
        assert not agent.done.is_set()
        await it.until(lambda: not it.screen.query("#always, #edit"))


async def test_two_steps_that_come_at_once_are_two_fields() -> None:
    async with trial() as it:
        await it.ask()
        await it.press("a")
        await at_once(it, "down", "down")
        await it.until(lambda: isinstance(it.app.focused, Input))
