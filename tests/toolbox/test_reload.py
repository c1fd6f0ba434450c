"""What a reload does to the registry, file by file; nothing is watched here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.toolbox.conftest import Write
from workbench.registry import ChangeEvent, ChangeEventType, Grant, GrantScope, ToolRegistry
from workbench.toolbox.loader import load_tools
from workbench.toolbox.reload import ReloadReport
from workbench.toolbox.watcher import ToolWatcher

TWO = "def one(x: int) -> int:\n    return x\n\ndef two() -> int:\n    return 2\n"


class Bench:
    """A folder of tools that is loaded, and a watcher that is only asked."""

    def __init__(self, folder: Path) -> None:
        self.registry = ToolRegistry()
        self.loaded = load_tools(folder, self.registry)
        self.watcher = ToolWatcher(self.registry, [self.loaded.source])
        self.events: list[ChangeEvent] = []
        self.registry.on_change(self.events.append)

    def names(self) -> list[str]:
        return sorted(tool.name for tool in self.registry)

    def reload(self) -> ReloadReport:
        self.events.clear()
        report = self.watcher.check()
        assert report is not None
        return report

    def told(self) -> list[tuple[ChangeEventType, str | None]]:
        return [(event.event_type, event.tool_name) for event in self.events]


@pytest.fixture
def bench(tmp_path: Path) -> Callable[[], Bench]:
    """Load the test's folder."""
    return lambda: Bench(tmp_path)


def test_a_changed_function_is_refreshed_and_its_neighbour_is_not(
    write: Write, bench: Callable[[], Bench]
) -> None:
    write("a.py", TWO)
    here = bench()
    write("a.py", TWO.replace("x: int", "x: int, y: str = 'z'"))
    report = here.reload()
    assert (report.changed, report.added, report.removed, report.failures) == (("a.one",), (), (), ())
    assert here.told() == [(ChangeEventType.REFRESH, "a.one")]
    assert here.events[0].metadata["difference"] == {
        "added": {"y": {"type": "string", "default": "z", "required": False}}
    }
    assert here.registry.resolve("a.two").metadata.source_line == 4


def test_a_file_that_only_moved_its_lines_or_was_touched_changes_no_tool(
    write: Write, bench: Callable[[], Bench]
) -> None:
    path = write("a.py", TWO)
    here = bench()
    path.touch()
    assert here.watcher.check() is None
    write("a.py", "# a remark\n\n" + TWO)
    report = here.reload()
    assert (report.changed, here.events) == ((), [])
    assert here.registry.resolve("a.one").metadata.source_line == 3


def test_a_changed_constant_or_helper_function_counts_as_a_change_of_its_users(
    write: Write, bench: Callable[[], Bench]
) -> None:
    source = "K = 1\ndef _half(): return K\ndef one() -> int: return _half()\ndef two() -> int: return 2\n"
    write("a.py", source)
    here = bench()
    write("a.py", source.replace("K = 1", "K = 5"))
    assert here.reload().changed == ("a.one",)
    assert here.registry.call("a.one", {}) == 5


def test_new_and_lost_functions_come_and_go(write: Write, bench: Callable[[], Bench]) -> None:
    write("a.py", TWO)
    here = bench()
    write("a.py", "def one(x: int) -> int:\n    return x\n\ndef three(y: str) -> str:\n    return y * 3\n")
    report = here.reload()
    assert (report.added, report.removed, report.moved) == (("a.three",), ("a.two",), ())
    assert here.told() == [(ChangeEventType.UNREGISTER, "a.two"), (ChangeEventType.REGISTER, "a.three")]


def test_a_renamed_function_moves_and_stays_switched_off(write: Write, bench: Callable[[], Bench]) -> None:
    write("a.py", TWO)
    here = bench()
    here.registry.disable("a.two", "not today")
    here.registry.update_metadata("a.two", timeout=7)
    write("a.py", TWO.replace("two", "zwei"))
    report = here.reload()
    assert (report.moved, report.added, report.removed) == ((("a.two", "a.zwei"),), (), ())
    assert here.registry.get_disable_reason("a.zwei") == "not today"
    assert here.registry.resolve("a.zwei").metadata.timeout == 7


