"""Tools come from folders, files, modules and packages, and a file that fails stops no other."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.toolbox.conftest import Write
from workbench.errors import ConfigError
from workbench.registry import ToolRegistry
from workbench.toolbox.loader import load_tools
from workbench.toolbox.tool_files import ImportFailedError, import_file

ONE = 'def one(x: int) -> int:\n    """One."""\n    return x\n'


def names(registry: ToolRegistry) -> list[str]:
    return sorted(tool.name for tool in registry)


def test_a_folder_gives_the_public_functions_of_its_files(tmp_path: Path, write: Write) -> None:
    write("a.py", "from os.path import join\n" + ONE + "def _hidden(): ...\nclass Other: ...\n")
    write("b.py", "def two() -> int:\n    return 2\n")
    write("_helper.py", "def three() -> int:\n    return 3\n")
    write("notes.txt", "not Python")
    registry = ToolRegistry()
    report = load_tools(tmp_path, registry)
    assert report.ok
    assert names(registry) == report.tools == ["a.one", "b.two"]
    assert registry.call("a.one", {"x": "5"}) == 5


def test_a_namespace_in_the_file_takes_the_place_of_its_name(tmp_path: Path, write: Write) -> None:
    write("a.py", '__namespace__ = "things"\n' + ONE)
    write("b.py", '__namespace__ = ""\n' + ONE.replace("one", "bare"))
    registry = ToolRegistry()
    load_tools(tmp_path, registry)
    assert names(registry) == ["bare", "things.one"]


def test_a_single_file_has_the_same_names_as_in_its_folder(write: Write) -> None:
    registry = ToolRegistry()
    load_tools(write("a.py", ONE), registry)
    assert names(registry) == ["a.one"]


def test_all_says_what_is_a_tool(tmp_path: Path, write: Write) -> None:
    write(
        "a.py",
        """
        from math import floor
        __all__ = ["one", "shelf", "gone"]
        def one(x: int) -> int: return x
        def two() -> int: return 2
        class Shelf:
            def put(self, thing: str) -> str: return thing
        shelf = Shelf()
        """,
    )
    registry = ToolRegistry()
    report = load_tools(tmp_path, registry)
    assert names(registry) == ["a.one", "a.put"]
    assert ["gone" in failure.reason for failure in report.failures] == [True]


@pytest.mark.parametrize(
    ("source", "line", "reason"),
    [
        ("x = 1\ndef f(:\n", 2, "SyntaxError"),
        ("x = 1\n\nimport not_a_module_at_all\n", 3, "ModuleNotFoundError"),
        ("def f():\n    raise ValueError('no')\nf()\n", 2, "ValueError: no"),
        ("import sys\nsys.exit('bye')\n", 2, "SystemExit: bye"),
        ("x = '\0'\n", None, "SyntaxError"),
    ],
)
def test_a_file_that_fails_is_reported_with_its_line_and_the_others_load(
    tmp_path: Path, write: Write, source: str, line: int | None, reason: str
) -> None:
    broken = write("broken.py", source)
    write("fine.py", ONE)
    registry = ToolRegistry()
    (failure,) = load_tools(tmp_path, registry).failures
    assert names(registry) == ["fine.one"]
    assert failure.path == broken
    assert failure.reason.startswith(reason)
    if line is not None:
        assert failure.line == line
        assert f"broken.py:{line}: " in str(failure)


def test_a_syntax_error_in_a_helper_names_the_helper(tmp_path: Path, write: Write) -> None:
    write("_help.py", "\n\nx = = 1\n")
    write("a.py", "import _help\n")
    (failure,) = load_tools(tmp_path, ToolRegistry()).failures
    assert (failure.path.name, failure.line) == ("_help.py", 3)


def test_a_function_that_cannot_be_a_tool_is_reported_and_its_neighbours_stay(
    tmp_path: Path, write: Write
) -> None:
    write("a.py", ONE + "def bad(x: 'NoSuchType') -> int:\n    return 1\n")
    registry = ToolRegistry()
    (failure,) = load_tools(tmp_path, registry).failures
    assert names(registry) == ["a.one"]
    assert failure.line == 4
    assert "NoSuchType" in failure.reason


def test_files_import_their_helpers_by_plain_name_and_relatively(tmp_path: Path, write: Write) -> None:
    write("_plain_helper_of_this_test.py", "VALUE = 1\n")
    write("a.py", "import _plain_helper_of_this_test as h\ndef one() -> int: return h.VALUE\n")
    write("b.py", "from ._plain_helper_of_this_test import VALUE\ndef two() -> int: return VALUE + 1\n")
    registry = ToolRegistry()
    assert load_tools(tmp_path, registry).ok
    assert (registry.call("a.one", {}), registry.call("b.two", {})) == (1, 2)


def test_a_file_named_like_a_module_of_the_library_does_not_replace_it(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("sched.py", "def plan() -> str: return 'tool'\n")
    monkeypatch.delitem(sys.modules, "sched", raising=False)
    registry = ToolRegistry()
    load_tools(tmp_path, registry)
    import sched

    assert hasattr(sched, "scheduler")
    assert registry.call("sched.plan", {}) == "tool"


def test_two_files_of_one_name_in_two_folders_are_two_modules(write: Write) -> None:
    left = import_file(write("left/a.py", "WHO = 'left'\n"))
    right = import_file(write("right/a.py", "WHO = 'right'\n"))
    assert (vars(left)["WHO"], vars(right)["WHO"]) == ("left", "right")


def test_an_unchanged_file_is_imported_once_and_a_changed_one_again(write: Write) -> None:
    path = write("a.py", "VALUE = 1\n")
    first = import_file(path)
    assert import_file(path) is first
    assert import_file(path, again=True) is not first
    write("a.py", "VALUE = 2\n")
    assert vars(import_file(path))["VALUE"] == 2


def test_an_import_that_fails_leaves_the_last_good_module(write: Write) -> None:
    path = write("a.py", "VALUE = 1\n")
    good = import_file(path)
    write("a.py", "VALUE = \n")
    with pytest.raises(ImportFailedError, match=r"a\.py:1"):
        import_file(path)
    assert sys.modules[good.__name__] is good


def test_hooks_of_any_file_see_the_tools_of_every_file(tmp_path: Path, write: Write) -> None:
    write("a.py", ONE)
    write(
        "z_hooks.py",
        "def post_register_hook(name, tool, registry):\n    return 'not yet' if name == 'a.one' else None\n",
    )
    registry = ToolRegistry()
    assert load_tools(tmp_path, registry).ok
    assert names(registry) == ["a.one"]
    assert registry.get_disable_reason("a.one") == "not yet"


def test_a_name_behind_a_colon_loads_only_that(tmp_path: Path, write: Write) -> None:
    path = write("a.py", ONE + "def two() -> int: return 2\nboth = [one, two]\n")
    registry = ToolRegistry()
    load_tools(f"{path}:one", registry)
    assert names(registry) == ["a.one"]
    several = ToolRegistry()
    load_tools(f"{path}:both", several)
    assert names(several) == ["a.one", "a.two"]
    with pytest.raises(ConfigError, match="has no thwo") as raised:
        load_tools(f"{path}:thwo", registry)
    assert "two" in raised.value.hint


def test_modules_and_packages_load_by_name(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write("lone_module_of_tests.py", ONE)
    write("pack_of_tests/__init__.py", "def top() -> int: return 0\n")
    write("pack_of_tests/inner.py", "from . import top\ndef deep() -> int: return top()\n")
    write("pack_of_tests/broken.py", "x = = 1\n")
    registry = ToolRegistry()
    assert load_tools("lone_module_of_tests", registry).ok
    assert load_tools("lone_module_of_tests:one", ToolRegistry()).tools == ["lone_module_of_tests.one"]
    monkeypatch.chdir(tmp_path.parent)  # so that the name is a module's and no folder's
    (failure,) = load_tools("pack_of_tests", registry).failures
    assert failure.path.name == "broken.py"
    assert names(registry) == ["inner.deep", "lone_module_of_tests.one", "pack_of_tests.top"]


def test_what_does_not_exist_is_a_clear_error(tmp_path: Path) -> None:
    for target in (tmp_path / "gone.py", tmp_path / "gone", "no_such_module_here", "no_such_module_here:x"):
        with pytest.raises(ConfigError, match="there is no"):
            load_tools(target, ToolRegistry())


def test_loading_from_several_threads_gives_one_module(write: Write) -> None:
    path = write("a.py", "" + ONE)
    with ThreadPoolExecutor(4) as pool:
        modules = set(pool.map(import_file, [path] * 8))
    assert len(modules) == 1
