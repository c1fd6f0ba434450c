"""The approval screen: prose that begins late, Esc at the end, arguments in the person's own editor."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from textual.widgets import TextArea

from tests.tui.approval_app import call, trial


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
        assert "esc" not in it.shown("#foot")
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
