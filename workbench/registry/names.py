"""Tool names: dotted ones for people, squeezed ones that every provider accepts."""

from __future__ import annotations

import difflib
import hashlib
import re
import unicodedata
from collections.abc import Iterable

from workbench.errors import ToolRegistrationError

LONGEST = 64
"""Most characters that a provider accepts in a tool name."""

_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def dotted_name(name: str, namespace: str | None) -> str:
    """The name that people read: ``namespace.name``, blanks turned into underscores.

    Raises:
        ToolRegistrationError: when a part is empty or holds characters that cannot be shown.
    """
    text = f"{namespace}.{name}" if namespace else name
    text = "_".join(text.split())
    if not text or not all(text.split(".")):
        raise ToolRegistrationError(f"{text!r} is not a tool name: a part of it is empty")
    if not text.isprintable():
        raise ToolRegistrationError(f"{text!r} is not a tool name: it holds characters that cannot be shown")
    if "<" in text:
        raise ToolRegistrationError(
            f"{text!r} is not a tool name; a lambda has none of its own",
            hint="Give it one: register(obj, name=…).",
        )
    return text


def safe_name(dotted: str) -> str:
    """The name that providers read: ``^[a-zA-Z0-9_-]{1,64}$``, a dot becomes a hyphen.

    Letters of other scripts and names that are too long are told apart by a short hash of the whole name.
    """
    plain = unicodedata.normalize("NFKD", dotted.replace(".", "-"))
    squeezed = _UNSAFE.sub("_", "".join(each for each in plain if not unicodedata.combining(each)))
    if squeezed[0].isdigit() or squeezed[0] == "-":
        squeezed = "_" + squeezed
    lossy = not dotted.isascii()
    if lossy or len(squeezed) > LONGEST:
        digest = hashlib.sha256(dotted.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        squeezed = f"{squeezed[: LONGEST - 9]}_{digest}"
    return squeezed


def snake_case(name: str) -> str:
    """``FileTools`` becomes ``file_tools``."""
    return _CAMEL.sub("_", name).lower().strip("_") or name.lower()


def near_names(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The known names that look most like this one, best first."""
    by_key: dict[str, str] = {}
    for each in known:
        by_key.setdefault(each.lower(), each)
        by_key.setdefault(each.rpartition(".")[2].lower(), each)
    matches = difflib.get_close_matches(name.lower(), by_key, n=count * 2, cutoff=0.6)
    return list(dict.fromkeys(by_key[each] for each in matches))[:count]
