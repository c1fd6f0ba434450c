"""The approval screen: going over many calls, and taking verdicts back before they count."""

from __future__ import annotations

import pytest
from textual.widgets import TextArea

from tests.tui.approval_app import call, trial
from workbench.tui.approval import Preview


@pytest.mark.parametrize(("first", "last"), [("ctrl+home", "ctrl+end"), ("g", "G")])
async def test_a_key_goes_to_the_first_and_the_last_of_fifty_calls(first: str, last: str) -> None:
    async with trial() as it:
        await it.ask(*(call(str(number)) for number in range(50)))
        await it.press(last)
        assert it.screen.calls.cursor == 49
        assert "make 49" in it.shown("#page")
        await it.press(first)
        assert it.screen.calls.cursor == 0


async def test_a_key_goes_ten_calls_on_and_stops_at_the_ends() -> None:
    async with trial() as it:
        await it.ask(*(call(str(number)) for number in range(25)))
        places = []
        for key in ("shift+down", "shift+down", "shift+down", "shift+up", "shift+up", "shift+up"):
            await it.press(key)
            places.append(it.screen.calls.cursor)
        assert places == [10, 20, 24, 14, 4, 0]


async def test_the_same_letter_twice_at_once_moves_and_is_no_prose() -> None:
    async with trial() as it:
        await it.ask(call("a"), call("b"))
        await it.press("j")
        await it.write("gg")
        assert it.screen.calls.cursor == 0
        assert it.app.prompt.text == ""


@pytest.mark.parametrize("keys", [("y",), ("n",), ("Y",), ("N",)])
async def test_a_verdict_is_taken_back_before_it_counts(keys: tuple[str, ...]) -> None:
    async with trial() as it:
        agent = await it.ask()
        await it.press(*keys)
        await it.press("u")
        assert it.decisions == [None, None, None]
        assert it.screen.calls.cursor == 0
        assert "as before" in it.screen.sheet.note
        await it.press("enter")
        assert not agent.done.is_set()


async def test_taking_back_a_grant_takes_back_what_it_covered() -> None:
    async with trial() as it:
        await it.ask(call("a", command="make"), call("b", command="make"), call("c"))
        await it.press("a")
        await it.until(lambda: it.app.focused is not None)
        await it.press("enter")
        assert it.decisions == ["approve", "approve", None]
        assert "u takes it back" in it.screen.sheet.note
        await it.press("u")
        assert it.decisions == [None, None, None]
        assert it.screen.calls.grants == ()


async def test_taking_back_an_edit_shows_the_change_that_the_model_wanted() -> None:
    async with trial() as it:
        agent = await it.ask(
            call("a", "write", path="a.txt", text="one"),
            call("b"),
            previews={"a": Preview("a.txt", "", "one")},
        )
        await it.press("e")
        await it.until(lambda: isinstance(it.app.focused, TextArea))
        it.screen.query_one(TextArea).text = '{"path": "b.txt", "text": "two"}'
        await it.press("ctrl+s", "k")
        await it.until(lambda: "+ two" in it.shown("#page"))

        await it.press("u")

        await it.until(lambda: "+ one" in it.shown("#page"))
        assert "two" not in it.shown()
        await it.press("Y", "enter")
        await it.answered(agent)
        assert agent.ran[0] == ("a", {"path": "a.txt", "text": "one"})


async def test_with_nothing_decided_there_is_nothing_to_take_back() -> None:
    async with trial() as it:
        await it.ask()
        await it.press("u")
        assert "nothing to undo" in it.screen.sheet.note


async def test_a_question_that_ends_by_itself_says_why_and_keeps_the_reason_being_written() -> None:
    async with trial() as it:
        it.app.prompt.focus()
        agent = await it.ask()
        await it.press("r")
        await it.write("not now")

        it.app.broker.stop("ran longer than its limit")

        await it.until(lambda: not it.asking)
        await it.until(lambda: it.app.prompt.text == "not now")
        (told,) = it.app._notifications
        assert told.message == (
            "None of the calls ran: ran longer than its limit. What you wrote is in your draft."
        )
        assert agent.ran == []


async def test_arguments_being_edited_when_a_question_ends_by_itself_are_copied() -> None:
    async with trial() as it:
        await it.ask()
        await it.press("e")
        await it.until(lambda: isinstance(it.app.focused, TextArea))
        await it.write("more")

        it.app.broker.stop("ran longer than its limit")

        await it.until(lambda: not it.asking)
        assert it.app.clipboard.startswith("more{")
        (told,) = it.app._notifications
        assert told.message.startswith(
            "None of the calls ran: ran longer than its limit. The arguments you were editing were copied: "
        )


async def test_arguments_that_were_only_looked_at_are_not_copied() -> None:
    async with trial() as it:
        await it.ask()
        await it.press("e")
        await it.until(lambda: isinstance(it.app.focused, TextArea))
        it.app.broker.stop("ran longer than its limit")
        await it.until(lambda: not it.asking)
        assert it.app.clipboard == ""


async def test_a_question_that_was_answered_is_not_said_to_have_ended_by_itself() -> None:
    async with trial() as it:
        agent = await it.ask()
        await it.press("Y", "enter")
        await it.answered(agent)
        agent = await it.ask()
        await it.press("x")
        await it.answered(agent)
        assert len(it.app._notifications) == 0


async def test_what_was_done_to_many_calls_at_once_is_said_to_its_end() -> None:
    async with trial((80, 24)) as it:
        await it.ask(*(call(str(number), command="make") for number in range(50)))
        await it.press("enter")
        assert "50 calls have no verdict: y run, n reject" in it.shown("#foot")
        await it.press("a")
        await it.until(lambda: it.app.focused is not None)
        await it.press("enter")
        assert "It runs, and so do 49 calls; kept until you quit. u takes it back." in it.shown("#foot")
        await it.press("u")
        assert "Taken back: 50 calls are as before." in it.shown("#foot")
