"""Modules that are executed when the first of their names is asked for, not when they are imported."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from importlib.abc import Loader

_waiting: Final[dict[str, ModuleSpec]] = {}
_locks: Final[dict[str, threading.RLock]] = {}
"""One for each: while a module is executed, others that it imports may be too."""


def put_off(names: Iterable[str]) -> None:
    """Let these modules, which nobody has imported yet, wait until somebody uses them.

    It helps where a module is used by its name, ``events.Notice``: ``from … import Notice`` executes it.
    """
    for name in names:
        spec = find_spec(name)
        if spec is None or spec.loader is None:
            raise ModuleNotFoundError(f"there is no module {name}", name=name)
        module = sys.modules[name] = module_from_spec(spec)
        module.__class__ = _LateModule
        _waiting[name], _locks[name] = spec, threading.RLock()
        if spec.parent:
            setattr(sys.modules[spec.parent], name.rpartition(".")[2], module)


def put_off_still() -> frozenset[str]:
    """Those of them that nobody has used yet."""
    return frozenset(_waiting)


class _LateModule(ModuleType):
    """A thread that asks while another one executes the module waits for the whole of it.

    Before Python 3.12, ``importlib.util.LazyLoader`` gives it a module of which only half is there.
    """

    def __getattr__(self, name: str) -> Any:
        """A name that the module does not have yet, or not at all."""
        if name.startswith("__"):
            # asked for by those who look through all modules, and not one of ours
            raise AttributeError(f"module {self.__name__} has no attribute {name}")
        with _locks[self.__name__]:
            spec = _waiting.get(self.__name__)
            if spec is not None and spec.loader is not None:
                self._execute(spec.loader)
        try:
            return self.__dict__[name]
        except KeyError:
            raise AttributeError(f"module {self.__name__} has no attribute {name}") from None

    def _execute(self, loader: Loader) -> None:
        """Raises what the module raises, each time that somebody asks."""
        spec = _waiting.pop(self.__name__)
        try:
            loader.exec_module(self)
        except BaseException as error:
            _waiting[self.__name__] = spec
            if type(error) is AttributeError:
                # whoever asked would take it for a name that the module does not have
                raise ImportError(f"{self.__name__} fails: {error}", name=self.__name__) from error
            raise
        self.__class__ = ModuleType  # type: ignore[assignment]  # a wider class, which Python allows here
