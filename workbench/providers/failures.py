"""Turns what went wrong in the model host into the errors of ``workbench.errors``, each with what to do.

A failure is a mapping: ``classes`` (names of the exception's class and its bases), ``chain`` (class names
of its causes), ``message``, ``code``, ``status`` (HTTP), ``retry_after`` (seconds), ``provider``,
``missing_keys``, ``near`` (model names) and ``context_window``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.errors import (
    ContentFilterError,
    ContextOverflowError,
    InvalidRequestError,
    MissingKeyError,
    ProviderConnectionError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
    UnknownModelError,
)
from workbench.providers.keys import key_variables

_PREFIX = re.compile(r"^(?:litellm\.)?\w*(?:Error|Exception|Timeout)\s*[:-]\s*(?:Exception\s*[:-]\s*)?")
_OVERFLOW = re.compile(
    r"context.?(?:length|window)|maximum context|prompt is too long|too many tokens|input token count"
    r"|exceeds? the (?:maximum )?(?:number of )?tokens|reduce the length",
    re.IGNORECASE,
)
_NO_KEY = re.compile(
    r"api[_ ]?key.{0,40}(?:must be set|missing|not set|required|is not)|missing.{0,30}api.?key|no api.?key"
    r"|missing credentials",
    re.IGNORECASE,
)
_NO_PROVIDER = re.compile(r"provider not provided|unmapped llm provider", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model.{0,60}(?:not found|does not exist|not exist|is not supported)|no such model|unknown model",
    re.IGNORECASE,
)
_CUT = re.compile(
    r"peer closed|incomplete chunked|midstream|connection (?:broken|reset|aborted)|disconnected"
    r"|payload is not completed",
    re.IGNORECASE,
)
_NO_PACKAGE = re.compile(r"No module named '([\w.]+)'")
_NOISE = re.compile(r" ssl:(?:<[^>]*>|\w+)|\.? ?Handle with `litellm\.\w+`\.?|\s*\nTraceback .*", re.DOTALL)
_HOST = re.compile(r"Cannot connect to host (\S+)")
_PICTURE = re.compile(r"\burl=(\S+)")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+|\d{3,}")
_SERVER_FAULTS = frozenset({"InternalServerError", "ServiceUnavailableError", "BadGatewayError"})
_REFUSALS = frozenset({"ConnectionRefusedError", "ConnectError", "ClientConnectorError", "gaierror"})
_LOCAL_PROVIDERS = frozenset({"lm_studio", "hosted_vllm", "ollama", "ollama_chat", "llamafile"})
_MAX_TEXT = 600


def provider_error(failure: Mapping[str, Any], model: str, parameters: Mapping[str, Any]) -> ProviderError:
    """The error for a ``failure`` of a request to ``model`` made with ``parameters``."""
    case = _Case(failure, model, parameters)
    for applies, make in _RULES:
        if applies(case):
            return make(case)
    return ProviderError(f"{model} failed: {case.text}")


def is_transient(failure: Mapping[str, Any]) -> bool:
    """Whether the same request may well succeed in a moment: a rate limit or a fault of the server."""
    case = _Case(failure, "", {})
    make = next((make for applies, make in _RULES if applies(case)), None)
    return make in (_rate_limit, _server_fault, _broken) and not case.quota_used_up


def clean(text: str) -> str:
    """A library's error text without the class names in front of it, cut to a readable length."""
    text = text.strip().split(" Original exception: ")[0]
    while (shorter := _PREFIX.sub("", text, count=1)) != text:
        text = shorter
    text = _said(_NOISE.sub("", text.strip()))
    return (
        text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]} … ({len(text) - _MAX_TEXT} more characters)"
    )


def _said(text: str) -> str:
    """The message inside a JSON error body, if ``text`` is or ends with one."""
    start, end = text.find("{"), text.rfind("}")
    try:
        body = json.loads(text[start : end + 1]) if 0 <= start < end else None
    except ValueError:
        return text
    inner = body.get("error", body) if isinstance(body, dict) else None
    said = inner.get("message") if isinstance(inner, dict) else inner
    return said if isinstance(said, str) and said else text


def overflow_numbers(text: str) -> tuple[int, int] | None:
    """The context size and the larger number of tokens that was sent, if ``text`` names both."""
    numbers = [int(match.replace(",", "")) for match in _NUMBER.findall(text)]
    if len(numbers) < 2 or numbers[0] == numbers[1]:
        return None
    return min(numbers[:2]), max(numbers[:2])


