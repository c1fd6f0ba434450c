"""Pictures that go to a model beside a text: read from a file, bytes or an address, and checked at once."""

from __future__ import annotations

import base64
import binascii
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import SplitResult, urlsplit

from workbench.engine.image_header import Header, header_of
from workbench.errors import ConfigError
from workbench.visible import visible_line

MOST_BYTES: Final = 20_000_000
"""A picture of more bytes than this is refused; most providers take less."""

_KINDS: Final = "PNG, JPEG, GIF and WebP"
_HEAD_CHARACTERS: Final = (1 << 10, 1 << 20)
"""As much of the base64 of a picture is decoded to find its size, first and at most; multiples of four."""

_USUAL_TOKENS: Final = 1_000
_MOST_TOKENS: Final = 1_600
_PIXELS_PER_TOKEN: Final = 750


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """What there is to say about a picture. Sizes are in pixels and bytes, 0 where they are not known.

    ``mime`` is empty for a picture that the provider fetches itself; ``host`` is then who has it.
    """

    name: str = "picture"
    mime: str = ""
    width: int = 0
    height: int = 0
    bytes: int = 0
    host: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """Kind, size in pixels and size in bytes, as far as known: ``image/png``, ``640×480``, ``31 kB``."""
        pixels = f"{self.width}×{self.height}" if self.width else ""
        kind = self.mime or (f"picture at {self.host}" if self.host else "picture")
        size = size_text(self.bytes) if self.bytes else ""
        return tuple(part for part in (visible_line(kind), pixels, size) if part)

    def __str__(self) -> str:
        return ", ".join(self.parts)

    @property
    def tokens(self) -> int:
        """About how many tokens a model counts for it."""
        pixels = self.width * self.height
        return min(_MOST_TOKENS, pixels // _PIXELS_PER_TOKEN + 1) if pixels else _USUAL_TOKENS

    def record(self) -> dict[str, Any]:
        """As a trace entry holds it, without the picture itself."""
        known = {"name": self.name, "mime": self.mime, "width": self.width, "height": self.height}
        known |= {"bytes": self.bytes, "host": self.host}
        return {key: value for key, value in known.items() if value or key in ("name", "mime", "bytes")}


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that can be sent: its address, ``data:`` or ``https:``, and what there is to say about it."""

    url: str = field(repr=False)
    facts: ImageFacts


ImageSource: TypeAlias = "str | Path | bytes | bytearray | Image"
"""A file's path, the bytes themselves, a ``data:`` or ``https:`` address, or a picture read before."""

Images: TypeAlias = "ImageSource | Iterable[ImageSource]"
"""Several, or one that stands alone."""


def load_images(sources: Images) -> tuple[Image, ...]:
    """Read the pictures; what they are is told by their bytes, not by their names. One may stand alone.

    Raises ConfigError for a file that cannot be read, is too large, or is no picture of a kind that models
    take.
    """
    if isinstance(sources, str | Path | bytes | bytearray | Image):
        sources = (sources,)
    if not isinstance(sources, Iterable):
        raise _no_source(sources)
    return tuple(map(load_image, sources))


def load_image(source: ImageSource) -> Image:
    """Read one picture; raises as ``load_images``."""
    if isinstance(source, Image):
        return source
    if isinstance(source, bytes | bytearray):
        return image_of(bytes(source))
    if isinstance(source, Path):
        return _from_file(source)
    if not isinstance(source, str):
        raise _no_source(source)
    scheme = source[:8].lower()
    if scheme.startswith("data:"):
        return _from_data_address(source)
    if scheme.startswith("https://"):
        if not _split(source).netloc:
            raise ConfigError(
                f"this is no address: {visible_line(source[:200])}",
                hint="Such as https://example.org/plot.png",
            )
        return Image(source, facts_of(source))
    if scheme.startswith("http://"):
        raise ConfigError(
            f"a picture is not fetched over plain http: {visible_line(source[:200])}",
            hint="Give an https address, or download it and give the file.",
        )
    return _from_file(Path(source))


def image_of(data: bytes, name: str = "picture") -> Image:
    """The picture that these bytes are. Raises ConfigError when they are none, or too many."""
    shown = visible_line(name)
    if not data:
        raise ConfigError(f"{shown} is empty", hint=f"Pictures are {_KINDS}.")
    if len(data) > MOST_BYTES:
        raise _too_large(shown, len(data))
    header = header_of(data)
    if header is None:
        raise ConfigError(f"{shown} is no picture that models take", hint=f"They take {_KINDS}.")
    if not (header.width and header.height):
        raise ConfigError(
            f"{shown} begins as {header.mime}, but its size cannot be read: it is damaged or cut off",
            hint="Open it in a viewer and save it anew.",
        )
    url = f"data:{header.mime};base64,{base64.b64encode(data).decode('ascii')}"
    return Image(url, ImageFacts(name, *header, len(data)))


def facts_of(url: str, name: str = "") -> ImageFacts:
    """What an address says about its picture; of a ``data:`` address only the beginning is decoded."""
    if not url[:5].lower().startswith("data:"):
        parts = _split(url)
        last = parts.path.rpartition("/")[2]
        return ImageFacts(name or last or "picture", host=parts.netloc.rpartition("@")[2])
    head, _, encoded = url.partition(",")
    mime = head[5:].partition(";")[0]
    size = len(encoded) * 3 // 4 - encoded[-2:].count("=")
    header = _header(encoded)
    if header is None:
        return ImageFacts(name or "picture", mime, bytes=size)
    return ImageFacts(name or "picture", *header, size)


def _split(url: str) -> SplitResult:
    """The parts of an address; none at all of what cannot be one."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def _header(encoded: str) -> Header | None:
    header = None
    for count in _HEAD_CHARACTERS:
        try:
            header = header_of(base64.b64decode(encoded[:count]))
        except (binascii.Error, ValueError):
            return None
        if header is None or header.width:
            break
    return header


def facts_in(entry: Mapping[str, Any]) -> tuple[ImageFacts, ...]:
    """The pictures that a ``user_input`` entry names; what is not as it is written there is left out."""
    listed = entry.get("images")
    records = [item for item in listed if isinstance(item, Mapping)] if isinstance(listed, list) else []
    return tuple(_facts_from(record) for record in records)


def images_of_turn(session: Mapping[str, Any] | None) -> tuple[ImageFacts, ...]:
    """The pictures of the turn that has just begun: those that the newest ``user_input`` entry names."""
    newest = reversed(session["trace"]) if session is not None else ()
    return facts_in(next((entry for entry in newest if entry.get("type") == "user_input"), {}))


def _facts_from(record: Mapping[str, Any]) -> ImageFacts:
    width, height, size = (
        number if isinstance(number := record.get(key), int) else 0 for key in ("width", "height", "bytes")
    )
    name, mime, host = (str(record.get(key) or "") for key in ("name", "mime", "host"))
    return ImageFacts(name or "picture", mime, width, height, size, host)


def size_text(size: int) -> str:
    """A number of bytes for people: ``900 bytes``, ``31 kB``, ``2.4 MB``."""
    if size < 1_000:
        return f"{size} byte{'s' * (size != 1)}"
    return f"{size / 1_000:.0f} kB" if size < 999_500 else f"{size / 1_000_000:.1f} MB"


def _from_file(path: Path) -> Image:
    name = visible_line(str(path))
    try:
        place = path.expanduser()
        # the kind first: opening a pipe would wait for its writer
        found = place.stat()
        if not stat.S_ISREG(found.st_mode):
            raise ConfigError(f"{name} is no file", hint="Give the path of a picture.")
        if found.st_size > MOST_BYTES:
            raise _too_large(name, found.st_size)
        data = place.read_bytes()
    except FileNotFoundError as error:
        raise ConfigError(f"there is no picture {name}", hint="Check the path.") from error
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in the path, a home that nobody has
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(f"the picture {name} cannot be read: {reason}") from error
    return image_of(data, path.name)


def _from_data_address(url: str) -> Image:
    head, comma, encoded = url.partition(",")
    if not comma or not head.lower().endswith(";base64"):
        raise ConfigError(
            f"this is no picture: {visible_line(url[:60])}", hint="Such as data:image/png;base64,iVBORw…"
        )
    if len(encoded) * 3 // 4 > MOST_BYTES + 2:
        raise _too_large("the picture", len(encoded) * 3 // 4)
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ConfigError(f"the data: address of a picture is not base64: {error}") from error
    return image_of(data)


def _too_large(name: str, size: int) -> ConfigError:
    return ConfigError(
        f"{name} has {size_text(size)}, more than the {size_text(MOST_BYTES)} that a picture may have",
        hint="Make it smaller: models scale pictures down to some 1,500 pixels anyway.",
    )


def _no_source(source: object) -> ConfigError:
    return ConfigError(
        f"a picture is a path, bytes or an address, not {type(source).__name__}",
        hint='Such as images=["plot.png"].',
    )
