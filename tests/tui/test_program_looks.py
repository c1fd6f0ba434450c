"""What is asked for on the command line, in the environment and in the settings reaches the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tui.program import Program

Start = Callable[..., Program]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    programs: list[Program] = []

    def make(*arguments: str, **variables: str) -> Program:
        programs.append(Program(tmp_path, *arguments, **variables))
        return programs[-1]

    yield make
    for program in programs:
        program.close()


def leave(program: Program) -> None:
    """Wait for the first screen, then leave."""
    program.see(b"is ready")
    program.press(b"\x11")
    assert program.end() == 0


def test_ascii_on_the_command_line_draws_no_signs(start: Start) -> None:
    program = start("--ascii")
    leave(program)
    text = program.received.decode("utf-8").replace(" · ", "")
    assert text.isascii()


def test_a_locale_without_utf8_gets_nothing_but_ascii(start: Start) -> None:
    program = start(LC_ALL="C")
    leave(program)
    assert program.received.decode("utf-8").replace(" · ", "").isascii()


def test_no_color_sends_no_colours(start: Start) -> None:
    program = start(NO_COLOR="1")
    leave(program)
    styles = re.findall(rb"\x1b\[([0-9;]*)m", program.received)
    assert styles
    assert {int(part) for style in styles for part in style.split(b";") if part} <= set(range(30))


def test_colours_are_there_where_nobody_minds(start: Start) -> None:
    program = start(COLORTERM="truecolor")
    leave(program)
    assert b"38;2;" in program.received


def test_a_chosen_theme_is_kept_and_a_keymap_holds(start: Start, tmp_path: Path) -> None:
    config = tmp_path / "settings" / "workbench" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("# mine\nkeymap: {app.quit: f12}\n")
    program = start()
    program.see(b"is ready")
    program.press(b"/theme fjord")
    program.see(b"fjord")
    program.press(b"\r")
    program.read_until(lambda: "theme: fjord" in config.read_text())
    assert config.read_text() == "# mine\nkeymap: {app.quit: f12}\ntheme: fjord\n"
    program.press(b"\x1b[24~")
    assert program.end() == 0


def test_a_kept_theme_whose_file_is_gone_is_told_and_the_program_starts(start: Start, tmp_path: Path) -> None:
    config = tmp_path / "settings" / "workbench" / "config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("theme: mine\n")
    program = start()
    program.see(b"There is no theme mine any more: this is graphite")
    program.press(b"\x11\x11")  # the second one where the agent is still being built
    assert program.end() == 0
    assert config.read_text() == "theme: mine\n"


def test_a_theme_on_the_command_line_that_there_is_not_is_an_error(start: Start) -> None:
    program = start("--theme", "mine")
    program.see(b"there is no theme mine")
    assert program.end() == 2
