"""Where the files that come with Workbench are, in a checkout and in an installed wheel."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

_PACKAGE = Path(__file__).resolve().parent


def resource_folder(name: Literal["themes", "sample_tools"]) -> Path:
    """The folder of that name: packed into the wheel, or beside the package in a checkout."""
    packed = _PACKAGE / "_data" / name
    return packed if packed.is_dir() else _PACKAGE.parent / name
