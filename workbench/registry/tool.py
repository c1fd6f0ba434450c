"""A tool: a callable with its names, its schema and its metadata; and a call that is ready to run."""

from __future__ import annotations

import functools
import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any, Protocol

from workbench.errors import ToolArgumentsError, ToolRegistrationError
from workbench.registry import json_schema, names
from workbench.registry.arguments import ArgumentsUnreadable, NotAnObject, read_arguments
from workbench.registry.metadata import ToolMetadata


class Signature(Protocol):
    """How the arguments of a tool are described, validated and passed."""

    parameters: dict[str, Any]
    description: str
    defaults: dict[str, Any]

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Validated arguments by name; raises ToolArgumentsError."""

    def call(self, func: Callable[..., Any], values: Mapping[str, Any]) -> Any:
        """Call with bound values."""


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """One tool; never changed after registration, a newer version takes its place.

    Attributes:
        name: Dotted name for people: ``files.read_file``.
        safe_name: Name for providers, ``^[a-zA-Z0-9_-]{1,64}$``: ``files-read_file``.
        namespace: The part before the last dot, or None.
        description: What the tool does, as the model reads it.
        parameters: JSON schema of the arguments.
        schema: The tool as an entry of a request's ``tools`` list (OpenAI format).
        schema_tokens: About how many tokens that entry costs in each request.
        metadata: Tags, limits, source and the like, as they are now.
        declared: The metadata as it was registered, before anybody changed it at run time.
        func: What is called.
        is_async: The call returns a coroutine.
        signature: Validation and passing of the arguments.
    """

    name: str
    safe_name: str
    namespace: str | None
    description: str
    parameters: dict[str, Any]
    schema: dict[str, Any]
    schema_tokens: int
    metadata: ToolMetadata
    declared: ToolMetadata
    func: Callable[..., Any]
    is_async: bool
    signature: Signature

    @classmethod
    def from_callable(
        cls,
        func: Callable[..., Any],
        *,
        name: str,
        namespace: str | None = None,
        metadata: ToolMetadata | None = None,
    ) -> Tool:
        """Make a tool from anything that can be called and has type hints.

        Raises:
            ToolRegistrationError: when its name or a parameter cannot be used; says which and why.
        """
        dotted = names.dotted_name(name, namespace)
        # Loading pydantic takes longer than everything else in this package together.
        from workbench.registry.hints import innermost
        from workbench.registry.schema import PythonSignature

        function = innermost(func)
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise ToolRegistrationError(
                f"{dotted} yields its results one by one, a tool returns one result",
                hint="Return a list.",
            )
        try:
            signature = PythonSignature(func)
        except ToolRegistrationError as error:
            raise ToolRegistrationError(f"{dotted}: {error.message}", hint=error.hint) from error
        return cls._build(func, dotted, signature, _with_source(metadata or ToolMetadata(), function))

    @classmethod
    def from_schema(
        cls,
        func: Callable[..., Any],
        *,
        name: str,
        parameters: Mapping[str, Any] | bool,
        description: str = "",
        namespace: str | None = None,
        metadata: ToolMetadata | None = None,
    ) -> Tool:
        """Make a tool whose arguments are described by a JSON schema from elsewhere.

        Names and presence of the arguments are checked here; the rest is checked by whoever answers
        the call. ``func`` gets the arguments as keywords. A schema that is ``True`` allows any.

        Raises:
            ToolRegistrationError: when the name cannot be used or the schema is not an object's.
        """
        signature = ExternalSignature(parameters, description)
        dotted = names.dotted_name(name, namespace)
        return cls._build(func, dotted, signature, metadata or ToolMetadata())

    @classmethod
    def _build(
        cls, func: Callable[..., Any], dotted: str, signature: Signature, metadata: ToolMetadata
    ) -> Tool:
        safe = names.safe_name(dotted)
        function = json_schema.sendable(
            {"name": safe, "description": signature.description, "parameters": signature.parameters}
        )
        schema = {"type": "function", "function": function}
        return cls(
            name=dotted,
            safe_name=safe,
            namespace=dotted.rpartition(".")[0] or None,
            description=function["description"],
            parameters=function["parameters"],
            schema=schema,
            schema_tokens=json_schema.estimated_tokens(schema),
            metadata=metadata,
            declared=metadata,
            func=func,
            is_async=_is_async(func),
            signature=signature,
        )

    def with_metadata(self, metadata: ToolMetadata) -> Tool:
        """The same tool with other metadata."""
        return replace(self, metadata=metadata)

    def bind(self, arguments: Mapping[str, Any]) -> BoundCall:
        """Validate and convert arguments.

        Raises:
            ToolArgumentsError: with each fault and what would be right, in words for the model.
        """
        return BoundCall(self, self.signature.bind(arguments))

    def __repr__(self) -> str:
        return f"<Tool {self.name}>"


class BoundCall:
    """A tool with arguments that fit it.

    Attributes:
        tool: The tool.
        arguments: Real Python values by parameter name.
        spent_ms: The time of the run in milliseconds, set by a runner that measures it closer to the tool
            than who waits for the runner can; None where nobody does.
    """

    __slots__ = ("arguments", "spent_ms", "tool")

    def __init__(self, tool: Tool, arguments: dict[str, Any]) -> None:
        self.tool = tool
        self.arguments = arguments
        self.spent_ms: float | None = None

    def run(self) -> Any:
        """Call the function; an async tool gives its coroutine, to be awaited by the caller."""
        return self.tool.signature.call(self.tool.func, self.arguments)


class ExternalSignature:
    """Arguments described by a JSON schema that came from elsewhere."""

    def __init__(self, parameters: object, description: str) -> None:
        """Raises ToolRegistrationError for a schema that is not an object's."""
        schema = json_schema.in_mappings(parameters)
        for key, empty in (("properties", {}), ("required", [])):
            if schema.get(key) is None:
                schema[key] = empty
        if (
            schema.setdefault("type", "object") != "object"
            or schema.get("not") == {}
            or not isinstance(schema["properties"], Mapping)
            or not isinstance(schema["required"], list)
        ):
            raise ToolRegistrationError("the arguments of a tool must be described as an object")
        if not schema["required"]:
            del schema["required"]
        self.parameters = {"type": "object", "properties": {}, **schema}
        self.description = description
        entries = self.parameters["properties"].items()
        self.defaults = {name: entry["default"] for name, entry in entries if "default" in entry}

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """A copy of the arguments, once none is missing and none is unknown."""
        known: Mapping[str, Any] = self.parameters["properties"]
        faults = [f"{each}: missing" for each in self.parameters.get("required", ()) if each not in arguments]
        if self.parameters.get("additionalProperties") is False:
            faults += [f"{each}: no such argument" for each in arguments if each not in known]
        if faults:
            expected = json_schema.arguments_in_words(self.parameters)
            raise ToolArgumentsError(f"{'; '.join(faults)}. Expected: {expected}.")
        return dict(arguments)

    def call(self, func: Callable[..., Any], values: Mapping[str, Any]) -> Any:
        """Call with the arguments as keywords."""
        return func(**values)


