"""A call's arguments: copies that nobody else can change, and the forms that JSON can hold."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

from workbench.engine.results import encode_json, sendable, to_text
from workbench.registry.arguments import DEEPEST

_SCALARS = (str, int, float, bool, type(None))


def copy_arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    """A copy that no later change of the original reaches, as far as its values can be copied."""
    for value in arguments.values():
        if not isinstance(value, _SCALARS):
            break
    else:
        return dict(arguments)
    if _nested_deeply(arguments):  # copying would go to the end of the stack, where no finalizer can run
        return dict(arguments)
    try:
        return copy.deepcopy(arguments)
    except Exception:  # noqa: BLE001 - a handler may have put anything there, with a __deepcopy__ of its own
        return dict(arguments)


def plain_arguments(arguments: object) -> dict[str, Any]:
    """A copy in values that JSON has; what is no dict becomes an empty one."""
    if not isinstance(arguments, dict):
        return {}
    for key, value in arguments.items():
        if not isinstance(key, str) or not isinstance(value, _SCALARS):
            break
        if isinstance(value, float) and not math.isfinite(value):
            break
    else:
        return dict(arguments)
    try:
        plain = json.loads(arguments_text(arguments))
    except RecursionError:
        return {}
    return plain if isinstance(plain, dict) else {}


def arguments_text(arguments: dict[str, Any]) -> str:
    """The JSON text that goes into a message."""
    try:
        return sendable(encode_json(arguments))
    except (TypeError, ValueError, RecursionError):
        text = sendable(to_text(arguments))
    try:
        return text if isinstance(json.loads(text), dict) else "{}"
    except (ValueError, RecursionError):
        return "{}"


def _nested_deeply(value: Any) -> bool:
    """Whether dicts and lists in it are inside each other on more levels than arguments may have."""
    level: list[Any] = [value]
    for _ in range(DEEPEST + 1):
        below: dict[int, Any] = {}  # by identity: it may contain itself
        for container in level:
            for each in container.values() if isinstance(container, dict) else container:
                if isinstance(each, dict | list | tuple):
                    below[id(each)] = each
        if not below:
            return False
        level = list(below.values())
    return True


def edit_note(edited_by: str, arguments: dict[str, Any]) -> str:
    """The line that tells the model that its call ran with other arguments."""
    who = "The user edited" if edited_by == "user" else "A hook changed"
    return f"[{who} the arguments before the run: {arguments_text(arguments)}]"
