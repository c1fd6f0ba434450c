"""Each tool folder imports its own helpers, whatever a neighbour folder calls his."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Any

import pytest

from tests.toolbox.conftest import Write
from workbench.registry import ToolRegistry
from workbench.toolbox.affected import affected_names
from workbench.toolbox.loader import load_tools
from workbench.toolbox.tool_files import ImportFailedError, import_file

FORMS = [
    "import shared_name_of_test\nV = shared_name_of_test.V",
    "import shared_name_of_test as s, os.path as p\nV = s.V if p.join else None",
    "from shared_name_of_test import V",
    "from shared_name_of_test import *",
    "from . import shared_name_of_test as s\nV = s.V",
    "from .shared_name_of_test import V",
    "import part_of_test.deep\nV = part_of_test.deep.V",
    "import part_of_test.deep as d\nV = d.V",
    "from part_of_test.deep import V",
    "from part_of_test import deep\nV = deep.V",
    "def late():\n    import shared_name_of_test\n    return shared_name_of_test.V\nV = late()",
]


@pytest.mark.parametrize("form", FORMS)
def test_two_folders_with_equally_named_helpers_do_not_mix(write: Write, form: str) -> None:
    values: list[Any] = []
    for side in ("left", "right"):
        write(f"{side}/shared_name_of_test.py", f"V = {side!r}\n")
        write(f"{side}/part_of_test/__init__.py", "")
        # A module in a package of the folder means the folder's neighbours too.
        write(f"{side}/part_of_test/deep.py", "from shared_name_of_test import V\n")
        path = write(f"{side}/a.py", "")
        path.write_text(form + "\n", encoding="utf-8")
        values.append(vars(import_file(path))["V"])
    assert values == ["left", "right"]
    assert "shared_name_of_test" not in sys.modules


def test_a_folder_without_init_is_a_package_and_circles_work(write: Write) -> None:
    write("box_of_test/x.py", "import box_of_test.y\nX = 1\ndef y(): return box_of_test.y.Y\n")
    write("box_of_test/y.py", "import box_of_test.x\nY = 2\ndef x(): return box_of_test.x.X\n")
    module = import_file(write("a.py", "from box_of_test.x import y\nV = y()\n"))
    assert vars(module)["V"] == 2


def test_what_is_installed_comes_before_a_neighbour_of_the_same_name(write: Write) -> None:
    write("click.py", "V = 'mine'\n")
    module = import_file(write("a.py", "import click\nV = click.__file__\n"))
    assert "site-packages" in vars(module)["V"]


def test_a_folder_that_is_on_the_path_of_itself_still_owns_its_helpers(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    write("helper_on_path_of_test.py", "V = 1\n")
    module = import_file(write("a.py", "import helper_on_path_of_test as h\nNAME = h.__name__\n"))
    assert vars(module)["NAME"].startswith("workbench_tools_")


def test_lines_in_tracebacks_are_those_of_the_file(write: Write) -> None:
    write("_help.py", "def f():\n    raise ValueError('deep')\n")
    path = write("a.py", "import os, _help, sys\n\n\ndef one():\n    _help.f()\n")
    module = import_file(path)
    with pytest.raises(ValueError, match="deep") as raised:
        vars(module)["one"]()
    frames = traceback.extract_tb(raised.value.__traceback__)[1:]
    assert [(Path(frame.filename).name, frame.lineno, frame.line) for frame in frames] == [
        ("a.py", 5, "_help.f()"),
        ("_help.py", 2, "raise ValueError('deep')"),
    ]


def test_a_helper_that_raises_is_named_with_its_own_line(write: Write) -> None:
    helper = write("_help.py", "\n\nraise RuntimeError('not here')\n")
    with pytest.raises(ImportFailedError) as raised:
        import_file(write("a.py", "import _help\n"))
    assert (raised.value.failure.path, raised.value.failure.line) == (helper, 3)


def test_a_file_that_another_one_imports_is_one_module(tmp_path: Path, write: Write) -> None:
    write("a.py", "import b\ndef one() -> int: return b.count()\n")
    write("b.py", "SEEN = []\ndef count() -> int:\n    SEEN.append(1)\n    return len(SEEN)\n")
    registry = ToolRegistry()
    load_tools(tmp_path, registry)
    assert (registry.call("a.one", {}), registry.call("b.count", {})) == (1, 2)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("def f(): return 1\ndef g(): return 2\n", "def f(): return 3\ndef g(): return 2\n", {"f"}),
        (
            "K = 1\ndef f(): return K\ndef g(): return 2\n",
            "K = 2\ndef f(): return K\ndef g(): return 2\n",
            {"K", "f"},
        ),
        ("def f(): return 1\n", "'''Docs.'''\n\n\ndef f(): return 1\n", set()),
        ("def f(): return 1\n", "import os\ndef f(): return 1\n", {"os"}),
        ("def f(): return 1\n", "print()\ndef f(): return 1\n", {"f"}),
        ("print()\ndef f(): return 1\n", "def f(): return 1\n", {"f"}),
        (
            "K = 1\ndef f(): return K\ndef g(): return 1\n",
            "def f(): return K\ndef g(): return 1\n",
            {"K", "f"},
        ),
        (
            "def f(): return 1\nf = f or g\ndef h(): return f\n",
            "def f(): return 1\ndef h(): return f\n",
            {"f", "h"},
        ),
        ("def f(): return g()\ndef g(): return 1\n", "def f(): return g()\ndef g(): return 2\n", {"f", "g"}),
        (
            "import m.x\ndef f(): return m\ndef g(): return 1\n",
            "import m.x\ndef f(): return m\ndef g(): return 1\n",
            {"m", "f"},
        ),
        ("def f():\n    from m import x\n", "def f():\n    from m import x\n", {"f"}),
        ("from m import *\ndef f(): return x\n", "from m import *\ndef f(): return x\n", {"f"}),
        ("def f(): return 1\n", "def f(:\n", set()),
    ],
)
def test_the_names_that_an_edit_reaches(old: str, new: str, found: set[str]) -> None:
    names = affected_names(
        old.encode(), new.encode(), renewed={"m": None, "m.x": None}, package="", folder=None
    )
    assert names == found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from m import a, b\nx = a()\ny = b()\n", {"a", "x"}),
        ("from m import a as c, b\nx = [c]\ny = [b]\n", {"c", "x"}),
        ("import m\ndef f(): return m.a\ndef g(): return m.b\ndef h(): return m\n", {"m", "f", "h"}),
        ("import m as n\ndef f(): return n.a\ndef g(): return n.b.a\n", {"n", "f"}),
        ("from m import *\ndef f(): return a\ndef g(): return b\n", {"a", "f"}),
        ("import q\ndef f(): return q.a\n", set()),
        ("import p.sub\ndef f(): return p.sub.a\ndef g(): return p.other\n", {"p", "f"}),
        ("from p import sub\ndef f(): return sub.z\ndef g(): return sub.y\n", {"sub", "f"}),
        ("def f():\n    import m\ndef g():\n    import q\n", {"f"}),
        (
            "from lost import a\nimport lost\ndef f(): return a\ndef g(): return lost.b\n",
            {"a", "f", "lost", "g"},
        ),
        ("try:\n    from m import b\nexcept ImportError:\n    b = None\n", {"b"}),
    ],
)
def test_only_what_is_used_of_a_module_that_was_loaded_again_counts(source: str, found: set[str]) -> None:
    renewed = {
        "m": frozenset({"a"}),
        "q": frozenset[str](),
        "p": frozenset[str](),
        "p.sub": frozenset({"z", "a"}),
        "lost": None,
    }
    text = source.encode()
    assert affected_names(text, text, renewed=renewed, package="", folder=None) == found