def arguments_from(arguments: object, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    """Arguments as a mapping; a text is read as JSON.

    Raises:
        ToolArgumentsError: when it is neither a mapping nor the JSON text of an object.
    """
    if isinstance(arguments, Mapping):
        return arguments
    fault = "the arguments must be a JSON object"
    if isinstance(arguments, (str, bytes)):
        try:
            return _read(arguments)
        except NotAnObject as error:
            arguments = error.value
        except (ArgumentsUnreadable, UnicodeDecodeError) as error:
            fault = f"the arguments are not valid JSON ({error})"
    expected = json_schema.arguments_in_words(parameters)
    raise ToolArgumentsError(f"{fault}, got {json_schema.shortened(arguments)}. Expected: {expected}.")


def _read(text: str | bytes) -> dict[str, Any]:
    text = text if isinstance(text, str) else text.decode()
    if not text.strip():  # a model may leave arguments out, whoever else calls says what it means
        raise ArgumentsUnreadable("there is no text")
    return read_arguments(text)


def _is_async(func: Callable[..., Any]) -> bool:
    # A decorator may turn an async function into a plain one, so only the outside counts.
    outside = func.func if isinstance(func, functools.partial) else func
    return inspect.iscoroutinefunction(outside) or inspect.iscoroutinefunction(type(outside).__call__)


def _with_source(metadata: ToolMetadata, function: Callable[..., Any]) -> ToolMetadata:
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return metadata
    return replace(
        metadata,
        source_file=metadata.source_file or code.co_filename,
        source_line=metadata.source_line or code.co_firstlineno,
        code_hash=metadata.code_hash or code_hash(code),
    )


def code_hash(code: CodeType) -> str:
    """A hash of what the code does; where it stands and how it is laid out do not count."""
    digest = hashlib.sha256()
    _feed(code, digest.update)
    return digest.hexdigest()[:12]


def _feed(code: CodeType, update: Callable[[bytes], None]) -> None:
    update(code.co_code)
    update(repr((code.co_name, code.co_names, code.co_varnames, code.co_freevars)).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _feed(constant, update)
        elif isinstance(constant, frozenset):
            update(repr(sorted(map(repr, constant))).encode())
        else:
            update(repr(constant).encode("utf-8", "surrogatepass"))
