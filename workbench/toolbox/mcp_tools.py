"""From what an MCP server says about its tools and results to tools and values of ours."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.engine.images import Image, image_of
from workbench.engine.pictured import MOST_IMAGES, Pictured
from workbench.errors import ConfigError, ToolServerError
from workbench.registry import Tool, ToolMetadata, ToolTag

if TYPE_CHECKING:
    from mcp import types

_NOTHING: Any = object()


def tool_from(listed: types.Tool, server: str, func: Callable[..., Any], file: Path | None = None) -> Tool:
    """The tool that a server lists, in the server's namespace; its input schema is taken as it is.

    ``file`` is the one that says how the server is reached, where there is one.

    Raises:
        ToolRegistrationError: when its name cannot be used or its schema is not an object's.
    """
    title = listed.title or (listed.annotations.title if listed.annotations is not None else None)
    config = str(file) if file is not None else None
    extra = {"mcp_server": server, "mcp_name": listed.name, "mcp_config": config, "title": title}
    hints = listed.annotations
    read_only = hints is not None and hints.read_only_hint is True
    return Tool.from_schema(
        func,
        name=listed.name,
        namespace=server,
        parameters=listed.input_schema,
        description=listed.description or title or "",
        metadata=ToolMetadata(
            tags=_tags(hints),
            parallel_safe=read_only,
            extra={key: value for key, value in extra.items() if value is not None},
        ),
    )


def value_of(result: types.CallToolResult) -> Any:
    """What the call gave: its text, its structured content, or both if they do not say the same. With
    pictures it is a text that has them beside it.

    Raises:
        ToolServerError: with the text, when the server marks the result as an error.
    """
    images = [image for block in result.content if (image := _image_of(block)) is not None]
    if 0 < len(images) <= MOST_IMAGES and not result.is_error:
        return _pictured(result, images)
    texts = [_text_of(block) for block in result.content]
    text = "\n".join(texts)
    structured = result.structured_content
    if result.is_error:
        said = text or (_as_json(structured) if structured is not None else "")
        raise ToolServerError(said or "the tool failed and did not say why")
    if structured is None:
        return text
    plain = _unwrapped(structured)
    if not texts or _says_the_same(texts, structured):
        return structured
    if _says_the_same(texts, plain):
        return plain
    return f"{text}\n{_as_json(structured)}"


def _tags(hints: types.ToolAnnotations | None) -> set[ToolTag | str]:
    if hints is None:
        return set()
    said = {
        ToolTag.READ_ONLY: hints.read_only_hint is True,
        ToolTag.DESTRUCTIVE: hints.destructive_hint is True and hints.read_only_hint is not True,
        ToolTag.NETWORK: hints.open_world_hint is True,
    }
    return {tag for tag, applies in said.items() if applies}


def _text_of(block: types.ContentBlock) -> str:
    """A block as text; what is not text is named, with its size."""
    if block.type == "text":
        return block.text
    if block.type == "resource_link":
        return f"[resource {block.name}: {block.uri}]"
    if block.type == "resource":
        held = block.resource
        text: str | None = getattr(held, "text", None)
        return text if text is not None else f"[resource {held.uri}, {held.mime_type or 'unknown type'}]"
    size = len(block.data) * 3 // 4
    return f"[{block.type} {block.mime_type}, about {size:,} bytes]"


def _image_of(block: types.ContentBlock) -> Image | None:
    """The picture in a block; None for another block, or one that cannot be sent to a model."""
    if block.type != "image":
        return None
    try:
        return image_of(base64.b64decode(block.data, validate=True))
    except (binascii.Error, ValueError, ConfigError):
        return None


def _pictured(result: types.CallToolResult, images: list[Image]) -> Pictured:
    said = [_text_of(block) for block in result.content if block.type != "image"]
    if result.structured_content is not None and not _says_the_same(said, result.structured_content):
        said.append(_as_json(result.structured_content))
    named = [_text_of(block) for block in result.content if block.type == "image"]
    return Pictured("\n".join([*said, *named]), "\n".join(said), images)


def _unwrapped(structured: Any) -> Any:
    """A plain value that a server had to wrap into an object, else the same."""
    if isinstance(structured, dict) and structured.keys() == {"result"}:
        return structured["result"]
    return structured


def _says_the_same(texts: list[str], value: Any) -> bool:
    if texts == [value] or texts == value:
        return True
    read = [_parsed(text) for text in texts]
    return read == [value] or read == value


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return _NOTHING


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
