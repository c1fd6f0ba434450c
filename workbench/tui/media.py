"""What a result says about a picture or other bytes in it: kind, size, dimensions."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from dataclasses import dataclass, field
from typing import Any, Final

_LEAST: Final = 64
_KINDS: Final = (
    (b"\x89PNG\r\n\x1a\n", "PNG picture"),
    (b"\xff\xd8\xff", "JPEG picture"),
    (b"GIF8", "GIF picture"),
    (b"BM", "BMP picture"),
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"\x1f\x8b", "gzip data"),
)


@dataclass(frozen=True, slots=True)
class Media:
    """Some bytes: ``kind`` in words, ``width`` and ``height`` in pixels or 0."""

    kind: str
    data: bytes = field(repr=False)
    width: int = 0
    height: int = 0

    @property
    def picture(self) -> bool:
        """Whether it is a picture."""
        return self.kind.endswith("picture")

    def __str__(self) -> str:
        dimensions = f", {self.width} × {self.height} pixels" if self.width else ""
        return f"{self.kind}{dimensions}, {len(self.data):,} bytes"


def media_in(text: str) -> Media | None:
    """The bytes that a result holds: ``base64:…``, a data address, an object with ``data``, or a list in
    which there is one of these; None if there are none.
    """
    encoded = _encoded(text)
    if encoded is None or len(encoded) < _LEAST:
        return None
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return None
    return media_of(data)


def media_of(data: bytes) -> Media:
    """What these bytes are, by how they begin."""
    kind = next((name for start, name in _KINDS if data.startswith(start)), "")
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        kind = "WebP picture"
    return Media(kind or "bytes", data, *_dimensions(kind, data))


def _encoded(text: str) -> str | None:
    if text[:1] not in ('"', "{", "["):
        return _addressed(text)
    if '"data"' not in text and "base64" not in text[:300]:
        return None
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    parts = value if isinstance(value, list) else [value]
    return next((found for part in parts if (found := _part(part)) is not None), None)


def _part(value: Any) -> str | None:
    data = value.get("data") if isinstance(value, dict) else None
    if isinstance(data, str):
        return data
    return _addressed(value) if isinstance(value, str) else None


def _addressed(text: str) -> str | None:
    if text.startswith("base64:"):
        return text[7:]
    return text.partition(";base64,")[2] if text.startswith("data:") and ";base64," in text[:200] else None


def _dimensions(kind: str, data: bytes) -> tuple[int, int]:
    try:
        if kind == "PNG picture":
            return struct.unpack(">II", data[16:24])
        if kind == "GIF picture":
            return struct.unpack("<HH", data[6:10])
        if kind == "BMP picture":
            width, height = struct.unpack("<ii", data[18:26])
            return width, abs(height)
        if kind == "JPEG picture":
            return _jpeg(data)
    except struct.error:
        return 0, 0
    return 0, 0


def _jpeg(data: bytes) -> tuple[int, int]:
    """From the first frame header among the segments."""
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], struct.unpack(">H", data[at + 2 : at + 4])[0]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return 0, 0
