"""Answers from a record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.compose import make_llm
from workbench.engine.agent import Agent
from workbench.engine.llm import LLM, Delta
from workbench.errors import ProviderError
from workbench.providers.offline import OfflineModel
from workbench.providers.replay import ReplayModel
from workbench.storage.session_log import SessionLog

CALL = {"id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
RECORD: list[dict[str, Any]] = [
    {"role": "user", "content": "add"},
    {"role": "assistant", "content": "I add.", "tool_calls": [CALL], "reasoning_content": "Hm."},
    {"role": "tool", "tool_call_id": "c1", "content": "2"},
    {"role": "assistant", "content": "Two."},
]


def test_answers_come_back_with_their_calls_and_fields() -> None:
    model = ReplayModel(RECORD)
    assert isinstance(model, LLM)
    deltas: list[Delta] = []
    first = model.complete(RECORD[:1], on_delta=deltas.append)
    assert (first.content, first.reasoning, first.usage.cost) == ("I add.", "Hm.", 0.0)
    assert [(call.id, call.name, call.arguments) for call in first.tool_calls] == [("c1", "add", {"a": 1})]
    assert first.extra == {"reasoning_content": "Hm."}
    assert [delta.kind for delta in deltas] == ["reasoning", "text", "tool_call"]
    assert model.complete(RECORD[:3]).content == "Two."


def test_ids_and_provider_fields_make_no_difference() -> None:
    model = ReplayModel(RECORD)
    model.complete(RECORD[:1])
    renamed = [
        RECORD[0],
        {"role": "assistant", "content": "I add.", "tool_calls": [{**CALL, "id": "other"}]},
        {"role": "tool", "tool_call_id": "other", "content": "2"},
    ]
    assert model.complete(renamed).content == "Two."


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ([{"role": "user", "content": "subtract"}], "Message 0 differs"),
        ([*RECORD[:1], {"role": "user", "content": "more"}], "2 messages were sent where the record has 1"),
    ],
)
def test_strictly_a_difference_is_an_error_and_leniently_it_is_not(
    sent: list[dict[str, Any]], says: str
) -> None:
    with pytest.raises(ProviderError, match=says):
        ReplayModel(RECORD).complete(sent)
    assert ReplayModel(RECORD, strict=False).complete(sent).content == "I add."


def test_the_end_of_the_record_is_told() -> None:
    model = ReplayModel(RECORD[:2])
    model.complete(RECORD[:1])
    with pytest.raises(ProviderError, match="holds 1 answers"):
        model.complete(RECORD[:1])


def test_a_change_of_the_record_afterwards_changes_no_answer() -> None:
    record: list[dict[str, Any]] = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    model = ReplayModel(record)
    record[1]["content"] = "c"
    assert model.complete(record[:1]).content == "b"


def test_a_session_file_is_replayed_by_name_strictly_or_leniently(tmp_path: Path) -> None:
    log = SessionLog(tmp_path)
    agent = Agent("a", llm=OfflineModel(pace=0), observers=[log])
    first = agent.input("hello")
    path = log.path
    agent.close()
    assert Agent("a", llm=make_llm(f"replay:{path}")).input("hello") == first
    assert Agent("a", llm=make_llm(f"replay:lenient:{path}")).input("something else") == first
    with pytest.raises(ProviderError, match="differs from the record") as caught:
        Agent("a", llm=make_llm(f"replay:{path}")).input("something else")
    assert "replay:lenient:" in caught.value.hint
