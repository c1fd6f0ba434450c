"""What the offline model says: results of calls, faults in calls, and what it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.engine.images import ImageFacts
from workbench.engine.llm import ToolSchema
from workbench.providers.offline_prompt import CallFault

_MAX_INLINE = 100  # characters of a result that stand in a line of prose
_MAX_SHOWN = 1_200  # characters of a result that are shown in a block
_MAX_TOOLS = 12
_SAMPLES: dict[str, Any] = {"integer": 2, "number": 2.5, "boolean": True, "string": "text", "null": None}
_NO_RESULT = re.compile(
    r"rejected|not run|interrupted|error executing|there is no tool|\S+ (?:is switched off|was not allowed)"
    r"|.*\. Expected: ",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…][\"')]*\Z")
_MARKS = re.compile(r"[*_`\[\]<>\\#|~&]")


def results_answer(results: Sequence[tuple[str, str]]) -> str:
    """A closing answer in Markdown from ``(tool name, result text)`` pairs."""
    return "\n\n".join(_result(name, text) for name, text in results)


def faults_answer(faults: Sequence[CallFault]) -> str:
    """What is wrong with the calls of a prompt, each with a caret under the place."""
    head = (
        "I cannot read this call, so nothing was called:"
        if len(faults) == 1
        else (f"I cannot read {len(faults)} of these calls, so nothing was called:")
    )
    body = "\n\n".join(str(fault) for fault in faults)
    fence = _fence(body)
    return f"{head}\n\n{fence}text\n{body}\n{fence}"


def images_answer(images: Sequence[ImageFacts]) -> str:
    """How many pictures came, and what they are, as a paragraph of its own; empty for none."""
    if not images:
        return ""
    named = "; ".join(map(str, images))
    return f"I got {len(images)} image{'s' * (len(images) != 1)}, but I cannot look at images: {named}.\n\n"


def introduction(tools: Sequence[ToolSchema]) -> str:
    """An honest word on what the offline model is, with an example made from a tool on offer."""
    functions = [tool.get("function", {}) for tool in tools]
    about = (
        "I am the **offline** model: no language model, only a deterministic stand-in that needs no key. "
        "I do not understand prose; I make the tool calls that you write in your message, "
        "and several in one message become one batch."
    )
    parts = [about]
    if functions:
        parts.append(f"For example:\n\n```python\n{_example(functions)}\n```")
        parts.append(f"{_count(len(functions))} on right now:\n\n{_tool_list(functions)}")
    else:
        parts.append("No tool is on right now, so there is nothing that I could call.")
    parts.append(
        "To talk to a real model, set its key (for instance `OPENAI_API_KEY`) and start with "
        "`workbench --model openai/gpt-5-mini`, or use a local server: `--model ollama_chat/qwen3`."
    )
    return "\n\n".join(parts)


def _shown(name: object) -> str:
    """A tool's name as people write it: what stands for the dot in the name on offer is a dot again."""
    return str(name).replace("-", ".", 1)


def _result(name: str, text: str) -> str:
    name, stripped = _shown(name), text.strip()
    if _NO_RESULT.match(stripped):
        return f"`{name}`:\n\n{_block(stripped)}" if _is_long(stripped) else f"`{name}`: {_plain(stripped)}"
    if not stripped:
        return f"`{name}` returned an empty result."
    plain, is_sentence = _plain(stripped), _SENTENCE_END.search(stripped)
    if _is_long(stripped) or (is_sentence and plain != stripped):
        return f"`{name}` returned:\n\n{_block(stripped)}"
    end = "" if is_sentence else "."
    return f"`{name}` returned {plain if plain != stripped else f'**{plain}**'}{end}"


def _plain(text: str) -> str:
    """A short text that Markdown cannot misread: as it is, or as code."""
    if not _MARKS.search(text):
        return text
    return f"`{text}`" if "`" not in text else f"`` {text} ``"


def _is_long(text: str) -> bool:
    return len(text) > _MAX_INLINE or "\n" in text


def _block(text: str) -> str:
    shown = text[:_MAX_SHOWN]
    fence = _fence(shown)
    rest = len(text) - len(shown)
    tail = f"\n\n… and {rest:,} more characters." if rest else ""
    return f"{fence}text\n{shown}\n{fence}{tail}"


def _fence(text: str) -> str:
    """A code fence longer than any run of backticks in ``text``."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return ticks


def _count(number: int) -> str:
    return "One tool is" if number == 1 else f"{number} tools are"


def _tool_list(functions: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for function in functions[:_MAX_TOOLS]:
        summary = str(function.get("description") or "").strip().split("\n")[0]
        lines.append(f"- `{_shown(function.get('name'))}`" + (f": {summary}" if summary else ""))
    if len(functions) > _MAX_TOOLS:
        lines.append(f"- … and {len(functions) - _MAX_TOOLS} more")
    return "\n".join(lines)


def _example(functions: Sequence[Mapping[str, Any]]) -> str:
    """A call of the first tool that needs at least one argument and only plain ones, else of the first."""
    for function in functions:
        required = _required(function)
        if required and all(kind in _SAMPLES for kind in map(_kind, required.values())):
            return _call(function)
    return _call(functions[0])


def _required(function: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    parameters: Mapping[str, Any] = function.get("parameters") or {}
    properties: Mapping[str, Any] = parameters.get("properties") or {}
    return {name: properties.get(name) or {} for name in parameters.get("required") or []}


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type")
    return kind if isinstance(kind, str) else ""


def _call(function: Mapping[str, Any]) -> str:
    arguments = ", ".join(f"{name}={_sample(schema)!r}" for name, schema in _required(function).items())
    return f"{_shown(function.get('name'))}({arguments})".replace("'", '"')


def _sample(schema: Mapping[str, Any]) -> Any:
    for key in ("default", "const"):
        if key in schema:
            return schema[key]
    for key in ("enum", "examples"):
        if schema.get(key):
            return schema[key][0]
    for option in schema.get("anyOf") or []:
        return _sample(option)
    kind = _kind(schema)
    if kind == "array":
        return [_sample(schema.get("items") or {"type": "string"})]
    if kind == "object":
        return {}
    return _SAMPLES.get(kind, "text")


def estimate_tokens(value: Any) -> int:
    """About how many tokens ``value`` is as JSON: one for every four characters, rounded up."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return -(-len(text) // 4)
