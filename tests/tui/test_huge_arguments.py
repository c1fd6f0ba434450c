"""Arguments of a megabyte: edited key by key, judged when the keys pause, taken only when they fit."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import TextArea

from tests.tui.approval_app import Trial, call, trial
from workbench.tui.arguments_area import ArgumentsArea
from workbench.tui.external_editor import ExternalEditor
from workbench.tui.long_texts import LongTexts


async def test_a_huge_argument_is_judged_when_the_keys_pause() -> None:
    async with trial() as it:
        agent = await it.ask(call("a", text="x" * 60_000))
        await it.press("e", "ctrl+o")
        await it.until(lambda: "fits the schema" in it.shown("#fault"))
        area = it.screen.query_one(ArgumentsArea)
        area.move_cursor((1, 11))
        await it.press('"')
        await it.until(lambda: "not JSON" in it.shown("#fault"))
        await it.press("backspace", "y")
        await it.until(lambda: "fits the schema" in it.shown("#fault"))
        await it.press("ctrl+s", "y", "enter")
        await it.answered(agent)
        assert agent.ran == [("a", {"text": "y" + "x" * 60_000})]


async def test_what_was_not_judged_yet_is_judged_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.tui.screens.approval_fields._PAUSE", 3_600)
    async with trial() as it:
        await it.ask(call("a", text="x" * 60_000))
        await it.press("e")
        await it.until(lambda: isinstance(it.app.focused, TextArea))
        await it.press("ctrl+o", "ctrl+home", "y")
        await it.until(lambda: "being read" in it.shown("#fault"))
        await it.press("ctrl+s")
        assert it.screen.sheet.mode == "edit"
        assert "not JSON" in it.shown("#fault")


@pytest.mark.parametrize(("size", "looks"), [(100, True), (60_000, False)])
async def test_only_in_a_short_text_the_other_half_of_a_bracket_is_looked_for(size: int, looks: bool) -> None:
    area = ArgumentsArea("[" + "1" * size + "]")
    assert (area.find_matching_bracket("[", (0, 0)) is not None) == looks


LONG = "a line of text\n" * 5_000


def field(it: Trial) -> ArgumentsArea:
    """The text of the open field."""
    return it.screen.query_one(ArgumentsArea)


async def test_a_long_text_is_folded_while_the_others_are_edited() -> None:
    async with trial() as it:
        agent = await it.ask(call("a", path="notes.txt", text=LONG))
        await it.press("e")
        await it.until(lambda: "1 long text is folded, ^o shows it" in it.shown("#fault"))
        assert field(it).text == '{\n  "path": "notes.txt",\n  "text": "[kept 5,000 lines]"\n}'
        field(it).move_cursor((1, 11))
        await it.press("m", "y", "_", "ctrl+s", "y", "enter")
        await it.answered(agent)
        assert agent.ran == [("a", {"path": "my_notes.txt", "text": LONG})]


async def test_a_folded_text_is_taken_away_as_a_whole() -> None:
    async with trial() as it:
        await it.ask(call("a", path="notes.txt", text=LONG))
        await it.press("e")
        await it.until(lambda: isinstance(it.app.focused, ArgumentsArea))
        field(it).move_cursor((2, 30))
        await it.press("backspace")
        assert field(it).document.get_line(2) == '  "text": '
        await it.until(lambda: "not JSON" in it.shown("#fault"))
        await it.press("ctrl+s")
        assert it.screen.sheet.mode == "edit"
        await it.press('"', "n", "e", "w", '"')
        await it.until(lambda: "fits the schema" in it.shown("#fault"))
        assert "folded" not in it.shown("#fault")


async def test_a_folded_text_is_shown_whole_and_edited() -> None:
    async with trial() as it:
        agent = await it.ask(call("a", path="notes.txt", text=LONG))
        await it.press("e", "ctrl+o")
        assert json.loads(field(it).text) == {"path": "notes.txt", "text": LONG}
        assert field(it).cursor_location == (2, 10)
        await it.press("right", "X", "ctrl+s", "y", "enter")
        await it.answered(agent)
        assert agent.ran == [("a", {"path": "notes.txt", "text": "X" + LONG})]


async def test_a_text_that_looks_like_a_folded_one_stays_what_it_is() -> None:
    said = "[kept 5,000 lines]"
    async with trial() as it:
        agent = await it.ask(call("a", title=said, text=LONG, again=LONG, other=LONG + "end"))
        await it.press("e")
        await it.until(lambda: "3 long texts are folded" in it.shown("#fault"))
        assert f'"title": "{said}"' in field(it).text
        await it.press("ctrl+home", "enter", "ctrl+s", "y", "enter")
        await it.answered(agent)
        assert agent.ran == [("a", {"title": said, "text": LONG, "again": LONG, "other": LONG + "end"})]


async def test_the_editor_gets_the_whole_text(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def write(_editor: ExternalEditor, text: str, *, name: str) -> str:
        seen.append(text)
        return text.replace("notes.txt", "other.txt")

    async with trial() as it:
        agent = await it.ask(call("a", path="notes.txt", text=LONG))
        monkeypatch.setattr(ExternalEditor, "edit", write)
        await it.press("e", "ctrl+g")
        assert json.loads(seen[0]) == {"path": "notes.txt", "text": LONG}
        assert '"path": "other.txt"' in field(it).text
        assert "[kept 5,000 lines]" in field(it).text
        await it.press("ctrl+s", "y", "enter")
        await it.answered(agent)
        assert agent.ran == [("a", {"path": "other.txt", "text": LONG})]


@given(
    st.recursive(
        st.text(max_size=20) | st.sampled_from(["[kept 5,000 lines]", LONG, LONG + "x", "a" * 10_000]),
        lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=5), each, max_size=3),
        max_leaves=8,
    )
)
def test_what_is_folded_comes_back_as_it_was(value: object) -> None:
    folded = LongTexts()
    shown = folded.fold(value)
    assert len(json.dumps(shown)) < 2_000
    assert folded.restore(shown) == value
    assert json.loads(folded.whole(json.dumps(shown, ensure_ascii=False))) == value
