"""The command line with standard streams that are closed, full, or of a narrow encoding."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROMPT = "echo(text='é')"
TOOLS = '''
from workbench import ToolTag, tool

@tool(tags={ToolTag.READ_ONLY})
def echo(text: str) -> str:
    """Give it back."""
    return text

@tool(tags={ToolTag.READ_ONLY})
def shut() -> str:
    """Close the stream that the answer goes to."""
    import sys
    sys.__stdout__.close()
    return "shut"
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(TOOLS, encoding="utf-8")
    return tmp_path


def workbench(project: Path, command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which ``$W`` is the command."""
    variables = {**os.environ, "W": f"{sys.executable} -m workbench.cli", **environment}
    return subprocess.run(
        ["sh", "-c", command], cwd=project, env=variables, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_run_with_closed_streams_ends_as_with_open_ones(project: Path, closed: str) -> None:
    done = workbench(project, f'$W run "{PROMPT}" mine.py {closed}')
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    assert ("returned **é**" in done.stdout) == (">&-" not in closed.replace("2>&-", ""))


@pytest.mark.parametrize("command", ["sessions", "export last"])
def test_output_that_finds_no_room_is_said_in_words(project: Path, command: str) -> None:
    first = workbench(project, f'$W run "{PROMPT}" mine.py > /dev/full')
    done = workbench(project, f"$W {command} > /dev/full")
    for each in (first, done):
        assert each.returncode == 1
        assert each.stderr.endswith("workbench: cannot write to stdout: No space left on device\n")


def test_an_answer_that_the_encoding_lacks_is_written_with_escapes(project: Path) -> None:
    done = workbench(project, f'$W run "{PROMPT}" mine.py', PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stdout) == (0, "`mine.echo` returned **\\xe9**.\n")


def test_an_answer_whose_stream_a_tool_has_closed_is_an_error_in_words(project: Path) -> None:
    done = workbench(project, '$W run "shut()" mine.py')
    assert done.returncode == 1
    assert done.stderr.endswith("workbench: cannot write to stdout: it was closed\n")
