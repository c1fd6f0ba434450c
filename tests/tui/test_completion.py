"""What is offered while one writes: slash commands, their arguments, and the project's files."""

from __future__ import annotations

import subprocess
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Paste
from textual.widget import Widget

from tests.tui.driving import Driven, driven
from workbench.tui.completion import Completer, mention_of, mentions
from workbench.tui.file_index import FileIndex
from workbench.tui.project_files import project_files

HOSTILE = ("[red]x[/red].txt", "a\x1b[31mb.txt", "\u202eevil.txt", "[b + c.txt", "日本語.txt")


def completer(*paths: str) -> Completer:
    made = Completer({"app.theme": lambda: ("graphite", "paper"), "app.set": lambda: ("temperature",)})
    made.files = FileIndex(paths)
    return made


def labels(made: Completer, before: str, *, first: bool = True) -> list[str]:
    offers = made.offers(before, first=first)
    return [offer.label for offer in offers.items] if offers is not None else []


def above(upper: Widget, lower: Widget) -> bool:
    return upper.region.bottom == lower.region.y


async def offered(it: Driven) -> None:
    await it.until(lambda: it.app.main.prompt.offers.display)


# words


def test_slash_words_are_offered_with_what_they_take_and_what_they_do() -> None:
    offers = completer().offers("/mo", first=True)
    assert offers is not None
    assert [(offer.text, offer.label) for offer in offers.items] == [("/model ", "/model NAME")]
    assert offers.items[0].about.startswith("Choose the model")


@pytest.mark.parametrize(
    ("written", "offered"),
    [("/exit", ["/quit"]), ("/cle", ["/new"]), ("/cl", []), ("/set", ["/set NAME VALUE"])],
)
def test_a_word_that_people_use_elsewhere_offers_the_command_that_is_meant(
    written: str, offered: list[str]
) -> None:
    assert labels(completer(), written) == offered


def test_a_slash_that_does_not_begin_the_message_is_text() -> None:
    assert completer().offers("/mo", first=False) is None
    assert completer().offers("see /mo", first=True) is None


def test_arguments_are_offered_where_they_are_known() -> None:
    assert labels(completer(), "/theme ") == ["graphite", "paper"]
    assert labels(completer(), "/theme pa") == ["paper"]
    assert labels(completer(), "/set te") == ["temperature"]
    assert labels(completer(), "/set temperature 0") == []
    assert labels(completer(), "/grants x") == []


# files


def test_files_whose_name_begins_with_the_text_come_first_then_those_that_hold_it_then_its_letters() -> None:
    made = completer("zz/maple.py", "src/app.py", "a/p/p.txt", "apple.md")
    assert labels(made, "@app") == ["src/app.py", "apple.md", "a/p/p.txt"] or labels(made, "@app")[:2] == [
        "src/app.py",
        "apple.md",
    ]
    assert labels(made, "look at @APPL") == ["apple.md"]
    assert labels(made, "@zz/m") == ["zz/maple.py"]
    assert labels(made, "@nothing") == []


def test_typing_on_and_erasing_again_finds_the_same() -> None:
    index = FileIndex(f"folder{number % 7}/file{number}.py" for number in range(200))
    forward = [index.matches(text) for text in ("f", "fi", "fil", "file19", "file199")]
    backward = [index.matches(text) for text in ("file199", "file19", "fil", "fi", "f")]
    assert forward == backward[::-1]
    assert forward[-1] == ["folder3/file199.py"]


@given(st.text("ab-^]\\ \n", max_size=8), st.text("ab-^]\\ \n", max_size=20))
def test_a_file_fits_when_it_holds_the_characters_in_their_order(typed: str, path: str) -> None:
    left = iter(f"/{path}")
    assert bool(FileIndex([path]).matches(typed)) == all(each in left for each in typed)


def test_letters_that_repeat_in_a_long_name_take_no_more_time_than_others() -> None:
    tried = FileIndex(["a" * 2_000]).matches("a" * 40 + "b")  # would not end if each way to fit were tried
    assert tried == []


@pytest.mark.parametrize("text", ["me@example.org", "a@b", "@", "x @ y"])
def test_an_at_sign_inside_a_word_or_alone_names_nothing(text: str) -> None:
    assert mentions(text) == []


