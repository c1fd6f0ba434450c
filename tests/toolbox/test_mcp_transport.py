"""What a server sends and the SDK cannot read is read with more patience, and no call waits for ever."""

from __future__ import annotations

from typing import Any

import pytest
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError

from workbench.toolbox.mcp_transport import read_anyway


def refused(line: str) -> ValidationError:
    """What the SDK makes of a line that it cannot read."""
    with pytest.raises(ValidationError) as caught:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    return caught.value


def read(line: str) -> Any:
    item = read_anyway(refused(line))
    assert isinstance(item, SessionMessage)
    return item.message


def test_an_answer_with_half_an_emoji_arrives_with_a_replacement() -> None:
    answer = read('{"jsonrpc": "2.0", "id": 7, "result": {"text": "cut \\ud83d off"}}')
    assert isinstance(answer, JSONRPCResponse)
    assert answer.id == 7
    assert answer.result["text"].startswith("cut \ufffd")


@pytest.mark.parametrize("result", ["5", "null", '"text \\ud83d"'])
def test_an_answer_that_is_no_message_is_an_error_to_the_call_that_waits_for_it(result: str) -> None:
    answer = read(f'{{"jsonrpc": "2.0", "id": 7, "result": {result}}}')
    assert isinstance(answer, JSONRPCError)
    assert (answer.id, "no message of the protocol" in answer.error.message) == (7, True)


@pytest.mark.parametrize("line", ["garbage", "null", "[]", '{"jsonrpc": "2.0", "result": 5}', "5" * 5000])
def test_what_answers_nobody_stays_the_fault_that_it_is(line: str) -> None:
    fault = refused(line)
    assert read_anyway(fault) is fault
