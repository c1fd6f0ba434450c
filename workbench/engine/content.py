"""The content of a message, which is a text, or parts of which some are pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from workbench.engine.images import Image, ImageFacts, facts_of

Content: TypeAlias = "str | list[dict[str, Any]]"
_PICTURE: Final = "image_url"


def content_of(text: str, images: Sequence[Image] = ()) -> Content:
    """A text as it is; with pictures, the parts that chat protocols take: the text, then each picture."""
    if not images:
        return text
    said = [{"type": "text", "text": text}] if text.strip() else []  # a blank part is refused by some
    return [*said, *({"type": _PICTURE, _PICTURE: {"url": image.url}} for image in images)]


def text_of(content: object) -> str:
    """The text of a content, without its pictures."""
    return _joined(content, _nothing)


def _nothing(_part: object) -> str:
    return ""


def told(content: object) -> str:
    """A content for people and summaries: its text, with each picture named in its place."""
    return _joined(content, _name_of)


def _joined(content: object, other: Callable[[object], str]) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [text if (text := _text(part)) is not None else other(part) for part in content]
    return "\n".join(text for text in texts if text)


def _text(part: object) -> str | None:
    """The text of a part that has one; None for another."""
    if isinstance(part, str):
        return part
    text = part.get("text") if isinstance(part, Mapping) else None
    return text if isinstance(text, str) else None


def _name_of(part: object) -> str:
    url = _url(part)
    if url is not None:
        return f"[{facts_of(url)}]"
    kind = part.get("type") if isinstance(part, Mapping) else None
    return f"[{kind or 'something'}]"


def _url(part: object) -> str | None:
    """The address of a part that is a picture; None for another."""
    if not isinstance(part, Mapping) or part.get("type") != _PICTURE:
        return None
    held = part.get(_PICTURE)
    url = held.get("url") if isinstance(held, Mapping) else held
    return url if isinstance(url, str) else None


def image_urls(content: object) -> list[str]:
    """The addresses of the pictures in a content, in order."""
    if not isinstance(content, list):
        return []
    return [url for part in content if (url := _url(part)) is not None]


def images_of(content: object, names: Sequence[ImageFacts] = ()) -> tuple[Image, ...]:
    """The pictures in a content; ``names`` are what was recorded of them, where that is known."""
    urls = image_urls(content)
    known = names if len(names) == len(urls) else [None] * len(urls)
    return tuple(Image(url, facts or facts_of(url)) for url, facts in zip(urls, known, strict=True))


def with_more_text(content: object, more: str) -> Content:
    """The content with a paragraph behind its text; a new one, what was given stays as it is."""
    if not isinstance(content, list):
        return f"{content}\n\n{more}"
    parts = [_as_dict(part) for part in content]
    for part in parts:
        if part.get("type") == "text":
            part["text"] = f"{part.get('text', '')}\n\n{more}"
            return parts
    return [{"type": "text", "text": more}, *parts]


def _as_dict(part: object) -> dict[str, Any]:
    return dict(part) if isinstance(part, Mapping) else {"type": "text", "text": str(part)}


def without_images(content: object, instead: Callable[[ImageFacts], str]) -> object:
    """The content with a text in the place of each picture; all of it is one text then, if it can be."""
    if not isinstance(content, list) or not image_urls(content):
        return content
    parts = [
        {"type": "text", "text": instead(facts_of(url))} if (url := _url(part)) is not None else part
        for part in content
    ]
    texts = [_text(part) for part in parts]
    plain = [text for text in texts if text is not None]
    return "\n\n".join(plain) if len(plain) == len(parts) else parts


def shortened(value: Any) -> Any:
    """Messages, or a part of them, to look at: of each picture's data only kind and size are left."""
    if isinstance(value, Mapping):
        return {key: shortened(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [shortened(item) for item in value]
    if isinstance(value, str) and value.startswith("data:image/") and ";base64," in value[:40]:
        return f"{value[: value.index(',') + 1]}… ({facts_of(value)})"
    return value


def image_tokens(messages: Sequence[Mapping[str, Any]]) -> int:
    """About how many tokens the pictures of the messages take."""
    return sum(facts.tokens for message in messages for facts in image_facts(message.get("content")))


def image_facts(content: object) -> Iterator[ImageFacts]:
    """What there is to say about each picture of a content."""
    return map(facts_of, image_urls(content))
