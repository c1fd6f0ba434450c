"""The colours of one theme, and the styles that panels ask for by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, Protocol, get_args, runtime_checkable

from rich.style import Style

Token = Literal[
    "background",
    "surface",
    "raised",
    "hovered",
    "selected",
    "rule",
    "text",
    "subtle",
    "muted",
    "accent",
    "success",
    "warning",
    "error",
    "on_accent",
    "add",
    "add_word",
    "cut",
    "cut_word",
    "fault",
]
"""What a theme names. The first five are backgrounds, from the page up to the cursor row."""

TOKENS: Final[tuple[str, ...]] = get_args(Token)

_PRESS: Final = "press:"

_SYNTAX: Final[dict[str, str]] = {
    "Comment": "muted",
    "Keyword": "accent",
    "Name.Function": "text strong",
    "Name.Class": "text strong",
    "Name.Decorator": "subtle",
    "Name.Tag": "accent",
    "Name.Attribute": "subtle",
    "Literal.String": "success",
    "Literal.Number": "warning",
    "Generic.Deleted": "error",
    "Generic.Inserted": "success",
    "Generic.Heading": "text strong",
    "Operator.Word": "accent",
}


@dataclass(slots=True)
class Palette:
    """One theme's colours. ``style`` turns a style key into a Rich style and remembers it.

    A style key is a colour token, then any of ``strong`` (bold), ``underline``, ``strike``, ``reverse``:
    ``"muted"``, ``"accent strong"``. ``"tok:Keyword.Constant"`` names a Pygments token. ``"on:add_word"``
    anywhere in the key replaces the row's background, and ``"press:escape"`` (see ``press_key``) makes the
    text one that presses this key when it is clicked. A pixel of a picture has a colour of its own,
    ``#rrggbb`` in the place of a token; that style is not remembered. ``about`` is a sentence for whoever
    chooses; ``path`` the file that it was read from.
    """

    name: str
    dark: bool
    colors: Mapping[str, str]
    about: str = ""
    path: Path | None = None
    _styles: dict[tuple[str, str], Style] = field(default_factory=dict, repr=False, compare=False)

    def style(self, key: str, background: str = "background") -> Style:
        """The style for a key on a background token. Unknown keys raise KeyError."""
        found = self._styles.get((key, background))
        if found is None:
            found = self._make(key, background)
            if "#" not in key:
                self._styles[key, background] = found
        return found

    def _make(self, key: str, background: str) -> Style:
        words = syntax_key(key).split()
        color = words[0]
        for word in words[1:]:
            if word.startswith("on:"):
                background = word[3:]
        if color == "muted" and background == "selected":
            # muted keeps too little contrast on the cursor row
            color = "subtle"
        return Style(
            color=self._color(color),
            bgcolor=self._color(background),
            bold="strong" in words or None,
            underline="underline" in words or None,
            strike="strike" in words or None,
            reverse="reverse" in words or None,
            meta=next((press_meta(word[len(_PRESS) :]) for word in words if word.startswith(_PRESS)), None),
        )

    def _color(self, name: str) -> str:
        return name if name.startswith("#") else self.colors[name]


def press_key(key: str) -> str:
    """The word of a style key for a text that presses a key, by its name, when it is clicked."""
    return f"{_PRESS}{key}"


def press_meta(key: str) -> dict[str, str]:
    """The same as what a style carries besides its looks, for text that no palette paints."""
    return {_PRESS: key}


def pressed_key(style: Style) -> str:
    """The key that a click on text of this style presses, "" for none."""
    return str(style.meta.get(_PRESS, ""))


@runtime_checkable
class Repaintable(Protocol):
    """A screen that can be given other colours."""

    palette: Palette


def syntax_key(key: str) -> str:
    """The style key for a ``tok:`` key, by the nearest named ancestor of the Pygments token."""
    if not key.startswith("tok:"):
        return key
    token = key[4:]
    while token:
        found = _SYNTAX.get(token)
        if found is not None:
            return found
        token = token.rpartition(".")[0]
    return "text"
