"""What a result says about a picture or other bytes in it: kind, size, dimensions."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from dataclasses import dataclass, field
from typing import Any, Final

from workbench.engine.image_header import header_of

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
    if kind == "BMP picture" and len(data) >= 26:
        width, height = struct.unpack("<ii", data[18:26])
        return width, abs(height)
    header = header_of(data)
    return (header.width, header.height) if header is not None else (0, 0)
