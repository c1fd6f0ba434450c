"""What litellm's local tables know: prices, context sizes, keys and names of models."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import ModuleType
from typing import Any

from workbench.providers.keys import key_variables

_FREE_PROVIDERS = frozenset({"ollama", "ollama_chat", "lm_studio", "llamafile", "docker_model_runner"})
_SAY_WHO_SEES = frozenset(
    {"anthropic", "cohere_chat", "deepseek", "gemini", "groq", "mistral", "openai", "xai"}
)
"""Providers of which the tables say with each model that takes images that it does."""

_RETRY_TEXT = re.compile(
    r"(?:retry|try again) (?:in|after) (\d+(?:\.\d+)?) ?(ms|s|m)?|retryDelay\W+(\d+(?:\.\d+)?)s",
    re.IGNORECASE,
)
_MAX_CHAIN = 8
_MAX_MESSAGE = 4_000  # characters; some servers answer with a whole page


class Facts:
    """Look-ups in the tables that litellm ships; none of them uses the network."""

    def __init__(self, litellm: ModuleType) -> None:
        self._litellm = litellm
        self._providers: dict[str, tuple[str, str]] = {}

    def about(self, model: str) -> dict[str, Any]:
        """``context_window`` in tokens, ``missing_keys`` of the variables, the parameters that it ``takes``,
        and whether it takes ``images``. None where that is not known.
        """
        name, provider = self.provider(model)
        takes = self._litellm.get_supported_openai_params(model=name, custom_llm_provider=provider)
        return {
            "context_window": _window(self._row(model) or {}),
            "missing_keys": self._litellm.validate_environment(model=model).get("missing_keys", []),
            "takes": takes,
            "images": self._takes_images(model),
        }

    def bill(self, model: str, usage: Any) -> dict[str, Any]:
        """``usage`` in tokens, ``cost`` in dollars (None if the price is unknown), ``context_window``."""
        counts = {
            "input": _count(usage, "prompt_tokens"),
            "output": _count(usage, "completion_tokens"),
            "cached": _count(getattr(usage, "prompt_tokens_details", None), "cached_tokens"),
        }
        window = _window(self._row(model) or {})
        return {"usage": counts, "cost": self._cost(model, usage), "context_window": window}

    def near(self, model: str) -> list[str]:
        """Up to three names of the tables that look like ``model``."""
        names = self._chat_names()
        bare = {name.rsplit("/", 1)[-1]: name for name in reversed(names)}
        close = difflib.get_close_matches(model, names, n=3, cutoff=0.75)
        for name in difflib.get_close_matches(model.rsplit("/", 1)[-1], list(bare), n=3, cutoff=0.75):
            if bare[name] not in close:
                close.append(bare[name])
        return [name for name in close if name != model][:3]

    def models(self) -> dict[str, dict[str, Any]]:
        """Chat models by provider, whether the provider's key is set, and which variables would hold it.

        A model is its full name with ``[context window, input price, output price, images]``: tokens,
        dollars per million tokens, whether it is said to look at pictures; None for a number that the
        tables do not tell.
        """
        providers: dict[str, dict[str, Any]] = {}
        for name in self._chat_names():
            row = self._litellm.model_cost[name]
            provider = _callable_provider(str(row.get("litellm_provider") or "other"))
            prefixed = name if name.startswith(f"{provider}/") else f"{provider}/{name}"
            entry = providers.setdefault(provider, {"models": {}, "key": False, "variables": []})
            prices = [_per_million(row.get(f"{way}_cost_per_token")) for way in ("input", "output")]
            entry["models"][prefixed] = [_window(row), *prices, row.get("supports_vision") is True]
        for provider, entry in providers.items():
            names = key_variables(provider)
            entry["variables"] = list(names)
            entry["key"] = any(os.environ.get(name) for name in names)
        return providers

    def _chat_names(self) -> list[str]:
        table: dict[str, dict[str, Any]] = self._litellm.model_cost
        return [name for name, row in table.items() if row.get("mode") == "chat" and name != "sample_spec"]

    def provider(self, model: str) -> tuple[str, str]:
        """The model's own name and its provider; an unknown provider is ''."""
        found = self._providers.get(model)
        if found is None:
            try:
                name, provider, *_ = self._litellm.get_llm_provider(model=model)
                found = str(name), str(provider)
            except self._litellm.exceptions.BadRequestError:
                found = model, ""
            self._providers[model] = found
        return found

    def _row(self, model: str) -> dict[str, Any] | None:
        name, provider = self.provider(model)
        table: dict[str, dict[str, Any]] = self._litellm.model_cost
        for key in (model, f"{provider}/{name}", name):
            row = table.get(key)
            if row is not None and str(row.get("litellm_provider", "")).startswith(provider):
                return row
        return None

    def _takes_images(self, model: str) -> bool | None:
        row = self._row(model)
        said = row.get("supports_vision") if row is not None else None
        if row is None or said is not None:
            return said if isinstance(said, bool) else None
        if str(row.get("litellm_provider")) not in _SAY_WHO_SEES:
            return None
        # a variant, such as a fine-tuned one, may well do what the model does that it comes from
        words = self.provider(model)[0].removeprefix("ft:").split("-")
        origins = ("-".join(words[:count]) for count in range(1, len(words) + 1))
        table: dict[str, dict[str, Any]] = self._litellm.model_cost
        variant = any(table.get(name, {}).get("supports_vision") for name in origins)
        return None if variant else False

    def _cost(self, model: str, usage: Any) -> float | None:
        name, provider = self.provider(model)
        if provider in _FREE_PROVIDERS:
            return 0.0
        row = self._row(model)
        if usage is None or row is None or row.get("input_cost_per_token") is None:
            return None
        asked, answered = self._litellm.cost_per_token(
            model=name, custom_llm_provider=provider, usage_object=usage
        )
        return float(asked) + float(answered)


