"""The approval screen, by real keys and clicks: what decides, what does not, and what is shown."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any

import pytest
from textual import events
from textual.widgets import Input, TextArea

from tests.tui.approval_app import Trial, call, request, trial
from workbench.errors import WorkbenchError
from workbench.tui.approval import ApprovalResult, Preview, Proposal, Verdict
from workbench.tui.screens import approval_pages
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.screens.approval_always import AlwaysPanel
from workbench.tui.screens.approval_fields import EditField
from workbench.visible import visible_line

HOSTILE = [
    "[a=b",
    "[/",
    "[/#888]",
    "[",
    "\\[",
    "[b + c",
    "[/dim]",
    "\x1b[2J",
    "\x9b31m",
    "\x1b]0;title\x07",
    "\u202egpj",
]


def decided(result: ApprovalResult) -> list[str]:
    return [verdict.decision for verdict in result.verdicts]


# the keys


async def test_y_and_n_decide_the_highlighted_call_and_go_on_and_enter_submits() -> None:
    async with trial() as it:
        agent = await it.ask()

        await it.press("y", "n", "y", "enter")

        assert decided(await it.answered(agent)) == ["approve", "reject", "approve"]
        assert agent.ran_ids == ["a", "c"]


async def test_nothing_runs_before_it_is_submitted() -> None:
    async with trial() as it:
        agent = await it.ask()

        await it.press("Y")
        await it.pilot.pause()

        assert it.decisions == ["approve"] * 3
        assert not agent.done.is_set()


@pytest.mark.parametrize(("down", "up"), [("j", "k"), ("down", "up")])
async def test_arrows_and_j_k_move_over_the_calls_and_stop_at_the_ends(down: str, up: str) -> None:
    async with trial() as it:
        await it.ask()
        await it.press(down, down, down)
        assert it.screen.calls.cursor == 2

        await it.press(up)
        assert it.screen.calls.cursor == 1

        await it.press(up, up)
        assert it.screen.calls.cursor == 0
        assert it.decisions == [None] * 3


@pytest.mark.parametrize(("key", "word"), [("Y", "approve"), ("N", "reject")])
async def test_capital_letters_decide_all_that_are_undecided(key: str, word: str) -> None:
    async with trial() as it:
        agent = await it.ask()
        other = "n" if key == "Y" else "y"

        await it.press(other, key, "enter")

        assert decided(await it.answered(agent)) == ["reject" if other == "n" else "approve", word, word]


async def test_enter_says_which_calls_have_no_verdict_and_goes_there() -> None:
    async with trial() as it:
        agent = await it.ask()

        await it.press("j", "y", "k", "enter")

        assert it.screen.sheet.note == "Calls 1 and 3 have no verdict: y run, n reject"
        assert it.screen.calls.cursor == 0
        assert not agent.done.is_set()


async def test_a_rejection_with_a_reason_carries_it_and_shows_what_the_model_reads() -> None:
    async with trial() as it:
        agent = await it.ask(call("a"), call("b"))

        await it.press("r")
        await it.write("ask me first, yes")
        assert "1 Rejected by the user: ask me first, yes" in it.shown("#receives")
        await it.press("enter")
        assert it.screen.calls.cursor == 1
        await it.press("y", "enter")

        assert (await it.answered(agent)).verdicts[0] == Verdict("a", "reject", "ask me first, yes")
        assert agent.ran_ids == ["b"]


async def test_leaving_the_reason_with_esc_leaves_the_field_only() -> None:
    async with trial() as it:
        agent = await it.ask()

        await it.press("r", "n", "o", "escape")

        assert it.decisions == [None] * 3
        assert not agent.done.is_set()
        await it.press("y")
        assert it.decisions == ["approve", None, None]


async def test_esc_rejects_what_is_undecided_and_the_model_goes_on() -> None:
    async with trial() as it:
        agent = await it.ask()

        await it.press("y", "escape")

        result = await it.answered(agent)
        assert decided(result) == ["approve", "reject", "reject"]
        assert not result.stop


async def test_x_rejects_everything_and_stops_the_turn() -> None:
    async with trial() as it:
        agent = await it.ask()

        await it.press("Y", "x")

        result = await it.answered(agent)
        assert result.stop
        assert agent.ran == []


async def test_allowed_calls_are_shown_as_run_and_denied_ones_cannot_be_run() -> None:
    async with trial() as it:
        agent = await it.ask(
            call("a", permission="allow", because=""),
            call("b", permission="deny", because="rule: sh*"),
            call("c"),
        )
        assert it.decisions == ["approve", "reject", None]
        assert it.screen.calls.cursor == 2
        assert "⊘ denied" in it.shown("#calls")

        for key in ("y", "e", "r", "a"):
            await it.press("k", "k", "j", key)
            assert it.screen.sheet.mode == "calls"
            assert "policy denies" in it.screen.sheet.note
        assert "that the policy denies it: rule: sh*" in it.shown("#receives")
        await it.press("Y", "enter")

        assert decided(await it.answered(agent)) == ["approve", "reject", "approve"]


async def test_calls_that_cannot_run_say_so_and_no_verdict_reaches_them() -> None:
    async with trial() as it:
        agent = await it.ask(
            call("a", "files.delete", permission="deny", because="switched off"),
            call("b", "frobnicate", permission="deny", because="no such tool"),
            call("c"),
        )
        calls, received = it.shown("#calls"), it.shown("#receives")
        assert "⊘ off" in calls
        assert "✗ no such" in calls
        assert "that files.delete is switched off" in received
        assert "that there is no tool frobnicate" in received

        await it.press("k", "k", "y")
        assert it.screen.sheet.note == "Call 1: its tool is switched off; no verdict can let it run."
        await it.press("k", "y")
        assert it.screen.sheet.note == "Call 2: there is no tool of this name; no verdict can let it run."
        await it.press("Y")
        assert "Run 1  enter" in it.shown("#foot")
        await it.press("enter")

        assert decided(await it.answered(agent)) == ["reject", "reject", "approve"]


async def test_free_rows_show_more_of_what_the_model_will_receive() -> None:
    async with trial() as it:
        await it.ask(*(call(str(number)) for number in range(8)))
        assert all(f"  {number + 1} " in it.shown("#receives") for number in range(8))
        assert "shown" not in it.shown("#heading")


async def test_a_long_page_keeps_its_rows() -> None:
    async with trial() as it:
        calls = [call(str(number), text="\n".join(f"line {n}" for n in range(60))) for number in range(8)]
        await it.ask(*calls)
        assert it.screen.query_one("#page").size.height >= 10


async def test_the_reason_for_asking_is_shown_whole_where_there_is_room() -> None:
    async with trial() as it:
        await it.ask(call("a", because="not marked read-only"))
        assert "not marked read-only" in it.shown("#calls")


@pytest.mark.parametrize("width", [80, 120])
async def test_the_keys_that_find_no_place_beside_the_button_stand_above_it(width: int) -> None:
    async with trial((width, 40)) as it:
        await it.ask()
        foot = it.shown("#foot")
        for hint in ("y run", "n reject", "esc reject rest", "Y run all", "x stop", "c copy"):
            assert hint in foot


@pytest.mark.parametrize(("width", "esc"), [(40, "esc "), (60, "esc reject rest"), (120, "esc reject rest")])
async def test_once_all_is_decided_esc_and_enter_are_still_named(width: int, esc: str) -> None:
    async with trial((width, 12)) as it:
        await it.ask()
        await it.press("y", "y", "n")
        foot = it.shown("#foot")
        assert esc in foot
        assert "Run 2, reject 1  enter" in foot
        assert "y run" in foot
        assert " x " in foot


@pytest.mark.parametrize("key", ["ctrl+p", "f4"])
async def test_the_keys_of_the_palette_open_it_above_and_esc_closes_only_that(key: str) -> None:
    async with trial() as it:
        agent = await it.ask(call("a"))
        await it.press(key)
        await it.until(lambda: len(it.app.screen_stack) == 3)
        await it.press("escape")
        await it.until(lambda: len(it.app.screen_stack) == 2)
        assert not agent.done.is_set()
        await it.press("y", "enter")
        await it.answered(agent)


async def test_c_copies_all_of_the_arguments() -> None:
    async with trial() as it:
        arguments: dict[str, Any] = {"text": "one\ntwo\u202e" * 500, "n": "1"}
        await it.ask(call("a", "write", **arguments))

        await it.press("c")

        assert json.loads(it.app.clipboard) == arguments


async def test_the_button_says_what_submitting_does_and_can_be_clicked() -> None:
    async with trial() as it:
        agent = await it.ask()
        assert "3 to decide" in it.shown("#foot")
        await it.press("y", "y", "n")
        assert "Run 2, reject 1  enter" in it.shown("#foot")

        await it.pilot.click("#foot", offset=(95, 2))

        assert decided(await it.answered(agent)) == ["approve", "approve", "reject"]


async def test_a_hint_can_be_clicked_and_a_row_only_takes_the_highlight() -> None:
    async with trial() as it:
        await it.ask()

        await it.pilot.click("#calls", offset=(8, 2))
        assert it.screen.calls.cursor == 1
        assert it.decisions == [None] * 3

        await it.pilot.click("#foot", offset=(4, 2))
        assert it.decisions == [None, "approve", None]


# typing for the prompt (held keys)


async def test_two_hundred_keys_typed_across_its_arrival_decide_nothing_and_reach_the_draft() -> None:
    text = ("yes, n or Y? 1 2 3 x a e r N\n" * 8)[:200]
    async with trial() as it:
        it.app.prompt.focus()
        await it.write(text[:90].replace("\n", " "))
        agent = await it.ask(quiet=False)

        for char in text[90:]:
            it.app.clock.now += 0.3
            await it.write(char)
        await it.pilot.pause()

        assert it.decisions == [None] * 3
        assert it.screen.sheet.mode == "calls"
        assert it.app.prompt.text == text[:90].replace("\n", " ") + text[90:]
        assert not agent.done.is_set()


async def test_a_key_that_erases_reaches_the_draft_too() -> None:
    async with trial() as it:
        it.app.prompt.focus()
        await it.write("helo")
        await it.ask(quiet=False)

        await it.press("backspace", "l", "o")
        await it.pilot.pause()

        assert it.app.prompt.text == "hello"


async def test_two_hundred_keys_with_pauses_between_words_decide_nothing_and_reach_the_draft() -> None:
    text = ("maybe yes, try n or Y? e a x r N " * 7)[:200]
    async with trial() as it:
        it.app.prompt.focus()
        await it.write(text[:6])
        agent = await it.ask(quiet=False)

        it.app.clock.now += 0.5
        for char in text[6:]:
            await it.write(char)
            it.app.clock.now += 1.0 if char == " " else 0.1
        await it.until(lambda: len(it.app.prompt.text) >= len(text))

        assert it.decisions == [None] * 3
        assert it.screen.sheet.mode == "calls"
        assert it.app.prompt.text == text
        assert "Keys go to your draft" in it.screen.sheet.note
        assert not agent.done.is_set()


async def test_who_waited_for_the_question_decides_at_once() -> None:
    async with trial() as it:
        it.app.prompt.focus()
        agent = await it.ask(quiet=False)
        it.app.clock.now += 0.5

        await it.press("y", "n", "y", "enter")

        assert decided(await it.answered(agent)) == ["approve", "reject", "approve"]


async def test_who_was_writing_decides_after_a_pause_or_after_tab() -> None:
    async with trial() as it:
        it.app.prompt.focus()
        await it.write("a draft")
        await it.ask(quiet=False)
        await it.press("tab", "y")
        assert it.decisions == ["approve", None, None]
        it.app.broker.stop()
        await it.until(lambda: not it.asking)

        await it.ask(quiet=False)
        it.app.clock.now += 1.5
        await it.press("n")

        assert it.decisions == ["reject", None, None]
        assert it.app.prompt.text == "a draft"


async def test_keys_that_were_kept_act_at_the_cursor_of_the_draft_in_their_order() -> None:
    async with trial() as it:
        it.app.prompt.focus()
        await it.write("onetwo")
        await it.press("left", "left", "left")
        await it.ask(quiet=False)

        await it.press("x", "backspace", "comma", "space", "end", "!", "home", "delete", "O", "ctrl+j")
        await it.until(lambda: "\n" in it.app.prompt.text)

        assert it.app.prompt.text == "O\nne, two!"
        assert it.app.prompt.cursor_location == (1, 0)
        assert it.decisions == [None] * 3


async def test_text_pasted_while_a_question_is_open_lands_at_the_cursor_of_the_draft() -> None:
    async with trial() as it:
        it.app.prompt.focus()
        await it.write("ad")
        await it.press("left")
        await it.ask()

        it.app.post_message(events.Paste("b\nc"))

        await it.until(lambda: it.app.prompt.text == "ab\ncd")


async def test_keys_pressed_where_nothing_is_written_do_not_reach_the_draft() -> None:
    async with trial() as it:
        it.app.set_focus(None)
        await it.ask(quiet=False)

        await it.press("j", "j", "n")
        await it.pilot.pause()

        assert it.app.prompt.text == ""
        assert it.decisions == [None] * 3


@pytest.mark.parametrize("key", ["enter", "space", "1", "y", "Y", "x", "a"])
async def test_no_key_decides_within_the_grace_period(key: str) -> None:
    async with trial() as it:
        agent = await it.ask(quiet=False)

        await it.press(key)
        await it.pilot.pause()

        assert it.decisions == [None] * 3
        assert it.screen.sheet.mode == "calls"
        assert not agent.done.is_set()


async def test_esc_is_not_held_back() -> None:
    async with trial() as it:
        agent = await it.ask(quiet=False)

        await it.press("escape")

        assert decided(await it.answered(agent)) == ["reject"] * 3


async def test_text_pasted_while_it_is_open_decides_nothing_and_reaches_the_draft() -> None:
    async with trial() as it:
        await it.ask()

        it.app.post_message(events.Paste("yyy\nY"))
        await it.until(lambda: it.app.prompt.text == "yyy\nY")

        assert it.decisions == [None] * 3


async def test_clicks_decide_nothing_within_the_grace_period() -> None:
    async with trial() as it:
        await it.ask(quiet=False)

        await it.pilot.click("#foot", offset=(4, 2))

        assert it.decisions == [None] * 3


async def test_the_click_that_brings_the_window_to_the_front_decides_nothing() -> None:
    async with trial() as it:
        await it.ask()
        it.app.app_focus = False
        it.app.app_focus = True

        await it.pilot.click("#foot", offset=(4, 2))
        assert it.decisions == [None] * 3

        it.app.clock.now += 1
        await it.pilot.click("#foot", offset=(4, 2))
        assert it.decisions == ["approve", None, None]


@pytest.mark.parametrize("key", ["space", "1", "9", "q", "f7", "delete"])
async def test_an_unknown_key_decides_nothing_and_the_note_says_what_would(key: str) -> None:
    async with trial() as it:
        await it.ask()

        await it.press(key)

        assert it.decisions == [None] * 3
        assert it.screen.sheet.note.startswith(f"{key} decides nothing: y run, n reject")


async def test_in_a_text_field_letters_are_text() -> None:
    async with trial() as it:
        await it.ask()
        await it.press("r")

        await it.write("yYnNxae")
        await it.press("up", "down", "pageup", "tab")

        assert it.screen.query_one("#reason", Input).value == "yYnNxae"
        assert it.screen.calls.cursor == 0
        assert it.decisions == [None] * 3


# editing


def typed(it: Trial, text: str) -> None:
    it.screen.query_one(EditField).query_one(TextArea).text = text


async def test_the_model_receives_what_is_wrong_of_a_call_whose_arguments_do_not_fit() -> None:
    async with trial() as it:
        await it.ask(call("a", command=3), call("b"))
        await it.press("y", "y")
        shown = it.shown("#receives")
        assert "1 command: expected a string" in shown
        assert "2 what shell returns" in shown


async def test_edited_arguments_run_instead_of_those_asked_for() -> None:
    async with trial() as it:
        agent = await it.ask(call("a"), call("b"))
        await it.press("e")
        await it.until(lambda: isinstance(it.app.focused, TextArea))
        typed(it, '{"command": "true"}')

        await it.press("ctrl+s")
        assert "± edited" in it.shown("#calls")
        assert "1 what shell returns, called with your arguments" in it.shown("#receives")
        await it.press("n", "enter")

        assert (await it.answered(agent)).verdicts[0].arguments == {"command": "true"}
        assert agent.ran == [("a", {"command": "true"})]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"command": 3}', "command: expected a string"),
        ('{"command": ', "line 1, column 13: not JSON"),
        ('["command"]', "must be an object"),
    ],
)
async def test_arguments_that_do_not_fit_are_told_as_one_types_and_cannot_be_taken(
    text: str, fault: str
) -> None:
    async with trial() as it:
        await it.ask(call("a"))
        await it.press("e")
        await it.until(lambda: "fits the schema" in it.shown("#fault"))

        typed(it, text)
        await it.until(lambda: fault in it.shown("#fault"))
        await it.press("ctrl+s")

        assert it.screen.sheet.mode == "edit"
        assert it.decisions == [None]


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("9" * 5000, "too many digits"),
        ("NaN", "it has no NaN"),
        ("-Infinity", "it has no -Infinity"),
        ("1e999", "1e999 is too large"),
        ("[" * 5000 + "]" * 5000, "nested deeper than 100 levels"),
        ("[" * 101 + "]" * 101, "nested deeper than 100 levels"),
    ],
)
async def test_values_that_json_or_the_tool_cannot_hold_are_told_beside_the_field(
    value: str, fault: str
) -> None:
    async with trial() as it:
        await it.ask(call("a"), check=lambda tool, arguments: None)
        await it.press("e")
        typed(it, f'{{"command": {value}}}')

        await it.until(lambda: fault in it.shown("#fault"))
        await it.press("ctrl+s")

        assert it.screen.sheet.mode == "edit"
        assert it.decisions == [None]


async def test_leaving_the_editor_changes_nothing() -> None:
    async with trial() as it:
        await it.ask(call("a"))
        await it.press("e")
        await it.until(lambda: isinstance(it.app.focused, TextArea))
        typed(it, '{"command": "true"}')

        await it.press("escape")

        assert it.decisions == [None]
        assert it.screen.calls.row.edited is None
        assert it.app.focused is None


async def test_after_an_edit_the_file_change_is_shown_anew() -> None:
    async with trial() as it:
        await it.ask(
            call("a", "write", path="a.txt", text="one"),
            call("b"),
            previews={"a": Preview("a.txt", "", "one")},
        )
        await it.press("e")
        await it.until(lambda: isinstance(it.app.focused, TextArea))
        typed(it, '{"path": "b.txt", "text": "one\\ntwo"}')

        await it.press("ctrl+s", "k")

        await it.until(lambda: "+2" in it.shown("#tabs"))
        assert "b.txt" in it.shown("#tabs")
        assert "two" in it.shown("#page")


async def test_a_preview_that_fails_leaves_the_arguments_to_judge_by() -> None:
    def broken(tool: str, arguments: Any) -> None:
        raise WorkbenchError("OSError: no such folder")

    async with trial() as it:
        await it.ask(
            call("a", "write", path="a", text="one"), previews={"a": Preview("a", "", "one")}, preview=broken
        )
        await it.press("e")
        await it.until(lambda: isinstance(it.app.focused, TextArea))
        typed(it, '{"path": "a", "text": "two"}')

        await it.press("ctrl+s")

        await it.until(lambda: it.screen.sheet.tab == "arguments")
        assert '"two"' in it.shown("#page")
        assert "There is no diff to judge by: OSError: no such folder" in it.shown("#page")


# always


async def always(it: Trial) -> AlwaysPanel:
    await it.press("a")
    await it.until(lambda: it.app.focused is not None)
    await it.pilot.pause()
    return it.screen.query_one(AlwaysPanel)


async def test_a_grant_shows_which_rows_it_covers_before_it_takes_effect() -> None:
    async with trial() as it:
        agent = await it.ask(call("a"), call("b"), call("c", "other"))
        await always(it)
        assert "covered" not in it.shown("#calls")

        await it.press("down", "right")
        await it.until(lambda: "covered" in it.shown("#calls"))
        assert next(line for line in it.shown("#calls").split("\n") if "covered" in line).split()[0] == "2"
        assert "Runs this call and call 2, marked above." in it.shown("#covers")
        assert it.decisions == [None] * 3

        await it.press("enter")
        assert it.decisions == ["approve", "approve", None]
        await it.press("n", "enter")

        assert (await it.answered(agent)).grants == (Proposal("session", "shell"),)


async def test_a_small_screen_says_too_what_a_grant_covers() -> None:
    async with trial((40, 12)) as it:
        await it.ask(call("a"), call("b"))
        await always(it)
        assert "covers only this call" in it.shown("#foot")

        await it.press("down", "right")

        await it.until(lambda: "also runs call 2" in it.shown("#foot"))


async def test_a_grant_states_its_scope_and_starts_with_these_arguments_only() -> None:
    async with trial() as it:
        agent = await it.ask(call("a", "write", path="x/1"), call("b", "write", path="x/2"))
        panel = await always(it)
        assert panel.proposal == Proposal("session", "write", {"path": "x/1"})
        assert "Until you quit or /grants takes it back, write(path='x/1') runs without asking." in it.shown(
            "#covers"
        )

        await it.press("right")
        assert "In this project" in it.shown("#covers")
        await it.press("down", "down", "end", "backspace", "*")
        await it.until(lambda: "covered" in it.shown("#calls"))
        await it.press("enter", "enter")

        assert (await it.answered(agent)).grants == (Proposal("project", "write", {"path": "x/*"}),)
        assert agent.ran_ids == ["a", "b"]


async def test_a_grant_that_misses_its_own_call_cannot_be_confirmed() -> None:
    async with trial() as it:
        await it.ask(call("a", "write", path="x/1"))
        await always(it)
        await it.press("down", "down", "end", "backspace", "9")
        await it.until(lambda: "It does not cover this call." in it.shown("#covers"))

        await it.press("enter")

        assert it.screen.sheet.mode == "always"
        assert it.decisions == [None]


async def test_leaving_the_panel_remembers_nothing() -> None:
    async with trial() as it:
        agent = await it.ask(call("a"), call("b"))
        await always(it)
        await it.press("down", "right", "escape")
        assert it.decisions == [None, None]
        assert "covered" not in it.shown("#calls")

        await it.press("Y", "enter")

        assert (await it.answered(agent)).grants == ()


async def test_what_will_be_remembered_is_told_until_a_plain_verdict_takes_it_back() -> None:
    async with trial() as it:
        await it.ask(call("a"), call("b", "other"))
        await always(it)
        await it.press("enter")
        assert "✓ always" in it.shown("#calls")
        assert "remembered until you quit: shell(command='make a')" in it.shown("#receives")

        await it.press("k", "y")

        assert "✓ always" not in it.shown("#calls")
        assert "remembered" not in it.shown("#receives")


async def test_verdict_keys_mean_nothing_while_the_panel_is_open() -> None:
    async with trial() as it:
        agent = await it.ask(call("a"), call("b"))
        await always(it)

        await it.press("y", "n", "Y", "N", "x", "e", "r", "c", "j")

        assert it.screen.sheet.mode == "always"
        assert it.decisions == [None, None]
        assert it.screen.calls.cursor == 0
        assert not agent.done.is_set()


async def test_these_calls_only_leaves_nothing_behind() -> None:
    async with trial() as it:
        agent = await it.ask(call("a"), call("b"))
        await always(it)
        await it.press("left", "down", "right", "enter", "enter")

        assert (await it.answered(agent)).grants == ()
        assert agent.ran_ids == ["a", "b"]


# what is shown


async def test_every_argument_can_be_read_to_its_end() -> None:
    text = "\n".join(f"line {n}" for n in range(200)) + "\n"
    async with trial((80, 24)) as it:
        await it.ask(call("a", "write", path="a", text=text))
        seen = it.shown("#page")
        assert "lines 1 to 12 of 202" in it.shown("#tabs")

        for _ in range(40):
            await it.press("pagedown")
            seen += "\n" + it.shown("#page")

        assert all(f"line {n} " in seen for n in range(200))
        assert "lines 191 to 202 of 202" in it.shown("#tabs")
        await it.press("home", "ctrl+down")
        assert "lines 2 to 13 of 202" in it.shown("#tabs")


async def test_a_line_of_a_million_characters_is_wrapped_and_not_cut() -> None:
    async with trial() as it:
        await it.ask(call("a", "write", text="x" * 1_000_000 + "END"))

        await it.press("end")

        assert 'END"' in it.shown("#page")


async def test_all_of_fifty_calls_can_be_reached() -> None:
    async with trial((80, 24)) as it:
        agent = await it.ask(*(call(str(n), because=f"reason {n}") for n in range(50)))
        assert "1 to 10 shown" in it.shown("#heading")

        await it.press(*["down"] * 49)
        assert "make 49" in it.shown("#calls")
        assert "asks because: reason 49" in it.shown("#calls")
        await it.press("n", "Y", "enter")

        assert decided(await it.answered(agent)) == ["approve"] * 49 + ["reject"]


async def test_hidden_and_acting_characters_show_as_escapes_and_nothing_is_parsed() -> None:
    async with trial() as it:
        text = "".join(HOSTILE) + "\ttab\u200b"
        hostile: dict[str, Any] = {"[b]": text}
        await it.ask(
            call("a", "sh[/]ell\x1b", because="[link=x]\x1b[2J", **hostile),
            agent="[/]\u202eagent",
            said=f"[bold]{text}",
            schemas={"sh[/]ell\x1b": {"description": text}},
        )
        seen = it.shown("ApprovalScreen #sheet")
        for _ in range(3):
            seen += it.shown()
            await it.press("right")
        await it.press("e")
        await it.until(lambda: it.screen.query("EditField"))
        await it.pilot.pause()
        seen += it.shown()
        await it.press("escape")
        await always(it)
        seen += it.shown()

        assert not any(char in seen for char in "\x1b\x9b\x07\u202e\u200b\t")
        assert "sh[/]ell\\e" in seen
        assert "[/]\\u202eagent" in seen
        assert visible_line("[link=x]\x1b[2J") in seen
        assert "[a=b[/[/#888][\\\\[[b + c[/dim]" in seen


async def test_wide_characters_keep_the_columns() -> None:
    async with trial() as it:
        await it.ask(call("a", "write", path="漢字" * 60), call("b", "write", path="plain"))

        lines = it.shown("#calls").split("\n")

        assert all(line.rstrip().endswith("writes") for line in lines[1:3])
        strips = it.screen._compositor.render_strips()
        assert {strip.cell_length for strip in strips} == {120}


async def test_the_agent_that_asks_is_named() -> None:
    async with trial() as it:
        await it.ask(agent="outer > researcher")

        assert "outer > researcher" in it.shown("#heading")


async def test_the_time_waited_and_the_reasons_for_asking_are_shown_and_the_bell_rings() -> None:
    async with trial() as it:
        await it.ask(call("a", because="rule: sh*"))

        assert "waiting 12 s" in it.shown("#heading")
        assert "rule: sh*" in it.shown("#calls")
        assert it.app.bells == 1


async def test_left_and_right_turn_the_tabs_and_the_diff_is_there_only_for_a_file_change() -> None:
    async with trial() as it:
        await it.ask(
            call("a", "write", path="a", text="new\n"),
            call("b"),
            previews={"a": Preview("a", "old\n", "new\n")},
            said="Because it is old.",
            schemas={"write": {"type": "object"}},
        )
        assert it.screen.sheet.tab == "diff"
        assert "− old" in it.shown("#page")
        await it.press("right", "right")
        assert '"type": "object"' in it.shown("#page")
        await it.press("right", "right")
        assert "Because it is old." in it.shown("#page")
        await it.press("down")
        assert "Diff" not in it.shown("#tabs")

        await it.pilot.click("#tabs", offset=(5, 0))
        assert "make b" in it.shown("#page")


async def test_arguments_that_do_not_fit_the_schema_are_told_before_one_decides() -> None:
    async with trial() as it:
        await it.ask(call("a", "write", path=3))

        assert "path: expected a string" in it.shown("#page")


async def test_long_texts_are_compared_off_the_screens_loop() -> None:
    old = "".join(f"old {n}\n" for n in range(3_000))
    new = old.replace("old 7\n", "new 7\n")
    async with trial() as it:
        await it.ask(call("a", "write", path="a", text=new), previews={"a": Preview("a", old, new)})

        await it.until(lambda: "new 7" in it.shown("#page"))

        assert "+1 −1" in it.shown("#tabs")


async def test_a_comparison_that_nobody_looks_at_any_more_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    left, pause = threading.Event(), threading.Event()

    def endless(old: str, new: str, *, stopped: Callable[[], bool]) -> None:
        while not stopped():
            pause.wait(0.01)
        left.set()
        raise CancelledError

    monkeypatch.setattr(approval_pages, "diff", endless)
    long = "line\n" * 3_000
    async with trial() as it:
        agent = await it.ask(call("a", "write", path="a", text=""), previews={"a": Preview("a", long, "")})
        await it.until(lambda: "working out what would change" in it.shown("#page"))
        await it.press("x")
        await it.until(agent.done.is_set)
        await it.until(left.is_set)


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (104, 30), (120, 40), (300, 100)])
async def test_it_can_be_used_at_every_size(size: tuple[int, int]) -> None:
    async with trial(size) as it:
        agent = await it.ask(call("a"), call("b", permission="allow"))
        for selector in ("#heading", "#calls", "#tabs", "#page", "#receives", "#foot"):
            region = it.screen.query_one(selector).region
            assert region.height > 0
            assert region.bottom <= size[1]
        assert "esc reject rest" in it.shown("#foot")
        for key in ("e", "a", "r"):
            await it.press(key)
            await it.until(lambda: it.app.focused is not None)
            await it.pilot.pause()
            assert it.app.focused is not None
            assert it.app.focused.region.height > 0
            assert it.app.focused.region.bottom <= size[1]
            await it.press("escape")

        await it.press("y", "enter")
        await it.answered(agent)
        assert agent.ran_ids == ["a", "b"]


async def test_a_resize_keeps_the_verdicts_and_the_open_field() -> None:
    async with trial() as it:
        await it.ask()
        await it.press("y", "r", "h", "i")

        await it.pilot.resize_terminal(40, 12)
        await it.pilot.pause()
        await it.press("enter")

        assert it.decisions == ["approve", "reject", None]


async def test_help_can_be_opened_above_and_closed_again() -> None:
    async with trial() as it:
        agent = await it.ask(call("a"))
        await it.press("y", "f1")
        await it.until(lambda: len(it.app.screen_stack) == 3)

        await it.press("escape")
        await it.until(lambda: len(it.app.screen_stack) == 2)
        assert it.decisions == ["approve"]
        await it.press("enter")
        await it.answered(agent)


async def test_a_screen_answers_once_although_enter_is_pressed_twice() -> None:
    async with trial() as it:
        answers: list[ApprovalResult | None] = []
        screen = ApprovalScreen(request(call("a")), answers.append, it.app.palette, clock=it.app.clock)
        it.app.push_screen(screen)
        await it.until(lambda: screen.is_mounted)
        it.app.clock.now += 1

        await it.press("y", "enter", "enter", "escape", "x")
        screen.dismiss()
        await it.until(lambda: not it.asking)

        assert answers == [ApprovalResult((Verdict("a", "approve"),))]


async def test_another_theme_is_drawn_at_once() -> None:
    async with trial() as it:
        await it.ask()
        paper = type(it.app.palette)("p", False, dict(it.app.palette.colors) | {"raised": "#ebebed"})

        it.screen.palette = paper
        await it.pilot.pause()

        strip = it.screen._compositor.render_strips()[it.screen.query_one("#heading").region.y]
        colors = {segment.style.bgcolor.name for segment in strip if segment.style and segment.style.bgcolor}
        assert "#ebebed" in colors


@pytest.mark.parametrize("key", ["a", "e", "r"])
async def test_another_theme_is_drawn_in_an_open_field_too(key: str) -> None:
    async with trial() as it:
        await it.ask()
        await it.press(key)
        await it.until(lambda: it.app.focused is not None)
        old = dict(it.app.palette.colors)
        paper = type(it.app.palette)("p", False, dict.fromkeys(old, "#ebebe1"))

        it.screen.palette = paper
        sheet = it.screen.query_one("#sheet").region

        def painted() -> set[str]:
            return {
                segment.style.color.name
                for strip in it.screen._compositor.render_strips()[sheet.y + 1 : sheet.bottom - 1]
                for segment in strip.crop(sheet.x + 1, sheet.right - 1)
                if segment.style and segment.style.color and segment.text.strip()
            }

        # what Textual paints itself follows its own theme
        of_textual = {old[token] for token in ("text", "subtle", "muted", "on_accent")}
        await it.until(lambda: painted() <= {"#ebebe1", *of_textual})


async def test_a_diff_says_that_another_call_would_change_the_same_file() -> None:
    async with trial() as it:
        await it.ask(
            call("a", "write", path="a.txt", text="one\n"),
            call("b", "write", path="b.txt", text="two\n"),
            call("c", "write", path="a.txt", text="three\n"),
            previews={
                "a": Preview("a.txt", "old\n", "one\n"),
                "b": Preview("b.txt", "old\n", "two\n"),
                "c": Preview("a.txt", "old\n", "three\n"),
            },
        )
        assert "which call 3 would change too" in it.shown("#page")
        assert "+ one" in it.shown("#page")
        await it.press("down")
        assert "would change too" not in it.shown("#page")
        await it.press("down")
        assert "which call 1 would change too" in it.shown("#page")
