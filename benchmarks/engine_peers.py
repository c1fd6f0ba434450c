"""Other engines that make the same no-op tool calls; each is imported when it is measured."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from importlib import import_module
from typing import Any

from benchmarks.engine_subjects import ANSWER, ARGUMENTS, ARGUMENTS_TEXT, Bare, Subject, Workbench, noop


async def noop_async(x: int) -> int:
    """Give back what was given.

    Args:
        x: Anything.
    """
    return x


class PydanticAI(Subject):
    """pydantic-ai with its function model; no limit on requests."""

    tool: Callable[..., Any] = staticmethod(noop)

    def __init__(self) -> None:
        super().__init__()
        ai, messages = import_module("pydantic_ai"), import_module("pydantic_ai.messages")
        function = import_module("pydantic_ai.models.function")

        def complete(_messages: object, _info: object) -> Any:
            parts = [
                messages.ToolCallPart("noop", dict(ARGUMENTS), tool_call_id=each)
                for each in self.script.ids()
            ]
            return messages.ModelResponse(parts=parts or [messages.TextPart(ANSWER)])

        self._agent = ai.Agent(function.FunctionModel(complete))
        self._agent.tool_plain(self.tool, name="noop")
        self._limits = import_module("pydantic_ai.usage").UsageLimits(request_limit=None)

    def go(self) -> None:
        self._agent.run_sync("go", usage_limits=self._limits)


class PydanticAIAsync(PydanticAI):
    """The same with an async tool, which it runs without a thread."""

    tool = staticmethod(noop_async)


class OpenAIAgents(Subject):
    """openai-agents with its tracing off."""

    tool: Callable[..., Any] = staticmethod(noop)

    def __init__(self) -> None:
        super().__init__()
        agents = import_module("agents")
        responses = import_module("openai.types.responses")
        items, usage = import_module("agents.items"), import_module("agents.usage")
        agents.set_tracing_disabled(True)
        script = self.script

        async def get_response(_self: object, *_: object, **__: object) -> Any:
            output: list[Any] = [
                responses.ResponseFunctionToolCall(
                    arguments=ARGUMENTS_TEXT, call_id=each, name="noop", type="function_call"
                )
                for each in script.ids()
            ]
            if not output:
                text = responses.ResponseOutputText(annotations=[], text=ANSWER, type="output_text")
                output.append(
                    responses.ResponseOutputMessage(
                        id="m", content=[text], role="assistant", status="completed", type="message"
                    )
                )
            return items.ModelResponse(output=output, usage=usage.Usage(), response_id=None)

        interface = import_module("agents.models.interface")
        model = type(
            "Model", (interface.Model,), {"get_response": get_response, "stream_response": get_response}
        )
        tool = agents.function_tool(self.tool, name_override="noop")
        self._agent = agents.Agent(name="bench", tools=[tool], model=model())
        self._runner = agents.Runner

    def go(self) -> None:
        self._runner.run_sync(self._agent, "go", max_turns=1_000_000)


class OpenAIAgentsAsync(OpenAIAgents):
    """The same with an async tool, which it runs without a thread."""

    tool = staticmethod(noop_async)


class Smolagents(Subject):
    """smolagents' tool calling agent, printing nothing; its closing answer is a call too."""

    def __init__(self) -> None:
        super().__init__()
        smol, models = import_module("smolagents"), import_module("smolagents.models")
        script = self.script

        def generate(_self: object, *_: object, **__: object) -> Any:
            wanted: list[tuple[str, str, dict[str, Any]]] = [
                (each, "noop", dict(ARGUMENTS)) for each in script.ids()
            ]
            calls = [
                models.ChatMessageToolCall(
                    models.ChatMessageToolCallFunction(arguments, name), each, "function"
                )
                for each, name, arguments in wanted or [("last", "final_answer", {"answer": ANSWER})]
            ]
            return models.ChatMessage(models.MessageRole.ASSISTANT, "", calls)

        model = type("Model", (models.Model,), {"generate": generate})
        self._agent = smol.ToolCallingAgent(
            tools=[smol.tool(noop)],
            model=model(),
            max_steps=1_000_000,
            verbosity_level=import_module("smolagents.monitoring").LogLevel.OFF,
        )

    def go(self) -> None:
        self._agent.run("go")


class ConnectOnion(Subject):
    """connectonion, quiet and without logs; the conversation grows from turn to turn, as ours does."""

    def __init__(self, earlier: int = 0) -> None:
        super().__init__()
        onion, llm = import_module("connectonion"), import_module("connectonion.core.llm")
        usage = import_module("connectonion.core.usage")
        script = self.script

        def complete(_self: object, *_: object, **__: object) -> Any:
            calls = [
                llm.ToolCall(name="noop", arguments=dict(ARGUMENTS), id=each, extra_content=None)
                for each in script.ids()
            ]
            return llm.LLMResponse(None if calls else ANSWER, calls, None, usage.TokenUsage())

        fields: dict[str, Any] = {"complete": complete, "structured_complete": complete, "model": "bench"}
        model = type("Model", (llm.LLM,), fields)
        folder = tempfile.mkdtemp()
        self._agent = onion.Agent(
            "bench",
            model(),
            [noop],
            max_iterations=1_000_000,
            log=False,
            quiet=True,
            co_dir=folder,
            state_dir=folder,
        )
        if earlier:
            self.sequential(earlier)

    def go(self) -> None:
        self._agent.input("go")


SUBJECTS: dict[str, Callable[..., Subject]] = {
    "bare loop": Bare,
    "workbench": Workbench,
    "workbench after 1,000 calls": lambda: Workbench(1_000),
    "workbench after 10,000 calls": lambda: Workbench(10_000),
    "smolagents": Smolagents,
    "connectonion": ConnectOnion,
    "connectonion after 1,000 calls": lambda: ConnectOnion(1_000),
    "pydantic-ai": PydanticAI,
    "pydantic-ai, async tool": PydanticAIAsync,
    "openai-agents": OpenAIAgents,
    "openai-agents, async tool": OpenAIAgentsAsync,
}
