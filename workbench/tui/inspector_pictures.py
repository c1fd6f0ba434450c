"""The pictures that went to a model with a request, drawn one below the other."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Final

from workbench.engine.content import image_urls
from workbench.engine.images import facts_of
from workbench.engine.request_log import Sent
from workbench.tui.inspector_context import message_head
from workbench.tui.picture import picture_lines
from workbench.tui.wrapped import Line, wrapped

_EMPTY: Final[Line] = ()


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
