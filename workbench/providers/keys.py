"""Which environment variables hold the keys of the providers, known without loading the model library."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

KEY_VARIABLES: Final[Mapping[str, tuple[str, ...]]] = {
    "azure": ("AZURE_API_KEY",),
    "bedrock": ("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK"),
    "cohere_chat": ("COHERE_API_KEY",),
    "fireworks_ai": ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY"),
    "github_copilot": (),  # signs in without a key, like the others that name nothing
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "microsoft_365_copilot": (),
    "oci": (),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "sagemaker": ("AWS_ACCESS_KEY_ID", "AWS_PROFILE"),
    "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_AI_API_KEY"),
    "vertex_ai": ("VERTEXAI_PROJECT", "GOOGLE_APPLICATION_CREDENTIALS"),
}
"""Any one of them is enough. Providers that are not named here have ``<PROVIDER>_API_KEY``."""

_SURE: Final[Mapping[str, tuple[str, ...]]] = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    **{
        provider: (f"{provider.upper()}_API_KEY",)
        for provider in ("openai", "mistral", "deepseek", "groq", "xai", "openrouter", "cerebras")
    },
}
"""Providers that cannot be asked without a key in one of these, the usual one first."""

_MAKERS: Final = (
    "anthropic",
    "openai",
    "gemini",
    "mistral",
    "deepseek",
    "xai",
    "cohere_chat",
    "moonshot",
    "zai",
    "dashscope",
    "minimax",
    "meta_llama",
)
"""Who makes the models that many others sell on; the best known first."""

_BARE: Final = {"gpt-": "openai", "chatgpt-": "openai", "o1": "openai", "o3": "openai", "o4": "openai"} | {
    "claude-": "anthropic"
}
"""How names begin that stand without their provider."""


def key_variables(provider: str) -> tuple[str, ...]:
    """The variables any one of which would hold the provider's key; none for one that needs no key."""
    return KEY_VARIABLES.get(provider, (f"{provider.upper().replace('-', '_')}_API_KEY",))


def seller_rank(provider: str) -> int:
    """Where a provider stands among others that have the same model: those that make models come first."""
    return _MAKERS.index(provider) if provider in _MAKERS else len(_MAKERS)


def missing_key(model: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The variables one of which ``model`` surely needs and none of which is set.

    Empty where the key is there, comes with the ``parameters``, or where nothing is sure: at an address of
    the user's own, given or set in the environment, or with a provider that may sign in by other means.
    """
    if parameters.get("api_key") or parameters.get("base_url") or parameters.get("api_base"):
        return ()
    provider, slash, _ = full_name(model).partition("/")
    variables = _SURE.get(provider, ()) if slash else ()
    if any(os.environ.get(f"{provider.upper()}_{name}") for name in ("BASE_URL", "API_BASE")):
        return ()
    return () if any(os.environ.get(name) for name in variables) else variables


def full_name(model: str) -> str:
    """The name with its provider: ``openai/gpt-5-mini`` for ``gpt-5-mini``. Others stay as they are."""
    if "/" in model:
        return model
    owner = next((owner for start, owner in _BARE.items() if model.startswith(start)), "")
    return f"{owner}/{model}" if owner else model
