"""Which key a model needs, told before the model library is there."""

from __future__ import annotations

import os

import pytest

from workbench.engine.llm import Delta
from workbench.errors import MissingKeyError
from workbench.providers.host_client import ModelHost
from workbench.providers.keys import key_variables, missing_key
from workbench.providers.litellm_model import LitellmModel

SURE = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "cerebras": ("CEREBRAS_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
    "xai": ("XAI_API_KEY",),
}


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.endswith(("_API_KEY", "_AUTH_TOKEN")):
            monkeypatch.delenv(name)


@pytest.mark.parametrize("provider", SURE)
def test_a_key_is_missing_until_any_one_of_its_variables_is_set(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert missing_key(f"{provider}/some-model", {}) == SURE[provider]
    for name in SURE[provider]:
        with monkeypatch.context() as patch:
            patch.setenv(name, "k")
            assert missing_key(f"{provider}/some-model", {}) == ()


@pytest.mark.parametrize("provider", SURE)
def test_the_model_library_is_of_the_same_mind(
    provider: str, host: ModelHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = host.facts(f"{provider}/some-model")["missing_keys"]
    assert missing
    assert set(missing) <= set(SURE[provider])
    for name in SURE[provider]:
        with monkeypatch.context() as patch:
            patch.setenv(name, "k")
            assert host.facts(f"{provider}/some-model")["missing_keys"] == []


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("gpt-5-mini", "OPENAI_API_KEY"),
        ("o3-mini", "OPENAI_API_KEY"),
        ("claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
    ],
)
def test_a_name_without_its_provider_is_known_by_its_beginning(
    model: str, variable: str, host: ModelHost
) -> None:
    assert missing_key(model, {})[0] == variable == host.facts(model)["missing_keys"][0]


@pytest.mark.parametrize("model", ["ollama_chat/qwen3", "bedrock/x", "vertex_ai/gemini", "nobody/x", "qwen3"])
def test_nothing_is_said_of_providers_that_may_do_without(model: str) -> None:
    assert missing_key(model, {}) == ()


@pytest.mark.parametrize("parameter", ["api_key", "base_url", "api_base"])
def test_a_key_or_an_address_among_the_parameters_is_enough(parameter: str) -> None:
    assert missing_key("openai/gpt-5-mini", {parameter: "x"}) == ()


def test_a_provider_without_an_entry_has_a_variable_of_its_own_name() -> None:
    assert key_variables("some-provider") == ("SOME_PROVIDER_API_KEY",)
    assert key_variables("github_copilot") == ()


@pytest.mark.parametrize("variable", ["OPENAI_BASE_URL", "OPENAI_API_BASE"])
def test_at_an_address_set_in_the_environment_nothing_is_sure(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:1/v1")
    assert missing_key("openai/gpt-5-mini", {}) == ()


def test_a_model_that_surely_lacks_a_key_says_so_without_the_model_library() -> None:
    model = LitellmModel("openai/gpt-5-mini", host=ModelHost(("false",)))
    seen: list[Delta] = []
    with pytest.raises(MissingKeyError, match="no key for openai/gpt-5-mini") as caught:
        model.complete([{"role": "user", "content": "hi"}], on_delta=seen.append)
    assert "OPENAI_API_KEY" in caught.value.hint
    assert seen == []
