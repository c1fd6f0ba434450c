"""A start that failed is tried again for a reason, and then with every file as it is now."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from workbench.errors import ConfigError
from workbench.toolbox.mending import Mending, forget_project
from workbench.toolbox.target import resolve_target

AGENT = "from workbench import Agent\nfrom help_me import shout\nagent = Agent('one', [shout], log=False)\n"
SHOUT = "def shout(text: str) -> str:\n    '''Shout.'''\n    return text.upper()\n"


def failed(target: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        resolve_target(target)
    return caught.value


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "help_me.py").write_text("broken = 1\n")
    return tmp_path


@pytest.mark.parametrize("target", ["agent.py", "agent"])
def test_a_helper_that_was_imported_before_the_failure_is_read_anew(project: Path, target: str) -> None:
    assert "cannot import name 'shout'" in str(failed(target))
    (project / "help_me.py").write_text(SHOUT)
    forget_project(project)
    try:
        agent = resolve_target(target).agent
        assert agent is not None
        assert [tool.name for tool in agent.tools] == ["shout"]
    finally:
        for name in ("agent", "help_me"):
            sys.modules.pop(name, None)


def test_a_saved_file_is_told_once_and_not_while_it_is_being_written(project: Path) -> None:
    mending = Mending(failed("agent.py"), project)
    assert not mending.saved()
    (project / "help_me.py").write_text("")
    assert not mending.saved()
    (project / "help_me.py").write_text(SHOUT)
    assert not mending.saved()
    assert mending.saved()
    assert not mending.saved()


def test_a_file_of_another_folder_that_the_error_came_through_is_watched(project: Path) -> None:
    deep = project / "parts" / "deep"
    deep.mkdir(parents=True)
    (deep / "inner.py").write_text("1 / 0\n")
    (project / "agent.py").write_text("import parts.deep.inner\n")
    mending = Mending(failed("agent.py"), project)
    (deep / "inner.py").write_text("one = 1\n")
    assert not mending.saved()
    assert mending.saved()


@pytest.mark.parametrize(
    ("place", "watched"), [("parts", True), (".venv/lib", False), ("env/lib/python3/dist-packages", False)]
)
def test_only_the_projects_own_files_are_watched_wherever_it_lies(
    tmp_path: Path, place: str, watched: bool
) -> None:
    project = tmp_path / "site-packages" / "mine"
    inner = project / place / "inner.py"
    inner.parent.mkdir(parents=True)
    with pytest.raises(ZeroDivisionError) as caught:
        exec(compile("1 / 0\n", str(inner), "exec"))
    mending = Mending(caught.value, project)
    inner.write_text("one = 1\n")
    assert [mending.saved(), mending.saved()] == [False, watched]


def test_logs_and_folders_that_come_up_are_no_reason(project: Path) -> None:
    mending = Mending(failed("agent.py"), project)
    (project / ".workbench").mkdir()
    (project / "notes.txt").write_text("hello")
    assert not mending.saved()
    assert not mending.saved()


def test_the_line_of_an_error_is_told_with_it(project: Path) -> None:
    (project / "help_me.py").write_text("x = 1\ny = x / 0  # here\n")
    assert str(failed("agent.py")).endswith(
        "help_me.py:2: ZeroDivisionError: division by zero\n    y = x / 0  # here"
    )
