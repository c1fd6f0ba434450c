"""The offline model: calls, results, faults, and an honest word."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from workbench.engine.cancel import CancelToken
from workbench.engine.llm import LLM, Delta, LLMResponse
from workbench.errors import StopTurn
from workbench.providers.offline import OfflineModel

Message = dict[str, Any]

ADD: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "add",
        "description": "Add two numbers.\n\nMore.",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a", "b"],
        },
    },
}
READ: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "files-read",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
}
TOOLS = [ADD, READ]


def user(text: Any) -> Message:
    return {"role": "user", "content": text}


def with_results(messages: list[Message], response: LLMResponse, results: Sequence[str]) -> list[Message]:
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
        }
        for call in response.tool_calls
    ]
    answers = [
        {"role": "tool", "tool_call_id": call.id, "content": result}
        for call, result in zip(response.tool_calls, results, strict=True)
    ]
    return [*messages, {"role": "assistant", "content": "", "tool_calls": calls}, *answers]


def ask(messages: list[Message], tools: list[dict[str, Any]] | None = None) -> LLMResponse:
    return OfflineModel(pace=0).complete(messages, TOOLS if tools is None else tools)


def answer(prompt: str, *results: str) -> str:
    messages = [user(prompt)]
    return ask(with_results(messages, ask(messages), results)).content or ""


def test_it_is_a_model() -> None:
    assert isinstance(OfflineModel(), LLM)


def test_the_calls_of_a_prompt_make_one_batch() -> None:
    response = ask([user('add(a=2, b=3) and files.read("x")')])
    assert [(call.name, call.arguments) for call in response.tool_calls] == [
        ("add", {"a": 2, "b": 3}),
        ("files-read", {"path": "x"}),
    ]
    assert response.finish_reason == "tool_calls"
    assert len({call.id for call in response.tool_calls}) == 2


def test_call_ids_differ_between_turns_and_repeat_for_the_same_conversation() -> None:
    first = [user("add(1, 2)")]
    response = ask(first)
    second = [*with_results(first, response, ["3"]), {"role": "assistant", "content": "3"}, user("add(1, 2)")]
    assert ask(second).tool_calls[0].id != response.tool_calls[0].id
    assert ask(first).tool_calls[0].id == response.tool_calls[0].id


def test_the_closing_answer_holds_each_result() -> None:
    assert answer('add(2, 3) files.read("x")', "5", "Rejected by the user: not now") == (
        "`add` returned **5**.\n\n`files.read`: Rejected by the user: not now"
    )


def test_a_call_whose_arguments_do_not_fit_returned_nothing() -> None:
    fault = "b: missing. Expected: a (integer, required), b (integer, required)."
    assert answer("add(a=2)", fault) == f"`add`: {fault}"


def test_a_long_result_is_shown_in_a_block_and_says_how_much_is_missing() -> None:
    said = answer("add(1, 2)", "line ``` one\n" + "x" * 2000)
    assert said.startswith("`add` returned:\n\n````text\nline ``` one\nxxx")
    assert said.endswith("… and 813 more characters.")


def test_a_short_result_with_marks_is_not_read_as_markdown() -> None:
    assert answer("add(1, 2)", "a*b*") == "`add` returned `a*b*`."
    assert answer("add(1, 2)", "a`b") == "`add` returned `` a`b ``."


def test_a_result_that_is_a_sentence_gets_no_second_full_stop() -> None:
    assert answer("add(1, 2)", "It is five.") == "`add` returned **It is five.**"
    assert answer("add(1, 2)", "`scale` returned **18.0**.") == (
        "`add` returned:\n\n```text\n`scale` returned **18.0**.\n```"
    )
    assert answer("add(1, 2)", 'He said "no!"') == '`add` returned **He said "no!"**'


def test_a_note_of_a_hook_behind_the_results_does_not_hide_them() -> None:
    messages = [user("add(2, 3)")]
    done = with_results(messages, ask(messages), ["5"])
    assert ask([*done, {"role": "assistant", "content": "I reflect."}]).content == "`add` returned **5**."
    assert ask([*done, user("Reflect on it.")]).content == "`add` returned **5**."


def test_a_message_after_a_finished_turn_begins_a_new_one() -> None:
    messages = [user("add(2, 3)")]
    done = [*with_results(messages, ask(messages), ["5"]), {"role": "assistant", "content": "5"}]
    assert "deterministic" in (ask([*done, user("thanks")]).content or "")


def test_a_message_after_a_stopped_turn_begins_a_new_one() -> None:
    messages = [user("add(2, 3)")]
    done = with_results(messages, ask(messages), ["Not run: stopped by the user."])
    assert "deterministic" in (ask([*done, user("thanks")]).content or "")


def test_calls_behind_results_are_made_next() -> None:
    messages = [user("add(2, 3)")]
    done = with_results(messages, ask(messages), ["5"])
    assert ask([*done, user("add(5, 1)")]).tool_calls[0].arguments == {"a": 5, "b": 1}


def test_a_call_of_a_tool_that_was_switched_off_is_still_made() -> None:
    messages = [user("add(2, 3)")]
    done = [*with_results(messages, ask(messages), ["5"]), {"role": "assistant", "content": "5"}]
    response = ask([*done, user("well, add(a=1, b=1) again")], tools=[READ])
    assert response.tool_calls[0].name == "add"


def test_a_faulty_call_is_answered_with_a_caret_and_nothing_is_called() -> None:
    response = ask([user("add(1, 2)\nadd(1, x)")])
    assert response.tool_calls == []
    assert "```text\nadd(1, x)\n       ^ `x` is a name" in (response.content or "")


def test_without_a_call_it_says_what_it_is_and_gives_an_example_that_works() -> None:
    said = ask([user("hello")]).content or ""
    assert "no language model" in said
    assert "- `add`: Add two numbers." in said
    assert "OPENAI_API_KEY" in said
    example = said.split("```python\n")[1].split("\n```")[0]
    assert ask([user(example)]).tool_calls[0].name == "add"


def test_without_any_tool_it_says_that_none_is_on() -> None:
    assert "No tool is on" in (ask([user("hello")], tools=[]).content or "")


@pytest.mark.parametrize(
    "behind",
    [
        "[attached todo.py: 13 characters]\nadd(a=1, b=2)\n[end of todo.py]",
        "[not attached a.bin: binary, 9 bytes]\n[attached b: 1,234 characters]\nadd(a=1, b=2)\n[end of b]",
        "[attached a: 13 characters]\nadd(a=1, b=2)\n[end of a]\n[not attached add(a=3, b=4): a folder]",
    ],
)
def test_a_call_that_stands_in_an_attached_file_is_not_made(behind: str) -> None:
    model = OfflineModel(pace=0)
    said = f"what does @todo.py do?\n\n{behind}"
    assert model.complete([{"role": "user", "content": said}], TOOLS).tool_calls == []
    (call,) = model.complete([{"role": "user", "content": f"add(a=5, b=6)\n\n{behind}"}], TOOLS).tool_calls
    assert call.arguments == {"a": 5, "b": 6}


def test_words_like_those_before_an_attached_file_do_not_hide_a_call() -> None:
    said = "what is this?\n\n[attached x: 3 characters]\nand now add(a=5, b=6)"
    assert OfflineModel(pace=0).complete([{"role": "user", "content": said}], TOOLS).tool_calls


def test_a_message_in_parts_is_read() -> None:
    assert ask([user([{"type": "text", "text": "add(1, 2)"}])]).tool_calls


def test_what_it_streams_is_what_it_answers() -> None:
    deltas: list[Delta] = []
    response = OfflineModel(pace=0).complete([user("hello")], TOOLS, on_delta=deltas.append)
    assert "".join(delta.text for delta in deltas) == response.content
    assert len(deltas) > 20


def test_streamed_calls_carry_their_index_and_name() -> None:
    deltas: list[Delta] = []
    OfflineModel(pace=0).complete([user("add(1, 2) add(3, 4)")], TOOLS, on_delta=deltas.append)
    named = [(delta.index, delta.name) for delta in deltas if delta.name]
    assert named == [(0, "add"), (1, "add")]
    second = "".join(delta.text for delta in deltas if delta.index == 1)
    assert json.loads(second) == {"a": 3, "b": 4}


def test_usage_is_estimated_and_costs_nothing() -> None:
    response = ask([user("hello")])
    assert response.usage.input_tokens > 0
    assert response.usage.output_tokens > 0
    assert response.usage.cost == 0.0
    assert "estimated" in response.raw_response["usage"]


def test_a_stop_ends_a_slow_answer_at_once() -> None:
    cancel = CancelToken()
    speaking = threading.Event()

    def stop_when_it_speaks() -> None:
        speaking.wait()
        cancel.cancel("enough")

    threading.Thread(target=stop_when_it_speaks, daemon=True).start()
    with pytest.raises(StopTurn, match="enough"):
        OfflineModel(pace=3600).complete(
            [user("hello")], TOOLS, on_delta=lambda _: speaking.set(), cancel=cancel
        )


def test_a_stop_before_the_request_says_nothing() -> None:
    cancel = CancelToken()
    cancel.cancel()
    deltas: list[Delta] = []
    with pytest.raises(StopTurn):
        OfflineModel(pace=0).complete([user("hello")], TOOLS, on_delta=deltas.append, cancel=cancel)
    assert deltas == []
