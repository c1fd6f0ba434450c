"""Pictures from elsewhere: those sent with a request, and files that a result names."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from workbench.engine.content import image_urls
from workbench.engine.images import facts_of
from workbench.engine.request_log import Sent
from workbench.tui.inspector_context import message_head
from workbench.tui.media import media_of
from workbench.tui.picture import picture_lines
from workbench.tui.wrapped import Line, wrapped

_EMPTY: Final[Line] = ()
_ENDINGS: Final = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp")
_LONGEST: Final = 1_000
_MOST_BYTES: Final = 50_000_000


def file_named(text: str) -> Path | None:
    """The picture that a result is the path of; whether there is such a file is not looked at."""
    name = text.strip().strip("\"'")
    if len(name) > _LONGEST or not name.lower().endswith(_ENDINGS) or not name.isprintable() or "://" in name:
        return None
    return Path(name)


def file_picture(path: Path, width: int) -> list[Line]:
    """The picture in a file as it is now. Takes its time: not for the screen's loop."""
    try:
        data = _read(path)
        drawn = picture_lines(data, width)
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return list(wrapped(f"{path} cannot be drawn: {said}", width, "warning", words=True))
    said = f"{path} as it is now: {media_of(data)}"
    return [*wrapped(said, width, "subtle", words=True), _EMPTY, *drawn]


def _read(path: Path) -> bytes:
    if not path.is_file():
        raise ValueError("there is no such file")
    if path.stat().st_size > _MOST_BYTES:
        raise ValueError(f"it has more than {_MOST_BYTES // 1_000_000} MB")
    return path.read_bytes()


def sent_pictures(sent: Sent, width: int) -> list[Line]:
    """Each picture below the head of its message. Takes its time: not for the screen's loop."""
    lines: list[Line] = []
    for number, message in enumerate(sent.messages, 1):
        for url in image_urls(message.get("content")):
            lines += [_EMPTY] if lines else []
            lines.append((*message_head(number, message), (f"  {facts_of(url)}", "subtle")))
            lines += [_EMPTY, *_drawn(url, width)]
    return lines


def _drawn(url: str, width: int) -> Iterator[Line]:
    head, _, encoded = url.partition(",")
    if not head.startswith("data:"):
        yield from wrapped("The provider fetches it from its address.", width, "muted", words=True)
        return
    try:
        yield from picture_lines(base64.b64decode(encoded), width)
    except (binascii.Error, ValueError) as error:
        yield from wrapped(f"It cannot be drawn: {error}", width, "warning", words=True)
