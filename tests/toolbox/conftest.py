"""Folders of tools to load, and an interpreter that forgets them afterwards."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a source file below the test's folder."""

    def write_file(name: str, source: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(source), encoding="utf-8")
        return path

    return write_file


@pytest.fixture(autouse=True)
def _clean_interpreter(tmp_path: Path) -> Iterator[None]:
    paths = list(sys.path)
    yield
    sys.path[:] = paths
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if name.startswith("workbench_tools_") or file.startswith(str(tmp_path)):
            del sys.modules[name]