def test_files_that_appear_and_disappear_bring_and_take_their_tools(
    write: Write, bench: Callable[[], Bench]
) -> None:
    path = write("a.py", TWO)
    here = bench()
    write("b.py", "def bee() -> int: return 1\n")
    assert here.reload().added == ("b.bee",)
    path.unlink()
    assert here.reload().removed == ("a.one", "a.two")
    assert here.names() == ["b.bee"]
    assert here.watcher.check() is None


def test_a_tool_that_comes_back_is_off_if_it_was_off(write: Write, bench: Callable[[], Bench]) -> None:
    path = write("a.py", TWO)
    here = bench()
    here.registry.disable("a.one", "careful")
    path.unlink()
    here.reload()
    write("a.py", TWO)
    assert here.reload().added == ("a.one", "a.two")
    assert here.registry.get_disable_reason("a.one") == "careful"
    assert here.registry.is_enabled("a.two")


def test_what_was_set_at_run_time_survives(write: Write, bench: Callable[[], Bench]) -> None:
    write("a.py", TWO)
    here = bench()
    here.registry.call("a.one", {"x": 1})
    here.registry.update_metadata("a.one", tags={"mine"})
    here.registry.disable("a.one", "later")
    grant = Grant("a.one", scope=GrantScope.SESSION)
    here.registry.grant(grant)
    write("a.py", TWO.replace("return x", "return x + 1"))
    assert here.reload().changed == ("a.one",)
    assert here.registry.get_disable_reason("a.one") == "later"
    assert here.registry.resolve("a.one").metadata.tags == {"mine"}
    assert here.registry.statistics("a.one").calls == 1
    assert here.registry.grants == (grant,)


@pytest.mark.parametrize(
    ("broken", "line", "reason"),
    [("x = 1\ndef f(:\n", 2, "SyntaxError"), ("\n\nimport not_a_module_at_all\n", 3, "ModuleNotFoundError")],
)
def test_a_broken_file_keeps_its_last_good_version_until_it_is_mended(
    write: Write, bench: Callable[[], Bench], broken: str, line: int, reason: str
) -> None:
    path = write("a.py", TWO)
    here = bench()
    write("a.py", broken)
    (failure,) = here.reload().failures
    assert (failure.path, failure.line) == (path, line)
    assert failure.reason.startswith(reason)
    assert here.events == []
    assert here.registry.call("a.one", {"x": 4}) == 4
    assert list(here.watcher.failures) == [failure]
    assert here.watcher.check() is None
    write("a.py", TWO.replace("return x", "return -x"))
    assert here.reload().failures == ()
    assert list(here.watcher.failures) == []
    assert here.registry.call("a.one", {"x": 4}) == -4


def test_a_function_that_cannot_be_a_tool_any_more_keeps_its_last_good_version(
    write: Write, bench: Callable[[], Bench]
) -> None:
    write("a.py", TWO)
    here = bench()
    write("a.py", TWO.replace("x: int", "x: 'NoSuchType'").replace("return 2", "return 22"))
    report = here.reload()
    assert report.changed == ("a.two",)
    assert [failure.line for failure in report.failures] == [1]
    assert here.registry.call("a.one", {"x": 4}) == 4


