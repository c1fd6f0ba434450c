"""Pictures that are given by an address, fetched for a provider that takes only the pictures themselves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from workbench.engine.content import image_urls

_TAKE_NO_ADDRESS: Final = frozenset({"ollama_chat"})
"""Providers that litellm hands an address on to, although their servers look for a picture in it.

For Gemini, Bedrock and the older way to Ollama it fetches the picture by itself.
"""


async def fetch_pictures(messages: Sequence[Mapping[str, Any]], provider: str) -> Sequence[Mapping[str, Any]]:
    """The messages with ``data:`` addresses in the place of others, where ``provider`` needs that.

    litellm fetches, which takes https only, nothing of a private network, and no more than 50 MB; what it
    raises says which picture could not be had.
    """
    if provider not in _TAKE_NO_ADDRESS or not any(map(_distant, messages)):
        return messages
    from litellm.litellm_core_utils.prompt_templates.image_handling import async_convert_url_to_base64

    return [await with_pictures(message, async_convert_url_to_base64) for message in messages]


async def with_pictures(
    message: Mapping[str, Any], fetch: Callable[[str], Awaitable[str]]
) -> Mapping[str, Any]:
    """The message with what ``fetch`` makes of each address in it that is not the picture itself."""
    distant = _distant(message)
    if not distant:
        return message
    fetched = {url: await fetch(url) for url in dict.fromkeys(distant)}
    parts = []
    for part in message["content"]:
        (url,) = image_urls([part]) or [""]
        known = fetched.get(url)
        parts.append({"type": "image_url", "image_url": {"url": known}} if known else part)
    return {**message, "content": parts}


def _distant(message: Mapping[str, Any]) -> list[str]:
    return [url for url in image_urls(message.get("content")) if not url.startswith("data:")]
