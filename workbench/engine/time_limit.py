"""A limit on how long Python code may take on the thread that it runs on."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in what runs inside once it took longer, at the next line or turn of a loop.

    One long step outside of Python code, such as a multiplication, ends before that.
    """
    end = time.monotonic() + seconds

    def look(_frame: FrameType, _event: str, _argument: object) -> Any:
        if time.monotonic() > end:
            raise TimeoutError(f"took longer than {seconds:g} s")
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        yield
    finally:
        sys.settrace(before)
