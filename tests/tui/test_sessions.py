"""Sessions in the app: going on with one, forks, what-ifs, comparing, searching, exporting."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.widgets import TextArea

from tests.tui.driving import Driven, driven
from workbench.engine.transcript import validate_messages
from workbench.errors import StorageError
from workbench.storage import result_files, session_index
from workbench.storage.export import to_jsonl, to_markdown
from workbench.storage.file_hold import sole_writer
from workbench.storage.session_file import SessionRecord, read_session
from workbench.storage.session_format import Earlier
from workbench.storage.session_index import Found, list_sessions, search_sessions
from workbench.storage.session_log import SessionLog
from workbench.tui.branches import compare
from workbench.tui.inspector_pages import facts
from workbench.tui.screens.branches import BranchesScreen
from workbench.tui.screens.inspector import InspectorScreen
from workbench.tui.screens.sessions import SessionsScreen
from workbench.tui.screens.what_if import WhatIfScreen
from workbench.tui.trace_records import Entry


@pytest.fixture
def project(own_folder: Path) -> Path:
    """The folder whose sessions these are."""
    return own_folder


def path_of(it: Driven) -> Path:
    """The file of the present session."""
    (log,) = [observer for observer in it.agent.observers if isinstance(observer, SessionLog)]
    assert log.path is not None
    return log.path


def record_of(it: Driven) -> SessionRecord:
    """What the file of the present session holds."""
    return read_session(path_of(it))


async def an_earlier_session(*prompts: str) -> None:
    """A session that another run of the app left behind."""
    async with driven() as it:
        for prompt in prompts:
            await it.turn(prompt)


async def listed(it: Driven) -> SessionsScreen:
    """The list of sessions, read."""
    await it.press("f3")
    await it.until(lambda: isinstance(it.app.screen, SessionsScreen))
    screen = it.app.screen
    assert isinstance(screen, SessionsScreen)
    await it.until(lambda: screen._foot.some)
    return screen


def calls(it: Driven) -> list[Entry]:
    """The tool calls in the trace panel."""
    return [entry for entry in it.app.main.trace.entries() if entry.kind == "tool"]


async def test_a_session_goes_on_where_it_was_left() -> None:
    await an_earlier_session("add(a=2, b=3)", "add(a=4, b=5)")
    async with driven() as it:
        await listed(it)
        await it.press("enter")
        await it.until(lambda: "goes on" in it.shown())
        conversation = it.shown(it.app.main.conversation)
        assert "add(a=2, b=3)" in conversation
        assert "returned 9" in conversation
        assert [entry.name for entry in calls(it)] == ["arithmetic.add", "arithmetic.add"]
        await it.turn("add(a=6, b=7)")
        assert [turn.input for turn in record_of(it).turns] == [
            "add(a=2, b=3)",
            "add(a=4, b=5)",
            "add(a=6, b=7)",
        ]
        assert it.agent.current_session is not None
        validate_messages(it.agent.current_session["messages"])
        assert len(list(path_of(it).parent.glob("*.yaml"))) == 1


async def test_resume_last_takes_the_newest_session() -> None:
    await an_earlier_session("add(a=2, b=3)")
    async with driven() as it:
        await it.send("/resume last")
        await it.until(lambda: "goes on" in it.shown())
        assert it.agent.current_session is not None
        assert it.agent.current_session["turn"] == 1


async def test_a_session_of_other_tools_says_which_are_missing() -> None:
    await an_earlier_session("add(a=2, b=3)")
    async with driven() as it:
        await it.act(lambda: it.agent.tools.unregister("arithmetic.add"))
        await it.send("/resume last")
        await it.until(lambda: "tools that are not loaded here" in " ".join(it.shown().split()))
        assert "arithmetic.add" in it.shown(it.app.main.conversation)


async def test_a_session_that_is_not_there_is_said_and_changes_nothing() -> None:
    await an_earlier_session("add(a=2, b=3)")
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
        await it.send("/resume nothing")
        await it.until(lambda: "no session fits 'nothing'" in it.shown())
        assert len(it.trace) == 4


async def test_a_session_that_another_process_writes_cannot_be_taken_over(project: Path) -> None:
    await an_earlier_session("add(a=2, b=3)")
    (path,) = (project / ".workbench" / "sessions").glob("*.yaml")
    with sole_writer(path):
        async with driven() as it:
            await it.send("/resume last")
            await it.until(lambda: "still running" in it.shown())
            assert it.agent.current_session is None


async def test_a_fork_begins_with_the_turns_before_it_and_leaves_the_other_alone() -> None:
    async with driven() as it:
        for number in (1, 2, 3):
            await it.turn(f"add(a={number}, b={number})")
        origin = path_of(it)
        before = origin.read_bytes()
        await it.send("/fork 2")
        await it.until(lambda: "A fork goes on from here" in it.shown())
        await it.turn("add(a=9, b=9)")
        record = record_of(it)
        assert [turn.input for turn in record.turns] == ["add(a=1, b=1)", "add(a=2, b=2)", "add(a=9, b=9)"]
        assert record.origin is not None
        assert record.origin.session == origin.name
        assert origin.read_bytes() == before


@pytest.mark.parametrize("words", ["/fork 9", "/fork two"])
async def test_a_fork_that_cannot_be_is_said(words: str) -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
        path = path_of(it)
        await it.send(words)
        await it.until(lambda: "has 1 turn, not 9" in it.shown() or "is no number of" in it.shown())
        assert path_of(it) == path


async def what_if(it: Driven) -> WhatIfScreen:
    """The screen for the last call in the trace, opened by its key."""
    await it.focus("trace")
    await it.act(lambda: it.app.main.trace.go_to(calls(it)[-1]))
    await it.press("w")
    await it.until(lambda: isinstance(it.app.screen, WhatIfScreen))
    screen = it.app.screen
    assert isinstance(screen, WhatIfScreen)
    await it.until(lambda: screen.focused is not None)
    await it.pilot.pause()
    return screen


async def test_a_past_call_can_be_given_another_result_and_the_turn_goes_on_from_there() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
        await it.turn("add(a=2, b=3)")
        origin = path_of(it)
        before = origin.read_bytes()
        await what_if(it)
        await it.write("99")
        await it.press("ctrl+s")
        await it.until(lambda: it.idle and "returned 99" in it.shown())
        assert path_of(it) != origin
        record = record_of(it)
        assert [turn.input for turn in record.turns] == ["add(a=1, b=1)", "add(a=2, b=3)"]
        call = next(entry for entry in record.turns[1].trace if entry["type"] == "tool_execution")
        assert (call["result"], call["original_result"], call["replayed"]) == ("99", "5", True)
        assert origin.read_bytes() == before
        assert it.agent.current_session is not None
        validate_messages(it.agent.current_session["messages"])
        assert it.shown(it.app.main.trace).count("made up") == 1
        told = [fact for _, section in facts(calls(it)[-1]) for fact in section]
        assert told[-2:] == [("result", "made up"), ("really gave", "5")]
        assert [entry.state for entry in calls(it)][-1] == "success"


async def test_a_past_call_can_be_made_to_fail() -> None:
    async with driven() as it:
        await it.turn("add(a=2, b=3)")
        await what_if(it)
        await it.press("ctrl+t")
        await it.write("the disk is full")
        await it.press("ctrl+s")
        await it.until(lambda: it.idle and calls(it) and calls(it)[-1].state == "error")
        assert "the disk is full" in it.shown()
        assert it.agent.current_session is not None
        told = [m["content"] for m in it.agent.current_session["messages"] if m["role"] == "tool"]
        assert told == ["the disk is full"]


async def test_a_result_and_an_error_are_two_texts_and_each_stays_as_it_was_written() -> None:
    async with driven() as it:
        await it.turn("add(a=2, b=3)")
        screen = await what_if(it)
        await it.write("7")
        await it.press("ctrl+t")
        await it.until(lambda: "had failed with this error" in it.shown())
        shown = it.shown(screen.query_one("#what-if-box"))
        assert "Error executing arithmetic.add: RuntimeError: it could not be done" in shown
        await it.write("no")
        await it.press("ctrl+t")
        await it.write("8")
        await it.press("ctrl+t", "ctrl+t", "ctrl+s")
        await it.until(lambda: it.idle and "returned 78" in it.shown())


async def test_the_error_of_a_call_that_failed_begins_as_the_model_read_it() -> None:
    async with driven() as it:
        await it.turn("divide(dividend=1, divisor=0)")
        screen = await what_if(it)
        area = screen.focused
        assert isinstance(area, TextArea)
        assert area.text.startswith("Error executing arithmetic.divide: ")
        assert it.agent.current_session is not None
        told = [m["content"] for m in it.agent.current_session["messages"] if m["role"] == "tool"]
        assert told == [area.text]
        await it.press("ctrl+t")
        await it.until(lambda: "had given this result" in it.shown())
        await it.write("0")
        await it.press("ctrl+s")
        await it.until(lambda: it.idle and "returned 0" in it.shown())


async def test_the_inspector_asks_the_same_about_the_call_that_it_shows() -> None:
    async with driven() as it:
        await it.turn("add(a=2, b=3)")
        await it.focus("trace")
        await it.act(lambda: it.app.main.trace.go_to(calls(it)[-1]))
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))
        await it.press("w")
        await it.until(lambda: isinstance(it.app.screen, WhatIfScreen))


async def test_what_a_call_gave_already_is_no_what_if() -> None:
    async with driven() as it:
        await it.turn("add(a=2, b=3)")
        path = path_of(it)
        screen = await what_if(it)
        await it.press("ctrl+s")
        await it.until(lambda: "Write something else." in it.shown())
        await it.press("escape")
        await it.until(lambda: it.app.screen is not screen)
        assert path_of(it) == path


async def test_only_the_changed_call_of_a_batch_is_changed() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1) add(a=2, b=2)")
        await what_if(it)
        await it.write("7")
        await it.press("ctrl+s")
        await it.until(lambda: it.idle and "returned 7" in it.shown())
        assert it.agent.current_session is not None
        told = [m["content"] for m in it.agent.current_session["messages"] if m["role"] == "tool"]
        assert told == ["2", "7"]


async def test_both_branches_are_compared_turn_by_turn() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
        await it.turn("add(a=2, b=3)")
        await what_if(it)
        await it.write("99")
        await it.press("ctrl+s")
        await it.until(lambda: it.idle and "returned 99" in it.shown())
        await it.send("/compare")
        await it.until(lambda: isinstance(it.app.screen, BranchesScreen))
        await it.until(lambda: "turn 2" in it.shown())
        shown = it.shown()
        assert "turn 1   the same" in shown
        assert "turn 2   2 differ" in shown
        await it.press("N", "n", "escape")
        await it.until(lambda: not isinstance(it.app.screen, BranchesScreen))


async def test_comparing_what_is_no_fork_says_what_to_do() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
        await it.send("/compare")
        await it.until(lambda: "this conversation is no fork" in it.shown())


async def test_a_text_is_found_in_all_sessions_and_a_fork_begins_at_its_turn() -> None:
    await an_earlier_session("add(a=1, b=1)", "add(a=41, b=1)", "add(a=5, b=5)")
    async with driven() as it:
        screen = await listed(it)
        await it.press("slash")
        await it.write("a=41")
        await it.press("enter")
        await it.until(lambda: [row.turn for row in screen._list.rows] == [2])
        await it.press("f")
        await it.until(lambda: "A fork goes on from here" in it.shown())
        assert [turn.input for turn in record_of(it).turns] == ["add(a=1, b=1)", "add(a=41, b=1)"]


async def test_the_present_session_is_exported_and_no_file_is_overwritten(project: Path) -> None:
    async with driven() as it:
        await it.turn("add(a=2, b=3)")
        await it.send("/export jsonl out.jsonl")
        await it.until(lambda: "The session was exported" in it.shown())
        text = (project / "out.jsonl").read_text()
        assert '"kind": "session"' in text
        await it.send("/export jsonl out.jsonl")
        await it.until(lambda: "is there already" in it.shown())
        assert (project / "out.jsonl").read_text() == text


async def test_an_unknown_format_says_which_there_are() -> None:
    async with driven() as it:
        await it.send("/export pdf")
        await it.until(lambda: "Formats are" in it.shown())


async def test_hostile_text_in_a_session_is_shown_and_not_obeyed() -> None:
    await an_earlier_session("\x1b[31mred\u202e [b]bold[/b]")
    async with driven() as it:
        await listed(it)
        assert "\x1b" not in it.shown()
        assert "\u202e" not in it.shown()
        assert "[b]bold[/b]" in it.shown()
        await it.press("enter")
        await it.until(lambda: "goes on" in it.shown())
        assert "\x1b" not in it.shown()


async def test_sessions_are_listed_and_exported_while_a_turn_runs(project: Path) -> None:
    await an_earlier_session("add(a=2, b=3)")
    async with driven() as it:
        await it.send("wait_and_echo(text='x', seconds=60)")
        await it.until(lambda: it.agent.running and "running waiting" in it.shown())
        screen = await listed(it)
        assert [row.current for row in screen._list.rows] == [True, False]
        await it.press("escape")
        await it.send("/export jsonl out.jsonl")
        await it.until(lambda: (project / "out.jsonl").exists())
        assert it.agent.running
        await it.press("escape")
        await it.until(lambda: it.idle)


async def test_a_list_that_is_still_being_read_does_not_say_that_there_is_none() -> None:
    async with driven() as it:
        screen = SessionsScreen(it.app.themes.palette)
        await it.act(lambda: it.app.push_screen(screen))
        await it.until(lambda: it.app.screen is screen and "Reading the sessions" in it.shown())


async def test_an_export_that_cannot_be_written_says_why_and_leaves_nothing(project: Path) -> None:
    async with driven() as it:
        await it.turn("add(a=2, b=3)")
        await it.send("/export markdown nowhere/out.md")
        await it.until(lambda: "cannot write nowhere/out.md: No such file" in it.shown())


async def test_a_tilde_is_the_home_folder(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    async with driven() as it:
        await it.turn("add(a=2, b=3)")
        await it.send("/export markdown ~/out.md")
        await it.until(lambda: (tmp_path / "out.md").exists())
        await it.until(lambda: "The session was exported" in it.shown())


async def test_the_present_session_cannot_be_resumed_and_is_called_so() -> None:
    async with driven() as it:
        await it.turn("add(a=2, b=3)")
        await it.send("/resume last")
        await it.until(lambda: "is the present session" in it.shown())


async def test_a_call_of_ones_own_is_given_no_other_ending() -> None:
    async with driven() as it:
        await it.turn("add(a=2, b=3)")
        await it.focus("trace")
        await it.act(lambda: it.app.main.trace.go_to(calls(it)[-1]))
        await it.press("R")
        await it.until(lambda: calls(it)[-1].turn.by_hand)
        await it.press("escape")
        await it.focus("trace")
        await it.act(lambda: it.app.main.trace.go_to(calls(it)[-1]))
        await it.press("w")
        await it.until(lambda: ["your own calls" in each.message for each in it.app._notifications] == [True])


def turns_shown(it: Driven) -> set[int]:
    """The numbers of the turns in the trace panel."""
    return {int(number) for number in re.findall(r"\bturn (\d+)\b", it.shown(it.app.main.trace))}


async def test_a_turn_has_one_number_on_the_screen_in_files_and_in_commands_also_behind_a_summary() -> None:
    async with driven() as it:
        for number in (1, 2, 3):
            await it.turn(f"add(a={number}, b=1)")
        old = path_of(it)
        await it.send("/compact 1")
        await it.until(lambda: "messages are one now" in it.shown() and it.idle)
        await it.turn("add(a=4, b=1)")
        await it.until(lambda: 4 in turns_shown(it))
        new = path_of(it)
        assert new != old
        record = record_of(it)
        assert [(number, turn.input) for number, turn in record.numbered()] == [(4, "add(a=4, b=1)")]
        assert record.earlier == Earlier(3, old.name)
        assert "## Turn 4\n" in "".join(to_markdown(record))
        (head, *lines) = map(json.loads, to_jsonl(record))
        assert (head["turns_before"], lines[0]["turn"]) == (3, 4)
        (row,) = search_sessions(Path.cwd(), "add(a=4, b=1)")
        assert (row.turn, row.head.last) == (4, 4)
        assert {row.turn for row in compare(read_session(old), record)} == {1, 2, 3, 4}
    async with driven() as it:
        await it.send(f"/resume {new.stem}")
        await it.until(lambda: "goes on" in it.shown() and it.idle)
        assert turns_shown(it) == {1, 2, 3, 4}
        await it.turn("add(a=5, b=1)")
        await it.until(lambda: 5 in turns_shown(it))
        assert [number for number, _ in record_of(it).numbered()] == [4, 5]
        await it.send("/fork 9")
        await it.until(lambda: "the session has turns 4 to 5, not 9" in " ".join(it.shown().split()))
        await it.send("/fork 4")
        await it.until(lambda: "up to turn 4" in " ".join(it.shown().split()))
        await it.turn("add(a=6, b=1)")
        assert [(number, turn.input) for number, turn in record_of(it).numbered()] == [
            (4, "add(a=4, b=1)"),
            (5, "add(a=6, b=1)"),
        ]
        assert "turn 5" in it.shown(it.app.main.trace)
        await it.send("/fork 2")  # a turn that the screen showed before the summary
        await it.until(lambda: "up to turn 2" in " ".join(it.shown().split()))
        await it.turn("add(a=7, b=1)")
        assert [turn.input for turn in record_of(it).turns] == [
            "add(a=1, b=1)",
            "add(a=2, b=1)",
            "add(a=7, b=1)",
        ]
        assert it.agent.current_session is not None
        validate_messages(it.agent.current_session["messages"])


async def test_a_what_if_that_is_refused_comes_back_as_it_was_written_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*_: object, **__: object) -> Path:
        raise StorageError("cannot write the fork: No space left on device")

    async with driven() as it:
        await it.turn("add(a=2, b=3)")
        origin = path_of(it)
        first = await what_if(it)
        await it.press("ctrl+t")
        await it.write("ninety nine")
        with monkeypatch.context() as patch:
            patch.setattr(SessionLog, "fork", full)
            await it.press("ctrl+s")
            await it.until(lambda: isinstance(it.app.screen, WhatIfScreen) and it.app.screen is not first)
        again = it.app.screen
        assert isinstance(again, WhatIfScreen)
        await it.until(lambda: again.focused is not None)
        assert "No space left on device" in it.shown()
        assert "had failed with this error" in it.shown()
        await it.write(", or so")
        await it.press("ctrl+s")
        await it.until(lambda: it.idle and path_of(it) != origin)
        await it.until(lambda: bool(calls(it)) and calls(it)[-1].data.get("error") == "ninety nine, or so")


async def test_a_search_that_nobody_waits_for_any_more_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    ended, never = threading.Event(), threading.Event()

    def endless(project: Path, text: str, *, stopped: Callable[[], bool] = lambda: False) -> Iterator[Found]:
        if not text:
            return
        head = list_sessions(project)[0]
        yield from (Found(head, 1, f"{text} {number}", 0, len(text)) for number in range(2))
        while not stopped():
            never.wait(0.01)
        ended.set()

    await an_earlier_session("add(a=1, b=1)")
    async with driven() as it:
        screen = await listed(it)
        monkeypatch.setattr(session_index, "search_sessions", endless)
        await it.press("slash")
        await it.write("pass")
        await it.press("enter")
        await it.until(lambda: "pass 1" in it.shown() and "looking on" in it.shown())
        await it.press("escape")
        await it.until(ended.is_set)
        await it.until(lambda: [row.excerpt for row in screen._list.rows] == [""])


async def test_once_a_session_is_open_old_results_beyond_the_limit_go(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(result_files, "MOST_FILES", 1)
    folder = project / ".workbench" / "results"
    folder.mkdir(parents=True)
    for at in range(3):
        path = folder / f"20250101T00000{at}Z_look.txt"
        path.write_text("long")
        os.utime(path, (1000 + at, 1000 + at))
    async with driven() as it:
        await it.until(lambda: [path.name[14:16] for path in folder.iterdir()] == ["2Z"])
