"""What the first bytes of a picture say: its kind, width and height, without decoding it."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final, NamedTuple


class Header(NamedTuple):
    """A picture's kind as a media type, and its size in pixels; 0 and 0 where that cannot be read."""

    mime: str
    width: int
    height: int


def header_of(data: bytes) -> Header | None:
    """The header of a PNG, JPEG, GIF or WebP picture, by its bytes alone; None for anything else.

    The beginning of the data is enough, but in a JPEG the size may stand behind a large profile or preview.
    """
    mime = next((mime for mime, fits in _KINDS.items() if fits(data)), None)
    if mime is None:
        return None
    try:
        return Header(mime, *_SIZES[mime](data))
    except (struct.error, IndexError):
        return Header(mime, 0, 0)


def _png(data: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from(">II", data, 16)
    return width, height


def _gif(data: bytes) -> tuple[int, int]:
    width, height = struct.unpack_from("<HH", data, 6)
    return width, height


def _webp(data: bytes) -> tuple[int, int]:
    kind = data[12:16]
    if kind == b"VP8X":
        return _three(data, 24) + 1, _three(data, 27) + 1
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    width, height = struct.unpack_from("<HH", data, 26)
    return width & 0x3FFF, height & 0x3FFF


def _three(data: bytes, at: int) -> int:
    """A number of three bytes, the lowest first."""
    return data[at] | data[at + 1] << 8 | data[at + 2] << 16


_WITHOUT_LENGTH: Final = frozenset({0x01, *range(0xD0, 0xD9)})
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def _jpeg(data: bytes) -> tuple[int, int]:
    """From the first frame header among the segments."""
    at = 2
    while data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:  # fill
            at += 1
        elif marker in _WITHOUT_LENGTH:
            at += 2
        elif marker in _FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        else:
            (length,) = struct.unpack_from(">H", data, at + 2)
            at += 2 + length
    return 0, 0


_KINDS: Final[dict[str, Callable[[bytes], bool]]] = {
    "image/png": lambda data: data.startswith(b"\x89PNG\r\n\x1a\n"),
    "image/jpeg": lambda data: data.startswith(b"\xff\xd8\xff"),
    "image/gif": lambda data: data.startswith((b"GIF87a", b"GIF89a")),
    "image/webp": lambda data: data.startswith(b"RIFF") and data[8:12] == b"WEBP",
}
_SIZES: Final[dict[str, Callable[[bytes], tuple[int, int]]]] = {
    "image/png": _png,
    "image/jpeg": _jpeg,
    "image/gif": _gif,
    "image/webp": _webp,
}