def test_a_mention_ends_before_the_full_stop_of_its_sentence_and_may_be_quoted() -> None:
    text = 'Compare @a.txt, (@b/c.py) and @"my notes.txt".'
    assert [path for _, _, path in mentions(text)] == ["a.txt", "b/c.py", "my notes.txt"]
    assert [text[start:end] for start, end, _ in mentions(text)] == ["@a.txt", "@b/c.py", '@"my notes.txt"']


@pytest.mark.parametrize("path", ["a.txt", "my notes.txt", "odd).txt)", "end.", *HOSTILE])
def test_what_is_written_for_a_path_names_that_path(path: str) -> None:
    assert [found for _, _, found in mentions(mention_of(path))] == [path]


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def test_git_says_which_files_there_are_and_hidden_and_ignored_ones_are_left_out(tmp_path: Path) -> None:
    for name in ("a.py", "deep/b.py", ".env", "deep/.hidden/c.py", "build/out.o", "new.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / ".gitignore").write_text("build/\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "a.py", "deep/b.py")
    assert project_files(tmp_path) == ["a.py", "new.txt", "deep/b.py"]
    assert project_files(tmp_path / "deep") == ["b.py"]
    (tmp_path / "a.py").unlink()
    assert project_files(tmp_path) == ["new.txt", "deep/b.py"]


def test_a_projects_own_git_settings_start_no_program(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    git(tmp_path, "init", "-q")
    watcher = tmp_path / "watcher"
    watcher.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    watcher.chmod(0o755)
    git(tmp_path, "config", "core.fsmonitor", str(watcher))
    assert project_files(tmp_path) == ["a.py", "watcher"]
    assert not (tmp_path / "started").exists()


def test_without_git_the_folders_are_walked_and_the_heavy_ones_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.py", "deep/b.py", ".env", ".venv/c.py", "node_modules/d.js", "deep/__pycache__/e.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert project_files(tmp_path) == ["a.py", "deep/b.py"]


# in the app


async def test_tab_takes_a_file_and_the_prompt_keeps_the_focus(own_folder: Path) -> None:
    (own_folder / "stations.txt").write_text("Lima\n")
    async with driven() as it:
        await it.write("read @sta")
        await offered(it)
        await it.until(lambda: "stations.txt" in it.shown())
        await it.press("tab")
        await it.until(lambda: it.app.main.prompt.draft == "read @stations.txt ")
        assert it.app.main.focused_panel == "prompt"
        assert not it.app.main.prompt.offers.display


async def test_enter_takes_and_does_not_send_and_esc_closes_without_stopping_anything(
    own_folder: Path,
) -> None:
    for name in ("one.txt", "only.txt"):
        (own_folder / name).write_text("")
    async with driven() as it:
        await it.write("@on")
        await it.until(lambda: "only.txt" in it.shown())
        await it.press("down", "enter")
        await it.until(lambda: it.app.main.prompt.draft == "@only.txt ")
        assert it.trace == []
        await it.write("@on")
        await offered(it)
        await it.press("escape")
        await it.until(lambda: not it.app.main.prompt.offers.display)
        await it.write("e")
        assert not it.app.main.prompt.offers.display
        assert it.app.main.prompt.draft == "@only.txt @one"


async def test_a_word_that_names_a_file_already_is_sent_by_enter(own_folder: Path) -> None:
    (own_folder / "one.txt").write_text("1")
    async with driven() as it:
        await it.write("@one.txt")
        await it.until(lambda: it.app.desks.prompts.files_listed)
        await it.press("enter")
        await it.until(lambda: it.idle and it.trace)


async def test_a_slash_command_is_completed_and_run_by_enter() -> None:
    async with driven() as it:
        await it.write("/gr")
        await offered(it)
        await it.press("enter")
        await it.until(lambda: "No grant is in force" in it.shown())
        await it.press("escape")
        await it.until(lambda: it.app.screen is it.app.main)
        assert it.app.main.prompt.draft == ""


async def test_a_word_that_is_no_command_is_not_sent_and_the_command_that_may_be_meant_is_named() -> None:
    async with driven() as it:
        await it.app.main.prompt.area._on_paste(Paste("/exit"))
        await it.press("escape", "enter")
        await it.until(lambda: "Did you mean /quit?" in it.shown())
        assert it.app.main.prompt.draft == "/exit"


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        ("/modle gpt", "Did you mean /model?"),
        ("/toolz", "Did you mean /call or /reload?"),
        ("/zzzz now", "Known are /stop, /help,"),
        ("/status:error", "Filters are typed in the trace, after /."),
        ("/tool:files/read 2", "Filters are typed in the trace, after /."),
    ],
)
async def test_a_slip_in_a_slash_word_is_told_with_what_was_meant_and_nothing_of_it_is_lost(
    slip: str, said: str
) -> None:
    async with driven() as it:
        await it.write(slip)
        await it.press("escape", "enter")
        await it.until(lambda: said in it.shown())
        assert f"There is no command {slip.split()[0]}" in it.shown()
        assert it.app.main.prompt.draft == slip


