"""Choosing a theme: each one is seen while one looks, and a saved file is taken in."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.tui.driving import THEMES, Driven, driven
from workbench.errors import ConfigError
from workbench.resources import resource_folder
from workbench.tui import events
from workbench.tui.kept_setting import keep_setting
from workbench.tui.screens.themes import ThemesScreen
from workbench.tui.theme_watch import ThemeWatch
from workbench.tui.themes import load_theme

GRAPHITE = resource_folder("themes") / "graphite.yaml"


def worn(it: Driven) -> set[str]:
    """The themes that the app, Textual and the panels under the list are painted in."""
    main = it.app.main
    return {it.app.theme, it.app.themes.palette.name, main.palette.name, main.trace.palette.name}


async def test_looking_at_a_theme_wears_it_and_escape_brings_the_old_one_back() -> None:
    async with driven() as it:
        await it.press("f4")
        await it.until(lambda: isinstance(it.app.screen, ThemesScreen))
        await it.press("down")
        await it.until(lambda: worn(it) == {"heather"})
        left, heather = it.app.main.query_one("#left"), it.app.themes.palette.colors
        await it.until(lambda: left.styles.background.hex.lower() == heather["background"])
        await it.press("up", "up")
        await it.until(lambda: worn(it) == {"fjord"})
        await it.press("escape")
        await it.until(lambda: worn(it) == {"graphite"})
        assert it.app.screen is it.app.main


async def test_enter_keeps_the_theme_for_the_next_start_too() -> None:
    async with driven() as it:
        kept: list[str] = []
        it.app.themes.keep = kept.append
        await it.send("/theme")
        await it.until(lambda: isinstance(it.app.screen, ThemesScreen))
        await it.write("northern")
        await it.until(lambda: worn(it) == {"fjord"})
        await it.press("enter")
        await it.until(lambda: it.app.screen is it.app.main)
        assert worn(it) == {"fjord"}
        assert kept == ["fjord"]


async def test_a_name_behind_the_word_chooses_at_once() -> None:
    async with driven() as it:
        await it.send("/theme linen")
        await it.until(lambda: worn(it) == {"linen"})
        assert it.app.screen is it.app.main


async def test_an_unknown_name_is_told_near_ones_and_changes_nothing() -> None:
    async with driven() as it:
        await it.send("/theme grafite")
        await it.until(lambda: it.app._notifications)
        (note,) = it.app._notifications
        assert (note.title, note.message) == ("There is no theme grafite", "Did you mean graphite?")
        assert worn(it) == {"graphite"}


async def test_the_theme_in_use_is_drawn_anew_when_its_file_is_saved(tmp_path: Path) -> None:
    async with driven() as it:
        path = tmp_path / "graphite.yaml"
        path.write_text(GRAPHITE.read_text().replace("#8fb0ff", "#ffb08f"))
        it.app.inbox.post(events.ThemeSaved("", 0, load_theme(path)))
        await it.until(lambda: it.app.main.trace.palette.colors["accent"] == "#ffb08f")
        await it.until(lambda: it.app.theme_variables["accent"].lower() == "#ffb08f")


async def test_a_theme_that_is_saved_under_another_name_stays_worn(tmp_path: Path) -> None:
    async with driven() as it:
        it.app.inbox.post(events.ThemeSaved("", 0, load_theme(GRAPHITE)))
        path = tmp_path / "mine.yaml"
        path.write_text(GRAPHITE.read_text().replace("name: graphite", "name: mine"))
        it.app.inbox.post(events.ThemeSaved("", 0, load_theme(path)))
        await it.send("/theme mine")
        await it.until(lambda: worn(it) == {"mine"})
        path.write_text(GRAPHITE.read_text().replace("name: graphite", "name: yours"))
        it.app.inbox.post(events.ThemeSaved("", 0, load_theme(path)))
        await it.until(lambda: worn(it) == {"yours"})


async def test_a_theme_that_is_saved_while_the_list_is_open_can_be_chosen(tmp_path: Path) -> None:
    async with driven() as it:
        await it.press("f4")
        await it.until(lambda: isinstance(it.app.screen, ThemesScreen))
        path = tmp_path / "mine.yaml"
        path.write_text(GRAPHITE.read_text().replace("name: graphite", "name: zebra [b"))
        it.app.inbox.post(events.ThemeSaved("", 0, load_theme(path)))
        await it.until(lambda: "zebra [b" in it.shown())
        await it.write("zebra")
        await it.until(lambda: worn(it) == {"zebra [b"})
        await it.press("enter")
        await it.until(lambda: it.app.screen is it.app.main)
        assert worn(it) == {"zebra [b"}


@pytest.fixture
def followed(tmp_path: Path) -> tuple[ThemeWatch, list[events.AgentEvent], Path]:
    """A watch over a folder with one theme in it, which was looked at once."""
    (tmp_path / "mine.yaml").write_text(GRAPHITE.read_text())
    told: list[events.AgentEvent] = []
    watch = ThemeWatch([tmp_path, tmp_path / "missing"], told.append)
    watch.check()
    told.clear()
    return watch, told, tmp_path


Followed = tuple[ThemeWatch, list[events.AgentEvent], Path]


def test_a_file_that_did_not_change_is_not_told_again(followed: Followed) -> None:
    watch, told, _ = followed
    watch.check()
    assert told == []


def test_a_saved_file_is_told_and_so_is_a_new_one(followed: Followed) -> None:
    watch, told, folder = followed
    (folder / "mine.yaml").write_text(GRAPHITE.read_text() + "# saved\n")
    (folder / "other.yaml").write_text(GRAPHITE.read_text().replace("name: graphite", "name: other"))
    watch.check()
    assert [event.palette.name for event in told if isinstance(event, events.ThemeSaved)] == [
        "graphite",
        "other",
    ]


def test_a_broken_file_says_where_and_is_not_worn(followed: Followed) -> None:
    watch, told, folder = followed
    (folder / "mine.yaml").write_text(GRAPHITE.read_text().replace('"#8fb0ff"', "blue"))
    watch.check()
    (notice,) = told
    assert isinstance(notice, events.Notice)
    assert notice.title == (
        f"{folder / 'mine.yaml'}, line 15: colors: accent: expected \"#rrggbb\", got 'blue'"
    )
    assert "the theme in use stays" in notice.hint


def test_an_empty_file_is_one_that_an_editor_has_not_finished(followed: Followed) -> None:
    watch, told, folder = followed
    (folder / "mine.yaml").write_text("")
    watch.check()
    assert told == []


def test_a_faint_theme_is_worn_and_told_so(followed: Followed) -> None:
    watch, told, folder = followed
    (folder / "mine.yaml").write_text(GRAPHITE.read_text().replace("#959ca7", "#555555"))
    watch.check()
    saved, notice = told
    assert isinstance(saved, events.ThemeSaved)
    assert isinstance(notice, events.Notice)
    assert "line 14: colors: muted: muted on" in notice.title


def test_the_thread_tells_what_is_saved_and_ends(tmp_path: Path) -> None:
    import threading

    told = threading.Event()
    watch = ThemeWatch([tmp_path], lambda event: told.set())
    watch.start()
    (tmp_path / "mine.yaml").write_text(GRAPHITE.read_text())
    assert told.wait(60)
    watch.close()
    watch._thread.join(60)
    assert not watch._thread.is_alive()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "theme: fjord\n"),
        ("", "theme: fjord\n"),
        ("model: offline\n", "model: offline\ntheme: fjord\n"),
        ("# mine\ntheme: paper  # light\nmodel: offline\n", "# mine\ntheme: fjord\nmodel: offline\n"),
        ("parameters:\n  theme: no\n", "parameters:\n  theme: no\ntheme: fjord\n"),
    ],
)
def test_a_kept_setting_changes_its_own_line_only(tmp_path: Path, before: str | None, after: str) -> None:
    path = tmp_path / "folder" / "config.yaml"
    if before is not None:
        path.parent.mkdir()
        path.write_text(before)
    keep_setting(path, "theme", "fjord")
    assert path.read_text() == after


@pytest.mark.parametrize(
    "text", ["{model: offline}\n", "a: |\n theme: x\ntheme: |\n  paper\n", "[", "theme:\n- a\n"]
)
def test_a_setting_that_cannot_be_kept_leaves_the_file_and_says_what_to_write(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match="'theme: fjord' could not be kept") as caught:
        keep_setting(path, "theme", "fjord")
    assert caught.value.hint == f"Write it into {path}."
    assert path.read_text() == text


def test_any_name_is_kept_as_text(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    keep_setting(path, "theme", "no: [x")
    assert yaml.safe_load(path.read_text()) == {"theme": "no: [x"}


async def test_themes_that_are_read_after_the_first_frame_can_be_chosen_in_the_order_of_their_names() -> None:
    async with driven(themes={"graphite": THEMES["graphite"]}) as it:
        for name in ("linen", "fjord", "graphite"):
            it.app.inbox.post(events.ThemeSaved("", 0.0, THEMES[name]))
        await it.until(lambda: "fjord" in it.app.available_themes)
        assert list(it.app.available_themes) == ["graphite", "linen", "fjord"]
        await it.send("/theme")
        await it.until(lambda: isinstance(it.app.screen, ThemesScreen))
        shown = it.shown(it.app.screen)
        assert shown.index("fjord") < shown.index("graphite") < shown.index("linen")
        await it.press("escape")
        await it.until(lambda: worn(it) == {"graphite"})
