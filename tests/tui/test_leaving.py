"""Leaving and lending the terminal, with the real program on a terminal of its own, and by real keys."""

from __future__ import annotations

import signal
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.tui.driving import driven
from tests.tui.program import Program
from workbench.tui.window_title import WindowTitle

LEAVE = b"\x1b[?1049l"
ENTER = b"\x1b[?1049h"
TITLE_KEPT, TITLE_BACK = b"\x1b[22;2t", b"\x1b[23;2t"


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    it = Program(tmp_path)
    yield it
    it.close()


def sane(program: Program) -> bool:
    """The terminal is as it was: its modes, the screen of the shell, its title."""
    last = {code: program.received.rfind(code) for code in (LEAVE, ENTER, TITLE_BACK, TITLE_KEPT)}
    return (
        termios.tcgetattr(program.slave) == program.attributes
        and last[LEAVE] > last[ENTER]
        and last[TITLE_BACK] > last[TITLE_KEPT]
    )


def test_the_title_says_what_goes_on_and_is_given_back(program: Program) -> None:
    program.see("\x1b]2;workbench · assistant\x07".encode())
    program.press(b"write_file(path='a.txt', text='hi')\r")
    program.see("\x1b]2;workbench · assistant · waits for you\x07".encode())
    program.press(b"\x11\x11")
    assert program.end() == 0
    assert sane(program)
    assert program.received.count(TITLE_KEPT) == program.received.count(TITLE_BACK)


def test_ctrl_z_lends_the_terminal_to_the_shell_and_fg_comes_back(program: Program) -> None:
    program.see(b"is ready")
    program.press(b"half a thought")
    program.see(b"thought")
    program.press(b"\x1a")
    program.read_until(lambda: program.stopped)
    program.see(LEAVE)
    assert sane(program)
    program.received = b""
    program.process.send_signal(signal.SIGCONT)
    program.see("\x1b]2;workbench · assistant\x07".encode())
    program.see(b"half a thought")
    program.press(b"\x03\x11")
    assert program.end() == 0
    assert sane(program)


def test_after_fg_the_whole_screen_is_there_again(program: Program) -> None:
    program.see(b"is ready")
    program.see(b"newline")
    program.press(b"\x1a")
    program.read_until(lambda: program.stopped)
    program.see(LEAVE)
    program.received = b""
    program.process.send_signal(signal.SIGCONT)
    for shown in (b"ask for risky", b"is ready", b"Tools", b"newline"):
        program.see(shown)
    program.press(b"\x11")
    assert program.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_in_the_middle_of_a_question_leaves_terminal_and_session_whole(
    program: Program, number: signal.Signals, tmp_path: Path
) -> None:
    program.see(b"is ready")
    program.press(b"write_file(path='a.txt', text='hi')\r")
    program.see(b"nothing runs until you submit")
    program.process.send_signal(number)
    assert program.end() == 128 + number
    assert sane(program)
    (session,) = (tmp_path / ".workbench" / "sessions").glob("*.yaml")
    (turn,) = yaml.safe_load(session.read_text())["turns"]
    assert turn["status"] == "stopped"
    assert not (tmp_path / "a.txt").exists()


async def test_leaving_with_a_batch_pending_asks_first_and_answers_every_call(own_folder: Path) -> None:
    async with driven() as it:
        await it.send("write_file(path='a.txt', text='hi') and add(a=1, b=2)")
        screen = await it.asked()
        await it.press("ctrl+q")
        await it.until(lambda: it.app._notifications)
        (note,) = it.app._notifications
        assert (note.title, note.message) == (
            "Leave Workbench?",
            "A turn is running. Press ^q again to leave.",
        )
        assert it.app.screen is screen
        await it.press("ctrl+q")
        await it.until(lambda: not it.app.is_running)
        agent = it.agent
    assert not (own_folder / "a.txt").exists()
    assert agent.current_session is not None
    messages = agent.current_session["messages"]
    asked = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    assert [message["tool_call_id"] for message in messages if message["role"] == "tool"] == asked
    assert len(asked) == 2


async def test_ctrl_c_in_a_question_keeps_the_draft_and_stops_the_turn() -> None:
    async with driven() as it:
        await it.send("write_file(path='a.txt', text='hi')")
        screen = await it.asked()
        it.app.main.prompt.draft = "for later"
        await it.press("ctrl+c")
        await it.until(lambda: it.app.screen is not screen and it.idle)
        assert it.app.main.prompt.draft == "for later"
        assert it.app.is_running


async def test_ctrl_c_copies_a_selection_before_anything_else() -> None:
    async with driven() as it:
        await it.draft("copy me")
        await it.focus("prompt")
        it.app.main.prompt.area.select_all()
        await it.press("ctrl+c")
        await it.until(lambda: it.app.clipboard == "copy me")
        assert it.app.main.prompt.draft == "copy me"


async def test_escape_stops_the_running_turn_only() -> None:
    async with driven() as it:
        await it.send("slow_countdown(seconds=30)")
        await it.until(lambda: "running" in it.shown(it.app.main.activity_line))
        await it.send("add(a=1, b=2)")
        await it.press("escape")
        await it.until(lambda: it.idle)
        assert len(it.app.outbox) == 1
        (call,) = [entry for entry in it.trace if entry["type"] == "tool_execution"]
        assert call["status"] == "cancelled"


def test_a_title_is_put_once_for_each_change_and_shows_no_codes() -> None:
    put: list[str] = []
    title = WindowTitle(put.append)
    for waits, running in ((False, False), (False, True), (False, True), (True, True), (False, False)):
        title.show("a\x1b]2;x\x07", waits=waits, running=running)
    assert [text.split(" · ")[2:] for text in put] == [[], ["running"], ["waits for you"], []]
    assert all(text.isprintable() for text in put)
