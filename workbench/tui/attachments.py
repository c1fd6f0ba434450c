"""Files that a message names with ``@path``: texts stand behind it with their size, pictures go beside."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from workbench.engine.image_header import header_of
from workbench.engine.images import MOST_BYTES as MOST_IMAGE_BYTES
from workbench.engine.images import Image, image_of
from workbench.errors import ConfigError
from workbench.tui.completion import mentions

MOST_BYTES: Final = 200_000
"""A file of more than this is not attached, and the message says so."""

MOST_IN_ALL: Final = 600_000
"""The same for all texts of one message together; pictures have a limit of their own."""

_HEADER_BYTES: Final = 64
"""Enough of a file to know a picture by."""

_HEAD: Final = re.compile(r"\n\n?\[attached (?P<path>.+): (?P<size>[\d,]+) characters?\]\n")
_REFUSED: Final = re.compile(r"\n\n?\[not attached (?P<path>.+): (?P<why>[^\n]+)\]")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file behind a message: its text, or why it is not there."""

    path: str
    text: str = ""
    refused: str = ""

    def __str__(self) -> str:
        if self.refused:
            return f"[not attached {self.path}: {self.refused}]"
        unit = "character" if len(self.text) == 1 else "characters"
        return f"[attached {self.path}: {len(self.text):,} {unit}]\n{self.text}\n[end of {self.path}]"


class Prepared(NamedTuple):
    """A message as it is sent: its text with the texts of files behind it, and the pictures beside it."""

    text: str
    images: tuple[Image, ...] = ()


def with_attachments(message: str, root: Path, seen: str | None = None) -> Prepared:
    """The message with the files that it names, as they are now; paths start at ``root``.

    ``seen`` is as much of the message as the person had before the eyes (all of it): only what is named
    there is attached, not what a folded paste may name.
    A word after an ``@`` that names nothing stays what it is. Reads files, so never on the screen's loop.
    """
    left = MOST_IN_ALL
    parts: list[str] = []
    images: list[Image] = []
    for path in dict.fromkeys(path for _, _, path in mentions(message if seen is None else seen)):
        found = _read(path, root, left)
        if isinstance(found, Image):
            images.append(found)
        elif found is not None:
            left -= len(found.text)
            parts.append(str(found))
    return Prepared("\n\n".join([message, *(["\n".join(parts)] if parts else [])]), tuple(images))


def split(prompt: str) -> tuple[str, list[Attachment]]:
    """A sent message in its two parts: what the person wrote, and what was attached."""
    at = 0
    while (at := prompt.find("\n\n[", at)) >= 0:
        found = list(_parsed(prompt, at))
        if found and found[-1] is not None:
            return prompt[:at], [attachment for attachment in found if attachment is not None]
        at += 1
    return prompt, []


def _parsed(prompt: str, at: int) -> Iterator[Attachment | None]:
    """The attachments from here to the end; None where something else stands there."""
    while at < len(prompt):
        refused = _REFUSED.match(prompt, at)
        if refused is not None:
            yield Attachment(refused["path"], refused=refused["why"])
            at = refused.end()
            continue
        head = _HEAD.match(prompt, at)
        if head is None:
            yield None
            return
        end = head.end() + int(head["size"].replace(",", ""))
        tail = f"\n[end of {head['path']}]"
        if not prompt.startswith(tail, end):
            yield None
            return
        yield Attachment(head["path"], prompt[head.end() : end])
        at = end + len(tail)


def _read(path: str, root: Path, room: int) -> Attachment | Image | None:
    place = root / os.path.expanduser(path)  # noqa: PTH111  # joining an absolute one gives that one
    try:
        # the kind first: opening a pipe would wait for its writer
        found = place.stat()
        if stat.S_ISDIR(found.st_mode):
            return Attachment(path, refused="a folder")
        if not stat.S_ISREG(found.st_mode):
            return Attachment(path, refused="no plain file")
        if is_image(place):
            return _image(path, place, found.st_size)
        if found.st_size > min(MOST_BYTES, room):
            most = "more than all files of a message may have" if found.st_size <= MOST_BYTES else "too big"
            return Attachment(path, refused=f"{most}, {_bytes(found.st_size)}")
        data = place.read_bytes()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None  # an @word that names no file
    except OSError as error:
        return Attachment(path, refused=error.strerror or "it cannot be read")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return Attachment(path, refused=f"no UTF-8 text, {_bytes(len(data))}")
    return (
        Attachment(path, refused=f"binary, {_bytes(len(data))}") if "\0" in text else Attachment(path, text)
    )


def is_image(place: Path) -> bool:
    """Whether a plain file is a picture that can be sent, by how it begins. Raises OSError."""
    with place.open("rb") as file:
        return header_of(file.read(_HEADER_BYTES)) is not None


def _image(path: str, place: Path, size: int) -> Attachment | Image:
    if size > MOST_IMAGE_BYTES:
        return Attachment(path, refused=f"too big for a picture, {_bytes(size)}")
    try:
        return image_of(place.read_bytes(), path)
    except ConfigError:  # of what its beginning says it is, the rest is not there
        return Attachment(path, refused="a picture that is damaged or cut off")


def _bytes(size: int) -> str:
    if size < 1_000:
        return f"{size} bytes"
    return f"{size / 1_000:.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"
