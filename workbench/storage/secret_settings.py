"""Settings whose names tell of a secret value: ``password=…``, ``"api_key": "…"``, ``DB_PASS=…``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# Every quantifier before the value is bounded, and the value itself is taken possessively once it is known
# to be one. So a text is read in time that grows with its length, whatever it holds.
_GAP: Final = (
    r"""\\*["']?\]?(?:[ \t]{0,8}:[ \t]{0,8}(?:str|string|String)(?=[ \t]{0,8}=))?"""
    r"[ \t]{0,8}(?::=|=>|==?|:)[ \t]{0,8}"
)
_CALL: Final = (
    r"(?![A-Za-z_][A-Za-z0-9_.]{0,60}[(\[])(?!(?:self|cls|os|sys|env|process|settings|config|args)\.)"
)
_NO_VALUE: Final = (
    r"(?![$<{%*])(?!\d{1,4}[-+](?:char|digit|letter|byte|bit|word|symbol|day|month|year|hour|min))"
)
_PATH: Final = r"(?!(?:~|\.{1,2})?/[a-z][A-Za-z0-9_.-]{0,60}/)"
_ENDS: Final = r"\s\"'`\\,;&<>()\[\]{}|"
_QUOTE_ENDS: Final = r"\s\"'`\\"


def _value(least: int, *, letter: bool) -> str:
    """A quoted or bare value of at least this many characters that looks like a secret, not like a word."""
    some = rf"(?=[^{_ENDS}A-Za-z]{{0,200}}+[A-Za-z])" if letter else ""
    bare = _CALL + some + rf"(?=[^{_ENDS}0-9]{{0,200}}+[0-9])[^{_ENDS}]{{{least},}}+"
    some = rf"(?=[^{_QUOTE_ENDS}A-Za-z]{{0,200}}+[A-Za-z])" if letter else ""
    marks = r"0-9!@#^&*+=?"
    quoted = (
        some
        + rf"(?=[^{_QUOTE_ENDS}{marks}]{{0,200}}+[{marks}])[^{_QUOTE_ENDS}]{{{least},}}+|[A-Za-z]{{16,}}+"
    )
    return rf"""(?P<quote>\\*["'])?{_NO_VALUE}{_PATH}(?P<secret>(?(quote)(?:{quoted})|(?:{bare})))"""


def _setting(
    root: str, rest: str, least: int, *, letter: bool = True
) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Patterns for names that end in ``root`` and ``rest``, in the usual three ways to write them."""
    for written in (root, root.capitalize(), root.upper()):
        name = f"{re.escape(written)}(?i:{rest})"
        yield written, re.compile(name + _GAP + _value(least, letter=letter))


def _exported(root: str, rest: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """``NAME=value`` without any space, as in a shell: there, a password of letters only is no prose."""
    value = rf"""=["']?{_CALL}{_NO_VALUE}{_PATH}(?P<secret>[^{_ENDS}]{{8,}}+)"""
    yield root, re.compile(root + rest + value)


def _authorization(*roots: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The header: what stands behind its scheme, or the whole value if that looks like a secret."""
    text = "A-Za-z._~+/="
    token = rf"(?P<secret>[{text}0-9-]{{8,}}+|(?=[{text}-]{{0,8}}[0-9])[{text}0-9-]{{6,}}+)"
    for root in roots:
        yield root, re.compile(rf"""{root}{_GAP}\\*["']?(?i:bearer|basic|token|apikey)[ \t]{{1,4}}{token}""")
        yield root, re.compile(root + _GAP + _value(8, letter=True))


def _ends_with(*names: str) -> str:
    """What was read so far ends with one of these; ``_`` stands for any or no mark between words."""
    spellings = [name.replace("_", mark) for name in names for mark in ("", "_", "-", ".")]
    return "(?:" + "|".join(f"(?<={re.escape(spelling)})" for spelling in dict.fromkeys(spellings)) + ")"


_SECRET_KEYS: Final = ("api_key", "access_key", "secret_key", "private_key", "auth_key", "account_key")
_MORE_KEYS: Final = ("signing_key", "encryption_key", "master_key", "license_key", "subscription_key")
_QUOTED_OR_EQUAL: Final = r"""(?=\\*["']|[ \t]{0,8}=)"""

_REPR: Final = re.compile(r"""(b?(["']))([^"'].*)(\2)""", re.DOTALL)

SETTINGS: Final = (
    *_setting("pass", r"(?:word|wd|phrase|code)", 6, letter=False),
    *_setting(
        "pass",
        rf"(?-i:(?<![A-Za-z]pass)(?<![A-Z]Pass)(?<![A-Za-z]PASS))(?:(?<=[_-]pass)|{_QUOTED_OR_EQUAL})",
        6,
    ),
    *_setting("sshpass", "", 6, letter=False),
    *_setting("pwd", rf"(?<![a-z]pwd)(?:(?<=[_-]pwd)|{_QUOTED_OR_EQUAL})(?![^/]{{0,20}}/)", 6),
    *_setting("secret", "", 8),
    *_setting("key", _ends_with(*_SECRET_KEYS, *_MORE_KEYS), 8),
    *_setting(
        "token",
        rf"(?<!page.token)(?<!next.token)(?<!sync.token)(?<!pagetoken)(?<!nexttoken)"
        rf"(?:(?<=[_-]token)|(?-i:(?<=[a-z]Token))|{_QUOTED_OR_EQUAL}|(?=:[ \t]?[A-Za-z0-9._~+/-]{{16}}))",
        8,
    ),
    *_setting("credential", rf"s?{_QUOTED_OR_EQUAL}", 8),
    *_setting("auth", r"(?<=[_-]auth)", 12),
    *_exported("PASS", r"(?:(?<=_PASS)|WORD|WD|PHRASE|CODE)"),
    *_exported("PWD", r"(?<=_PWD)"),
    *_authorization("uthorization", "UTHORIZATION"),
)
"""Pairs of a text that must be there, and the pattern that is worth trying then."""


def covered_value(name: str, value: str) -> str:
    """The value of a setting, an argument or a header, covered if its name and its look say it is secret.

    It may be the ``repr`` of a text.
    """
    written = _REPR.fullmatch(value)
    if written is not None:
        return written[1] + _covered(name, written[3]) + written[4]
    return _covered(name, value)


def _covered(name: str, value: str) -> str:
    start = len(name) + 2
    text = ""
    for needle, pattern in SETTINGS:
        if needle in name:
            text = text or f'{name}="{value}"'
            found = pattern.search(text)
            if found is not None and found.end("secret") > start:
                begin, end = found.span("secret")
                return f"{value[: begin - start]}[masked key]{text[end:-1]}"
    return value