@pytest.mark.parametrize("text", ["/etc/passwd says what?", "/ alone", "//", "/.profile is there"])
async def test_a_path_behind_a_slash_is_a_message(text: str) -> None:
    async with driven() as it:
        await it.turn(text)
        assert it.trace[0]["prompt"] == text


async def test_a_command_that_can_do_with_nothing_behind_it_is_run_by_enter_and_the_list_says_so() -> None:
    async with driven() as it:
        await it.write("/faul")
        await offered(it)
        assert "enter run" in it.shown(it.app.main.prompt.offers)
        await it.press("enter")
        await it.until(lambda: [each.title for each in it.app._notifications] == ["Faults"])
        assert it.app.main.prompt.draft == ""


async def test_a_command_that_needs_something_is_completed_by_enter() -> None:
    async with driven() as it:
        await it.write("/cal")
        await offered(it)
        assert "enter run" not in it.shown(it.app.main.prompt.offers)
        await it.press("enter")
        await it.until(lambda: it.app.main.prompt.draft == "/call ")
        assert it.idle
        assert not it.trace


async def test_tab_takes_a_command_and_offers_what_there_is_for_it() -> None:
    async with driven() as it:
        await it.write("/them")
        await offered(it)
        await it.press("tab")
        await it.until(lambda: it.app.main.prompt.draft == "/theme ")
        await it.until(lambda: "graphite" in it.shown(it.app.main.prompt.offers))
        await it.write("pap")
        await it.press("tab")
        await it.until(lambda: it.app.main.prompt.draft == "/theme paper")
        await it.press("enter")
        await it.until(lambda: it.app.theme == "paper")


async def test_tab_moves_on_to_the_next_panel_while_nothing_is_offered() -> None:
    async with driven() as it:
        await it.write("hello")
        await it.press("tab")
        await it.until(lambda: it.app.main.focused_panel == "conversation")


async def test_what_cannot_be_found_is_said() -> None:
    async with driven() as it:
        await it.write("@zzzz")
        await it.until(lambda: "no file here fits" in it.shown())
        await it.press("enter")
        await it.until(lambda: it.idle and it.trace)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_hostile_file_names_are_shown_as_what_they_are(own_folder: Path, size: tuple[int, int]) -> None:
    for name in HOSTILE:
        (own_folder / name.replace("/", "\u2215")).write_text("")
    async with driven(size=size) as it:
        await it.write("@txt")
        await it.until(lambda: it.app.desks.prompts.files_listed)
        await it.until(lambda: "[b + c.txt" in it.shown())
        shown = it.shown()
        assert not set("\x1b\u202e") & set(shown)
        assert {len(line) for line in it.shown().splitlines() if line.isascii()} == {size[0]}


async def test_a_click_takes_what_is_offered(own_folder: Path) -> None:
    (own_folder / "stations.txt").write_text("Lima\n")
    async with driven() as it:
        await it.write("@sta")
        await it.until(lambda: "stations.txt" in it.shown())
        await it.pilot.click(it.app.main.prompt.offers, offset=(4, 0))
        await it.until(lambda: it.app.main.prompt.draft == "@stations.txt ")


async def test_the_list_lies_right_above_the_prompt_at_any_size() -> None:
    async with driven() as it:
        await it.write("/")
        await offered(it)
        for size in ((120, 40), (80, 24), (40, 12)):
            await it.pilot.resize_terminal(*size)
            prompt, offers = it.app.main.prompt, it.app.main.prompt.offers
            await it.until(partial(above, offers, prompt))
            assert offers.region.width == prompt.region.width


def test_enter_sends_a_whole_command_and_a_lone_slash_and_takes_one_that_was_begun() -> None:
    eager = {}
    for text in ("/", "/gr", "/grants"):
        offers = completer().offers(text, first=True)
        assert offers is not None
        eager[text] = offers.eager
    assert eager == {"/": False, "/gr": True, "/grants": False}