def test_a_changed_helper_reaches_whoever_uses_it_and_nobody_else(
    write: Write, bench: Callable[[], Bench]
) -> None:
    write("_deep.py", "V = 1\n")
    write("lib/__init__.py", "")
    write("lib/mid.py", "from _deep import V\ndef get(): return V\n")
    write("a.py", "import lib.mid\ndef one() -> int: return lib.mid.get()\ndef two() -> int: return 2\n")
    write("b.py", "STARTED = []\ndef bee() -> int:\n    STARTED.append(1)\n    return len(STARTED)\n")
    here = bench()
    assert (here.registry.call("a.one", {}), here.registry.call("b.bee", {})) == (1, 1)
    write("_deep.py", "V = 7\n")
    assert here.reload().changed == ("a.one",)
    assert (here.registry.call("a.one", {}), here.registry.call("b.bee", {})) == (7, 2)
    write("lib/__init__.py", "X = 1\n")
    here.reload()
    assert here.registry.call("a.one", {}) == 7
    write("lib/mid.py", "def get(: return V\n")
    assert here.reload().failures[0].path.name == "mid.py"
    assert here.registry.call("a.one", {}) == 7


def test_of_a_changed_helper_only_what_is_used_reaches_a_tool(
    write: Write, bench: Callable[[], Bench]
) -> None:
    write("_deep.py", "V = 1\nW = 1\ndef get(): return V\ndef got(): return W\n")
    write("_mid.py", "from _deep import get, got\ndef first(): return get()\ndef last(): return got()\n")
    uses = "def one() -> int: return _mid.first()\ndef two() -> int: return _mid.last()\n"
    write("a.py", f"import _mid\n{uses}def three() -> int: return 3\n")
    write("b.py", "from _mid import *\ndef four() -> int: return first()\ndef five() -> int: return last()\n")
    here = bench()
    for value in (7, 8):  # what is in use then was loaded again itself
        write("_deep.py", f"V = {value}\nW = 1\ndef get(): return V\ndef got(): return W\n")
        assert here.reload().changed == ("a.one", "b.four")
        assert here.registry.call("b.four", {}) == value
    write("_mid.py", "from _deep import get, got\ndef first(): return get()\ndef last(): return got() + 1\n")
    assert here.reload().changed == ("a.two", "b.five")


def test_a_broken_helper_is_named_and_all_keep_working(write: Write, bench: Callable[[], Bench]) -> None:
    helper = write("_help.py", "V = 1\n")
    write("a.py", "from _help import V\ndef one() -> int: return V\n")
    write("b.py", "import _help\ndef two() -> int: return _help.V\n")
    here = bench()
    write("_help.py", "\nV = = 1\n")
    (failure,) = here.reload().failures
    assert (failure.path, failure.line) == (helper, 2)
    assert (here.registry.call("a.one", {}), here.registry.call("b.two", {})) == (1, 1)
    write("_help.py", "V = 3\n")
    assert here.reload().failures == ()
    assert (here.registry.call("a.one", {}), here.registry.call("b.two", {})) == (3, 3)


def test_a_file_that_imports_a_broken_one_goes_on_with_its_last_good_version(
    write: Write, bench: Callable[[], Bench]
) -> None:
    write("a.py", "def one() -> int: return 1\n")
    write("b.py", "import a\ndef two() -> int: return a.one()\n")
    here = bench()
    write("a.py", "def one( -> int: return 1\n")
    write("b.py", "import a\ndef two() -> int: return a.one() + 1\n")
    assert [failure.path.name for failure in here.reload().failures] == ["a.py"]
    assert here.registry.call("b.two", {}) == 2


def test_a_file_that_never_loaded_loads_once_its_helper_is_mended(
    write: Write, bench: Callable[[], Bench]
) -> None:
    write("lib/part.py", "V = = 1\n")
    write("a.py", "from lib.part import V\ndef one() -> int: return V\n")
    here = bench()
    assert here.names() == []
    assert len(here.loaded.failures) == 1
    write("lib/part.py", "V = 8\n")
    report = here.reload()
    assert (report.added, report.failures) == (("a.one",), ())
    assert here.registry.call("a.one", {}) == 8


