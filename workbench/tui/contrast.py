"""How well a theme's texts can be read: WCAG 2 contrast, and what 256 colours make of its greys."""

from __future__ import annotations

import colorsys
from collections.abc import Iterator
from typing import Final

from workbench.tui.palette import Palette, Token

NEEDED: Final = 4.5
"""The least contrast of text, WCAG 2 level AA."""

GREY_SATURATION: Final = 0.15
"""From here on Rich takes a colour for one, not for a grey, when it has 256 to choose from."""

_BACKGROUNDS: Final[tuple[Token, ...]] = ("background", "surface", "raised", "hovered", "selected")
_TEXTS: Final[tuple[Token, ...]] = (
    "text", "subtle", "muted", "accent", "success", "warning", "error",
)  # fmt: skip
_TINTS: Final[tuple[Token, ...]] = ("add", "add_word", "cut", "cut_word", "fault")
_GREYS: Final[tuple[Token, ...]] = (*_BACKGROUNDS, "rule", "subtle", "muted")


def contrast(one: str, other: str) -> float:
    """WCAG 2 contrast of two colours given as ``#rrggbb``: 1 (the same) to 21 (black on white)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def faults(palette: Palette) -> Iterator[tuple[Token, str]]:
    """Tokens that break a rule of the look, and which: texts too faint, greys that are colours."""
    for text in _TEXTS:
        # on the cursor row muted text is drawn as subtle
        places = _BACKGROUNDS[:-1] if text == "muted" else _BACKGROUNDS
        worst = min(places, key=lambda place: contrast(palette.colors[text], palette.colors[place]))
        yield from _too_faint(palette, text, worst)
    for tint in _TINTS:
        yield from _too_faint(palette, "text", tint)
    yield from _too_faint(palette, "on_accent", "accent")
    greys: tuple[Token, ...] = (*_GREYS, "add", "cut") if palette.dark else _GREYS
    for token in greys:
        if _saturation(palette.colors[token]) >= GREY_SATURATION:
            yield token, "too colourful for 256 colours: keep its saturation below 0.15"


def _too_faint(palette: Palette, text: Token, background: Token) -> Iterator[tuple[Token, str]]:
    found = contrast(palette.colors[text], palette.colors[background])
    if found < NEEDED:
        token = background if background in _TINTS else text
        yield token, f"{text} on {background} has a contrast of {found:.1f}, text needs {NEEDED}"


def _parts(color: str) -> tuple[float, float, float]:
    red, green, blue = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue


def _luminance(color: str) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in _parts(color)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _saturation(color: str) -> float:
    return colorsys.rgb_to_hls(*_parts(color))[2]
