"""What the docstring of a function says about it and about each of its parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, Final

import docstring_parser
from docstring_parser import DocstringStyle

from workbench.registry.hints import innermost

_SECTION: Final = re.compile(
    r"""^[ \t]*(?:
        (?P<google>[A-Z][A-Za-z ]*:[ \t]*$)      # Args:
      | (?P<numpy>-{3,}[ \t]*$)                  # below Parameters
      | (?P<rest>:[a-z]+\b[^:\n]*:)              # :param x:
      | (?P<epydoc>@[a-z]+\b[^:\n]*:)            # @param x:
    )""",
    re.MULTILINE | re.VERBOSE,
)
_STYLES: Final = {
    "google": DocstringStyle.GOOGLE,
    "numpy": DocstringStyle.NUMPYDOC,
    "rest": DocstringStyle.REST,
    "epydoc": DocstringStyle.EPYDOC,
}


def documentation(func: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """What is said about the whole, and about each parameter by name."""
    text = inspect.getdoc(innermost(func)) or ""
    if not text and not inspect.isroutine(func):
        text = inspect.getdoc(type(func)) or ""
    styles = {found.lastgroup for found in _SECTION.finditer(text)}
    if not styles:
        return text.strip(), {}
    # Trying each style takes four times as long.
    style = _STYLES[str(styles.pop())] if len(styles) == 1 else DocstringStyle.AUTO
    try:
        parsed = docstring_parser.parse(text, style)
    except docstring_parser.ParseError:
        return text.strip(), {}
    parts = [parsed.short_description, parsed.long_description]
    described = {
        each.arg_name.lstrip("*"): " ".join(each.description.split())
        for each in parsed.params
        if each.description
    }
    return "\n\n".join(each.strip() for each in parts if each), described
