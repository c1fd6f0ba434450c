"""Fits a conversation to the provider it goes to, where litellm itself does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Message = dict[str, Any]

# Who takes back the fields that came with an answer. The others refuse a message with a field they do
# not know, and a conversation may have begun with another model.
_TAKE_THINKING = frozenset(
    {"anthropic", "azure_ai", "bedrock", "databricks", "gemini", "vertex_ai", "vertex_ai_beta"}
)
_REFUSE_REASONING = frozenset(
    {"azure", "cerebras", "cohere_chat", "groq", "openai", "text-completion-openai"}
)


def fit_messages(messages: Sequence[Mapping[str, Any]], provider: str, *, own_server: bool) -> list[Message]:
    """``messages`` without the provider fields that ``provider`` would refuse.

    ``own_server``: the request goes to an address that the user gave, where an OpenAI-compatible server
    may well need the reasoning that real OpenAI refuses.
    """
    refused: set[str] = set()
    if provider not in _TAKE_THINKING:
        refused |= {"thinking_blocks", "provider_specific_fields"}
    if provider in _REFUSE_REASONING and not own_server:
        refused.add("reasoning_content")
    return [_without(message, refused) for message in messages]


def _without(message: Mapping[str, Any], refused: set[str]) -> Message:
    fitted = {key: value for key, value in message.items() if key not in refused}
    calls = fitted.get("tool_calls")
    if calls and any(not refused.isdisjoint(call) for call in calls):
        fitted["tool_calls"] = [
            {key: value for key, value in call.items() if key not in refused} for call in calls
        ]
    return fitted
