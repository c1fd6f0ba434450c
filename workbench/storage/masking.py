"""Secrets are covered before anything is written: known values, texts shaped like keys, settings."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import quote

from workbench.storage.pictures import BEGIN as PICTURE
from workbench.storage.pictures import is_picture
from workbench.storage.secret_settings import SETTINGS

SHORTEST_SECRET: Final = 8
"""Values of environment variables shorter than this (in characters) are too common to cover."""

_LARGE: Final = 100_000  # characters from which on a result is worth remembering
_MOST_LARGE: Final = 8
_SECRET_NAME: Final = re.compile(
    r"(?<!MON)(?<!DON)KEY(?!BOARD|MAP|RING|STROKE|CODE)|TOKEN(?!IZER)|SECRET|CREDENTIAL"
    r"|PASSWORD|PASSWD|PASSPHRASE|PASSCODE|SSHPASS"
    # Words that begin or end others too, so only where they stand alone in the name.
    r"|(?<![A-Z0-9])PASS(?![A-Z]|_?(?:THROUGH|ARGS|FILE|COUNT|RATE|ENV))|(?<=_)PWD(?![A-Z])",
    re.IGNORECASE,
)
_SECRET_IF_NO_WORD: Final = re.compile(r"(?<![A-Z0-9])AUTH$", re.IGNORECASE)
_WORD: Final = re.compile(r"[a-z_-]+", re.IGNORECASE)
_NO_SECRET: Final = re.compile(r"true|false|disabled?|enabled?|[\d.,]{,15}|[/~.][^\s]*/[^\s]*", re.IGNORECASE)
"""Values that name a switch, a number or a path: covering them would spoil ordinary text."""

# A key starts where no word goes on; inside JSON text, ``\n`` is the end of a word too.
_START: Final = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtbf]))"
_GAP: Final = r"""\\*["']?\s{0,8}[:=]\s{0,8}\\*["']?"""


def _shape(needle: str, body: str) -> tuple[str, re.Pattern[str]]:
    return needle, re.compile(_START + "(?P<secret>" + re.escape(needle) + body + ")")


def _bearer(word: str) -> tuple[str, re.Pattern[str]]:
    return word, re.compile(word + r"(?P<secret>(?=[A-Za-z._~+/-]*+[0-9])[A-Za-z0-9._~+/=-]{16,}+)")


def _named(*names: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """A header or setting of this name, and the value that stands behind it."""
    call = r"(?![A-Za-z0-9._~+/=-]{12,100}+[(\[])"
    value = call + r"(?P<secret>(?=[A-Za-z._~+/-]*+[0-9])[A-Za-z0-9._~+/=-]{12,}+)"
    for name in names:
        yield name, re.compile(re.escape(name) + _GAP + value)


# A pattern begins with its needle and is tried only where that stands. Quantifiers are possessive or
# bounded, so a pattern reads each character once.
SHAPES: Final = (
    _shape("sk-", r"(?=[A-Za-z_-]*+[0-9])[A-Za-z0-9_-]{20,}+"),
    _shape("sk_live_", r"[A-Za-z0-9]{16,}+"),
    _shape("rk_live_", r"[A-Za-z0-9]{16,}+"),
    _shape("gsk_", r"[A-Za-z0-9]{20,}+"),
    _shape("xai-", r"[A-Za-z0-9]{20,}+"),
    _shape("hf_", r"[A-Za-z0-9]{20,}+"),
    _shape("r8_", r"[A-Za-z0-9]{20,}+"),
    _shape("pplx-", r"[A-Za-z0-9]{20,}+"),
    _shape("ghp_", r"[A-Za-z0-9]{20,}+"),
    _shape("gho_", r"[A-Za-z0-9]{20,}+"),
    _shape("ghu_", r"[A-Za-z0-9]{20,}+"),
    _shape("ghs_", r"[A-Za-z0-9]{20,}+"),
    _shape("ghr_", r"[A-Za-z0-9]{20,}+"),
    _shape("github_pat_", r"[A-Za-z0-9_]{20,}+"),
    _shape("glpat-", r"[A-Za-z0-9_-]{16,}+"),
    _shape("npm_", r"[A-Za-z0-9]{30,}+"),
    _shape("pypi-", r"[A-Za-z0-9_-]{40,}+"),
    _shape("AKIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("ASIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("AIza", r"[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    _shape("ya29.", r"[A-Za-z0-9_-]{20,}+"),
    _shape("xox", r"[abeprs]-[A-Za-z0-9-]{10,}+"),
    _shape("eyJ", r"[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+"),
    (
        "-----BEGIN ",
        re.compile(
            r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?P<secret>(?:[A-Za-z0-9+/=\s:,]|-(?!----)|\\+[nrt])++)"
        ),
    ),
    _bearer("Bearer "),
    _bearer("bearer "),
    *_named("api-key", "Api-Key", "API-KEY", "auth-token", "Auth-Token", "access-token", "Access-Token"),
    *_named("api_key", "API_KEY", "apiKey", "ApiKey", "access_token", "ACCESS_TOKEN"),
    # Up to the last @ before the path: a password may hold one.
    ("://", re.compile(r"://[^\s:/@\"'\\]{0,200}:(?P<secret>[^\s/\"'\\<>]{1,200})@")),
    *SETTINGS,
)
_WORDS: Final = ("pass", "pwd", "secret", "key", "token", "credential", "auth")
_BEHIND_WORD: Final = (
    r"""(?:word|wd|phrase|code|s)?\\*+["']?\]?[\s?]{0,8}[:=][=>]?[\s?]{0,8}"""
    r"""(?:str(?:ing)?\s{0,8}=\s{0,8})?\\*+["']?[^\s"'`\\]{6}"""
)
"""What stands, in folded text, behind a word that ends a needle: in all their patterns at least this."""

_CLUES: Final = {
    **{word: re.compile(word + _BEHIND_WORD) for word in _WORDS},
    "-": re.compile(r"-(?:(?<=sk-)|(?<=xai-)|(?<=pplx-)|(?<=glpat-)|(?<=pypi-))[A-Za-z0-9_-]{16}"),
    "_": re.compile(r"_[A-Za-z0-9]{16}"),
    "A": re.compile(r"A(?:KI|SI|Iz)[Aa][A-Za-z0-9_-]{16}"),
    "earer ": re.compile(r"earer [A-Za-z0-9._~+/=-]{16}"),
    "@": re.compile("@"),
    "": re.compile(""),
}
"""What must be in a text, besides its needle, for a pattern to match: one look for many patterns."""


def _clue(needle: str) -> str:
    lower = needle.lower()
    if needle == "://":
        return "@"
    if needle.endswith("_") and needle != "github_pat_":
        return "_"
    if needle in ("AKIA", "ASIA", "AIza"):
        return "A"
    return next((end for end in (*_WORDS, "-", "earer ") if lower.endswith(end)), "")


_CLUED: Final = tuple((_clue(needle), needle, pattern) for needle, pattern in SHAPES)


def _clues_in(text: str) -> set[str]:
    if text.isascii() or "ſ" in text:  # that one is an s where case does not count
        folded = text.casefold()
    else:  # folding all of it costs more than what follows; so more is found, never less
        folded = text.encode("ascii", "replace").decode().lower()
    return {clue for clue, look in _CLUES.items() if look.search(folded if clue in _WORDS else text)}


class Masker:
    """Covers secrets in text. The environment is read at construction and again by ``refresh()``."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ = os.environ if environ is None else environ
        self._known: list[tuple[str, str]] = []
        self._large: dict[str, str] = {}
        self.refresh()

    def refresh(self) -> None:
        """Read the environment again; variables may have been set since."""
        known: dict[str, str] = {}
        for name, value in self._environ.items():
            if is_secret_variable(name, value):
                for form in _written_forms(value):
                    known.setdefault(form, f"[masked {name}]")
        # The longest first: one value may be part of another.
        self._known = sorted(known.items(), key=lambda item: -len(item[0]))
        self._large.clear()

    def __call__(self, text: str) -> str:
        """The text with every secret covered; linear in its length, and the same object if there is none."""
        if len(text) < SHORTEST_SECRET:
            return text
        if text.startswith(PICTURE) and is_picture(text):
            return text
        if len(text) < _LARGE:
            return self._covered(text)
        # One large result stands in several places of a turn: trace, message, journal.
        masked = self._large.get(text)
        if masked is None:
            if len(self._large) >= _MOST_LARGE:
                self._large.clear()
            masked = self._large[text] = self._covered(text)
        return masked

    def _covered(self, text: str) -> str:
        for value, cover in self._known:
            if value in text:
                text = text.replace(value, cover)
        there: set[str] = set()
        for clue, needle, pattern in _CLUED:
            there = there or _clues_in(text)
            if clue in there and (at := text.find(needle)) >= 0:
                covered = _cover(text, at, needle, pattern)
                if covered is not text:
                    text, there = covered, set()
        return text


def is_secret_variable(name: str, value: str) -> bool:
    """Whether an environment variable's name says that its value is a secret, and the value may be one."""
    value = value.strip()
    if len(value) < SHORTEST_SECRET or _NO_SECRET.fullmatch(value) is not None:
        return False
    if _SECRET_NAME.search(name) is not None:
        return True
    return _SECRET_IF_NO_WORD.search(name) is not None and _WORD.fullmatch(value) is None


def _written_forms(value: str) -> Iterator[str]:
    """The value as it may stand in a text: as it is, in JSON, in JSON inside JSON, in a URL."""
    value = value.strip()
    yield value
    yield quote(value, safe="")
    for ensure_ascii in (True, False):
        once = json.dumps(value, ensure_ascii=ensure_ascii)[1:-1]
        yield once
        yield json.dumps(once, ensure_ascii=ensure_ascii)[1:-1]


def _cover(text: str, at: int, needle: str, pattern: re.Pattern[str]) -> str:
    """What ``pattern.sub`` gives, for a pattern that begins with a needle of which the first is ``at``."""
    pieces: list[str] = []
    done = 0
    while at >= 0:
        found = pattern.match(text, at)
        if found is None:
            at = text.find(needle, at + 1)
            continue
        begin, end = found.span("secret")
        pieces += text[done:begin], "[masked key]"
        done = end
        at = text.find(needle, found.end())
    return "".join((*pieces, text[done:])) if pieces else text
