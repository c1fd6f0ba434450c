"""An error of a person's own code in a few lines: where it came up, without the frames of anybody else."""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_LIBRARIES: Final = tuple(
    {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    | {str(Path(__file__).parents[1])}
)
_MOST_FRAMES: Final = 6


def raised_lines(error: BaseException) -> Iterator[str]:
    """The error with its notes, then each frame of code that is in no library: ``file:line``, function, text.

    Of many frames the last six.
    """
    notes = " ".join(getattr(error, "__notes__", ()))
    yield " ".join(f"{type(error).__name__}: {error} {notes}".split())
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_own(frame.filename)]
    if len(frames) > _MOST_FRAMES:
        yield f"  … {len(frames) - _MOST_FRAMES} frames"
    for frame in frames[-_MOST_FRAMES:]:
        yield f"  {_near_path(frame.filename)}:{frame.lineno} in {frame.name}   {frame.line or ''}".rstrip()


def _is_own(name: str) -> bool:
    return Path(name).is_absolute() and not any(Path(name).is_relative_to(folder) for folder in _LIBRARIES)


def _near_path(name: str) -> Path:
    path = Path(name)
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
