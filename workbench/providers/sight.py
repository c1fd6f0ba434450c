"""Pictures on their way to a model that takes none: a new one is refused, earlier ones become text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.engine.content import image_urls, without_images
from workbench.engine.images import ImageFacts
from workbench.errors import InvalidRequestError

Messages = Sequence[Mapping[str, Any]]


def holds_images(messages: Messages) -> bool:
    """Whether any message holds a picture; costs next to nothing where all are plain text."""
    return any(
        content.__class__ is not str and image_urls(content)
        for content in [message.get("content") for message in messages]
    )


def fit_to_blind(messages: Messages, model: str) -> tuple[Messages, int]:
    """The messages for a model that takes no images, and how many pictures they have lost by that.

    Raises InvalidRequestError when the newest message of the user holds one: that is what was asked about.
    """
    newest = next((message for message in reversed(messages) if message.get("role") == "user"), {})
    if image_urls(newest.get("content")):
        raise InvalidRequestError(
            f"{model} takes no images, and your message holds one; nothing was sent.",
            hint="/model lists others, in a script name one with model=…; or write it without the image.",
        )

    def instead(facts: ImageFacts) -> str:
        return f"[An image was here ({facts}). It is left out: {model} takes no images.]"

    fitted = [
        {**message, "content": without_images(content, instead)}
        if image_urls(content := message.get("content"))
        else message
        for message in messages
    ]
    return fitted, sum(len(image_urls(message.get("content"))) for message in messages)
