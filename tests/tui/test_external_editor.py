"""The person's own editor: which command is started, and that the terminal is lent and comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import ConfigError
from workbench.tui.external_editor import editor_command, opening


def test_visual_comes_before_editor_and_arguments_are_kept() -> None:
    assert editor_command({"VISUAL": "code --wait", "EDITOR": "nano"}) == ["code", "--wait"]
    assert editor_command({"VISUAL": " ", "EDITOR": "'/my tools/ed' -x"}) == ["/my tools/ed", "-x"]


@pytest.mark.parametrize("environ", [{}, {"EDITOR": ""}, {"EDITOR": "vi 'unclosed"}])
def test_what_cannot_be_started_says_what_to_set(environ: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as raised:
        editor_command(environ)
    assert "Set VISUAL or EDITOR" in raised.value.hint


@pytest.mark.parametrize(
    ("command", "opened"),
    [
        (["vim"], ["vim", "+7", "a.py"]),
        (["/usr/bin/nano", "-l"], ["/usr/bin/nano", "-l", "+7", "a.py"]),
        (["emacsclient", "-t"], ["emacsclient", "-t", "+7", "a.py"]),
        (["code", "--wait"], ["code", "--wait", "-g", "a.py:7"]),
        (["code", "-g", "-w"], ["code", "-g", "-w", "a.py:7"]),
        (["/usr/bin/vim.basic"], ["/usr/bin/vim.basic", "+7", "a.py"]),
        (["hx"], ["hx", "a.py:7"]),
        (["kate"], ["kate", "-l", "7", "a.py"]),
        (["my-own"], ["my-own", "a.py"]),
    ],
)
def test_a_file_is_opened_at_a_line_in_the_way_of_the_editor(command: list[str], opened: list[str]) -> None:
    assert opening(command, Path("a.py"), 7) == opened
