"""Small pictures of each kind that models take."""

from __future__ import annotations

import base64
import io
from functools import cache
from typing import Final

from PIL import Image

KINDS: Final = {"image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP"}


@cache
def picture(kind: str = "PNG", width: int = 64, height: int = 48) -> bytes:
    """The bytes of a picture: blue at the left, orange at the right."""
    image = Image.new("RGB", (width, height), (40, 90, 160))
    image.paste((230, 140, 40), (width // 2, 0, width, height))
    out = io.BytesIO()
    image.save(out, format=kind)
    return out.getvalue()


def address(data: bytes, mime: str = "image/png") -> str:
    """The ``data:`` address of a picture."""
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"