@dataclass(slots=True)
class _Case:
    """A failure with what was asked."""

    failure: Mapping[str, Any]
    model: str
    parameters: Mapping[str, Any]
    text: str = field(init=False)

    def __post_init__(self) -> None:
        self.text = clean(str(self.failure.get("message") or ""))

    def has(self, *classes: str) -> bool:
        """Whether the exception is one of ``classes``."""
        return not set(classes).isdisjoint(self.failure.get("classes") or ())

    @property
    def chain(self) -> Sequence[str]:
        """The class names of the exception and its causes."""
        return self.failure.get("chain") or ()

    @property
    def refused(self) -> bool:
        """Whether no server took the connection."""
        return not _REFUSALS.isdisjoint(self.chain) or "Cannot connect" in self.text or "refused" in self.text

    @property
    def server_failed(self) -> bool:
        """Whether the server says that the fault is its own."""
        status = self.failure.get("status")
        by_status = isinstance(status, int) and status >= 500 and not self.has("APIConnectionError")
        return self.has(*_SERVER_FAULTS) or by_status

    @property
    def quota_used_up(self) -> bool:
        """Whether waiting does not help a rate limit."""
        return "insufficient_quota" in (self.failure.get("code"), *self.text.split())

    @property
    def provider(self) -> str:
        """The provider's name as far as known."""
        prefix, slash, _ = self.model.partition("/")
        return prefix if slash else str(self.failure.get("provider") or prefix)

    @property
    def where(self) -> str:
        """Who was asked: the address that was given, else the one that was tried, else the provider."""
        given = self.parameters.get("base_url")
        tried = _HOST.search(self.text) if self.provider in _LOCAL_PROVIDERS else None
        return str(given or (tried and tried.group(1)) or self.provider)

    @property
    def missing(self) -> str:
        """The variables that would hold the key, in words; empty if they are set or a key was given."""
        names = [str(name) for name in self.failure.get("missing_keys") or ()]
        if not names or self.parameters.get("api_key"):
            return ""
        any_does = set(names) <= set(key_variables(self.provider))
        return (" or " if any_does else " and ").join(names)


def no_key(model: str, variables: str) -> MissingKeyError:
    """The error for a model without a key; ``variables`` that would hold one, in words."""
    return MissingKeyError(
        f"There is no key for {model}.",
        hint=f"Set {variables} in the environment or in .env, which counts once you ran "
        "`workbench trust`; the model `offline` needs none.",
    )


def _missing_key(case: _Case) -> ProviderError:
    if case.missing:
        return no_key(case.model, case.missing)
    # of a provider that speaks as OpenAI does the library says that OpenAI's key is missing
    own = key_variables(case.provider)
    given = case.parameters.get("api_key") or any(os.environ.get(name) for name in own)
    if own and not given and _NO_KEY.search(case.text):
        return no_key(case.model, " or ".join(own))
    return MissingKeyError(
        f"{case.provider} refused the key: {case.text}", hint="Check the key and what it may be used for."
    )


def _unknown_model(case: _Case) -> ProviderError:
    near = [str(name) for name in case.failure.get("near") or ()]
    base_url = case.parameters.get("base_url")
    unknown_provider = bool(_NO_PROVIDER.search(case.text))
    if near and not base_url:
        hint = f"Did you mean {', '.join(near)}?"
    elif base_url:
        hint = f"Check which models the server at {base_url} has."
    elif unknown_provider:
        hint = f"Write the provider before the name, such as openai/{case.model.rsplit('/', 1)[-1]}."
    else:
        hint = "Check the name."
    if unknown_provider:
        return UnknownModelError(f"No provider is known for the model {case.model}.", hint=hint)
    return UnknownModelError(f"There is no model {case.model}: {case.text}", hint=hint)


def _connection(case: _Case) -> ProviderError:
    where = case.where
    if case.parameters.get("base_url") or case.provider in _LOCAL_PROVIDERS:
        hint = f"Is the server running at {where}?"
    else:
        hint = f"Check the network connection.{f' {case.missing} is not set either.' * bool(case.missing)}"
    return ProviderConnectionError(f"Cannot reach {where}: {case.text}", hint=hint)


def _broken(case: _Case) -> ProviderError:
    return ProviderConnectionError(f"The connection to {case.where} broke: {case.text}", hint="Try again.")


def _garbage(case: _Case) -> ProviderError:
    message = f"The answer from {case.where} cannot be read: {case.text}"
    return ProviderConnectionError(message, hint="Is this the address of an API that litellm speaks?")


