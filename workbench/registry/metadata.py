"""What a tool declares about itself beyond its signature, and the decorator that attaches it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, TypeVar, overload

_MARK = "__workbench_tool__"

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


class ToolTag(StrEnum):
    """The tags that Workbench itself understands; any other text is a tag too."""

    READ_ONLY = "read_only"
    DESTRUCTIVE = "destructive"
    NETWORK = "network"
    FILE_SYSTEM = "file_system"
    SLOW = "slow"
    PRIVILEGED = "privileged"


@dataclass(frozen=True)
class ToolMetadata:
    """Facts about a tool that permissions, engine and screen act on.

    Attributes:
        tags: ``ToolTag`` members and free texts.
        timeout: Longest run in seconds; None for no limit.
        max_result: Longest result that the model gets, in characters; None for no limit.
        parallel_safe: Consecutive calls may run at the same time.
        caller_thread: The tool must run on the thread of the one who calls the agent.
        interruptible: After a stop, or at its timeout, the tool's Python code is ended by an exception that
            is no ``Exception``, wherever it is. By default it goes on until it ends, and nobody waits for
            it, as does what it started on other threads and what waits outside of Python.
        preview: Called with the tool's arguments before it runs, on another thread unless ``caller_thread``;
            gives ``(path, old text, new text)`` of the file that the call would change, None for a text that
            is not there; None for no change to show. It may be async. Nobody waits long for it.
        shell_arguments: Parameters that hold shell text, besides those named ``command`` and the like.
        source_file: Where the function is defined; filled in at registration.
        source_line: Its first line, counted from 1; filled in at registration.
        code_hash: Twelve hexadecimal digits that change when the code does; filled in at registration.
        extra: Anything else.
    """

    tags: AbstractSet[ToolTag | str] = frozenset()
    timeout: float | None = None
    max_result: int | None = None
    parallel_safe: bool = False
    caller_thread: bool = False
    interruptible: bool = False
    preview: Callable[..., Any] | None = None
    shell_arguments: AbstractSet[str] = frozenset()
    source_file: str | None = None
    source_line: int | None = None
    code_hash: str | None = None
    extra: dict[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        """Freeze the collections and refuse values that could only be mistakes.

        Raises:
            ValueError: when a value is out of its range, a tag is empty, or a text stands for a set.
        """
        object.__setattr__(self, "tags", _tags(self.tags))
        object.__setattr__(self, "shell_arguments", _texts("shell_arguments", self.shell_arguments))
        if self.timeout is not None and not _is_duration(self.timeout):
            raise ValueError(f"timeout must be a number of seconds above 0, not {self.timeout!r}")
        if self.max_result is not None and not _is_length(self.max_result):
            raise ValueError(f"max_result must be a whole number, at least 1, not {self.max_result!r}")
        if self.preview is not None and not callable(self.preview):
            raise ValueError("preview must be callable")

    def over(self, base: ToolMetadata) -> ToolMetadata:
        """These facts on top of ``base``: what is set here wins, tags of both are kept."""
        own = {each.name: getattr(self, each.name) for each in fields(self) if self._is_set(each.name)}
        own["tags"] = self.tags | base.tags
        own["shell_arguments"] = self.shell_arguments | base.shell_arguments
        own["extra"] = {**base.extra, **self.extra}
        return replace(base, **own)

    def _is_set(self, name: str) -> bool:
        declared = self.__dataclass_fields__[name]
        return declared.default is not MISSING and getattr(self, name) != declared.default


@dataclass(frozen=True)
class ToolMark:
    """What the ``tool`` decorator leaves on a function."""

    metadata: ToolMetadata
    name: str | None = None
    namespace: str | None = None


@overload
def tool(function: AnyFunction, /) -> AnyFunction: ...
@overload
def tool(
    *,
    tags: Iterable[ToolTag | str] = (),
    timeout: float | None = None,
    name: str | None = None,
    namespace: str | None = None,
    preview: Callable[..., Any] | None = None,
    max_result: int | None = None,
    parallel_safe: bool = False,
    caller_thread: bool = False,
    interruptible: bool = False,
    shell_arguments: Iterable[str] = (),
) -> Callable[[AnyFunction], AnyFunction]: ...
def tool(
    function: AnyFunction | None = None,
    /,
    *,
    tags: Iterable[ToolTag | str] = (),
    timeout: float | None = None,
    name: str | None = None,
    namespace: str | None = None,
    preview: Callable[..., Any] | None = None,
    max_result: int | None = None,
    parallel_safe: bool = False,
    caller_thread: bool = False,
    interruptible: bool = False,
    shell_arguments: Iterable[str] = (),
) -> Any:
    """Let a function carry its metadata; it stays the ordinary function that it was.

    ``@tool`` without brackets marks it with nothing set, so that the function counts as a tool.

    Raises:
        ValueError: as `ToolMetadata` does.
    """
    mark = ToolMark(
        ToolMetadata(
            tags=_tags(tags),
            timeout=timeout,
            max_result=max_result,
            parallel_safe=parallel_safe,
            caller_thread=caller_thread,
            interruptible=interruptible,
            preview=preview,
            shell_arguments=_texts("shell_arguments", shell_arguments),
        ),
        name,
        namespace,
    )

    def attach(target: AnyFunction) -> AnyFunction:
        setattr(target, _MARK, mark)
        return target

    return attach if function is None else attach(function)


def mark_of(obj: object) -> ToolMark | None:
    """The mark that the ``tool`` decorator left on this object, if any."""
    mark = getattr(obj, _MARK, None)
    return mark if isinstance(mark, ToolMark) else None


def _is_duration(value: object) -> bool:
    return isinstance(value, int | float) and 0 < value < math.inf


def _is_length(value: object) -> bool:
    return isinstance(value, int) and value >= 1


def _tags(tags: Iterable[ToolTag | str]) -> frozenset[ToolTag | str]:
    known = {each.value: each for each in ToolTag}
    return frozenset(known.get(each, each) for each in _texts("tags", tags))


def _texts(what: str, values: Iterable[str]) -> frozenset[str]:
    if isinstance(values, str):
        fault = f"{what} must be a set of texts, not the single text {values!r}"
        raise ValueError(fault)  # noqa: TRY004 - one kind of error for every wrong value of a field
    texts = frozenset(values)
    for each in texts:
        if not str(each).strip():
            raise ValueError(f"{what} must not hold an empty text")
    return texts
