"""Tells the data of a picture from a text: it holds no secret, and a part that looks like one is chance."""

from __future__ import annotations

import base64
import binascii
from typing import Final

from workbench.engine.image_header import header_of

BEGIN: Final = "data:image/"
_MARK: Final = ";base64,"
_ALPHABET: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
_LONGEST_HEAD: Final = 64
_HEADER: Final = 64
"""Characters of base64 that are enough to know a picture by; a multiple of four."""


def is_picture(text: str) -> bool:
    """Whether the text is the ``data:`` address of a picture, to its end, and its bytes begin as one does."""
    at = text.find(_MARK, 0, _LONGEST_HEAD)
    if at < 0 or not text.startswith(BEGIN):
        return False
    data = text[at + len(_MARK) :]
    try:
        begins = header_of(base64.b64decode(data[:_HEADER]))
        return begins is not None and not data.encode("ascii").translate(None, _ALPHABET)
    except (binascii.Error, ValueError):
        return False
