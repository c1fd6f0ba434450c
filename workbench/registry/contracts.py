"""From the types of a tool's arguments to their validator and their JSON schema, both made by pydantic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from functools import lru_cache, partial
from typing import Any, Final

import typing_extensions
from pydantic import ConfigDict, TypeAdapter
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import CoreSchema, SchemaError, SchemaValidator, core_schema

from workbench.errors import ToolRegistrationError
from workbench.registry.plain_types import is_plain

_REFUSALS: Final = (
    *(PydanticUserError, SchemaError, TypeError, ValueError, NameError, AttributeError, RecursionError),
)

_NOT_SCHEMAS: Final = frozenset({"metadata", "config", "default", "expected", "serialization"})


def contract_of(
    types: Mapping[str, Any], required: AbstractSet[str]
) -> tuple[SchemaValidator, dict[str, Any]]:
    """A validator for all arguments at once, which allows no others, and their JSON schema.

    Raises:
        ToolRegistrationError: naming the argument whose type has no JSON form.
    """
    if all(map(is_plain, types.values())):
        return _composed(types, required)
    try:
        return _made(_typed_dict(types, required))
    except _REFUSALS as error:
        raise _refusal(types, required, error) from error


def _made(hint: Any) -> tuple[SchemaValidator, dict[str, Any]]:
    adapter: TypeAdapter[Any] = TypeAdapter(hint)
    schema = adapter.json_schema(schema_generator=_WithoutTitles)
    nodes = list(_nodes(adapter.core_schema))
    if any(each["type"] == "is-subclass" for each in nodes):
        raise TypeError("a class has no JSON form")
    if any(each["type"] == "generator" or _has_members(each) for each in nodes):
        return SchemaValidator(_callable(adapter.core_schema)), schema
    return adapter.validator, schema  # type: ignore[return-value]  # or pydantic's own stand-in for one


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """The schema and all schemas in it."""
    if isinstance(schema, dict):
        if isinstance(schema.get("type"), str):
            yield schema
        for key, each in schema.items():
            if key not in _NOT_SCHEMAS:
                yield from _nodes(each)
    elif isinstance(schema, list | tuple):
        for each in schema:
            yield from _nodes(each)


def _has_members(schema: Mapping[str, Any]) -> bool:
    """Whether these are constants, and members of an enum among them."""
    return schema["type"] == "literal" and any(isinstance(each, Enum) for each in schema["expected"])


def _callable(schema: Any) -> Any:
    """The same schema, taking what is advertised where pydantic does not.

    Of an iterator it would look at the items only when the tool does, and in the place of an enum's member
    that is a constant it does not take the value.
    """
    if isinstance(schema, list | tuple):
        return type(schema)(map(_callable, schema))
    if not isinstance(schema, dict):
        return schema
    made = {key: each if key in _NOT_SCHEMAS else _callable(each) for key, each in schema.items()}
    if schema.get("type") == "generator":
        made["type"] = "list"
    elif isinstance(schema.get("type"), str) and _has_members(schema):
        members = [each for each in schema["expected"] if isinstance(each, Enum)]
        return core_schema.no_info_before_validator_function(partial(_member, members), made)
    return made


def _member(members: list[Enum], value: Any) -> Any:
    return next((each for each in members if each.value == value), value)


class _WithoutTitles(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _composed(types: Mapping[str, Any], required: AbstractSet[str]) -> tuple[SchemaValidator, dict[str, Any]]:
    """The same put together from parts that other tools have too, which takes a fifth of the time."""
    parts = {name: _part(hint, repr(hint)) for name, hint in types.items()}
    fields = {
        name: core_schema.typed_dict_field(validation, required=name in required)
        for name, (validation, _) in parts.items()
    }
    validator = SchemaValidator(core_schema.typed_dict_schema(fields, extra_behavior="forbid"))
    schema: dict[str, Any] = {"properties": {name: dict(entry) for name, (_, entry) in parts.items()}}
    if required:
        schema["required"] = [name for name in types if name in required]
    return validator, schema


@lru_cache(maxsize=512)
def _part(hint: Any, _written: str) -> tuple[CoreSchema, dict[str, Any]]:
    """For one type. As it is written counts too, since ``int | str`` and ``str | int`` are equal."""
    adapter: TypeAdapter[Any] = TypeAdapter(hint)
    return adapter.core_schema, adapter.json_schema(schema_generator=_WithoutTitles)


def _typed_dict(types: Mapping[str, Any], required: AbstractSet[str]) -> Any:
    """A typed dictionary, as its keys may have any name."""
    keys = {
        name: hint if name in required else typing_extensions.NotRequired[hint]
        for name, hint in types.items()
    }
    make: Any = typing_extensions.TypedDict
    arguments = make("Arguments", keys)
    arguments.__pydantic_config__ = ConfigDict(extra="forbid")
    return arguments


def _refusal(types: Mapping[str, Any], required: AbstractSet[str], error: Exception) -> ToolRegistrationError:
    for name, hint in types.items():
        try:
            _made(_typed_dict({name: hint}, required))
        except _REFUSALS as culprit:
            shown = getattr(hint, "__name__", None) or str(hint)
            return ToolRegistrationError(
                f"parameter {name!r}: {shown} cannot be sent by a model ({_first_sentence(culprit)})",
                hint="Use JSON-like types, enums, dataclasses, TypedDicts or pydantic models.",
            )
    return ToolRegistrationError(f"its parameters cannot be described as JSON ({_first_sentence(error)})")


def _first_sentence(error: Exception) -> str:
    text = error.message if isinstance(error, PydanticUserError) else str(error)
    return text.split("\n")[0].split(". ")[0].rstrip(".")