def _rate_limit(case: _Case) -> ProviderError:
    if case.quota_used_up:
        message = f"The quota for {case.model} is used up: {case.text}"
        return RateLimitError(message, hint="Check the plan and its billing.")
    retry_after = case.failure.get("retry_after")
    hint = f"Try again in {retry_after:g} s." if retry_after else "Wait a moment and try again."
    message = f"{case.model} takes no more requests now: {case.text}"
    return RateLimitError(message, hint=hint, retry_after=retry_after)


def _overflow(case: _Case) -> ProviderError:
    message = f"The conversation is larger than the context of {case.model}"
    if numbers := overflow_numbers(case.text):
        window, used = numbers
        message += f": {used:,} tokens, {used - window:,} more than the {window:,} it takes."
    elif known := case.failure.get("context_window"):
        message += f", which takes {known:,} tokens: {case.text}"
    else:
        message += f": {case.text}"
    hint = (
        "/compact sums up the older turns, /fork goes on from an earlier one, /new starts anew; "
        "/model lists models with a larger context."
    )
    return ContextOverflowError(message, hint=hint)


def _filtered(case: _Case) -> ProviderError:
    message = f"The content filter of {case.model} refused: {case.text}"
    return ContentFilterError(message, hint="Change the message and try again.")


def _timed_out(case: _Case) -> ProviderError:
    limit = case.parameters.get("timeout")
    within = f" within {limit:g} s" if isinstance(limit, int | float) else " in time"
    hint = "Try again, or set a longer timeout for the model."
    return ProviderTimeoutError(f"{case.model} did not answer{within}.", hint=hint)


def _server_fault(case: _Case) -> ProviderError:
    message = f"The server of {case.model} failed: {case.text}"
    return ProviderError(message, hint="The fault is on the provider's side; try again in a while.")


def _no_package(case: _Case) -> ProviderError:
    found = _NO_PACKAGE.search(case.text)
    return ProviderError(
        f"{case.model} needs the Python package {found and found.group(1)}, which is not installed.",
        hint=f"Install it where Workbench is installed: litellm asks for it with {case.provider}.",
    )


def _picture(case: _Case) -> ProviderError:
    named = _PICTURE.search(case.text)
    return InvalidRequestError(
        f"{case.model} takes pictures themselves, and this one could not be fetched from its address: "
        f"{named.group(1) if named else case.text}",
        hint="Download it and give the file.",
    )


def _invalid(case: _Case) -> ProviderError:
    return InvalidRequestError(
        f"{case.model} refused the request: {case.text}",
        hint="The request as sent is in the trace. A parameter or a tool's schema may not suit this model.",
    )


# The first rule that applies decides: texts that name a cause come before classes that name only a status.
_RULES: tuple[tuple[Callable[[_Case], bool], Callable[[_Case], ProviderError]], ...] = (
    (lambda case: case.has("ContextWindowExceededError") or bool(_OVERFLOW.search(case.text)), _overflow),
    (
        lambda case: (
            case.has("ContentPolicyViolationError")
            or case.failure.get("code") in ("content_filter", "content_policy_violation")
        ),
        _filtered,
    ),
    (
        lambda case: (
            case.has("ImageFetchError") or "SSRFError" in case.chain or "fetch image from URL" in case.text
        ),
        _picture,
    ),
    (lambda case: case.has("RateLimitError"), _rate_limit),
    (
        lambda case: (
            case.has("AuthenticationError", "PermissionDeniedError") or bool(_NO_KEY.search(case.text))
        ),
        _missing_key,
    ),
    (
        lambda case: (
            case.has("NotFoundError", "LiteLLMUnknownProvider")
            or bool(_NO_PROVIDER.search(case.text) or _NO_MODEL.search(case.text))
        ),
        _unknown_model,
    ),
    (lambda case: case.has("Timeout", "APITimeoutError"), _timed_out),
    (lambda case: "JSONDecodeError" in case.chain, _garbage),
    (lambda case: bool(_NO_PACKAGE.search(case.text)), _no_package),
    (lambda case: case.refused, _connection),
    (lambda case: case.has("InternalServerError", "BadGatewayError"), _server_fault),
    (lambda case: case.has("MidStreamFallbackError") or bool(_CUT.search(case.text)), _broken),
    (lambda case: case.server_failed, _server_fault),
    (lambda case: case.has("APIConnectionError"), _connection),
    (lambda case: case.has("BadRequestError", "UnprocessableEntityError"), _invalid),
)
