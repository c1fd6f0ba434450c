"""Text in, text out."""

import re
import unicodedata

from workbench import ToolTag, tool


@tool(tags={ToolTag.READ_ONLY})
def count_words(text: str) -> dict[str, int]:
    """Count lines, words and characters."""
    return {"lines": len(text.splitlines()), "words": len(text.split()), "characters": len(text)}


@tool(tags={ToolTag.READ_ONLY})
def slugify(text: str, separator: str = "-") -> str:
    """Make a name for a web address: lower case, no accents, words joined.

    Args:
        text: A title or any other text.
        separator: What stands between the words.
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return separator.join(re.findall(r"[a-z0-9]+", plain.lower()))


@tool(tags={ToolTag.READ_ONLY})
def replace(text: str, old: str, new: str, ignore_case: bool = False) -> str:
    """Replace every occurrence of a text by another.

    Args:
        text: Where to replace.
        old: What to replace, taken literally; not empty.
        new: What to put there.
        ignore_case: Whether large and small letters count as the same.
    """
    if not old:
        raise ValueError("old is empty; say what to replace")
    return re.sub(re.escape(old), lambda _: new, text, flags=re.IGNORECASE if ignore_case else 0)
