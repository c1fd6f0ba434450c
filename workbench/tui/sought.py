"""How a text is looked for by people: neither case counts, nor which of its spellings a letter has."""

from __future__ import annotations

import unicodedata


def folded(text: str) -> str:
    """The text as it is compared; what looks the same is the same."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", text).casefold()
