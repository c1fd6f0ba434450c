"""Breakpoints that a project keeps."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
import yaml

from workbench.config import user_folder
from workbench.engine import Breakpoint
from workbench.errors import ConfigError
from workbench.project_review import ProjectReview
from workbench.project_trust import ProjectTrust
from workbench.storage.breakpoint_file import BreakpointFile, breakpoints_path

BEFORE = Breakpoint("files.read_file")
FAILED = Breakpoint("web.*", "after", on_error=True, enabled=False)
ETC = Breakpoint("files.read_file", condition="arguments['path'].startswith('/etc')")


def opened(project: Path) -> BreakpointFile:
    return BreakpointFile(project, ProjectTrust(project, user_folder()))


def write(project: Path, text: str) -> Path:
    path = breakpoints_path(project)
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_what_was_saved_is_there_at_the_next_start(own_folder: Path) -> None:
    opened(own_folder).save([BEFORE, FAILED, ETC])
    file = opened(own_folder)
    assert file.load() == (BEFORE, FAILED, ETC)
    assert file.problems == ()


def test_the_file_is_readable_by_its_owner_only(own_folder: Path) -> None:
    opened(own_folder).save([BEFORE])
    assert stat.S_IMODE(breakpoints_path(own_folder).stat().st_mode) == 0o600


def test_what_is_taken_out_is_gone(own_folder: Path) -> None:
    file = opened(own_folder)
    file.save([BEFORE, ETC])
    file.save([ETC])
    assert opened(own_folder).load() == (ETC,)


@pytest.mark.parametrize(
    "text",
    [
        "breakpoints: [{tool: a}]\nbreakpoints: []\n",
        "more: &more {breakpoints: [{tool: a}]}\n<<: *more\n",
        "breakpoints: [2020-13-45]\n",
        "breakpoints: " + "[" * 5_000,
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_and_is_left_alone(own_folder: Path, text: str) -> None:
    path = write(own_folder, text)
    with pytest.raises(ConfigError, match=r"breakpoints\.yaml"):
        opened(own_folder).load()
    with pytest.raises(ConfigError, match=r"breakpoints\.yaml"):
        opened(own_folder).save([BEFORE])
    assert path.read_text() == text


def test_a_condition_that_is_nested_without_end_is_a_broken_item(own_folder: Path) -> None:
    write(own_folder, f"breakpoints:\n- tool: add\n  condition: {'not ' * 50_000}x\n- tool: mul\n")
    file = opened(own_folder)
    assert file.load() == (Breakpoint("mul"),)
    assert len(file.problems) == 1


def test_a_broken_item_says_where_and_the_rest_counts_and_nothing_is_lost(own_folder: Path) -> None:
    path = write(
        own_folder,
        "breakpoints:\n- tool: add\n- tool: sub\n  when: sometimes\n- 7\n- tool: mul\n  condition: 'a ='\n",
    )
    file = opened(own_folder)
    assert file.load() == (Breakpoint("add"),)
    assert [problem.partition(": ")[0] for problem in file.problems] == [
        "breakpoints.yaml, line 3",
        "breakpoints.yaml, line 5",
        "breakpoints.yaml, line 6",
    ]
    assert "sometimes" in file.problems[0]
    file.save([BEFORE])
    kept = yaml.safe_load(path.read_text())["breakpoints"]
    assert kept == [
        {"tool": "sub", "when": "sometimes"},
        7,
        {"tool": "mul", "condition": "a ="},
        {"tool": "files.read_file", "when": "before"},
    ]


@pytest.mark.parametrize("text", ["breakpoints: [\n", "- tool: add\n", "breakpoints: 3\n"])
def test_a_file_that_cannot_be_read_is_not_written_over(own_folder: Path, text: str) -> None:
    path = write(own_folder, text)
    file = opened(own_folder)
    with pytest.raises(ConfigError, match=r"breakpoints\.yaml"):
        file.load()
    with pytest.raises(ConfigError):
        file.save([BEFORE])
    assert path.read_text() == text


def test_a_condition_from_somebody_else_waits_for_a_yes(own_folder: Path) -> None:
    path = write(own_folder, "breakpoints:\n- tool: add\n- tool: add\n  condition: print(1)\n")
    file = opened(own_folder)
    assert file.load() == (Breakpoint("add"),)
    assert "workbench trust" in file.problems[0]
    review = ProjectReview(own_folder)
    assert "evaluates at each call of add: print(1)" in review.text
    review.say_yes()
    assert opened(own_folder).load() == (Breakpoint("add"), Breakpoint("add", condition="print(1)"))
    path.write_text(path.read_text().replace("print(1)", "print(2)"))
    assert opened(own_folder).load() == (Breakpoint("add"),)


def test_saving_does_not_let_a_condition_count_that_waits(own_folder: Path) -> None:
    path = write(own_folder, "breakpoints:\n- tool: add\n  condition: print(1)\n")
    file = opened(own_folder)
    file.load()
    file.save([BEFORE])
    assert "print(1)" in path.read_text()
    assert opened(own_folder).load() == (BEFORE,)


def test_what_another_workbench_added_stays(own_folder: Path) -> None:
    one, other = opened(own_folder), opened(own_folder)
    one.load()
    other.load()
    one.save([BEFORE])
    other.save([FAILED])
    assert set(opened(own_folder).load()) == {BEFORE, FAILED}


def test_nothing_is_written_through_a_symbolic_link(own_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    os.symlink(tmp_path / "elsewhere", own_folder / ".workbench")
    with pytest.raises(ConfigError, match="symbolic link"):
        opened(own_folder).save([BEFORE])