def _callable_provider(provider: str) -> str:
    """The prefix that calls a model of the tables, which keep some families of a provider apart."""
    return "vertex_ai" if provider.startswith("vertex_ai-") else provider.removesuffix("_converse")


def _window(row: Mapping[str, Any]) -> int | None:
    window = row.get("max_input_tokens") or row.get("max_tokens")
    return window if isinstance(window, int) else None


def _per_million(price: Any) -> float | None:
    return round(price * 1_000_000, 6) if isinstance(price, int | float) else None


def describe_failure(error: BaseException) -> dict[str, Any]:
    """An exception as data: its ``classes``, ``message``, HTTP ``status`` and ``retry_after`` in seconds."""
    classes = [kind.__name__ for kind in type(error).__mro__]
    cause = getattr(error, "original_exception", None)
    if isinstance(cause, BaseException):
        classes += [kind.__name__ for kind in type(cause).__mro__]
    chain = _chain(error)
    status = getattr(error, "status_code", None)
    return {
        "classes": classes,
        "chain": [type(link).__name__ for link in chain],
        "message": str(error)[:_MAX_MESSAGE],
        "code": _error_code(error),
        "status": status if isinstance(status, int) else None,
        "retry_after": _retry_after(str(error), chain),
        "provider": str(getattr(error, "llm_provider", None) or ""),
    }


def _chain(error: BaseException) -> list[BaseException]:
    """The exception and what led to it."""
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and len(chain) < _MAX_CHAIN:
        chain.append(link)
        link = link.__cause__ or link.__context__
    return chain


def _retry_after(text: str, chain: Sequence[BaseException]) -> float | None:
    """The wait that the server asks for. Where its headers end up differs from provider to provider."""
    for link in chain:
        response = getattr(link, "response", None)
        for headers in (getattr(response, "headers", None), getattr(link, "headers", None)):
            seconds = _header_wait(headers) if isinstance(headers, Mapping) else None
            if seconds is not None:
                return seconds
    match = _RETRY_TEXT.search(text)
    if match is None:
        return None
    if match.group(3):
        return float(match.group(3))
    return float(match.group(1)) * {"ms": 0.001, "m": 60.0}.get(match.group(2) or "s", 1.0)


def _header_wait(headers: Mapping[str, Any]) -> float | None:
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = str(headers.get(name) or "").strip()
        if re.fullmatch(r"\d+(\.\d+)?", value):
            return float(value) * scale
        if value:
            try:
                at = parsedate_to_datetime(value)
            except ValueError:
                continue
            if at.tzinfo is None:  # -0000 stands for UTC without saying so
                at = at.replace(tzinfo=UTC)
            return max(0.0, round((at - datetime.now(UTC)).total_seconds(), 1))
    return None


def _error_code(error: BaseException) -> str:
    """The provider's own code, such as ``insufficient_quota``."""
    body = getattr(error, "body", None)
    if body is None:
        response = getattr(error, "response", None)
        try:
            body = response.json() if response is not None else None
        except ValueError:
            body = None
    inner = body.get("error", body) if isinstance(body, dict) else None
    return str(inner.get("code") or inner.get("type") or "") if isinstance(inner, dict) else ""


def _count(usage: Any, name: str) -> int:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) else 0
