"""What a newer version of a tool changed, in words for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workbench.visible import visible_line


def changes_text(metadata: Mapping[str, Any]) -> str:
    """The facts of a refresh in one line: ``+limit  −page  query  description  code``.

    ``metadata`` is that of the event: ``difference`` of the arguments, ``description``, ``tags``, ``code``.
    """
    return "  ".join(visible_line(part) for part in _parts(metadata))


def _parts(metadata: Mapping[str, Any]) -> Iterator[str]:
    difference = metadata.get("difference") or {}
    for sign, kind in (("+", "added"), ("−", "removed"), ("", "changed")):
        for name in difference.get(kind, ()):
            yield f"{sign}{name}"
    if "difference" in metadata and not difference:
        yield "schema"
    for key in ("description", "tags", "code"):
        if key in metadata:
            yield key
