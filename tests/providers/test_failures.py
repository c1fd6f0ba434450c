"""From a library's exception to an error that says what to do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from workbench import errors
from workbench.providers.failures import clean, is_transient, provider_error
from workbench.providers.host_facts import describe_failure


def failure(*classes: str, message: str = "", **more: Any) -> dict[str, Any]:
    return {"classes": [*classes, "Exception"], "chain": [], "message": message, **more}


def made(case: dict[str, Any], model: str = "openai/gpt-4o", **parameters: Any) -> errors.ProviderError:
    return provider_error(case, model, parameters)


@pytest.mark.parametrize(
    ("case", "kind"),
    [
        (failure("AuthenticationError"), errors.MissingKeyError),
        (
            failure("InternalServerError", message="The api_key client option must be set"),
            errors.MissingKeyError,
        ),
        (failure("NotFoundError"), errors.UnknownModelError),
        (failure("BadRequestError", message="LLM Provider NOT provided."), errors.UnknownModelError),
        (failure("BadRequestError", message="model 'x' not found, try pulling it"), errors.UnknownModelError),
        (failure("RateLimitError"), errors.RateLimitError),
        (failure("ContextWindowExceededError", "BadRequestError"), errors.ContextOverflowError),
        (failure("ContentPolicyViolationError", "BadRequestError"), errors.ContentFilterError),
        (failure("BadRequestError", code="content_filter"), errors.ContentFilterError),
        (failure("Timeout", "APITimeoutError", "APIConnectionError"), errors.ProviderTimeoutError),
        (failure("APIConnectionError", chain=["ConnectError"]), errors.ProviderConnectionError),
        (failure("InternalServerError", chain=["ConnectionRefusedError"]), errors.ProviderConnectionError),
        (failure("MidStreamFallbackError", "ServiceUnavailableError"), errors.ProviderConnectionError),
        (failure("BadRequestError"), errors.InvalidRequestError),
        (failure("UnprocessableEntityError"), errors.InvalidRequestError),
        (failure("ServiceUnavailableError"), errors.ProviderError),
        (
            failure("MidStreamFallbackError", "ServiceUnavailableError", "InternalServerError"),
            errors.ProviderError,
        ),
        (
            failure("MidStreamFallbackError", "APIConnectionError", chain=["ConnectionRefusedError"]),
            errors.ProviderConnectionError,
        ),
        (failure("APIError", status=503), errors.ProviderError),
        (failure("APIError", message="Missing credentials."), errors.MissingKeyError),
        (failure("KeyError"), errors.ProviderError),
        (failure("ImageFetchError", "BadRequestError"), errors.InvalidRequestError),
    ],
)
def test_each_kind_of_failure_becomes_its_error(
    case: dict[str, Any], kind: type[errors.ProviderError]
) -> None:
    assert type(made(case)) is kind


@pytest.mark.parametrize(
    ("message", "by"),
    [
        ("prompt is too long: 210000 tokens > 200000 maximum", "10,000 more than the 200,000"),
        (
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            "151,424 more than the 1,048,576",
        ),
        (
            "This model's maximum context length is 8,192 tokens. However, you requested 9000 tokens",
            "808 more than the 8,192",
        ),
    ],
)
def test_an_overflow_says_by_how_much(message: str, by: str) -> None:
    assert by in str(made(failure("BadRequestError", message=message)))


def test_an_overflow_without_numbers_names_the_size_that_is_known() -> None:
    case = failure("ContextWindowExceededError", message="Too long.", context_window=128_000)
    assert "takes 128,000 tokens: Too long." in str(made(case))


@pytest.mark.parametrize(
    ("model", "variables", "says"),
    [
        ("gemini/x", ["GOOGLE_API_KEY", "GEMINI_API_KEY"], "Set GOOGLE_API_KEY or GEMINI_API_KEY in"),
        ("azure/x", ["AZURE_API_BASE", "AZURE_API_KEY"], "Set AZURE_API_BASE and AZURE_API_KEY in"),
        ("openai/x", ["OPENAI_API_KEY"], "Set OPENAI_API_KEY in"),
    ],
)
def test_a_missing_key_names_the_variables_that_would_do(model: str, variables: list[str], says: str) -> None:
    assert says in made(failure("AuthenticationError", missing_keys=variables), model).hint


def test_a_key_that_was_given_and_refused_is_not_called_missing() -> None:
    case = failure("AuthenticationError", message="bad key", missing_keys=["OPENAI_API_KEY"])
    assert "refused the key: bad key" in str(made(case, api_key="k"))


def test_an_unreachable_server_is_named_by_the_address_that_was_given() -> None:
    case = failure("APIConnectionError", message="Connection refused", chain=["ConnectError"])
    assert (
        made(case, base_url="http://127.0.0.1:1/v1").hint == "Is the server running at http://127.0.0.1:1/v1?"
    )
    assert made(case).hint == "Check the network connection."


def test_a_provider_that_cannot_be_reached_is_said_to_lack_its_key_too() -> None:
    case = failure("APIConnectionError", missing_keys=["MISTRAL_API_KEY"], chain=["ConnectError"])
    assert "MISTRAL_API_KEY is not set either." in made(case, "mistral/x").hint
    assert made(case, "mistral/x", api_key="k").hint == "Check the network connection."


def test_a_local_server_without_an_address_is_named_by_the_one_that_was_tried() -> None:
    text = "Cannot connect to host localhost:11434 ssl:<ssl.SSLContext object at 0x7f> [Connect call failed]"
    error = made(failure("APIConnectionError", message=text), "ollama_chat/x")
    assert str(error).startswith("Cannot reach localhost:11434: Cannot connect to host localhost:11434 [Conn")
    assert error.hint == "Is the server running at localhost:11434?"


def test_a_package_that_the_library_lacks_is_named() -> None:
    case = failure("APIConnectionError", message="No module named 'google.auth'\nTraceback (most recent …")
    error = made(case, "vertex_ai/x")
    assert "needs the Python package google.auth, which is not installed" in str(error)
    assert "Install it" in error.hint


def test_the_provider_is_called_what_the_person_called_it() -> None:
    case = failure("AuthenticationError", message="bad", provider="vertex_ai_beta")
    assert str(made(case, "gemini/x")) == "gemini refused the key: bad"
    assert str(made(case, "some-name")) == "vertex_ai_beta refused the key: bad"


@pytest.mark.parametrize(
    ("case", "transient"),
    [
        (failure("RateLimitError"), True),
        (failure("RateLimitError", code="insufficient_quota"), False),
        (failure("InternalServerError"), True),
        (failure("ServiceUnavailableError"), True),
        (failure("MidStreamFallbackError"), True),
        (failure("MidStreamFallbackError", chain=["JSONDecodeError"]), False),
        (failure("InternalServerError", message="The api_key client option must be set"), False),
        (failure("InternalServerError", chain=["ConnectError"]), False),
        (failure("MidStreamFallbackError", chain=["ConnectionRefusedError"]), False),
        (failure("APIError", status=503), True),
        (failure("APIConnectionError", status=500, message="No module named 'x'"), False),
        (failure("AuthenticationError"), False),
        (failure("BadRequestError"), False),
        (failure("Timeout"), False),
    ],
)
def test_only_what_may_pass_is_tried_again(case: dict[str, Any], transient: bool) -> None:
    assert is_transient(case) is transient


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("litellm.RateLimitError: RateLimitError: OpenAIException - Slow down.", "Slow down."),
        ('litellm.BadRequestError: AnthropicException - b\'{"error": {"message": "no"}}\'', "no"),
        ("litellm.APIError: oops Original exception: APIError: litellm.APIError: oops", "oops"),
        ("Cannot connect to host a:1 ssl:default [refused]", "Cannot connect to host a:1 [refused]"),
        ("It broke. Handle with `litellm.InternalServerError`.", "It broke"),
        ("No module named 'x'\nTraceback (most recent call last):\n  File", "No module named 'x'"),
        ("{'not': json}", "{'not': json}"),
        ("", ""),
    ],
)
def test_a_text_loses_the_class_names_before_it(text: str, said: str) -> None:
    assert clean(text) == said


def test_a_long_text_is_cut_and_says_so() -> None:
    assert clean("x" * 1000).endswith("(400 more characters)")


class Answer:
    """The HTTP response of an exception."""

    def __init__(self, headers: dict[str, str], body: Any) -> None:
        self.headers = headers
        self._body = body

    def json(self) -> Any:
        return self._body


class HttpError(Exception):
    """An exception as HTTP clients raise it."""

    status_code = 429
    llm_provider = "openai"

    def __init__(self, text: str, headers: dict[str, str] | None = None, body: Any = None) -> None:
        super().__init__(text)
        self.response = Answer(headers or {}, body)


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (HttpError("x", {"retry-after": "8"}), 8.0),
        (HttpError("x", {"retry-after-ms": "1500", "retry-after": "2"}), 1.5),
        (HttpError("x", {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}), 0.0),
        (HttpError("x", {"retry-after": "Wed, 21 Oct 2015 07:28:00 -0000"}), 0.0),
        (HttpError("x", {"retry-after": "soon"}), None),
        (HttpError('{"retryDelay": "37s"}'), 37.0),
        (HttpError("Please try again in 250ms."), 0.25),
        (HttpError("Please retry in 8.5s."), 8.5),
        (HttpError("x"), None),
    ],
)
def test_the_servers_own_wait_is_found(error: Exception, seconds: float | None) -> None:
    assert describe_failure(error)["retry_after"] == seconds


def test_a_date_to_wait_for_is_turned_into_seconds() -> None:
    at = datetime.now(UTC) + timedelta(seconds=100)
    found = describe_failure(HttpError("x", {"retry-after": format_datetime(at, usegmt=True)}))["retry_after"]
    assert 90 < found <= 100


def test_the_servers_wait_is_found_on_what_led_to_the_exception() -> None:
    outer = ValueError("x")
    outer.__cause__ = HttpError("y", {"retry-after": "8"})
    assert describe_failure(outer)["retry_after"] == 8.0


def test_an_exception_is_described_with_its_bases_causes_and_code() -> None:
    try:
        try:
            raise ConnectionRefusedError("no")
        except ConnectionRefusedError as cause:
            raise HttpError("x", body={"error": {"code": "insufficient_quota"}}) from cause
    except HttpError as error:
        described = describe_failure(error)
    assert described["classes"][:2] == ["HttpError", "Exception"]
    assert described["chain"] == ["HttpError", "ConnectionRefusedError"]
    assert (described["status"], described["code"]) == (429, "insufficient_quota")


def test_a_reseller_that_speaks_as_openai_does_lacks_its_own_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AIHUBMIX_API_KEY", raising=False)
    said = "AihubmixException - Missing credentials. Please pass an `api_key` or set the `OPENAI_API_KEY`."
    case = failure("InternalServerError", message=said, provider="aihubmix")
    error = made(case, "aihubmix/x")
    assert str(error) == "There is no key for aihubmix/x."
    assert "Set AIHUBMIX_API_KEY in" in error.hint
    assert "OPENAI" not in error.hint
    assert "Missing credentials" in str(made(case, "aihubmix/x", api_key="k"))


@pytest.mark.parametrize(
    "case",
    [
        failure(
            "ImageFetchError",
            "BadRequestError",
            message="litellm.BadRequestError: Error: Unable to fetch image from URL. url=https://a.b/c.png",
        ),
        failure("BadRequestError", message="Unable to fetch image from URL. Ask. url=https://a.b/c.png"),
        failure("APIConnectionError", message="blocked, url=https://a.b/c.png", chain=["SSRFError"]),
    ],
)
def test_a_picture_that_could_not_be_fetched_is_named(case: dict[str, Any]) -> None:
    error = made(case, "gemini/some")
    assert isinstance(error, errors.InvalidRequestError)
    assert str(error).endswith("could not be fetched from its address: https://a.b/c.png")
    assert error.hint == "Download it and give the file."
    assert not is_transient(case)
