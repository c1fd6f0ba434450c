"""What an import costs is part of the design: these run in processes of their own."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = (
    "textual",
    "rich",
    "litellm",
    "watchfiles",
    "yaml",
    "openai",
    "httpx",
    "pydantic",
    "markdown_it",
    "pygments",
)


def loaded_by(code: str) -> set[str]:
    """The top-level packages that are loaded once the code has run."""
    script = (
        f"{code}\nimport sys\nprint(' '.join(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "module", ["workbench", "workbench.engine", "workbench.registry", "workbench.errors"]
)
def test_importing_the_library_loads_nothing_heavy(module: str) -> None:
    assert loaded_by(f"import {module}").isdisjoint(HEAVY)


def test_using_the_engine_loads_no_screen_and_no_model_library() -> None:
    code = (
        "from workbench.engine import Agent, LLMResponse\n"
        "class Fake:\n"
        "    def complete(self, messages, tools=None):\n"
        "        return LLMResponse(content='hi')\n"
        "def add(a: int, b: int) -> int: return a + b\n"
        "assert Agent('a', tools=[add], llm=Fake()).input('hello') == 'hi'\n"
    )
    assert loaded_by(code).isdisjoint({"textual", "rich", "litellm", "watchfiles", "yaml", "openai", "httpx"})


def test_every_public_name_can_be_imported_and_is_listed() -> None:
    import workbench

    for name in workbench.__all__:
        assert getattr(workbench, name) is not None
    assert set(workbench.__all__) <= set(dir(workbench))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("before_tool", "before_each_tool"),
        ("after_tool", "after_each_tool"),
        ("before_tool_round", "before_tools"),
        ("after_tool_round", "after_tools"),
    ],
)
def test_an_old_hook_name_fails_and_names_the_new_one(old: str, new: str) -> None:
    import workbench

    with pytest.raises(AttributeError, match=new):
        getattr(workbench, old)
    with pytest.raises(ImportError, match=new):
        exec(f"from workbench import {old}")


FIRST_FRAME = """
import asyncio
from workbench import launch
from workbench.tui.app import WorkbenchApp

def start(post):
    raise SystemExit

class Frozen(WorkbenchApp):
    def _begin(self):
        '''The first frame is out: what would come next is not looked at here.'''

palette = launch._palette(None, "graphite")
app = Frozen(start, themes={palette.name: palette}, theme=palette.name, model="openai/gpt-5-mini")
async def main():
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
asyncio.run(main())
"""


@pytest.fixture(scope="module")
def first_frame() -> set[str]:
    """The modules that have been executed when the first frame is out."""
    script = f"{FIRST_FRAME}\nimport sys\nfrom workbench.tui.late import put_off_still\n"
    script += "print(' '.join(sorted(set(sys.modules) - put_off_still())))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_the_first_frame_needs_neither_a_model_library_nor_pydantic(first_frame: set[str]) -> None:
    packages = {name.partition(".")[0] for name in first_frame}
    assert packages.isdisjoint({"litellm", "openai", "httpx", "pydantic", "watchfiles", "markdown_it"})


def test_the_first_frame_needs_neither_an_agent_nor_tools(first_frame: set[str]) -> None:
    ours = {name for name in first_frame if name.startswith("workbench.")}
    behind = ("workbench.registry", "workbench.toolbox", "workbench.storage", "workbench.compose")
    assert not {name for name in ours if name.startswith(behind)}
    # the hooks' names are part of the settings
    assert {name for name in ours if name.startswith("workbench.engine")} <= {
        "workbench.engine",
        "workbench.engine.hooks",
    }


@pytest.mark.parametrize(
    "module",
    [
        "events",
        "desks",
        "lab_wishes",
        "model_switch",
        "questions",
        "broker",
        "command_finder",
        "attachments",
        "completion",
        "theme_watch",
        "log_notices",
        "transcript.story",
        "transcript.call",
        "transcript.markdown",
        "screens.held",
        "screens.finder",
    ],
)
def test_the_first_frame_does_not_wait_for_what_it_does_not_show(module: str, first_frame: set[str]) -> None:
    assert f"workbench.tui.{module}" not in first_frame