def test_a_helper_that_is_imported_in_a_call_is_followed_too(
    write: Write, bench: Callable[[], Bench]
) -> None:
    write("_late.py", "V = 1\n")
    write("a.py", "def one() -> int:\n    import _late\n    return _late.V\n")
    here = bench()
    assert here.registry.call("a.one", {}) == 1
    write("_late.py", "V = 2\n")
    assert here.reload().changed == ("a.one",)
    assert here.registry.call("a.one", {}) == 2
    write("_late.py", "V = = 2\n")
    assert here.reload().failures[0].path.name == "_late.py"
    assert here.registry.call("a.one", {}) == 2
    write("_late.py", "V = 3\n")
    assert here.reload().failures == ()
    assert here.registry.call("a.one", {}) == 3


def test_a_function_that_moves_to_another_file_of_its_namespace_keeps_its_place(
    write: Write, bench: Callable[[], Bench]
) -> None:
    one = "def one(x: int) -> int:\n    return x\n"
    write("a.py", f"__namespace__ = 'n'\n{one}")
    write("b.py", "__namespace__ = 'n'\n")
    here = bench()
    here.registry.disable("n.one", "mine")
    write("a.py", "__namespace__ = 'n'\n")
    write("b.py", f"__namespace__ = 'n'\n{one}")
    report = here.reload()
    assert (report.added, report.removed) == ((), ())
    assert here.registry.get_disable_reason("n.one") == "mine"


def test_a_name_that_another_file_has_is_a_failure_and_changes_nothing(
    write: Write, bench: Callable[[], Bench]
) -> None:
    write("a.py", "__namespace__ = 'n'\ndef one() -> int: return 1\n")
    write("b.py", "__namespace__ = 'n'\n")
    here = bench()
    path = write("b.py", "__namespace__ = 'n'\ndef one() -> int: return 2\n")
    report = here.reload()
    assert [failure.path for failure in report.failures] == [path]
    assert here.registry.call("n.one", {}) == 1


