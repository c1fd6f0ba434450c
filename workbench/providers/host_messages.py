"""Fits a conversation to the provider it goes to, where litellm itself does not."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workbench.providers.host_mistral import in_mistrals_order

Message = dict[str, Any]

# Who takes back the fields that came with an answer. The others refuse a message with a field they do
# not know, and a conversation may have begun with another model.
_TAKE_THINKING = frozenset(
    {"anthropic", "azure_ai", "bedrock", "databricks", "gemini", "vertex_ai", "vertex_ai_beta"}
)
_REFUSE_REASONING = frozenset(
    {"azure", "cerebras", "cohere_chat", "groq", "openai", "text-completion-openai"}
)

# Ids of calls: those of Gemini carry what it needs to go on thinking, and are far longer than others take;
# Mistral's own tokenizer, wherever it runs, takes nine letters and digits.
_GEMINI = frozenset({"gemini", "vertex_ai", "vertex_ai_beta"})
_MISTRALS = re.compile(r"(?:mi|dev|mini|magi|code)stral|pixtral")
_NINE = re.compile(r"[a-zA-Z0-9]{9}")
_USUAL = re.compile(r"[a-zA-Z0-9_-]{1,40}")


def fit_messages(
    messages: Sequence[Mapping[str, Any]], provider: str, *, model: str, own_server: bool
) -> list[Message]:
    """``messages`` with call ids that ``provider`` takes, and without the fields that it would refuse.

    ``own_server``: the request goes to an address that the user gave, where an OpenAI-compatible server
    may well need the reasoning that real OpenAI refuses.
    """
    refused: set[str] = set()
    if provider not in _TAKE_THINKING:
        refused |= {"thinking_blocks", "provider_specific_fields"}
    if provider in _REFUSE_REASONING and not own_server:
        refused.add("reasoning_content")
    fitting = _fitting_id(provider, model)
    fitted = [_with_ids(_without(message, refused), fitting) for message in messages]
    if _is_mistral(provider, model):
        fitted = list(in_mistrals_order(fitted))
    if provider in _GEMINI:
        for message in fitted:
            if message.get("tool_calls") and message.get("content") == "":
                message["content"] = None  # it would become a part without text, which Gemini refuses
    return fitted


def _fitting_id(provider: str, model: str) -> Callable[[str], str]:
    """What makes an id fit; the same id becomes the same one each time."""
    if provider in _GEMINI:
        return lambda call_id: call_id
    nine = _is_mistral(provider, model)

    def fit(call_id: str) -> str:
        if (_NINE if nine else _USUAL).fullmatch(call_id):
            return call_id
        digest = hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()
        return digest[:9] if nine else f"call_{digest[:24]}"

    return fit


def _is_mistral(provider: str, model: str) -> bool:
    return _MISTRALS.search(f"{provider}/{model}".lower()) is not None


def _with_ids(message: Message, fitting: Callable[[str], str]) -> Message:
    call_id, calls = message.get("tool_call_id"), message.get("tool_calls")
    if isinstance(call_id, str):
        message["tool_call_id"] = fitting(call_id)
    if calls:
        message["tool_calls"] = [{**call, "id": fitting(str(call.get("id")))} for call in calls]
    return message


def _without(message: Mapping[str, Any], refused: set[str]) -> Message:
    fitted = {key: value for key, value in message.items() if key not in refused}
    calls = fitted.get("tool_calls")
    if calls and any(not refused.isdisjoint(call) for call in calls):
        fitted["tool_calls"] = [
            {key: value for key, value in call.items() if key not in refused} for call in calls
        ]
    return fitted
