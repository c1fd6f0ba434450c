"""The prompt: history over sessions, long pastes, the kept draft, the editor, letters typed elsewhere."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import pytest
from textual import events
from textual.geometry import Offset

from tests.tui.driving import THEMES, Clock, Driven, driven, keys_of, sample_agent
from workbench.tui.app import WorkbenchApp
from workbench.tui.panels.prompt import Prompt
from workbench.tui.screens.history import HistoryScreen

HOSTILE = ("[a=b", "[/]", "[b + c", "\\[", "[/#888]", "a\x1b[31mb", "\u202eevil\u200b", "\x9b2J", "日本語 ✈️")


def prompt_of(it: Driven) -> Prompt:
    return it.app.main.prompt


def sent(folder: Path) -> list[str]:
    path = folder / ".workbench" / "history.jsonl"
    return [json.loads(line)["text"] for line in path.read_text().splitlines()] if path.exists() else []


def told(it: Driven) -> str:
    """What was said in passing."""
    return " ".join(f"{note.title} {note.message}" for note in it.app._notifications)


async def paste(it: Driven, text: str) -> None:
    """Paste as a terminal does, into whatever has the focus."""
    before = prompt_of(it).area.text
    it.app.post_message(events.Paste(text))
    await it.until(lambda: prompt_of(it).area.text != before)


# history


async def test_up_and_down_walk_over_what_was_sent_and_come_back_to_the_draft() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
        await it.turn("add(a=2, b=2)")
        await it.write("half a")
        await it.press("up")
        await it.until(lambda: prompt_of(it).draft == "add(a=2, b=2)")
        await it.press("up")
        await it.until(lambda: prompt_of(it).draft == "add(a=1, b=1)")
        await it.press("up")
        assert prompt_of(it).draft == "add(a=1, b=1)"
        await it.press("down", "down")
        await it.until(lambda: prompt_of(it).draft == "half a")
        await it.press("down")
        assert prompt_of(it).draft == "half a"


async def test_what_was_changed_on_the_way_through_the_history_is_still_there_on_the_way_back() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
        await it.press("up")
        await it.until(lambda: prompt_of(it).draft == "add(a=1, b=1)")
        await it.write("!")
        await it.press("down")
        await it.until(lambda: prompt_of(it).draft == "")
        await it.press("up")
        await it.until(lambda: prompt_of(it).draft == "add(a=1, b=1)!")


async def test_the_cursor_moves_within_a_draft_of_several_lines_before_the_history_begins() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
        await it.write("one\ntwo")
        await it.press("up")
        assert prompt_of(it).area.cursor_location[0] == 0
        assert prompt_of(it).draft == "one\ntwo"
        await it.press("up")
        await it.until(lambda: prompt_of(it).draft == "add(a=1, b=1)")


async def test_what_was_sent_is_there_in_the_next_session_of_the_project(own_folder: Path) -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
    assert sent(own_folder) == ["add(a=1, b=1)"]
    assert (own_folder / ".workbench" / "history.jsonl").stat().st_mode & 0o777 == 0o600
    async with driven() as it:
        await it.until(lambda: it.app.desks.prompts.messages)
        await it.press("up")
        await it.until(lambda: prompt_of(it).draft == "add(a=1, b=1)")


async def test_a_queued_message_comes_back_before_the_history() -> None:
    async with driven() as it:
        await it.send('write_file(path="a.txt", text="1")')
        await it.asked()
        await it.act(lambda: it.app.outbox.send("waits"))
        await it.press("x")
        await it.until(lambda: it.idle)
        assert prompt_of(it).draft == ""
        await it.press("up")
        await it.until(lambda: prompt_of(it).draft == "waits")
        await it.press("ctrl+c", "up")
        await it.until(lambda: prompt_of(it).draft == "waits")
        await it.press("up")
        await it.until(lambda: prompt_of(it).draft.startswith("write_file"))


async def test_a_search_finds_by_words_and_takes_a_message_without_sending_it(own_folder: Path) -> None:
    async with driven() as it:
        for text in ("add(a=1, b=1)", "multiply(a=3, b=4)", "add(a=5, b=6)"):
            await it.turn(text)
        await it.write("draft")
        await it.press("ctrl+r")
        await it.until(lambda: isinstance(it.app.screen, HistoryScreen))
        await it.write("MUL b=4")
        await it.until(lambda: "History  1" in it.shown())
        assert "multiply(a=3, b=4)" in it.shown()
        assert "add(a=5" not in it.shown()
        await it.press("enter")
        await it.until(lambda: prompt_of(it).draft == "multiply(a=3, b=4)")
        assert sent(own_folder)[-1] == "add(a=5, b=6)"
        await it.press("up")
        await it.until(lambda: prompt_of(it).draft == "draft")


async def test_esc_leaves_the_search_and_the_draft_as_it_was() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
        await it.write("my draft")
        await it.press("ctrl+r")
        await it.until(lambda: isinstance(it.app.screen, HistoryScreen))
        await it.write("add")
        await it.press("escape")
        await it.until(lambda: not isinstance(it.app.screen, HistoryScreen))
        assert prompt_of(it).draft == "my draft"


async def test_the_search_shows_the_newest_first_and_each_message_once() -> None:
    async with driven() as it:
        for text in ("/set", "/grants", "/set"):
            await it.act(partial(it.app.desks.prompts.sent, text))
        await it.press("ctrl+r")
        await it.until(lambda: "History  2" in it.shown())
        shown = it.shown()
        assert shown.index("/set") < shown.index("/grants")


@pytest.mark.parametrize("size", [(120, 40), (40, 12)])
async def test_hostile_messages_are_shown_in_the_search_as_what_they_are(size: tuple[int, int]) -> None:
    async with driven(size=size) as it:
        for text in HOSTILE:
            await it.act(partial(it.app.desks.prompts.sent, text))
        await it.press("ctrl+r")
        await it.until(lambda: f"History  {len(HOSTILE)}" in it.shown())
        shown = it.shown()
        assert "[b + c" in shown or size == (40, 12)
        assert not set("\x1b\x9b\u202e\u200b") & set(shown)


async def test_ctrl_c_clears_the_draft_and_up_brings_it_back() -> None:
    async with driven() as it:
        await it.write("a long thought")
        await it.press("ctrl+c")
        await it.until(lambda: prompt_of(it).draft == "")
        await it.press("up")
        await it.until(lambda: prompt_of(it).draft == "a long thought")


# the kept draft


async def test_a_draft_outlives_the_app_and_a_new_conversation(own_folder: Path) -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
        await it.write("unsent \u00e4")
        await it.act(it.app.action_reset)
        await it.until(lambda: it.agent.current_session is None)
        assert prompt_of(it).draft == "unsent \u00e4"
    (kept,) = (own_folder / ".workbench" / "drafts").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    async with driven() as it:
        await it.until(lambda: prompt_of(it).draft == "unsent \u00e4")
        await it.press("ctrl+c")
    async with driven() as it:
        await it.act(lambda: None)
        assert it.app.desks.prompts.settle(10)
        await it.pilot.pause()
        assert prompt_of(it).draft == ""
    assert list((own_folder / ".workbench" / "drafts").iterdir()) == []


async def test_a_draft_is_on_disk_while_it_is_written(own_folder: Path) -> None:
    folder = own_folder / ".workbench" / "drafts"
    async with driven() as it:
        await it.write("before the crash")
        await it.until(lambda: any("crash" in path.read_text() for path in folder.glob("*.txt")))


async def test_a_draft_that_comes_late_does_not_overwrite_what_is_being_written(own_folder: Path) -> None:
    folder = own_folder / ".workbench" / "drafts"
    folder.mkdir(parents=True)
    (folder / "1_left.txt").write_text("of last time")
    async with driven() as it:
        await it.until(lambda: prompt_of(it).draft == "of last time")
        await it.press("ctrl+c")
        await it.write("new")
        it.app.desks.prompts._restore("older still")
        assert prompt_of(it).draft == "new"
        await it.press("up")
        await it.until(lambda: prompt_of(it).draft == "older still")


# pastes


async def test_a_long_paste_is_one_piece_and_is_sent_whole() -> None:
    text = "\n".join(f"line {number}" for number in range(1204))
    async with driven() as it:
        await it.write("see ")
        await paste(it, text)
        assert prompt_of(it).area.text == "see [pasted 1,204 lines]"
        assert prompt_of(it).draft == f"see {text}"
        await it.press("enter")
        await it.until(lambda: it.idle and it.trace)
        session = it.agent.current_session
        assert session is not None
        assert next(m for m in session["messages"] if m["role"] == "user")["content"] == f"see {text}"


async def test_a_piece_is_erased_and_passed_over_as_one_and_comes_back_with_undo() -> None:
    async with driven() as it:
        await it.write("a")
        await paste(it, "x\n" * 40)
        area = prompt_of(it).area
        end = len("a[pasted 40 lines]")
        assert area.cursor_location == (0, end)
        await it.press("left")
        assert area.cursor_location == (0, 1)
        await it.press("right")
        assert area.cursor_location == (0, end)
        await it.press("backspace")
        assert area.text == "a"
        await it.press("ctrl+underscore")
        assert area.text == "a[pasted 40 lines]"
        assert prompt_of(it).draft == "a" + "x\n" * 40
        await it.press("home", "right", "delete")
        assert area.text == "a"


@pytest.mark.parametrize(
    ("keys", "left"),
    [
        (["ctrl+x"], ""),
        (["a", "ctrl+x"], ""),
        (["a", "home", "ctrl+k", "ctrl+k"], ""),
        (["a", "ctrl+j", "b", "ctrl+x"], "a\n"),
        (["a", "ctrl+j", "b", "up", "ctrl+x"], "b"),
    ],
    ids=" ".join,
)
async def test_the_line_that_is_taken_away_may_be_the_last_one(keys: list[str], left: str) -> None:
    async with driven() as it:
        await it.focus("prompt")
        for key in keys:
            await it.press(key)
        assert it.app.main.prompt.draft == left


async def test_a_piece_is_unfolded_by_key_and_by_click() -> None:
    text = "\n".join(["word"] * 30)
    async with driven() as it:
        await paste(it, text)
        await it.press("ctrl+o")
        assert prompt_of(it).area.text == text
        await it.press("ctrl+underscore")
        assert prompt_of(it).area.text == "[pasted 30 lines]"
        await it.until(lambda: prompt_of(it).area.size.height == 1)
        await it.pilot.click(prompt_of(it).area, offset=Offset(4, 0))
        await it.until(lambda: prompt_of(it).area.text == text)


async def test_two_pastes_of_one_size_are_told_apart() -> None:
    async with driven() as it:
        await paste(it, "a\n" * 20)
        await paste(it, "b\n" * 20)
        assert prompt_of(it).area.text == "[pasted 20 lines][pasted 20 lines #2]"
        assert prompt_of(it).draft == "a\n" * 20 + "b\n" * 20


async def test_a_paste_that_is_too_long_to_unfold_says_where_it_can_be_seen() -> None:
    async with driven() as it:
        await paste(it, "x" * 1_000_000)
        assert prompt_of(it).area.text == "[pasted 1,000,000 characters]"
        await it.press("ctrl+o")
        await it.until(lambda: "in your editor" in told(it))
        assert prompt_of(it).area.text == "[pasted 1,000,000 characters]"
        assert len(prompt_of(it).draft) == 1_000_000


async def test_a_paste_is_cleaned_visibly_and_keeps_tabs() -> None:
    async with driven() as it:
        await paste(it, "a\tb\r\nc\x1b[31m\u202ed\rlast")
        assert prompt_of(it).draft == "a\tb\nc\\e[31m\\u202ed\nlast"


async def test_a_long_message_of_the_history_is_folded_too() -> None:
    async with driven() as it:
        await it.act(lambda: it.app.desks.prompts.sent("y\n" * 3_000 + "z"))
        await it.press("up")
        await it.until(lambda: prompt_of(it).area.text == "[pasted 3,001 lines]")
        assert prompt_of(it).draft == "y\n" * 3_000 + "z"


async def test_a_long_message_is_folded_in_the_conversation_and_can_be_unfolded() -> None:
    text = "\n".join(f"line {number}" for number in range(60))
    async with driven() as it:
        await it.turn(text)
        conversation = it.app.main.conversation
        await it.focus("conversation")
        await it.press("home")
        await it.until(lambda: "▸ 48 more lines" in it.shown(conversation))
        assert "line 11" in it.shown(conversation)
        assert "line 12" not in it.shown(conversation)
        await it.press("k", "k", "k", "enter")
        await it.until(lambda: "line 12" in it.shown(conversation))


# the editor


def editor(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> Path:
    """An editor that does what ``code`` says with the file ``path``."""
    script = folder / "editor.py"
    script.write_text(f"import pathlib, sys\npath = pathlib.Path(sys.argv[-1])\n{code}\n")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script} --wait")
    return script


async def test_ctrl_g_writes_the_draft_in_the_editor(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(
        own_folder,
        monkeypatch,
        "seen = pathlib.Path('seen')\n"
        "seen.write_text(f'{oct(path.stat().st_mode)[-3:]} {path.suffix} {path.read_text()}')\n"
        "path.write_text('from the editor\\n')",
    )
    async with driven() as it:
        await it.write("first")
        await it.press("ctrl+g")
        await it.until(lambda: prompt_of(it).draft == "from the editor")
    assert (own_folder / "seen").read_text() == "600 .md first"


async def test_the_editor_sees_a_pasted_piece_whole(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(own_folder, monkeypatch, "path.write_text(path.read_text().upper())")
    async with driven() as it:
        await paste(it, "x\n" * 39 + "x")
        await it.press("ctrl+g")
        await it.until(lambda: prompt_of(it).draft == "X\n" * 39 + "X")


@pytest.mark.parametrize(
    ("code", "said"),
    [("path.write_text('lost'); sys.exit(3)", "ended with 3"), ("path.unlink()", "took the file away")],
)
async def test_an_editor_that_fails_leaves_the_draft(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: str
) -> None:
    editor(own_folder, monkeypatch, code)
    async with driven() as it:
        await it.write("mine")
        await it.press("ctrl+g")
        await it.until(lambda: said in told(it))
        assert prompt_of(it).draft == "mine"


async def test_a_draft_that_was_emptied_in_the_editor_is_one_step_up(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(own_folder, monkeypatch, "path.write_text('')")
    async with driven() as it:
        await it.draft("keep me")
        await it.press("ctrl+g")
        await it.until(lambda: prompt_of(it).draft == "")
        await it.press("up")
        await it.until(lambda: prompt_of(it).draft == "keep me")


async def test_without_an_editor_it_is_said_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    async with driven() as it:
        await it.write("mine")
        await it.press("ctrl+g")
        await it.until(lambda: "Set VISUAL or EDITOR" in told(it))
        assert prompt_of(it).draft == "mine"


# letters typed elsewhere


async def test_a_letter_that_means_nothing_in_a_panel_goes_to_the_prompt_and_takes_the_focus_there() -> None:
    async with driven() as it:
        await it.focus("tools")
        before = [tool.name for tool in it.agent.tools if it.agent.tools.is_enabled(tool.name)]
        await it.write("what is on")
        await it.until(lambda: prompt_of(it).draft == "what is on")
        assert it.app.main.focused_panel == "prompt"
        assert before == [tool.name for tool in it.agent.tools if it.agent.tools.is_enabled(tool.name)]


async def test_space_and_enter_keep_their_meaning_in_the_tools_panel() -> None:
    async with driven() as it:
        await it.focus("tools")
        await it.press("down", "space")
        await it.until(lambda: not it.agent.tools.is_enabled("arithmetic.add"))
        assert prompt_of(it).draft == ""
        assert it.app.main.focused_panel == "tools"


async def test_letters_typed_in_a_filter_stay_there() -> None:
    async with driven() as it:
        await it.focus("trace")
        await it.press("slash")
        await it.write("who")
        assert prompt_of(it).draft == ""


async def test_what_is_pasted_over_a_panel_goes_to_the_prompt() -> None:
    async with driven(size=(80, 24)) as it:
        await it.focus("tools")
        await paste(it, "pasted text")
        assert prompt_of(it).draft == "pasted text"
        await it.until(lambda: it.app.main.focused_panel == "prompt")


@pytest.mark.parametrize("panel", ["conversation", "trace", "tools"])
@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_a_text_that_comes_at_once_goes_to_the_prompt_whole(panel: str, size: tuple[int, int]) -> None:
    async with driven(size=size) as it:
        await it.turn("add(a=1, b=2)")
        await it.focus(panel)
        before = [it.agent.tools.is_enabled(tool.name) for tool in it.agent.tools]
        await it.burst("please total a b Read x")
        await it.until(lambda: it.app.main.focused_panel == "prompt")
        await it.until(lambda: prompt_of(it).draft == "please total a b Read x")
        assert it.app.screen is it.app.main
        assert before == [it.agent.tools.is_enabled(tool.name) for tool in it.agent.tools]


@pytest.mark.parametrize("text", ["/clear", "call me back", "fix the Rest", " x by c", "break b"])
async def test_a_text_that_begins_with_a_key_of_the_panel_does_nothing_there(text: str) -> None:
    async with driven() as it:
        await it.focus("tools")
        before = [it.agent.tools.is_enabled(tool.name) for tool in it.agent.tools]
        await it.burst(text)
        await it.until(lambda: prompt_of(it).draft == text)
        await it.until(lambda: it.app.main.focused_panel == "prompt")
        assert it.app.screen is it.app.main
        assert before == [it.agent.tools.is_enabled(tool.name) for tool in it.agent.tools]


async def test_enter_at_the_end_of_a_text_that_came_at_once_sends_nothing_that_nobody_read() -> None:
    async with driven() as it:
        await it.focus("trace")
        await it.burst("please wait\n")
        await it.until(lambda: prompt_of(it).draft == "please wait")
        await it.until(lambda: it.app.main.focused_panel == "prompt")
        assert it.idle
        await it.press("enter")
        await it.until(lambda: prompt_of(it).draft == "")


@pytest.mark.parametrize(("pause", "sent"), [(0.03, 1), (0.01, 0)])
async def test_enter_sends_what_a_fast_typist_wrote_over_a_panel_and_nothing_that_a_program_sent(
    pause: float, sent: int
) -> None:
    async with driven() as it:
        await it.focus("trace")
        for char in "add(a=1, b=2)":
            await it.pilot.press(*keys_of(char))
            it.clock.now += pause
        await it.pilot.press("enter")
        if sent:
            await it.until(lambda: it.idle and it.trace)
            await it.until(lambda: any(entry["type"] == "tool_execution" for entry in it.trace))
        else:
            await it.until(lambda: prompt_of(it).draft == "add(a=1, b=2)")
            assert it.trace == []


async def test_one_key_pressed_over_and_over_stays_with_the_panel() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        await it.focus("conversation")
        await it.burst("kkkjkj")
        assert prompt_of(it).draft == ""
        assert it.app.main.focused_panel == "conversation"


async def test_a_key_of_the_panel_after_a_pause_is_no_part_of_a_text() -> None:
    async with driven() as it:
        await it.focus("tools")
        await it.press("down")
        await it.press("space")
        await it.until(lambda: not it.agent.tools.is_enabled("arithmetic.add"))
        await it.press("c")
        await it.until(lambda: it.app.screen is not it.app.main)
        assert prompt_of(it).draft == ""


async def test_the_rest_of_a_text_goes_where_its_beginning_went_though_a_screen_came_up() -> None:
    async with driven() as it:
        await it.focus("tools")
        await it.press("down")
        await it.press("c")
        await it.until(lambda: it.app.screen is not it.app.main)
        await it.burst("all R")  # without a pause after the c
        await it.until(lambda: prompt_of(it).draft == "call R")


async def test_an_app_that_came_up_in_a_window_behind_is_written_in_like_any_other() -> None:
    clock = Clock()
    app = WorkbenchApp(sample_agent, theme="graphite", themes=THEMES, clock=clock)
    app.set_reactive(WorkbenchApp.app_focus, False)  # the terminal said so before the first frame
    async with app.run_test(size=(120, 40)) as pilot:
        it = Driven(app, pilot, clock)
        await it.until(lambda: not app.busy)
        app.post_message(events.AppFocus())
        await pilot.pause()

        await it.write("add(a=2, b=3)")
        await it.press("enter")

        await it.until(lambda: it.idle and it.trace)
        assert prompt_of(it).draft == ""
    assert app.agent_thread.finish(timeout=60)


@pytest.mark.parametrize(("width", "named"), [(120, True), (40, False)])
async def test_an_empty_prompt_names_commands_and_files_where_there_is_room(width: int, named: bool) -> None:
    async with driven(size=(width, 30)) as it:
        await it.until(lambda: "Message assistant" in it.shown(prompt_of(it)))
        await it.until(lambda: ("/ commands   @ files" in it.shown(prompt_of(it))) is named)
        await it.pilot.resize_terminal(200 - width, 30)
        await it.until(lambda: "/ commands   @ files" in it.shown(prompt_of(it)))


async def test_a_folded_paste_attaches_no_file_that_it_names(own_folder: Path) -> None:
    (own_folder / "secret.txt").write_text("the secret")
    async with driven() as it:
        await paste(it, "see @secret.txt\n" * 40)
        assert prompt_of(it).area.text == "[pasted 40 lines]"
        await it.press("enter")
        await it.until(lambda: it.idle and it.trace)
        prompt = it.trace[0]["prompt"]
        assert "@secret.txt" in prompt
        assert "the secret" not in prompt


async def test_f6_goes_to_the_next_panel_from_the_prompt_too() -> None:
    async with driven() as it:
        await it.draft("half a sentence")
        await it.focus("prompt")
        await it.press("f6")
        await it.until(lambda: it.app.main.focused_panel == "conversation")
        assert prompt_of(it).area.selected_text == ""


async def test_the_key_that_unfolds_a_paste_folds_it_again() -> None:
    async with driven() as it:
        text = "\n".join(f"line {number}" for number in range(30))
        await it.write("see ")
        await paste(it, text)
        assert prompt_of(it).area.text == "see [pasted 30 lines]"
        await it.press("ctrl+o")
        await it.until(lambda: prompt_of(it).area.text == f"see {text}")
        await it.press("ctrl+o")
        await it.until(lambda: prompt_of(it).area.text == "see [pasted 30 lines]")
        assert prompt_of(it).draft == f"see {text}"


async def test_a_pasted_secret_is_sent_and_stays_in_the_draft_but_is_kept_nowhere(own_folder: Path) -> None:
    key = "sk-" + "a1" * 20
    async with driven() as it:
        await it.turn(f"say {key}")
        session = it.agent.current_session
        assert session is not None
        assert any(message["content"] == f"say {key}" for message in session["messages"])
        await paste(it, f"again {key}")
        drafts = own_folder / ".workbench" / "drafts"
        await it.until(
            lambda: drafts.is_dir() and any("[masked key]" in _read(each) for each in drafts.iterdir())
        )
        assert it.app.main.prompt.draft == f"again {key}"
    assert key not in "".join(_read(path) for path in own_folder.rglob("*") if path.is_file())
    async with driven() as it:
        await it.until(lambda: it.app.main.prompt.draft == "again [masked key]")
        (note,) = it.app._notifications
        assert note.message.endswith("Secrets in it were not kept.")


def _read(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


async def test_words_behind_a_command_that_takes_none_do_nothing_and_stay_in_the_prompt() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        await it.send("/new thing: add(a=3, b=4)")
        await it.until(lambda: "/new takes nothing behind it" in it.shown(it.app.main.conversation))
        assert it.app.main.prompt.draft == "/new thing: add(a=3, b=4)"
        assert len(it.trace) > 0
        assert "❯ add(a=1, b=2)" in it.shown(it.app.main.conversation)
