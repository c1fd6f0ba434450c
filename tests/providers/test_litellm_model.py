"""Real litellm in a real host, over real HTTP, against a server that misbehaves on command."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import Any

import pytest

from tests.providers.loopback import Demo, Loopback, Reply, call, calls, delta, error, text, usage
from workbench.engine.cancel import CancelToken
from workbench.engine.llm import LLM, Delta, LLMResponse
from workbench.errors import (
    ContentFilterError,
    ContextOverflowError,
    InvalidRequestError,
    MissingKeyError,
    ProviderConnectionError,
    ProviderError,
    ProviderTimeoutError,
    RateLimitError,
    StopTurn,
    UnknownModelError,
)
from workbench.providers.host_client import ModelHost
from workbench.providers.litellm_model import LitellmModel

USER: list[dict[str, Any]] = [{"role": "user", "content": "hi"}]
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}},
}


class Asker:
    """A model at the loopback server, and what it streamed."""

    def __init__(self, host: ModelHost, server: Loopback) -> None:
        self.server = server
        self.deltas: list[Delta] = []
        self.model = LitellmModel(
            "openai/some-model", host=host, first_pause=0.0, base_url=server.base_url, api_key="sk-test"
        )

    def ask(self, *behaviours: Any, cancel: CancelToken | None = None) -> LLMResponse:
        self.server.script(*behaviours)
        self.deltas.clear()
        return self.model.complete(USER, [TOOL], on_delta=self.deltas.append, cancel=cancel)

    def streamed(self, kind: str = "text") -> str:
        return "".join(delta.text for delta in self.deltas if delta.kind == kind)

    @property
    def status(self) -> list[str]:
        return [delta.text for delta in self.deltas if delta.kind == "status" and "loading" not in delta.text]


@pytest.fixture
def asker(host: ModelHost, server: Loopback) -> Asker:
    return Asker(host, server)


def test_a_server_of_one_s_own_is_asked_without_any_key(
    host: ModelHost, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    server.script(text("here I am"))
    model = LitellmModel("openai/tiny", host=host, first_pause=0.0, base_url=server.base_url)
    assert model.complete(USER).content == "here I am"


def test_it_is_a_model(asker: Asker) -> None:
    assert isinstance(asker.model, LLM)
    assert "sk-test" not in repr(asker.model)


def test_an_answer_is_streamed_and_counted(asker: Asker) -> None:
    response = asker.ask(text("hello ", "world", pause=0.02))
    assert response.content == asker.streamed() == "hello world"
    assert (response.usage.input_tokens, response.usage.output_tokens) == (11, 7)
    assert response.finish_reason == "stop"
    assert response.first_token_ms is not None
    assert len([delta for delta in asker.deltas if delta.kind == "text"]) == 2


def test_a_piece_that_repeats_is_no_fault(asker: Asker) -> None:
    assert asker.ask(text(*["--- "] * 200)).content == "--- " * 200


def test_the_request_holds_the_transcript_the_tools_and_the_parameters(asker: Asker) -> None:
    asker.model.parameters.update(temperature=0.5, max_tokens=7)
    asker.ask(text("ok"))
    request = asker.server.requests[0]
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer sk-test"
    assert request.body["messages"] == USER
    assert request.body["tools"] == [TOOL]
    assert (request.body["temperature"], request.body["max_tokens"]) == (0.5, 7)


def test_a_conversation_of_two_megabytes_reaches_the_server_whole(asker: Asker) -> None:
    asker.server.script(text("ok"))
    long = [{"role": "user", "content": "line\n" * 200_000}, {"role": "user", "content": "ü" * 300_000}]
    assert asker.model.complete(long).content == "ok"
    assert asker.server.requests[0].body["messages"] == long


def test_text_with_two_parallel_calls_then_a_closing_answer(asker: Asker) -> None:
    response = asker.ask(
        calls(
            [call(0, "a", "add", "")],
            [call(0, arguments='{"a":')],
            [call(0, arguments=" 1}")],
            [call(1, "b", "add", '{"a": 2}')],
            said="Both at once.",
        )
    )
    assert response.content == "Both at once."
    assert [(each.id, each.name, each.arguments) for each in response.tool_calls] == [
        ("a", "add", {"a": 1}),
        ("b", "add", {"a": 2}),
    ]
    assert json.loads("".join(each.text for each in asker.deltas if each.index == 1)) == {"a": 2}
    assert asker.ask(text("Done.")).content == "Done."


@pytest.mark.parametrize(
    "reply",
    [
        calls([call(0, "a", "add", '{"a":1}')], [call(0, "b", "mul", '{"a":2}')]),
        calls([call(None, None, "add", '{"a":1}'), call(None, None, "mul", '{"a":2}')]),
        calls([call(0, "a", "add", {"a": 1})], [call(1, "a", "mul", {"a": 2})]),
    ],
    ids=["one index", "neither ids nor indices", "objects and one id"],
)
def test_calls_in_odd_shapes_survive_litellm(asker: Asker, reply: Reply) -> None:
    found = asker.ask(reply).tool_calls
    assert [(each.name, each.arguments) for each in found] == [("add", {"a": 1}), ("mul", {"a": 2})]
    assert len({each.id for each in found}) == 2


@pytest.mark.parametrize(
    ("reply", "arguments"),
    [
        (calls([call(0, "a", "add", "")]), {}),
        (calls([call(0, "a", "add")]), {}),
        (calls([call(0, "a", "add", '{"a": 1}')]), {"a": 1}),
        (calls([call(0, "a", "add", '{"a"')], [call(0, "a", "add", ": 1}")]), {"a": 1}),
        (calls([call(0, "a", "add", '{"a": 1}')], [call(0, "a", "add", "")]), {"a": 1}),
    ],
    ids=["empty", "none", "one piece", "id and name again", "a last piece that says nothing"],
)
def test_one_call_stays_one_however_its_arguments_come(
    asker: Asker, reply: Reply, arguments: dict[str, Any]
) -> None:
    (found,) = asker.ask(reply).tool_calls
    assert (found.name, found.arguments, found.error) == ("add", arguments, None)


def test_a_call_without_a_name_is_answered_with_what_is_wrong(asker: Asker) -> None:
    (found,) = asker.ask(calls([call(0, "a", "", '{"a": 1}')])).tool_calls
    assert found.error is not None
    assert "no tool name" in found.error


def test_text_after_calls_is_kept_with_them(asker: Asker) -> None:
    events = [
        delta(content="Before. "),
        delta(tool_calls=[call(0, "a", "add", '{"a": 1}')]),
        delta(content="After."),
        delta(finish="tool_calls"),
        usage(),
    ]
    response = asker.ask(Reply(events))
    assert response.content == asker.streamed() == "Before. After."
    assert [each.arguments for each in response.tool_calls] == [{"a": 1}]


def test_calls_cut_at_the_token_limit_say_so(asker: Asker) -> None:
    (found,) = asker.ask(calls([call(0, "a", "add", '{"a": ')], finish="length")).tool_calls
    assert found.error is not None
    assert "cut off at the token limit" in found.error


def test_two_hundred_kilobytes_of_arguments_in_small_pieces_arrive_whole(asker: Asker) -> None:
    whole = json.dumps({"a": "x" * 200_000})
    pieces = [whole[at : at + 200] for at in range(0, len(whole), 200)]
    (found,) = asker.ask(
        calls([call(0, "a", "add", "")], *([call(0, arguments=piece)] for piece in pieces))
    ).tool_calls
    assert found.arguments == {"a": "x" * 200_000}
    assert asker.streamed("tool_call") == whole


def test_malformed_arguments_are_an_error_on_the_call(asker: Asker) -> None:
    (found,) = asker.ask(calls([call(0, "a", "add", '{"a": ')])).tool_calls
    assert found.error is not None
    assert found.raw_arguments == '{"a": '


def test_reasoning_comes_apart_from_the_text_and_goes_back(asker: Asker) -> None:
    response = asker.ask(
        Reply([delta(reasoning_content="I think"), delta(content="so"), delta(finish="stop"), usage()])
    )
    assert (response.reasoning, response.content) == ("I think", "so")
    assert asker.streamed("reasoning") == "I think"
    assert response.extra["reasoning_content"] == "I think"


def test_empty_choices_and_usage_without_an_extra_chunk_are_taken(asker: Asker) -> None:
    empty = {**delta(), "choices": []}
    response = asker.ask(Reply([empty, delta(content="a"), empty, delta(finish="length")]))
    assert (response.content, response.finish_reason) == ("a", "length")


def test_an_unknown_price_is_none_and_a_known_one_is_counted(
    host: ModelHost, server: Loopback, asker: Asker
) -> None:
    assert asker.ask(text("a")).usage.cost is None
    assert asker.model.context_window is None
    known = LitellmModel("openai/gpt-4o-mini", host=host, base_url=server.base_url, api_key="k")
    assert known.complete(USER).usage.cost == pytest.approx(11 * 0.15e-6 + 7 * 0.6e-6)
    assert known.context_window == 128_000


def test_a_local_model_costs_nothing_which_is_known(host: ModelHost, server: Loopback) -> None:
    local = LitellmModel("lm_studio/some-model", host=host, base_url=server.base_url, api_key="k")
    assert local.complete(USER).usage.cost == 0.0


def test_cached_tokens_are_counted_within_the_input(asker: Asker) -> None:
    reply = Reply([delta(content="a"), delta(finish="stop"), usage(100, 5, cached=60)])
    counted = asker.ask(reply).usage
    assert (counted.input_tokens, counted.cached_tokens) == (100, 60)


def test_a_rate_limit_is_waited_out_by_the_servers_own_hint(asker: Asker) -> None:
    response = asker.ask(error(429, "Slow down.", headers={"Retry-After": "0"}), text("fine"))
    assert response.content == asker.streamed() == "fine"
    assert asker.status == ["rate limited, trying again in 0 s"]


def test_a_rate_limit_that_lasts_too_long_is_told_with_its_hint(asker: Asker) -> None:
    with pytest.raises(RateLimitError, match=r"Slow down\.") as caught:
        asker.ask(error(429, "Slow down.", headers={"Retry-After": "900"}))
    assert caught.value.retry_after == 900
    assert caught.value.hint == "Try again in 900 s."
    assert len(asker.server.requests) == 1


def test_a_quota_that_is_used_up_is_not_tried_again(asker: Asker) -> None:
    with pytest.raises(RateLimitError, match="used up"):
        asker.ask(error(429, "You exceeded your current quota.", code="insufficient_quota"))
    assert len(asker.server.requests) == 1


def test_a_stop_during_the_wait_gives_up(asker: Asker) -> None:
    cancel = CancelToken()
    asker.server.script(error(429, "Slow down.", headers={"Retry-After": "60"}))
    with pytest.raises(StopTurn):
        asker.model.complete(
            USER,
            on_delta=lambda each: cancel.cancel() if "rate limited" in each.text else None,
            cancel=cancel,
        )
    assert len(asker.server.requests) == 1


def test_two_faults_of_the_server_are_tried_again(asker: Asker) -> None:
    assert asker.ask(error(500, "oops"), error(500, "oops"), text("fine")).content == "fine"
    assert len(asker.server.requests) == 3


def test_a_server_that_keeps_failing_is_given_up(asker: Asker) -> None:
    with pytest.raises(ProviderError, match="oops"):
        asker.ask(error(500, "oops"))
    assert len(asker.server.requests) == 4


def test_an_answer_cut_in_mid_stream_is_not_asked_for_again(asker: Asker) -> None:
    with pytest.raises(ProviderConnectionError, match="broke"):
        asker.ask(Reply([delta(content="half an ans")], end="cut"), text("again"))
    assert asker.streamed() == "half an ans"
    assert len(asker.server.requests) == 1


def test_a_connection_cut_before_the_first_word_is_tried_again(asker: Asker) -> None:
    assert asker.ask(Reply([], end="cut"), text("fine")).content == asker.streamed() == "fine"


@pytest.mark.parametrize(
    "reply",
    [Reply(["data: {nonsense\n\n"]), Reply(body="<html>hello</html>")],
    ids=["wrong JSON in the stream", "a web page"],
)
def test_an_answer_that_is_not_the_protocol_fails_the_turn(asker: Asker, reply: Reply) -> None:
    with pytest.raises(ProviderError):
        asker.ask(reply)
    assert asker.ask(text("fine")).content == "fine"


def test_a_refused_key_says_whose(asker: Asker) -> None:
    with pytest.raises(MissingKeyError, match="openai refused the key: Incorrect API key"):
        asker.ask(error(401, "Incorrect API key provided: sk-test."))


def test_a_missing_key_names_the_variable(host: ModelHost, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for model, variable in (
        ("openai/gpt-4o", "OPENAI_API_KEY"),
        ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
    ):
        with pytest.raises(MissingKeyError) as caught:
            LitellmModel(model, host=host).complete(USER)
        assert variable in caught.value.hint


def test_a_key_set_after_the_host_has_started_is_used(
    host: ModelHost, server: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.facts("openai/some-model")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-late")
    LitellmModel("openai/some-model", host=host, base_url=server.base_url).complete(USER)
    assert server.requests[0].headers["authorization"] == "Bearer sk-late"


def test_a_model_that_the_server_does_not_have_is_told(asker: Asker) -> None:
    with pytest.raises(UnknownModelError, match="does not exist") as caught:
        asker.ask(error(404, "The model `some-model` does not exist", code="model_not_found"))
    assert asker.server.base_url in caught.value.hint


@pytest.mark.parametrize(("model", "near"), [("gtp-4o-mini", "gpt-4o-mini"), ("opnai/gpt-4o", "gpt-4o")])
def test_a_model_nobody_knows_is_told_with_near_names(host: ModelHost, model: str, near: str) -> None:
    with pytest.raises(UnknownModelError, match=model) as caught:
        LitellmModel(model, host=host).complete(USER)
    assert near in caught.value.hint


def test_a_conversation_that_is_too_long_says_by_how_much(asker: Asker) -> None:
    message = (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9,000 tokens."
    )
    with pytest.raises(ContextOverflowError, match="9,000 tokens, 808 more than the 8,192"):
        asker.ask(error(400, message, code="context_length_exceeded"))


def test_a_refused_request_says_why(asker: Asker) -> None:
    with pytest.raises(InvalidRequestError, match="Unknown parameter: 'foo'"):
        asker.ask(error(400, "Unknown parameter: 'foo'."))


@pytest.mark.parametrize(
    "reply",
    [
        text("half", finish="content_filter"),
        error(
            400,
            "The response was filtered due to the prompt triggering content management policy.",
            code="content_filter",
        ),
    ],
    ids=["the answer", "the request"],
)
def test_a_content_filter_is_told(asker: Asker, reply: Reply) -> None:
    with pytest.raises(ContentFilterError):
        asker.ask(reply)


def test_a_refused_connection_asks_for_the_server(host: ModelHost) -> None:
    with Loopback() as gone:
        address = gone.base_url
    model = LitellmModel("openai/some-model", host=host, base_url=address, api_key="k")
    with pytest.raises(ProviderConnectionError) as caught:
        model.complete(USER)
    assert caught.value.hint == f"Is the server running at {address}?"


def test_a_server_that_does_not_answer_in_time_is_given_up(asker: Asker) -> None:
    asker.model.parameters["timeout"] = 0.2
    with pytest.raises(ProviderTimeoutError, match=r"within 0\.2 s"):
        asker.ask(Reply([], end="hang"))


def test_a_stop_frees_the_caller_and_closes_the_connection(asker: Asker) -> None:
    cancel = CancelToken()
    asker.server.script(Reply([delta(content="x")], end="hang"))
    with pytest.raises(StopTurn, match="enough"):
        asker.model.complete(
            USER,
            on_delta=lambda each: cancel.cancel("enough") if each.kind == "text" else None,
            cancel=cancel,
        )
    assert asker.server.gone.wait(60)
    assert asker.ask(text("fine")).content == "fine"


@pytest.mark.parametrize(
    ("fault", "ends"),
    [
        ("cut", ProviderConnectionError),
        ("garbage", ProviderError),
        ("page", ProviderError),
        ("shared", "one, two"),
        ("broken", "fine"),
        ("full", ContextOverflowError),
        ("filtered", ContentFilterError),
        ("refused", MissingKeyError),
        ("nothing wrong", "I would call a tool, but none was offered. "),
    ],
)
def test_the_demo_misbehaves_at_a_word(asker: Asker, fault: str, ends: str | type[ProviderError]) -> None:
    asker.server.script(Demo())
    message = [{"role": "user", "content": fault}]
    for _ in range(2):
        if isinstance(ends, str):
            response = asker.model.complete(message)
            assert (response.content or ", ".join(each.name for each in response.tool_calls)) == ends
        else:
            with pytest.raises(ends):
                asker.model.complete(message)


def test_two_models_answer_at_once_through_one_host(host: ModelHost) -> None:
    with Loopback() as one, Loopback() as two:
        one.script(text(*"aaaaaaaaaa", pause=0.002))
        two.script(text(*"bbbbbbbbbb", pause=0.002))
        answers: dict[str, str | None] = {}

        def run(name: str, server: Loopback) -> None:
            model = LitellmModel("openai/some-model", host=host, base_url=server.base_url, api_key="k")
            answers[name] = model.complete(USER).content

        threads = [threading.Thread(target=run, args=each) for each in (("one", one), ("two", two))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert answers == {"one": "a" * 10, "two": "b" * 10}


def test_the_models_of_the_tables_come_with_their_keys(
    host: ModelHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.delenv("MISTRAL_API_KEY", raising=False)
    models = host.models()
    assert models["openai"]["models"]["openai/gpt-4o-mini"] == [128_000, 0.15, 0.6, True]
    assert models["mistral"]["variables"] == ["MISTRAL_API_KEY"]
    assert not any(name.startswith("vertex_ai-") or name.endswith("_converse") for name in models)
    assert models["openai"]["key"]
    assert not models["mistral"]["key"]


def test_a_script_streams_without_loading_litellm_and_survives_the_death_of_its_host(
    server: Loopback,
) -> None:
    server.script(text("hello"), Reply([delta(content="x")], end="hang"))
    script = f"""if True:
        import os, signal, sys
        from workbench.errors import ModelHostError
        from workbench.providers.base import create_llm
        from workbench.providers.host_client import shared_host
        model = create_llm("openai/some-model", base_url={server.base_url!r}, api_key="k")
        messages = [{{"role": "user", "content": "hi"}}]
        print(model.complete(messages).content)
        print([name for name in ("litellm", "openai", "httpx", "pydantic") if name in sys.modules])
        def kill(delta):
            if delta.kind == "text":
                os.kill(shared_host().pid, signal.SIGKILL)
        try:
            model.complete(messages, on_delta=kill)
        except ModelHostError as error:
            print(error, error.hint)
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "hello", "[]", "The model host ended (SIGKILL). A new one is starting.",
    ]  # fmt: skip
    assert done.stderr == ""
