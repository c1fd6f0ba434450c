"""Where a call stands still: what a person is shown of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Check = Callable[[Mapping[str, Any]], "str | None"]


@dataclass(frozen=True, slots=True)
class PauseRequest:
    """A paused call. ``agent`` tells where it is from (``outer › tool › inner``), ``because`` why it paused.

    ``result`` and ``error`` are set after the call; ``details`` are the keys that its trace entry has
    already. ``before`` are the entries of the calls before it in its turn. ``messages`` is the conversation
    as it stands, of which the last request held the first ``sent``. ``inner``: its agent runs inside a tool;
    ``by_hand``: a person runs it, outside of any turn.
    ``check`` says what is wrong with other arguments, ``parameters`` is their JSON schema. ``opened`` is in
    Unix seconds.
    """

    agent: str
    turn: int
    iteration: int
    when: Literal["before", "after"]
    tool: str
    call_id: str
    arguments: Mapping[str, Any]
    because: str
    task: str = ""
    before: tuple[Mapping[str, Any], ...] = ()
    messages: tuple[dict[str, Any], ...] = ()
    sent: int = 0
    inner: bool = False
    by_hand: bool = False
    details: Mapping[str, Any] = field(default_factory=dict)
    result: str | None = None
    error: str | None = None
    check: Check = field(default=lambda _: None, compare=False)
    parameters: Mapping[str, Any] = field(default_factory=dict, compare=False)
    opened: float = 0.0
