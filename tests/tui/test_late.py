"""A module that is put off is executed once, whole, for whoever uses it first."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from workbench.tui.late import put_off, put_off_still


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A module that is put off; it waits for a gate of its test while it is executed."""
    (tmp_path / "put_off_one.py").write_text(
        "import sys\n"
        "first = 1\n"
        "gate = sys.modules['tests.tui.test_late'].GATE\n"
        "reached = sys.modules['tests.tui.test_late'].REACHED\n"
        "reached.append(1)\n"
        "sys.modules['tests.tui.test_late'].BEGUN.set()\n"
        "gate.wait(60)\n"
        "last = 2\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    GATE.clear()
    BEGUN.clear()
    REACHED.clear()
    put_off(["put_off_one"])
    yield importlib.import_module("put_off_one")
    del sys.modules["put_off_one"]


GATE = threading.Event()
BEGUN = threading.Event()
REACHED: list[int] = []


def test_importing_it_does_not_execute_it(module: ModuleType) -> None:
    assert "put_off_one" in put_off_still()
    assert REACHED == []


def test_the_first_name_that_is_asked_for_executes_it_once(module: ModuleType) -> None:
    GATE.set()
    assert module.last == 2
    assert module.first == 1
    assert REACHED == [1]
    assert "put_off_one" not in put_off_still()
    assert type(module) is ModuleType


def test_a_name_that_it_does_not_have_is_an_error_as_in_any_module(module: ModuleType) -> None:
    GATE.set()
    with pytest.raises(AttributeError, match="put_off_one has no attribute nothing"):
        _ = module.nothing


def test_those_who_look_through_all_modules_do_not_execute_it(module: ModuleType) -> None:
    assert getattr(module, "__warningregistry__", None) is None
    assert REACHED == []


def test_a_second_thread_waits_for_the_whole_of_it(module: ModuleType) -> None:
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(module.last)) for _ in range(4)]
    for thread in threads:
        thread.start()
    assert BEGUN.wait(60)
    assert found == []
    GATE.set()
    for thread in threads:
        thread.join(60)
    assert found == [2, 2, 2, 2]
    assert REACHED == [1]


@pytest.mark.parametrize("raised", ["ImportError('no such thing')", "AttributeError('no such thing')"])
def test_each_one_who_uses_a_module_that_fails_is_told_why(
    raised: str, tmp_path: Path, module: ModuleType
) -> None:
    (tmp_path / "put_off_one.py").write_text(f"raise {raised}")
    for _ in range(2):
        with pytest.raises(ImportError, match="no such thing"):
            _ = module.last
    assert "put_off_one" in put_off_still()
    (tmp_path / "put_off_one.py").write_text("last = 'it is mended'")
    assert module.last == "it is mended"


def test_it_is_an_attribute_of_its_package_as_any_imported_module_is() -> None:
    import workbench.tui.events

    assert workbench.tui.events is sys.modules["workbench.tui.events"]


def test_a_module_that_is_not_there_is_said_at_once() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"):
        put_off(["no_such_module_at_all"])
