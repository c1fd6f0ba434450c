"""Keys of one's own: what can be had holds everywhere and is shown; the rest is told."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.driving import Driven, driven
from tests.tui.stage import palette_of
from workbench.config import load_config, load_settings
from workbench.errors import ConfigError
from workbench.tui.command_finder import CommandFinder
from workbench.tui.commands import TABLE, choose_keys, commands, hints
from workbench.tui.keymap import read_keymap
from workbench.tui.pause import PauseRequest
from workbench.tui.screens.help import HelpScreen
from workbench.tui.screens.pause import PauseScreen
from workbench.tui.screens.themes import ThemesScreen


@pytest.fixture(autouse=True)
def table_keys() -> Iterator[None]:
    """Other tests have the keys of the table."""
    yield
    choose_keys({})


def hint_line(it: Driven) -> str:
    """The last row."""
    return it.shown(it.app.main.hint_line)


async def test_a_command_moves_to_another_key_and_every_place_says_so() -> None:
    async with driven(keymap={"app.help": "f2", "prompt.send": ["ctrl+s", "enter"]}) as it:
        await it.until(lambda: "f2 help" in hint_line(it))
        assert "^s send" in hint_line(it)
        await it.press("f1")
        await it.pilot.pause()
        assert it.app.screen is it.app.main
        await it.press("f2")
        await it.until(lambda: isinstance(it.app.screen, HelpScreen))
        await it.write("every key grouped")
        await it.until(lambda: "f2  /help" in it.shown())
        await it.press("escape")
        texts = [hit.help async for hit in CommandFinder(it.app.screen).discover()]
        assert "Show every key, grouped by where it holds.   f2" in texts
        assert "f2" in it.shown(it.app.main.conversation)


def paused() -> PauseScreen:
    """A call that stands still."""
    what = PauseRequest(
        agent="a",
        turn=1,
        iteration=1,
        when="before",
        tool="t",
        call_id="1",
        arguments={"x": 1},
        because="step",
    )
    return PauseScreen(
        what, lambda resume: None, palette_of("graphite"), clock=itertools.count(0, 100).__next__
    )


async def test_the_keys_of_a_pause_of_its_field_and_of_the_app_in_it_are_moved_too() -> None:
    async with driven(
        keymap={"field.take": "ctrl+t", "field.leave": "f12", "app.help": "f2", "pause.edit": "m"}
    ) as it:
        screen = paused()
        await it.act(lambda: it.app.push_screen(screen))
        await it.until(lambda: it.app.screen is screen)
        await it.press("f1", "m")
        await it.until(lambda: screen.mode == "arguments")
        await it.until(lambda: "^t take" in it.shown() and "f12 leave" in it.shown())
        await it.press("ctrl+s", "escape")
        await it.pilot.pause()
        assert screen.mode == "arguments"
        await it.press("ctrl+t")
        await it.until(lambda: screen.mode == "keys")
        await it.press("m")
        await it.until(lambda: screen.mode == "arguments")
        await it.press("f12")
        await it.until(lambda: screen.mode == "keys")
        await it.press("f2")
        await it.until(lambda: isinstance(it.app.screen, HelpScreen))


async def test_a_key_without_meaning_at_the_approval_is_told_the_keys_that_hold() -> None:
    async with driven(keymap={"approval.run": "o"}) as it:
        await it.send('write_file(path="a.txt", text="1")')
        await it.asked()
        await it.press("z")
        await it.until(lambda: "z decides nothing: o run, n reject" in it.shown())
        it.clock.now += 2
        await it.press("x")
        await it.until(lambda: it.idle)


async def test_none_takes_a_key_away_and_a_command_without_one_can_get_one() -> None:
    async with driven(keymap={"app.theme": "none", "app.model": "f11", "app.next_panel": None}) as it:
        await it.press("f4", "tab")
        await it.pilot.pause()
        assert it.app.screen is it.app.main
        assert it.app.main.focused_panel == "prompt"
        assert "next panel" not in hint_line(it)
        assert "f4" not in it.shown()
        await it.press("f11")
        await it.until(lambda: type(it.app.screen).__name__ == "ModelsScreen")
        await it.press("escape")


async def test_keys_of_a_list_are_moved_too() -> None:
    async with driven(keymap={"themes.down": "ctrl+n", "themes.choose": "none"}) as it:
        await it.press("f4")
        await it.until(lambda: isinstance(it.app.screen, ThemesScreen))
        await it.press("ctrl+n")
        await it.until(lambda: it.app.theme == "heather")
        assert "esc as before" in it.shown()
        assert "keep" not in it.shown()  # a hint is a key
        await it.press("escape")


async def test_what_is_wrong_is_told_at_the_start_and_the_rest_holds() -> None:
    keymap = {"app.hlep": "f2", "app.help": "f2", "app.theme": "f5", "app.reload": "ctl+r"}
    async with driven(keymap=keymap, size=(120, 50)) as it:
        await it.until(lambda: "f2 help" in hint_line(it))
        await it.until(lambda: "Entries of your keymap are not used" in it.shown())
        text = " ".join(it.shown(it.app.main.conversation).split())
        assert "there is no command app.hlep; did you mean app.help" in text
        assert "app.theme: f5 is the key of app.reload already; app.theme keeps f4" in text
        assert "app.reload: there is no key ctl+r" in text
        assert text.count("All others hold.") == 1


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ({"app.help": "f99"}, "there is no key f99"),
        ({"app.help": "q"}, "q writes a character there, so it cannot be a key"),
        ({"prompt.send": "space"}, "space writes a character there"),
        ({"trace.fold": "e"}, "trace.fold: e is the key of trace.next_error already; trace.fold keeps space"),
        ({"trace.fold": "j"}, "j is the key of list.down (list) already"),
        ({"trace.fold": "ctrl+c"}, "^c is the key of app.interrupt (app) already"),
        ({"trace.fold": "f5"}, "f5 is the key of app.reload (app) already"),
        ({"app.help": "ctrl+f9", "app.theme": "ctrl+f9"}, "app.theme: ^f9 is the key of app.help already"),
        ({"app.help": ""}, "there is no key"),
        ({"approval.run": "f1"}, "f1 is the key of app.help (app) already"),
        ({"field.take": "s"}, "s writes a character there, so it cannot be a key"),
        ({"app.help": "ctrl+"}, "there is no key ctrl+"),
    ],
)
def test_a_key_that_cannot_be_had_is_told(setting: dict[str, object], problem: str) -> None:
    (told,) = read_keymap(setting).problems
    assert problem in told


def test_two_commands_may_change_places() -> None:
    keymap = read_keymap({"app.theme": "f5", "app.reload": "f4"})
    assert keymap.problems == ()
    assert keymap.keys == {"app.theme": ("f5",), "app.reload": ("f4",)}


def test_keys_are_taken_as_people_write_them() -> None:
    keymap = read_keymap({"trace.filter": "%", "trace.follow": ["F", "ctrl+f"], "tools.toggle": "#"})
    assert keymap.problems == ()
    assert keymap.for_textual == {
        "trace.filter": "percent_sign",
        "trace.follow": "F,ctrl+f",
        "tools.toggle": "number_sign",
    }


def test_every_key_of_the_table_can_be_written_in_a_keymap() -> None:
    for command in TABLE:
        if command.keys:
            assert read_keymap({command.id: list(command.keys)}).problems == (), command.id


def test_hints_leave_out_what_has_no_key() -> None:
    choose_keys({"app.help": ()})
    assert "app.help" not in [command.id for command in hints(("app",))]
    assert ("",) in [command.keys for command in commands("app")]


def test_a_keymap_stands_in_the_users_own_settings(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(
        "keymap:\n  app.help: f2\n  app.theme: none\n  trace.fold: [z, 1]\n"
    )
    config = load_config(tmp_path / "project", tmp_path)
    assert config.keymap == {"app.help": "f2", "app.theme": "none", "trace.fold": ["z", 1]}


@pytest.mark.parametrize("text", ["keymap: f2", "keymap: {app.help: {a: b}}", "keymap: {app.help: true}"])
def test_a_keymap_of_another_shape_names_the_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"config.yaml: keymap"):
        load_config(tmp_path / "project", tmp_path)


def test_a_projects_keymap_waits_for_a_yes(tmp_path: Path) -> None:
    folder = tmp_path / "project" / ".workbench"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("keymap: {approval.run: x}\n")
    settings = load_settings(tmp_path / "project", tmp_path / "user")
    assert settings.config.keymap == {}
    assert settings.waiting == {"keymap": {"approval.run": "x"}}


async def test_what_is_wrong_with_a_keymap_is_said_below_the_welcome() -> None:
    async with driven(keymap={"app.halp": "f2"}) as it:
        await it.until(lambda: "there is no command app.halp" in it.shown(it.app.main.conversation))
        shown = it.shown(it.app.main.conversation)
        assert shown.index("assistant is ready") < shown.index("app.halp")
        assert "try        add(a=2, b=3)" in shown
        await it.turn("add(a=2, b=3)")
        assert "assistant is ready" not in it.shown(it.app.main.conversation)
