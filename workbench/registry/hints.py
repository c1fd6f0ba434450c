"""Finds the real type of every parameter of a callable, whatever wraps it and however it is written."""

from __future__ import annotations

import functools
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

import typing_extensions

from workbench.errors import ToolRegistrationError
from workbench.registry.plain_types import is_plain

_OWN_PACKAGE = __name__.rpartition(".")[0]


def innermost(obj: Callable[..., Any]) -> Callable[..., Any]:
    """The function that does the work, below partials, methods, callable objects and decorators."""
    while True:
        if isinstance(obj, functools.partial):
            obj = obj.func
        elif inspect.ismethod(obj):
            obj = obj.__func__
        elif hasattr(obj, "__wrapped__"):
            obj = obj.__wrapped__
        elif not inspect.isroutine(obj) and not inspect.isclass(obj):
            obj = type(obj).__call__
            if not inspect.isfunction(obj):
                return obj
        else:
            return obj


def fixed_keywords(obj: object) -> frozenset[str]:
    """Keyword arguments that a ``functools.partial`` has decided already."""
    fixed: set[str] = set()
    while isinstance(obj, functools.partial):
        fixed.update(obj.keywords)
        obj = obj.func
    return frozenset(fixed)


def resolve_hints(obj: Callable[..., Any], parameters: Mapping[str, inspect.Parameter]) -> dict[str, Any]:
    """Type of each parameter, ``Any`` where none is given; forward references are followed.

    Raises:
        ToolRegistrationError: when an annotation names something that does not exist.
    """
    function = innermost(obj)
    names = getattr(function, "__globals__", {})
    hints: dict[str, Any] = {}
    nearby: dict[str, Any] | None = None
    for name, parameter in parameters.items():
        annotation = parameter.annotation
        if annotation is inspect.Parameter.empty:
            hints[name] = Any
            continue
        try:
            plainly = eval(_compiled(annotation), names, {}) if annotation.__class__ is str else annotation  # noqa: S307 - it is code of the tool, as its body is
            hints[name] = plainly if is_plain(plainly) else modern(_evaluate(annotation, names, {}))
        except Exception:  # noqa: BLE001 - an annotation may be any expression, so anything can be raised
            nearby = _nearby_names(function) if nearby is None else nearby
            hints[name] = modern(_evaluate_nearby(name, annotation, names, nearby))
    return hints


@functools.lru_cache(maxsize=512)
def _compiled(annotation: str) -> types.CodeType:
    return compile(annotation, "<annotation>", "eval")


def modern(hint: Any) -> Any:
    """The same type with ``typing.TypedDict`` classes replaced by ones that pydantic reads on Python 3.11."""
    if sys.version_info >= (3, 12):
        return hint
    if type(hint).__module__ == "typing" and typing.is_typeddict(hint):
        return _modern_typed_dict(hint)
    arguments = typing.get_args(hint)
    if not arguments or typing.get_origin(hint) is typing.Literal:
        return hint
    newer = tuple(modern(each) for each in arguments)
    if all(new is old for new, old in zip(newer, arguments, strict=True)):
        return hint
    if isinstance(hint, types.UnionType):
        return functools.reduce(lambda left, right: left | right, newer)
    if typing.get_origin(hint) is typing.Annotated:
        return typing.Annotated.__class_getitem__(newer)
    if hasattr(hint, "copy_with"):
        return hint.copy_with(newer)
    return typing.get_origin(hint)[newer]


def _modern_typed_dict(old: Any) -> Any:
    required = old.__required_keys__
    keys: dict[str, Any] = {}
    for key, hint in typing.get_type_hints(old, include_extras=True).items():
        # Under postponed annotations `__required_keys__` does not know what is said key by key.
        said = typing.get_origin(hint)
        marked = said in (typing.Required, typing.NotRequired)
        newer = modern(typing.get_args(hint)[0] if marked else hint)
        wanted = said is typing.Required if marked else key in required
        keys[key] = newer if wanted else typing_extensions.NotRequired[newer]
    make: Any = typing_extensions.TypedDict
    fresh = make(old.__name__, keys)
    fresh.__doc__ = old.__doc__
    fresh.__module__ = old.__module__
    return fresh


def _evaluate(annotation: Any, global_names: dict[str, Any], local_names: dict[str, Any]) -> Any:
    carrier = types.SimpleNamespace(__annotations__={"it": annotation})
    return typing.get_type_hints(carrier, global_names, local_names, include_extras=True)["it"]


def _evaluate_nearby(name: str, annotation: Any, names: dict[str, Any], nearby: dict[str, Any]) -> Any:
    try:
        return _evaluate(annotation, names, nearby)
    except NameError as error:
        raise ToolRegistrationError(
            f"parameter {name!r}: its type {annotation!r} cannot be resolved, {error}",
            hint="Import the name outside of `if TYPE_CHECKING`, or define it before registering.",
        ) from error
    except Exception as error:  # an annotation may be any expression, so anything can be raised
        raise ToolRegistrationError(
            f"parameter {name!r}: {annotation!r} is not a type ({error})",
            hint="Use a type; a description belongs in the docstring or in Annotated[…].",
        ) from error


def _nearby_names(function: Callable[..., Any]) -> dict[str, Any]:
    """Names of the enclosing functions: what the function closes over, and the registering frames' locals."""
    names: dict[str, Any] = {}
    frames: list[dict[str, Any]] = []
    frame = inspect.currentframe()
    while frame is not None and len(frames) < 3:
        if not str(frame.f_globals.get("__name__", "")).startswith(_OWN_PACKAGE):
            frames.append(frame.f_locals)
        frame = frame.f_back
    for each in reversed(frames):
        names.update(each)
    if inspect.isfunction(function):
        names.update(inspect.getclosurevars(function).nonlocals)
    return names
