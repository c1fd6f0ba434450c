"""From a signature to a validator and a JSON schema; this module loads pydantic."""

from __future__ import annotations

import inspect
import json
import typing
from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, to_jsonable_python

from workbench.errors import ToolArgumentsError, ToolRegistrationError
from workbench.registry import hints, json_schema
from workbench.registry.contracts import contract_of
from workbench.registry.docstrings import documentation

_Kind = inspect.Parameter
_Parameters = Mapping[str, inspect.Parameter]
_PASSED_BY_KEYWORD: Final = {_Kind.POSITIONAL_OR_KEYWORD, _Kind.KEYWORD_ONLY}


class PythonSignature:
    """The arguments of one Python callable: their JSON schema, their validation, how they are passed.

    ``*args`` is one list argument and ``**kwargs`` one object argument, under the names that the
    function gives them. Keywords that a partial has fixed are not offered.

    Attributes:
        parameters: JSON schema of the arguments, always an object that allows no other keys.
        description: What the docstring says about the whole.
        defaults: Value of each parameter that may be left out.
    """

    def __init__(self, func: Callable[..., Any]) -> None:
        """Raises ToolRegistrationError when a parameter cannot be described as JSON schema."""
        fixed = hints.fixed_keywords(func)
        self._signature = {name: each for name, each in _signature(func).items() if name not in fixed}
        types = _types(func, self._signature)
        self.description, described = documentation(func)
        required = {name for name, each in self._signature.items() if _is_required(each)}
        self._validator, schema = contract_of(types, required)
        self._validate = self._validator.validate_python
        self.parameters = _parameters(schema, types, self._signature, described)
        self.defaults = {
            name: each.default
            for name, each in self._signature.items()
            if each.default is not _Kind.empty and not isinstance(each.default, FieldInfo)
        }
        kinds = {each.kind for each in self._signature.values()}
        self._by_keyword = kinds <= _PASSED_BY_KEYWORD
        self._taken = fixed | self._signature.keys()

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Validated, converted arguments by parameter name.

        Raises:
            ToolArgumentsError: with every fault, and what would be right.
        """
        values: dict[str, Any]
        try:
            values = self._validate(arguments)
        except ValidationError as error:
            values = self._read_strictly(arguments, error)
        if not self._by_keyword:
            self._check_keywords(values)
        return values

    def _read_strictly(self, arguments: Mapping[str, Any], error: ValidationError) -> dict[str, Any]:
        """What a model sent for types that take, say, a date from Python, and its text from JSON only."""
        try:
            values: dict[str, Any] = self._validator.validate_json(json.dumps(arguments, allow_nan=False))
        except (ValueError, TypeError, RecursionError):  # not JSON, or it does not fit either
            from workbench.registry.faults import explain

            raise ToolArgumentsError(explain(error, arguments, self.parameters)) from error
        return values

    def call(self, func: Callable[..., Any], values: Mapping[str, Any]) -> Any:
        """Call ``func`` with bound values, each passed the way its parameter wants it."""
        if self._by_keyword:
            return func(**values)
        last = -1  # the last parameter that must be passed by its position
        for index, (name, each) in enumerate(self._signature.items()):
            if each.kind in (_Kind.POSITIONAL_ONLY, _Kind.VAR_POSITIONAL) and values.get(name, ()) != ():
                last = index
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        for index, (name, each) in enumerate(self._signature.items()):
            if each.kind is _Kind.VAR_POSITIONAL:
                positional.extend(values.get(name, ()))
            elif each.kind is _Kind.VAR_KEYWORD:
                keywords.update(values.get(name, {}))
            elif each.kind is not _Kind.KEYWORD_ONLY and index <= last:
                positional.append(values.get(name, each.default))
            elif name in values:
                keywords[name] = values[name]
        return func(*positional, **keywords)

    def _check_keywords(self, values: Mapping[str, Any]) -> None:
        for name, each in self._signature.items():
            if each.kind is _Kind.VAR_KEYWORD:
                taken = sorted(set(values.get(name, ())) & (self._taken - {name}))
                if taken:
                    raise ToolArgumentsError(f"{name}: {', '.join(taken)} is not a free name. Leave it out.")


def _signature(func: Callable[..., Any]) -> _Parameters:
    try:
        return inspect.signature(func).parameters
    except (TypeError, ValueError) as error:
        raise ToolRegistrationError(
            f"{func!r} has no signature that Python can read",
            hint="Wrap it in a function with type hints.",
        ) from error


def _types(func: Callable[..., Any], signature: _Parameters) -> dict[str, Any]:
    """The type of each argument as the model has to send it."""
    found: dict[str, Any] = {}
    for name, hint in hints.resolve_hints(func, signature).items():
        parameter = signature[name]
        if parameter.kind is _Kind.VAR_POSITIONAL:
            found[name] = list[hint]  # type: ignore[valid-type]  # a type held in a variable
        elif parameter.kind is _Kind.VAR_KEYWORD:
            unpacked = typing.get_origin(hint) is typing.Unpack
            found[name] = hints.modern(typing.get_args(hint)[0]) if unpacked else dict[str, hint]  # type: ignore[valid-type]  # as above
        elif isinstance(parameter.default, FieldInfo):
            found[name] = typing.Annotated[hint, parameter.default]
        elif parameter.default is None and hint is not Any:
            found[name] = typing.Optional[hint]  # noqa: UP045 - a type held in a variable
        else:
            found[name] = hint
    return found


def _is_required(parameter: inspect.Parameter) -> bool:
    if parameter.kind in (_Kind.VAR_POSITIONAL, _Kind.VAR_KEYWORD):
        return False
    if isinstance(parameter.default, FieldInfo):
        return parameter.default.is_required()
    return parameter.default is _Kind.empty


def _parameters(
    schema: dict[str, Any], types: Mapping[str, Any], signature: _Parameters, described: Mapping[str, str]
) -> dict[str, Any]:
    properties = schema.setdefault("properties", {})
    for name, hint in types.items():
        entry = properties.get(name)
        if entry is None:  # a parameter that its own type renames
            continue
        text = _annotated_text(hint) or described.get(name)
        if text:
            entry.setdefault("description", text)
        default = signature[name].default
        if default is not None and default is not _Kind.empty and not isinstance(default, FieldInfo):
            _add_default(entry, default)
    return json_schema.tidy(schema)


def _add_default(entry: dict[str, Any], default: object) -> None:
    try:
        entry["default"] = to_jsonable_python(default, inf_nan_mode="constants")
    except (PydanticSerializationError, ValueError):
        # A default that has no JSON form is still used; the model only cannot be told about it.
        entry.pop("default", None)


def _annotated_text(hint: Any) -> str | None:
    """A description given as ``Annotated[int, "text"]`` or ``Annotated[int, Doc("text")]``."""
    if typing.get_origin(hint) is not typing.Annotated:
        return None
    for each in typing.get_args(hint)[1:]:
        text = getattr(each, "documentation", each)
        if isinstance(text, str):
            return text
    return None
