"""Streams as providers really send them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.engine.llm import Delta, LLMResponse, ToolCall
from workbench.providers.assembly import Assembly
from workbench.registry.arguments import read_arguments

Piece = dict[str, Any]


def assemble(*chunks: Mapping[str, Any]) -> LLMResponse:
    assembly = Assembly()
    for chunk in chunks:
        list(assembly.add(chunk))
    return assembly.response()


def calls(*pieces: Piece, finish: str = "tool_calls") -> list[ToolCall]:
    return assemble(*({"calls": [piece]} for piece in pieces), {"finish": finish}).tool_calls


def facts(found: Iterable[ToolCall]) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, call.arguments) for call in found]


TWO = [("add", {"a": 1}), ("mul", {"b": 2})]


def test_text_and_reasoning_are_joined_also_after_calls() -> None:
    response = assemble(
        {"reasoning": "I "},
        {"reasoning": "think"},
        {"text": "one "},
        {"calls": [{"index": 0, "name": "add"}]},
        {"text": "two"},
    )
    assert response.content == "one two"
    assert response.reasoning == "I think"
    assert facts(response.tool_calls) == [("add", {})]


def test_a_chunk_that_says_nothing_changes_nothing() -> None:
    response = assemble({}, {"text": ""}, {"calls": []})
    assert (response.content, response.tool_calls, response.extra) == (None, [], {})


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param(
            [
                {"index": 0, "id": "x", "name": "add", "arguments": ""},
                {"index": 0, "arguments": '{"a":'},
                {"index": 0, "arguments": "1}"},
                {"index": 1, "id": "y", "name": "mul", "arguments": '{"b":2}'},
            ],
            id="as OpenAI sends them",
        ),
        pytest.param(
            [
                {"index": 0, "id": "x", "name": "add", "arguments": '{"a":1}'},
                {"index": 0, "id": "y", "name": "mul", "arguments": '{"b":2}'},
            ],
            id="one index, two ids",
        ),
        pytest.param(
            [
                {"index": 0, "name": "add", "arguments": '{"a":1}'},
                {"index": 0, "name": "mul", "arguments": '{"b":2}'},
            ],
            id="one index, no ids",
        ),
        pytest.param(
            [
                {"index": 0, "id": "x", "name": "add"},
                {"index": 0, "id": "y", "name": "mul"},
                {"index": 0, "id": "x", "arguments": '{"a":1}'},
                {"index": 0, "id": "y", "arguments": '{"b":2}'},
            ],
            id="one index, pieces interleaved by id",
        ),
        pytest.param(
            [
                {"index": 0, "id": "x", "name": "add", "arguments": '{"a"'},
                {"index": 0, "id": "x", "name": "add", "arguments": ":1}"},
                {"index": 1, "id": "y", "name": "mul", "arguments": '{"b":'},
                {"index": 1, "id": "y", "name": "mul", "arguments": "2}"},
            ],
            id="id and name in every piece",
        ),
        pytest.param(
            [
                {"index": 0, "id": "x", "name": "add", "arguments": '{"a":1}'},
                {"index": 1, "id": "x", "name": "mul", "arguments": '{"b":2}'},
            ],
            id="one id for both",
        ),
        pytest.param(
            [
                {"id": "x", "name": "add", "arguments": '{"a":'},
                {"arguments": "1}"},
                {"id": "y", "name": "mul", "arguments": '{"b":2}'},
            ],
            id="no index",
        ),
        pytest.param(
            [
                {"name": "add", "arguments": '{"a":1}'},
                {"name": "mul", "arguments": '{"b":2}'},
            ],
            id="no index, no ids",
        ),
        pytest.param(
            [
                {"index": 0, "id": "x", "name": "add", "arguments": '{"a":'},
                {"index": 1, "id": "x", "arguments": "1}"},
                {"index": 2, "id": "y", "name": "mul", "arguments": '{"b":2}'},
            ],
            id="an index that counts pieces",
        ),
        pytest.param(
            [
                {"index": 0, "name": "add", "arguments": {"a": 1}},
                {"index": 1, "name": "mul", "arguments": {"b": 2}},
            ],
            id="arguments as objects",
        ),
        pytest.param(
            [
                {"index": 0, "id": "x", "name": "ad"},
                {"index": 0, "name": "d", "arguments": '{"a":1}'},
                {"index": 3, "id": "y", "name": "mul", "arguments": '{"b":2}'},
            ],
            id="a name in pieces, a gap in the indices",
        ),
        pytest.param(
            [
                {"index": 0, "id": "x", "name": "add", "arguments": '{"a":1}'},
                {"index": 0, "id": "x", "name": "add", "arguments": ""},
                {"index": 1, "id": "y", "name": "mul", "arguments": '{"b":2}'},
                {"index": 1, "id": "y", "name": "mul"},
            ],
            id="a last piece that repeats id and name",
        ),
        pytest.param(
            [
                {"index": 0, "name": "add", "arguments": '{"a":1}'},
                {"index": 0, "id": "y", "name": "mul", "arguments": '{"b":2}'},
            ],
            id="one index, an id only for the second",
        ),
        pytest.param(
            [
                {"index": 0, "id": "x", "name": "add", "arguments": '{"a":1}'},
                {"index": 1, "id": "", "name": "", "arguments": ""},
                {"index": 2, "id": "y", "name": "mul", "arguments": '{"b":2}'},
            ],
            id="an empty call between",
        ),
    ],
)
def test_two_calls_are_told_apart(pieces: list[Piece]) -> None:
    found = calls(*pieces)
    assert facts(found) == TWO
    assert all(call.error is None for call in found)
    ids = [call.id for call in found]
    assert all(ids)
    assert len(set(ids)) == 2


def test_two_calls_of_one_tool_at_one_index_without_ids_are_two() -> None:
    piece = {"index": 0, "name": "add", "arguments": '{"a":"}"}'}
    assert facts(calls(piece, piece)) == [("add", {"a": "}"})] * 2


def test_deltas_name_a_call_once_and_keep_its_place() -> None:
    assembly = Assembly()
    pieces = [
        {"index": 7, "id": "x", "name": "add", "arguments": '{"a"'},
        {"index": 7, "name": "add", "arguments": ":1}"},
        {"index": 7, "id": "y", "name": "mul", "arguments": "{}"},
    ]
    deltas = [delta for piece in pieces for delta in assembly.add({"calls": [piece]})]
    assert deltas == [
        Delta("tool_call", '{"a"', 0, "add"),
        Delta("tool_call", ":1}", 0, None),
        Delta("tool_call", "{}", 1, "mul"),
    ]


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        ("", {}),
        ("  ", {}),
        ("null", {}),
        ('{"a": 1}', {"a": 1}),
        ('{}{"a": 1}', {"a": 1}),
        ('{"a": 1} {"a": 1}\n', {"a": 1}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ('{"a": "\\ud800"}', {"a": "\ud800"}),
    ],
)
def test_arguments_are_read_in_every_shape_that_means_something(raw: str, arguments: dict[str, Any]) -> None:
    assert read_arguments(raw) == arguments


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ('{"a": 1', "at character 8 of 7"),
        ("{'a': 1}", "at character 2 of 8"),
        ("[1]", "a JSON list, not an object"),
        ('"text"', "a JSON text, not an object"),
        ("3", "a JSON number, not an object"),
        ('{"a": NaN}', "NaN is not a number in JSON"),
        ('{"a": 1}{"a": 2}', "more than one"),
    ],
)
def test_arguments_that_cannot_be_read_are_an_error_on_the_call(raw: str, says: str) -> None:
    (call,) = calls({"index": 0, "name": "add", "arguments": raw})
    assert call.arguments == {}
    assert call.raw_arguments == raw
    assert call.error is not None
    assert says in call.error
    assert "`add`" in call.error


def test_arguments_cut_by_the_token_limit_say_so() -> None:
    (call,) = calls({"index": 0, "name": "add", "arguments": '{"a": "lo'}, finish="length")
    assert call.error is not None
    assert "token limit" in call.error


@pytest.mark.parametrize(
    ("written", "name"), [("files.read", "files-read"), ("a b", "a-b"), ("x" * 80, "x" * 64), ("$add", "add")]
)
def test_a_name_that_providers_refuse_is_made_one_that_they_take(written: str, name: str) -> None:
    (call,) = calls({"index": 0, "name": written})
    assert (call.name, call.error) == (name, None)


def test_a_call_without_a_name_is_an_error_with_a_name_that_can_be_sent() -> None:
    (call,) = calls({"index": 0, "id": "x", "arguments": '{"a":1}'})
    assert call.name == "unnamed_tool"
    assert call.error is not None
    assert "no tool name" in call.error


def test_thinking_blocks_go_back_whole_with_their_signatures() -> None:
    response = assemble(
        {"reasoning": "a", "thinking": [{"type": "thinking", "thinking": "a", "signature": ""}]},
        {"reasoning": "b", "thinking": [{"type": "thinking", "thinking": "b"}]},
        {"thinking": [{"type": "thinking", "thinking": "", "signature": "s1"}]},
        {"thinking": [{"type": "redacted_thinking", "data": "zzz"}]},
        {"thinking": [{"type": "thinking", "thinking": "c", "signature": "s2"}]},
    )
    assert response.extra["thinking_blocks"] == [
        {"type": "thinking", "thinking": "ab", "signature": "s1"},
        {"type": "redacted_thinking", "data": "zzz"},
        {"type": "thinking", "thinking": "c", "signature": "s2"},
    ]
    assert response.extra["reasoning_content"] == "ab"


def test_a_redacted_block_ends_a_thinking_block_that_has_no_signature() -> None:
    response = assemble(
        {"thinking": [{"type": "thinking", "thinking": "a"}]},
        {"thinking": [{"type": "redacted_thinking", "data": "zzz"}]},
        {"thinking": [{"type": "thinking", "thinking": "b"}]},
    )
    assert [block.get("thinking") for block in response.extra["thinking_blocks"]] == ["a", None, "b"]


def test_provider_fields_of_answer_and_call_are_kept() -> None:
    response = assemble(
        {"fields": {"citations": [1], "x": 1}},
        {"fields": {"citations": [2], "x": 2}},
        {"calls": [{"index": 0, "name": "add", "fields": {"thought_signature": "s"}}]},
    )
    assert response.extra["provider_specific_fields"] == {"citations": [1, 2], "x": 2}
    assert response.tool_calls[0].extra == {"provider_specific_fields": {"thought_signature": "s"}}


def test_two_hundred_kilobytes_in_small_pieces_are_scanned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.providers import assembly as module

    scanned = 0
    follow = module._JsonScan._follow

    def counting(self: Any, piece: str) -> None:
        nonlocal scanned
        scanned += len(piece)
        follow(self, piece)

    monkeypatch.setattr(module._JsonScan, "_follow", counting)
    text = json.dumps({"text": 'x"{}' * 50_000})
    pieces = [text[at : at + 4] for at in range(0, len(text), 4)]
    (call,) = calls(*({"index": 0, "name": "write", "arguments": piece} for piece in pieces))
    assert call.arguments == json.loads(text)
    assert 0 < scanned <= len(text)


@given(
    st.lists(st.dictionaries(st.text(), st.text() | st.integers()), min_size=1, max_size=4),
    st.integers(1, 5),
    st.booleans(),
    st.booleans(),
)
def test_calls_cut_anywhere_at_one_index_come_back(
    wanted: list[dict[str, Any]], size: int, with_ids: bool, repeat_name: bool
) -> None:
    pieces: list[Piece] = []
    for number, arguments in enumerate(wanted):
        text = json.dumps(arguments)
        parts = [text[at : at + size] for at in range(0, len(text), size)]
        for position, part in enumerate(parts):
            piece: Piece = {"index": 0, "arguments": part}
            if with_ids and (position == 0 or repeat_name):
                piece["id"] = f"id{number}"
            if position == 0 or (repeat_name and with_ids):
                piece["name"] = "tool"
            pieces.append(piece)
    assert [call.arguments for call in calls(*pieces)] == wanted
