"""Scenarios: how they are read and played."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from workbench.engine.llm import Delta
from workbench.errors import ConfigError, ProviderConnectionError, RateLimitError
from workbench.providers.offline import OfflineModel
from workbench.providers.scenario import load_scenario, parse_scenario

SCENARIO = """\
turns:
  - when: compare
    steps:
      - reason: Two searches.
        say: I'll search.
        calls:
          - search(query="python")
          - {name: files.read, arguments: {path: a.txt}}
      - say: "Found {{1}} and {{2}}, not {{3}}."
  - say: Hello.
  - say: Half an ans
    fail: {error: RateLimitError, message: Too many., retry_after: 8}
"""


def tool(name: str) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {"name": name, "parameters": {"type": "object", "properties": {}}},
    }


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def results(*texts: str) -> list[dict[str, Any]]:
    calls = [
        {"id": str(number), "type": "function", "function": {"name": "t", "arguments": "{}"}}
        for number, _ in enumerate(texts)
    ]
    answers = [
        {"role": "tool", "tool_call_id": str(number), "content": text} for number, text in enumerate(texts)
    ]
    return [{"role": "assistant", "content": "", "tool_calls": calls}, *answers]


def test_a_turn_is_played_step_by_step() -> None:
    model = OfflineModel(parse_scenario(SCENARIO), pace=0)
    deltas: list[Delta] = []
    messages = [user("please compare them")]
    first = model.complete(messages, [tool("web-search"), tool("files-read")], on_delta=deltas.append)
    assert (first.content, first.reasoning) == ("I'll search.", "Two searches.")
    assert [(call.name, call.arguments) for call in first.tool_calls] == [
        ("web-search", {"query": "python"}),
        ("files-read", {"path": "a.txt"}),
    ]
    assert [delta.kind for delta in deltas[:3]] == ["reasoning", "reasoning", "text"]
    second = model.complete([*messages, *results("one", "two")])
    assert second.content == "Found one and two, not {{3}}."


def test_turns_without_a_word_are_played_once_in_order_then_it_is_itself_again() -> None:
    model = OfflineModel(parse_scenario(SCENARIO), pace=0)
    assert model.complete([user("hi")]).content == "Hello."
    with pytest.raises(RateLimitError, match="Too many") as caught:
        model.complete([user("more")])
    assert caught.value.retry_after == 8
    assert "deterministic" in (model.complete([user("and now?")]).content or "")


def test_a_turn_with_a_word_is_played_each_time() -> None:
    model = OfflineModel(parse_scenario(SCENARIO), pace=0)
    for _ in range(2):
        assert model.complete([user("compare")]).content == "I'll search."


def test_what_a_failing_step_says_is_streamed_before_it_fails() -> None:
    model = OfflineModel(parse_scenario("- {say: one two, fail: {error: ProviderConnectionError}}"), pace=0)
    deltas: list[Delta] = []
    with pytest.raises(ProviderConnectionError):
        model.complete([user("hi")], on_delta=deltas.append)
    assert [delta.text for delta in deltas] == ["one ", "two"]


def test_calls_in_the_prompt_come_before_the_scenario_and_use_up_no_turn() -> None:
    model = OfflineModel(parse_scenario(SCENARIO), pace=0)
    messages = [user("files.read()")]
    assert model.complete(messages, [tool("files-read")]).tool_calls
    assert model.complete([*messages, *results("text")]).content == "`t` returned **text**."
    assert model.complete([user("hi")]).content == "Hello."


def test_a_step_waits_before_its_first_word_unless_the_pace_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    happened: list[object] = []

    class Stop(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            happened.append(timeout)
            return False

    def hear(delta: Delta) -> None:
        happened.append(delta.text)

    monkeypatch.setattr(
        "workbench.providers.offline.threading", SimpleNamespace(Event=Stop, Lock=threading.Lock)
    )
    text = "- {say: one, wait: 3600}"
    OfflineModel(parse_scenario(text), pace=0.001).complete([user("hi")], on_delta=hear)
    assert happened[:2] == [3600, "one"]
    happened.clear()
    OfflineModel(parse_scenario(text), pace=0).complete([user("hi")], on_delta=hear)
    assert happened == ["one"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("turns:\n  - say: [", "line 2: "),
        ("turns:\n  - sya: hello", "line 2: a turn has no `sya`"),
        ("turns:\n  - steps:\n      - say: hi\n      - wait: soon", "line 4: `wait` must be seconds"),
        ("turns:\n  - say: 5", "line 2: `say` must be text"),
        ("turns: {}", "line 1: `turns` must be a list"),
        ("5", "line 1: the file must be a mapping"),
        ("- say: a\n- calls: ['add(1, 2)']", "line 2: `add(1, 2)` must name its arguments"),
        ("- say: a\n- calls: [add(a=x)]", "line 2: a call cannot be read"),
        ("- calls: [nothing]", "line 1: `nothing` is not a call"),
        ("- calls: [{arguments: {}}]", "line 1: a call has a `name`"),
        ("- fail: {error: KeyError}", "line 1: `KeyError` is no provider error"),
        ("- {say: a, steps: [{say: b}]}", "line 1: `say` belongs into one of the steps"),
        ("- steps: [{}]", "line 1: a step must say, call or fail"),
        ("{pace: -1, turns: [{say: a}]}", "line 1: `pace` must be seconds"),
    ],
)
def test_a_broken_scenario_names_its_line(text: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_scenario(text, "demo.yaml")
    assert str(caught.value).startswith("demo.yaml, ")
    assert says in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml"):
        load_scenario(tmp_path / "none.yaml")
