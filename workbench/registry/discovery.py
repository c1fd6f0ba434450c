"""From what a person hands in (function, object, class, module, …) to the callables that become tools."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from workbench.errors import ToolRegistrationError
from workbench.registry.metadata import ToolMark, mark_of
from workbench.registry.names import snake_case

_FOREIGN = frozenset({"builtins", "abc", "typing", "enum", "threading", "pydantic.main", "typing_extensions"})


@dataclass(frozen=True)
class Found:
    """One callable with the name and namespace it has of itself, and its ``tool`` mark."""

    func: Callable[..., Any]
    name: str
    namespace: str | None
    mark: ToolMark | None


def discover(obj: object) -> list[Found]:
    """The callables in ``obj``, in the order they are written.

    A module gives its public functions (those of ``__all__`` when it has one) under its last name or
    its ``__namespace__``; a class its static and class methods; an instance that can be called itself;
    another instance its public methods; everything else that can be called itself.

    Raises:
        ToolRegistrationError: when there is nothing to call, or the object is not what it takes.
    """
    if isinstance(obj, ModuleType):
        found = _in_module(obj)
        nothing = f"module {obj.__name__} defines no public function"
    elif inspect.isclass(obj):
        found = _in_class(obj)
        nothing = f"class {obj.__name__} has no public static or class method; register an instance of it"
    elif inspect.isroutine(obj) or isinstance(obj, functools.partial) or callable(obj):
        found = [_single(obj)]
        nothing = ""
    else:
        found = _in_instance(obj)
        nothing = f"{obj!r} has no public method and cannot be called, so there is no tool in it"
    if not found:
        raise ToolRegistrationError(nothing)
    return found


def is_function(value: Any) -> bool:
    """Whether it was written as a function, also when it is cached (``functools.cache``)."""
    return inspect.isfunction(value) or (
        isinstance(value, functools._lru_cache_wrapper) and inspect.isfunction(value.__wrapped__)
    )


def _single(obj: Any) -> Found:
    mark = mark_of(obj)
    name = mark.name if mark and mark.name else _own_name(obj)
    if inspect.isfunction(obj) and _lacks_its_instance(obj):
        raise ToolRegistrationError(
            f"{obj.__qualname__} is a method without its instance",
            hint="Register the instance, or the method of an instance.",
        )
    return Found(obj, name, mark.namespace if mark else None, mark)


def _own_name(obj: Any) -> str:
    while isinstance(obj, functools.partial):
        obj = obj.func
    name = getattr(obj, "__name__", None)
    return name if isinstance(name, str) else snake_case(type(obj).__name__)


def _lacks_its_instance(function: Any) -> bool:
    owner = function.__qualname__.rpartition(".")[0]
    if not owner or owner.endswith("<locals>"):
        return False
    first = next(iter(inspect.signature(function).parameters.values()), None)
    return first is not None and first.name == "self" and first.annotation is inspect.Parameter.empty


def _in_module(module: ModuleType) -> list[Found]:
    namespace = getattr(module, "__namespace__", None) or module.__name__.rpartition(".")[2]
    listed = getattr(module, "__all__", None)
    names = list(vars(module)) if listed is None else list(listed)
    found: list[Found] = []
    for name in names:
        value: Any = getattr(module, name, None)
        if not is_function(value):
            continue
        if listed is None and (name.startswith("_") or value.__module__ != module.__name__):
            continue
        found.append(_named(value, name, namespace))
    return found


def _in_class(owner: type) -> list[Found]:
    namespace = snake_case(owner.__name__)
    return [
        _named(getattr(owner, name), name, namespace)
        for name, raw in _members(owner)
        if isinstance(raw, (staticmethod, classmethod))
    ]


def _in_instance(instance: object) -> list[Found]:
    namespace = snake_case(type(instance).__name__)
    return [
        _named(getattr(instance, name), name, namespace)
        for name, raw in _members(type(instance))
        if is_function(raw) or isinstance(raw, (staticmethod, classmethod))
    ]


def _members(owner: type) -> Iterator[tuple[str, object]]:
    """Public members in the order written, base classes first; properties are not touched."""
    names: dict[str, None] = {}
    for each in reversed(owner.__mro__):
        if each.__module__ not in _FOREIGN:
            names.update(dict.fromkeys(name for name in vars(each) if not name.startswith("_")))
    for name in names:
        yield name, inspect.getattr_static(owner, name)


def _named(value: Callable[..., Any], name: str, namespace: str) -> Found:
    mark = mark_of(value)
    if mark is None:
        return Found(value, name, namespace, None)
    return Found(value, mark.name or name, mark.namespace or namespace, mark)
