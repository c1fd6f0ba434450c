"""Results that hold pictures: the text as every result has one, and the pictures for a model that looks."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any, Final, Self

from workbench.engine.images import Image, image_of
from workbench.engine.results import to_text
from workbench.errors import ConfigError

MOST_IMAGES: Final = 20
"""So many pictures of one result are sent; it is a text with more."""


class Pictured(str):
    """A result's text, whole. ``told`` is what stands before ``images`` in the message to the model."""

    __slots__ = ("images", "told")
    told: str
    images: tuple[Image, ...]

    def __new__(cls, text: str, told: str = "", images: Sequence[Image] = ()) -> Self:
        made = super().__new__(cls, text)
        count = len(images)
        made.told = told or (f"It returned {count} pictures:" if count != 1 else "It returned a picture:")
        made.images = tuple(images)
        return made


def apart(text: str) -> tuple[str, str, tuple[Image, ...]]:
    """A result's text whole, what the model reads of it, and the pictures that go with that."""
    return (str(text), text.told, text.images) if isinstance(text, Pictured) else (text, text, ())


def result_text(value: Any) -> str:
    """The text of what a tool returned; a ``Pictured`` one if that is a picture, or a list with some in it.

    A picture is bytes that are a PNG, JPEG, GIF or WebP, or anything that can show itself as PNG, as the
    images of Pillow do. Never raises an Exception.
    """
    if isinstance(value, list | tuple):
        return _of_list(value)
    image, plain = _picture(value)
    return to_text(plain) if image is None else Pictured(to_text(plain), images=[image])


def _of_list(values: Sequence[Any]) -> str:
    found = [_picture(value) for value in values] if len(values) <= MOST_IMAGES else []
    images = [image for image, _ in found if image is not None]
    if not images:
        return to_text(values)
    told = "\n".join(to_text(plain) for image, plain in found if image is None)
    return Pictured(to_text([plain for _, plain in found]), told, images)


def _picture(value: Any) -> tuple[Image | None, Any]:
    """The picture that a value is, if it is one, and the value as its text is made of it."""
    show = getattr(type(value), "_repr_png_", None)
    if show is not None:
        try:
            shown = _bytes_of(show(value))
        except Exception:  # noqa: BLE001 - the value's own code; its text says what it is
            return None, value
        image = _image(shown)
        return image, value if image is None else shown
    return _image(value), value


def _bytes_of(shown: Any) -> Any:
    """What ``_repr_png_`` gave: bytes, or base64 of them, with or without facts beside."""
    data = shown[0] if isinstance(shown, tuple) else shown
    return base64.b64decode(data, validate=True) if isinstance(data, str) else data


def _image(data: Any) -> Image | None:
    if not isinstance(data, bytes | bytearray):
        return None
    try:
        return image_of(bytes(data))
    except ConfigError:
        return None