def test_a_hook_file_that_is_saved_again_has_one_say_not_two(
    write: Write, bench: Callable[[], Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(sys, "asked_in_test", asked, raising=False)
    source = (
        "import sys\n"
        "def post_register_hook(name, tool, registry):\n"
        "    sys.asked_in_test.append('{} ' + name)\n"
    )
    write("hooks.py", source.format("old"))
    here = bench()
    write("hooks.py", source.format("new"))
    here.reload()
    write("b.py", "def bee() -> int: return 1\n")
    here.reload()
    assert asked == ["new b.bee"]
    Path(here.loaded.source.place / "hooks.py").unlink()
    here.reload()
    write("c.py", "def sea() -> int: return 1\n")
    here.reload()
    assert asked == ["new b.bee"]


def test_a_hook_that_was_not_there_at_first_is_taken_on(write: Write, bench: Callable[[], Bench]) -> None:
    write("a.py", TWO)
    here = bench()
    write("hooks.py", "def post_register_hook(name, tool, registry):\n    return 'new here'\n")
    write("b.py", "def bee() -> int: return 1\n")
    here.reload()
    assert here.registry.get_disable_reason("b.bee") == "new here"


def test_reloading_everything_replaces_all_tools_in_one_step_and_tells_what_changed(
    write: Write, bench: Callable[[], Bench]
) -> None:
    write("a.py", "from _helper import F\ndef one() -> int: return F\ndef two() -> int: return 2\n")
    write("b.py", "from _helper import F\ndef bee() -> int: return 1\ndef fee() -> int: return F\n")
    write("_helper.py", "F = 1\n")
    here = bench()
    write("a.py", "from _helper import F\ndef one() -> int: return F\ndef two() -> int: return 3\n")
    report = here.watcher.reload(everything=True)
    assert here.told() == [(ChangeEventType.REFRESH_ALL, None)]
    assert set(here.events[0].metadata["tools"]) == {"a.two"}
    assert (report.changed, report.ok) == (("a.two",), True)
    here.events.clear()
    write("_helper.py", "F = 2\n")
    report = here.watcher.reload(everything=True)
    assert here.events[0].metadata["tools"] == {"a.one": {}, "b.fee": {}}
    assert report.changed == ("a.one", "b.fee")


def test_reloading_everything_without_a_change_makes_new_functions_and_tells_of_none(
    write: Write, bench: Callable[[], Bench]
) -> None:
    write("a.py", "from _helper import F\ndef one() -> int: return F\n")
    write("_helper.py", "F = 1\n")
    here = bench()
    before = here.registry.resolve("a.one").func
    report = here.watcher.reload(everything=True)
    assert here.events == []
    assert (report.changed, report.ok) == ((), True)
    assert here.registry.resolve("a.one").func is not before


def test_a_manual_reload_without_a_change_reports_nothing(write: Write, bench: Callable[[], Bench]) -> None:
    write("a.py", TWO)
    here = bench()
    report = here.watcher.reload()
    assert (report.changed, report.added, report.removed, here.events) == ((), (), (), [])


def test_a_single_named_tool_is_followed_and_its_neighbours_stay_out(write: Write) -> None:
    path = write("a.py", TWO)
    registry = ToolRegistry()
    watcher = ToolWatcher(registry, [load_tools(f"{path}:one", registry).source])
    write("a.py", TWO.replace("return x", "return x * 2"))
    report = watcher.check()
    assert report is not None
    assert report.changed == ("a.one",)
    assert [tool.name for tool in registry] == ["a.one"]
    write("a.py", "def two() -> int:\n    return 2\n")
    report = watcher.check()
    assert report is not None
    assert report.removed == ("a.one",)
    assert "has no one" in report.failures[0].reason


def test_two_sources_that_share_modules_are_both_renewed_and_share_them_still(write: Write) -> None:
    first = write("a.py", "from b import LOG\nfrom _h import V\ndef one() -> int: return len(LOG) + V()\n")
    second = write(
        "b.py", "from _h import V\nLOG = []\ndef two() -> int:\n    LOG.append(1)\n    return V()\n"
    )
    write("_h.py", "def V(): return 100\n")
    registry = ToolRegistry()
    watcher = ToolWatcher(registry, [load_tools(each, registry).source for each in (first, second)])
    assert (registry.call("b.two", {}), registry.call("a.one", {})) == (100, 101)
    write("_h.py", "def V(): return 200\n")
    report = watcher.check()
    assert report is not None
    assert set(report.changed) == {"a.one", "b.two"}
    assert (registry.call("b.two", {}), registry.call("a.one", {})) == (200, 201)
    write("b.py", second.read_text().replace("return V()", "return -V()"))
    report = watcher.check()
    assert report is not None
    assert "b.two" in report.changed
    assert (registry.call("b.two", {}), registry.call("a.one", {})) == (-200, 201)


def test_a_package_imported_by_name_is_followed(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("pack_to_reload/__init__.py", "from .inner import deep\ndef top() -> int: return deep()\n")
    write("pack_to_reload/inner.py", "from ._part import V\ndef deep() -> int: return V\n")
    write("pack_to_reload/_part.py", "V = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = ToolRegistry()
    report = load_tools("pack_to_reload", registry)
    watcher = ToolWatcher(registry, [report.source])
    assert (report.tools, registry.call("pack_to_reload.top", {})) == (
        ["pack_to_reload.top", "inner.deep"],
        1,
    )
    write("pack_to_reload/_part.py", "V = 2\n")
    changed = watcher.check()
    assert changed is not None
    assert changed.changed == ("pack_to_reload.top", "inner.deep")
    assert (registry.call("pack_to_reload.top", {}), registry.call("inner.deep", {})) == (2, 2)
    write("pack_to_reload/more.py", "def extra() -> int: return 3\n")
    added = watcher.check()
    assert added is not None
    assert added.added == ("more.extra",)
