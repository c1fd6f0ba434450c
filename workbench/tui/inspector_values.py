"""Names with their values as the inspector shows them: in columns, what is long on lines of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any, Final

from rich.cells import cell_len

from workbench.tui.render import Span, fit, value_text
from workbench.tui.wrapped import Line, wrapped
from workbench.visible import visible_line

_DEEPEST: Final = 60
_NAME: Final = 15


def plain(value: Any, depth: int = 0) -> Any:
    """A value of a trace entry as JSON can hold it."""
    if depth > _DEEPEST:
        return f"(nested deeper than {_DEEPEST} levels)"
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value), depth)
    if isinstance(value, Mapping):
        return {str(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else repr(value)


def value_lines(values: Mapping[str, Any], width: int, *, types: bool = True) -> list[Line]:
    """Names, values and types in columns; a value that does not fit gets lines of its own.

    Without ``types`` the values are texts that say themselves what they are, such as a ``repr``.
    """
    lines: list[Line] = []
    name_width = min(max([_NAME, *(cell_len(str(name)) + 2 for name in values)]), max(_NAME, width // 3))
    for name, value in values.items():
        kind = type(value).__name__ if types else ""
        label = fit(visible_line(str(name)), name_width)
        room = width - 2 - name_width - 2 - (len(kind) + 2 if kind else 0)
        shown = value_text(value) if types else visible_line(str(value))
        tail: list[Span] = [("  " + kind, "muted")] if kind else []
        long_text = isinstance(value, str) and types and ("\n" in value or cell_len(shown) > room)
        if not long_text and cell_len(shown) <= room:
            lines.append((("  " + label, "muted"), (fit(shown, room), "text"), *tail))
            continue
        size = f"{len(value):,} characters" if isinstance(value, str) else ""
        lines.append((("  " + label, "muted"), (fit(size, room), "muted"), *tail))
        if isinstance(value, str):
            lines += wrapped(value, width, indent=4)
        else:
            text = json.dumps(plain(value), indent=2, ensure_ascii=False)
            lines += wrapped(text, width, indent=4)
    return lines
