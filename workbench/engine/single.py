"""One question to a model, without tools, loop or memory; the answer as text or as a typed object."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any, TypeVar, overload

from workbench.engine.content import content_of, with_more_text
from workbench.engine.images import Images, load_images
from workbench.engine.llm import LLM, LLMResponse, Message
from workbench.errors import ConfigError, ProviderError
from workbench.registry.loops import run_privately

Output = TypeVar("Output")
_TRIES = 3


@overload
def llm_do(
    prompt: str,
    *,
    output: None = None,
    system_prompt: str | None = None,
    model: str | None = None,
    llm: LLM | Any | None = None,
    llm_factory: Callable[[str], LLM | Any] | None = None,
    images: Images = (),
) -> str: ...
@overload
def llm_do(
    prompt: str,
    *,
    output: type[Output],
    system_prompt: str | None = None,
    model: str | None = None,
    llm: LLM | Any | None = None,
    llm_factory: Callable[[str], LLM | Any] | None = None,
    images: Images = (),
) -> Output: ...
def llm_do(
    prompt: str,
    *,
    output: type[Any] | None = None,
    system_prompt: str | None = None,
    model: str | None = None,
    llm: LLM | Any | None = None,
    llm_factory: Callable[[str], LLM | Any] | None = None,
    images: Images = (),
) -> Any:
    """Ask once and return the answer.

    ``output`` is a pydantic model, or any type that pydantic can validate: the model is asked for JSON of
    that form, and told what was wrong with it up to twice. ``images`` go with the prompt, as in
    ``Agent.input``. Raises ProviderError when there is no answer or none that fits, ConfigError when there
    is no model or an image cannot be sent.
    """
    if llm is None:
        if llm_factory is None or model is None:
            raise ConfigError("llm_do has no model", hint="Pass llm=…, or use workbench.llm_do(model=…).")
        llm = llm_factory(model)
    messages: list[Message] = []
    if system_prompt:
        messages.append({"role": "system", "content": system_prompt})
    messages.append({"role": "user", "content": content_of(prompt, load_images(images))})
    if output is None:
        return _ask(llm, messages)
    return _typed(llm, messages, output)


def _ask(llm: Any, messages: list[Message]) -> str:
    response = llm.complete(messages)
    if inspect.isawaitable(response):
        response = run_privately(response)
    if not isinstance(response, LLMResponse):
        raise ProviderError(f"{type(llm).__name__}.complete() returned {type(response).__name__}")
    return response.content or ""


def _typed(llm: Any, messages: list[Message], output: type[Output]) -> Output:
    from pydantic import TypeAdapter, ValidationError

    adapter = TypeAdapter(output)
    schema = json.dumps(adapter.json_schema(), ensure_ascii=False)
    form = f"Answer with JSON that fits this schema, and with nothing else:\n{schema}"
    messages[-1]["content"] = with_more_text(messages[-1]["content"], form)
    fault: ValidationError | None = None
    for _ in range(_TRIES):
        answer = _ask(llm, messages)
        try:
            return adapter.validate_json(_bare_json(answer))
        except ValidationError as error:
            fault = error
            messages.append({"role": "assistant", "content": answer})
            messages.append(
                {"role": "user", "content": f"That does not fit the schema:\n{error}\nAgain, please."}
            )
    raise ProviderError(f"the model gave no answer that fits {output.__name__}: {fault}") from fault


def _bare_json(answer: str) -> str:
    """The JSON in an answer that may stand in a code fence."""
    text = answer.strip()
    if text.startswith("```"):
        text = text.partition("\n")[2].rpartition("```")[0]
    return text.strip()
