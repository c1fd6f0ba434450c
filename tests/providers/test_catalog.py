"""The list of models: what can be used at once comes first, and nothing waits for what is slow."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.errors import ModelHostError
from workbench.providers.catalog import OFFLINE, Catalog, ModelInfo, Snapshot
from workbench.providers.host_client import ModelHost
from workbench.providers.local_servers import LocalServer

SERVER = LocalServer("Ollama", "http://127.0.0.1:11434", ("ollama_chat/qwen3",))
TABLES: dict[str, dict[str, Any]] = {
    "aaa": {"models": {"aaa/one": [None, None, None, False]}, "key": False, "variables": ["AAA_API_KEY"]},
    "ollama": {"models": {"ollama/llama2": [4_096, 0.0, 0.0, False]}, "key": False},
    "mistral": {
        "models": {"mistral/b": [32_000, 0.1, 0.3, True], "mistral/a": [1, 2.0, 3.0, False]},
        "key": True,
    },
}


class Tables(ModelHost):
    """A host that has these tables, or fails."""

    def __init__(self, tables: dict[str, dict[str, Any]] | None) -> None:
        super().__init__()
        self._tables = tables

    def models(self) -> dict[str, dict[str, Any]]:
        if self._tables is None:
            raise ModelHostError("The model host ended.", hint="The next message starts a new one.")
        return self._tables


def looked(catalog: Catalog) -> list[Snapshot]:
    steps: list[Snapshot] = []
    catalog.look(steps.append)
    return steps


def test_offline_is_known_before_anybody_was_asked() -> None:
    assert Catalog(Tables(TABLES), lambda: [SERVER]).known() == Snapshot((OFFLINE,))


def test_each_step_shows_what_is_known_by_then() -> None:
    steps = looked(Catalog(Tables(TABLES), lambda: [SERVER]))
    assert [step.looking for step in steps] == [
        "looking for models on this machine", "loading the model library", "",
    ]  # fmt: skip
    assert [len(step.groups) for step in steps] == [1, 2, 4]


def test_what_can_be_used_comes_first() -> None:
    groups = looked(Catalog(Tables(TABLES), lambda: [SERVER]))[-1].groups
    assert [(group.title, group.state) for group in groups] == [
        ("built in", "built in"),
        ("Ollama on this machine", "running"),
        ("mistral", "key set"),
        ("aaa", "no key"),
    ]
    assert groups[3].variables == ("AAA_API_KEY",)
    assert not groups[3].usable


def test_a_model_carries_its_facts_and_what_is_not_known_is_none() -> None:
    groups = looked(Catalog(Tables(TABLES), lambda: [SERVER]))[-1].groups
    assert groups[2].models[1] == ModelInfo("mistral/b", 32_000, 0.1, 0.3, takes_images=True)
    assert groups[3].models == (ModelInfo("aaa/one"),)
    assert groups[1].models == (ModelInfo("ollama_chat/qwen3", None, 0.0, 0.0, "http://127.0.0.1:11434"),)


def test_a_server_of_another_kind_has_no_known_price() -> None:
    server = LocalServer("llama.cpp", "http://127.0.0.1:8080/v1", ("openai/some",))
    groups = looked(Catalog(Tables({}), lambda: [server]))[-1].groups
    assert groups[1].models[0].input_price is None


def test_a_host_that_fails_leaves_the_rest_and_says_why() -> None:
    last = looked(Catalog(Tables(None), lambda: [SERVER]))[-1]
    assert last.problem == "The model host ended. The next message starts a new one."
    assert [group.title for group in last.groups] == ["built in", "Ollama on this machine"]


def test_a_second_look_starts_from_what_was_known() -> None:
    catalog = Catalog(Tables(TABLES), lambda: [SERVER])
    looked(catalog)
    assert len(looked(catalog)[0].groups) == 4


def test_the_real_tables_hold_a_context_and_a_price(host: ModelHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    groups = looked(Catalog(host, list))[-1].groups
    openai = next(group for group in groups if group.title == "openai")
    assert openai.state == "key set"
    assert ModelInfo("openai/gpt-4o-mini", 128_000, 0.15, 0.6, takes_images=True) in openai.models
    assert not next(model for model in openai.models if model.name == "openai/gpt-3.5-turbo").takes_images


def test_who_makes_models_comes_before_who_sells_them() -> None:
    nothing = {"models": {}, "key": False}
    tables = {title: dict(nothing) for title in ("zai", "aihubmix", "openai", "anthropic", "bedrock")}
    groups = looked(Catalog(Tables(tables), list))[-1].groups
    assert [each.title for each in groups[1:]] == ["anthropic", "openai", "zai", "aihubmix", "bedrock"]
