"""What the panels say about where one is, what happened, and how to go on."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tests.tui.driving import Driven, driven
from workbench.launch import _farewell
from workbench.providers.offline_prompt import own_words
from workbench.storage.session_log import SessionLog
from workbench.tui import events
from workbench.tui.attachments import with_attachments
from workbench.tui.inspector_pages import pages
from workbench.tui.legend import _lines
from workbench.tui.panels.trace import TracePanel
from workbench.tui.screens.help import GROUPS, HelpScreen
from workbench.tui.transcript.document import Document
from workbench.tui.transcript.line import break_code
from workbench.tui.transcript.story import Story


def help_rows(it: Driven) -> str:
    """The keys and commands that the help shows."""
    assert isinstance(it.app.screen, HelpScreen)
    return it.shown(it.app.screen._rows)


def first_group(shown: str) -> str:
    """The group of keys that the help begins with."""
    lines = [line.strip(" │▐") for line in shown.splitlines()]
    return next(line for line in lines if line in GROUPS.values())


@pytest.mark.parametrize(("panel", "group"), [("trace", "trace"), ("prompt", "prompt"), ("tools", "tools")])
async def test_the_help_begins_with_where_it_was_asked_for(panel: str, group: str) -> None:
    async with driven() as it:
        await it.focus(panel)
        await it.press("f1")
        await it.until(lambda: isinstance(it.app.screen, HelpScreen))
        await it.until(lambda: group in help_rows(it))
        assert first_group(help_rows(it)) == group


async def test_the_help_in_an_approval_begins_with_its_keys_and_names_each_group_once() -> None:
    async with driven(size=(120, 200)) as it:
        await it.send("write_file(path='a.txt', text='hi')")
        await it.asked()
        await it.press("f1")
        await it.until(lambda: isinstance(it.app.screen, HelpScreen))
        await it.until(lambda: "approval" in help_rows(it))
        assert first_group(help_rows(it)) == "approval"
        await it.write("what to remember")
        await it.until(lambda: first_group(help_rows(it)) == "what to remember")
        rows = [line.strip(" │▐") for line in help_rows(it).splitlines()]
        assert rows.count("what to remember") == 1
        await it.press("escape")
        await it.press("escape")
        await it.until(lambda: it.idle)


async def test_the_answer_page_of_a_model_call_lists_the_calls_that_it_made() -> None:
    async with driven() as it:
        await it.turn("add(a=2, b=3) and add(a=4, b=5)")
        answers = [entry for entry in it.app.main.trace.entries() if entry.kind == "llm"]
        page = next(page for page in pages(answers[0]) if page.name == "Answer")
        assert "arithmetic.add(a=4, b=5)" in page.text()
        lines = page.views[0].lines
        assert lines is not None
        shown = "\n".join("".join(text for text, _ in line) for line in lines(80))
        assert "arithmetic.add(a=2, b=3)" in shown
        assert "It is empty" not in shown


async def test_the_label_of_a_turn_is_one_line_without_escapes() -> None:
    async with driven() as it:
        await it.turn("first words\n\nsecond words")
        assert "first words second words" in it.shown(it.app.main.trace)
        assert "\\n" not in it.shown(it.app.main.trace)


async def test_a_command_in_the_filter_of_the_trace_is_told_where_it_belongs() -> None:
    async with driven() as it:
        await it.turn("add(a=2, b=3)")
        await it.focus("trace")
        await it.press("slash")
        await it.write("model")
        trace: TracePanel = it.app.main.trace
        await it.until(lambda: "For the command /model: esc" in it.shown(trace))
        await it.press("s")
        await it.until(lambda: "/model" not in it.shown(trace))


async def test_the_top_line_counts_breakpoints_that_are_on() -> None:
    async with driven() as it:
        points = (
            events.BreakRow("add", "before"),
            events.BreakRow("add", "after", enabled=False),
            events.BreakRow("sub", "before"),
        )
        await it.act(lambda: it.app.inbox.post(events.BreakpointsChanged("", 1.0, points)))
        await it.until(lambda: "2 breakpoints on" in it.shown())
        await it.act(lambda: it.app.inbox.post(events.BreakpointsChanged("", 2.0, ())))
        await it.until(lambda: "breakpoint" not in it.shown(it.app.main.top_line))


def test_reports_of_one_kind_in_a_row_become_one_with_a_count() -> None:
    document = Document()
    document.set_width(80)
    story = Story(document)

    def told(text: str, *, counted: bool = True) -> None:
        story.tell(events.Notice("", 1.0, "Tools were reloaded", text, counted=counted, tone="muted"))

    told("1 changed")
    told("2 changed")
    told("3 changed")
    assert len(document.blocks) == 1
    assert "Tools were reloaded, 3 times\n3 changed" in document.blocks[0].source()
    told("no", counted=False)
    told("4 changed")
    assert len(document.blocks) == 3


def test_the_legend_tells_bars_apart_without_colour() -> None:
    shown = [text for line in _lines(120) for text, _ in line]
    words = {word.strip(): glyph for glyph, word in pairwise(shown)}
    assert len({words["model"], words["tool"], words["failed"]}) == 3


def test_code_breaks_between_words_and_loses_nothing() -> None:
    text = 'call({"pattern": "weekday", "path": "notes/today.txt", "limit": 20})'
    for width in range(12, 40):
        rows = break_code(text, width)
        assert "".join(text[start:end] for start, end in rows) == text
        assert all(end - start <= width for start, end in rows)
    assert text[slice(*break_code(text, 30)[0])] == 'call({"pattern": "weekday", '
    assert break_code("x" * 25, 10) == [(0, 10), (10, 20), (20, 25)]
    assert break_code("", 10) == [(0, 0)]


@pytest.mark.parametrize("behind", ["", "\n\n[tools switched off: add]", "\n\nadded by a hook"])
def test_what_an_attached_file_says_is_nobodys_call(tmp_path: Path, behind: str) -> None:
    (tmp_path / "ag.py").write_text("add(a=1, b=2)\n")
    (tmp_path / "b.bin").write_bytes(b"\0\1")
    sent = with_attachments("see @b.bin and @ag.py", tmp_path).text + behind
    assert own_words(sent) == "see @b.bin and @ag.py" + behind


async def test_leaving_says_how_to_go_on_with_the_session() -> None:
    async with driven() as it:
        await it.turn("add(a=2, b=3)")
        where, how = _farewell(it.agent, ["my tools/", "--mcp", "servers.json"])
        log = next(observer for observer in it.agent.observers if isinstance(observer, SessionLog))
        assert log.path is not None
        assert log.path.name in where
        assert how.endswith(f"workbench 'my tools/' --mcp servers.json --resume {log.path.stem}")
