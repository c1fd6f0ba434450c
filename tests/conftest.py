"""Shared by all tests: a folder of their own to run in, and snapshots that hold no address."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_textual_snapshot import SVGImageExtension

ROOT = Path(__file__).resolve().parent.parent

_FONT_FACE = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
_TERMINAL_ID = re.compile(r"terminal-\d+")
_serialize = SVGImageExtension.serialize


def _serialize_without_addresses(self: SVGImageExtension, data: Any, **options: Any) -> Any:
    text = _serialize(self, data, **options)
    return _TERMINAL_ID.sub("terminal", _FONT_FACE.sub("", text)) if isinstance(text, str) else text


SVGImageExtension.file_extension = "svg"
# Rich's pictures take their fonts from addresses; the stored ones hold none.
SVGImageExtension.serialize = _serialize_without_addresses


@pytest.fixture(autouse=True)
def own_modules(tmp_path: Path) -> Iterator[None]:
    """No test finds a module of another one's folder: `helper` is a name for many."""
    path = list(sys.path)
    yield
    sys.path[:] = path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(f"{tmp_path}/"):
            del sys.modules[name]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing that a test starts may find or leave a `.workbench` folder or settings elsewhere."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return folder
