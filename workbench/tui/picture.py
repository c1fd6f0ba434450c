"""Pictures in cells: two pixels in each, one above the other, with Pillow where it is installed."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.tui.render import Span
from workbench.tui.wrapped import Line

if TYPE_CHECKING:
    from PIL.Image import Image

_FORMATS: Final = ("PNG", "JPEG", "GIF", "BMP", "WEBP")
_MOST_PIXELS: Final = 40_000_000
_MOST_ROWS: Final = 400
_MARGIN: Final = 2
_SEEN: Final = 128
"""Opacity from which on a pixel is drawn."""

_Pixel: TypeAlias = tuple[int, ...]


def can_draw() -> bool:
    """Whether there are colours to draw with, and Pillow, which is imported by the first picture."""
    return not os.environ.get("NO_COLOR") and _installed()


@cache
def _installed() -> bool:
    return find_spec("PIL") is not None


def picture_lines(data: bytes, width: int) -> list[Line]:
    """A picture, no larger than it is, in at most ``width`` cells. Takes its time: not for the screen's loop.

    Raises ValueError with the reason in words for bytes that cannot be drawn.
    """
    from PIL import Image

    bombs = Image.DecompressionBombError, Image.DecompressionBombWarning
    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as found:
            if found.width * found.height > _MOST_PIXELS:
                raise ValueError(f"it has more than {_MOST_PIXELS // 1_000_000} million pixels")
            found.draft("RGB", (2 * width, 2 * width))  # a large JPEG need not be read at full size
            small = _scaled(found, max(1, width - 2 * _MARGIN))
    except (OSError, SyntaxError, *bombs) as error:  # bad bytes lead to any of them
        raise ValueError(str(error) or type(error).__name__) from error
    return [_line(small, y) for y in range(0, small.height, 2)]


def _scaled(image: Image, width: int) -> Image:
    scale = min(1.0, width / image.width, 2 * _MOST_ROWS / image.height)
    size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
    return image.convert("RGBA").resize(size)


def _line(image: Image, y: int) -> Line:
    return ((" " * _MARGIN, "muted"), *_runs(image, y))


def _runs(image: Image, y: int) -> Iterator[Span]:
    """The cells of two rows of pixels, those that look the same together."""
    text, key = "", ""
    for x in range(image.width):
        lower = image.getpixel((x, y + 1)) if y + 1 < image.height else (0, 0, 0, 0)
        glyph, style = _cell(_pixel(image.getpixel((x, y))), _pixel(lower))
        if style != key and text:
            yield text, key
            text = ""
        text, key = text + glyph, style
    yield text, key


def _pixel(found: object) -> _Pixel:
    assert isinstance(found, tuple)  # four numbers: the picture is RGBA
    return found


def _cell(upper: _Pixel, lower: _Pixel) -> Span:
    if upper[3] < _SEEN and lower[3] < _SEEN:
        return " ", "text"
    if upper[3] < _SEEN:
        return "▄", _hex(lower)
    if lower[3] < _SEEN:
        return "▀", _hex(upper)
    return "▀", f"{_hex(upper)} on:{_hex(lower)}"


def _hex(pixel: _Pixel) -> str:
    return "#{:02x}{:02x}{:02x}".format(*pixel)
