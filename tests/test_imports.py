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


def test_the_first_frame_needs_neither_a_model_library_nor_pydantic() -> None:
    code = (
        "import asyncio, threading\n"
        "from workbench.launch import run_app\n"
        "from workbench.resources import resource_folder\n"
        "from workbench.tui.app import WorkbenchApp\n"
        "from workbench.tui.themes import load_themes\n"
        "themes, _ = load_themes([resource_folder('themes')])\n"
        "gate = threading.Event()\n"
        "def start(post):\n"
        "    gate.wait(30)\n"
        "    raise SystemExit\n"
        "app = WorkbenchApp(start, themes=themes, theme='graphite', model='openai/gpt-5-mini')\n"
        "async def main():\n"
        "    async with app.run_test(size=(120, 40)) as pilot:\n"
        "        await pilot.pause()\n"
        "asyncio.run(main())\n"
    )
    assert loaded_by(code).isdisjoint({"litellm", "openai", "httpx", "pydantic", "watchfiles"})
