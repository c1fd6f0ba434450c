"""Scenarios: a model's side of a conversation, written down in YAML.

::

    pace: 0.02                 # seconds a word takes to stream; optional
    turns:                     # one item for each user message, in order
      - when: compare          # optional: play this turn when the message contains the word
        steps:                 # one item for each answer of the model within the turn
          - reason: The user wants two languages compared.
            say: I'll search for both.
            wait: 0.5          # seconds before the first word
            calls:             # one batch
              - search(query="python")
              - {name: search, arguments: {query: javascript}}
          - say: "Python leads: {{1}}"     # {{1}} is the first result of the batch before
      - fail: {error: RateLimitError, message: Too many requests., retry_after: 8}

A turn of one step may be written without ``steps``. ``fail`` raises the provider error of that name
after what the step says. Turns with ``when`` are played whenever the word is found, the others once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from workbench import errors
from workbench.errors import ConfigError, ProviderError
from workbench.providers.offline_prompt import WrittenCall, find_calls


@dataclass(frozen=True, slots=True)
class Failure:
    """The provider error with which a step ends."""

    error: str
    message: str
    hint: str = ""
    retry_after: float | None = None

    def exception(self) -> ProviderError:
        """The error, ready to raise."""
        kind = getattr(errors, self.error)
        if kind is errors.RateLimitError:
            return errors.RateLimitError(self.message, hint=self.hint, retry_after=self.retry_after)
        made: ProviderError = kind(self.message, hint=self.hint)
        return made


@dataclass(frozen=True, slots=True)
class Step:
    """One answer of the model. ``wait`` is in seconds."""

    say: str = ""
    reason: str = ""
    wait: float = 0.0
    calls: tuple[WrittenCall, ...] = ()
    fail: Failure | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """The answers to one user message."""

    steps: tuple[Step, ...]
    when: str | None = None


@dataclass(slots=True)
class Scenario:
    """Turns, and how far they have been played. ``pace`` is in seconds a word, None for the model's own."""

    turns: tuple[Turn, ...]
    pace: float | None = None
    _next_turn: int = field(default=0, init=False)
    _left: list[Step] = field(default_factory=list, init=False)

    def begin(self, prompt: str) -> Step | None:
        """The first step that answers ``prompt``, or None when no turn is left for it."""
        self._left = []
        turn = self._matching(prompt) or self._next()
        if turn is None:
            return None
        self._left = list(turn.steps)
        return self.go_on()

    def go_on(self) -> Step | None:
        """The next step of the turn that is being played, or None when it is over."""
        return self._left.pop(0) if self._left else None

    def _matching(self, prompt: str) -> Turn | None:
        words = prompt.casefold()
        return next((turn for turn in self.turns if turn.when and turn.when.casefold() in words), None)

    def _next(self) -> Turn | None:
        while self._next_turn < len(self.turns):
            turn = self.turns[self._next_turn]
            self._next_turn += 1
            if not turn.when:
                return turn
        return None


def load_scenario(path: Path) -> Scenario:
    """The scenario in the file ``path``. Raises ``ConfigError`` naming the file and the line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"Cannot read the scenario {path}: {error}.") from error
    return parse_scenario(text, str(path))


def parse_scenario(text: str, source: str = "scenario") -> Scenario:
    """The scenario written in ``text``. Raises ``ConfigError`` with ``source`` and the line."""
    try:
        loader = _LineLoader(text)
        try:
            data = loader.get_single_data()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{source}, line {line}: {error.problem or 'not YAML'}.") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{source}: not YAML: {error}.") from error
    except (ValueError, AttributeError, RecursionError) as error:  # such as a date that no calendar has
        raise ConfigError(f"{source}: a value in it cannot be read: {error}.") from error
    return _Reader(source).scenario(data)


class _LocatedMap(dict[Any, Any]):
    """A mapping of the file that knows its line, counted from 1."""

    line = 1


class _LineLoader(yaml.SafeLoader):
    """A safe loader whose mappings know where they stand."""


def _construct_map(loader: _LineLoader, node: yaml.MappingNode) -> _LocatedMap:
    located = _LocatedMap(loader.construct_mapping(node, deep=True))
    located.line = node.start_mark.line + 1
    return located


_LineLoader.add_constructor("tag:yaml.org,2002:map", _construct_map)


class _Reader:
    """Turns the file's plain data into a scenario, and says where it cannot."""

    _STEP_KEYS = frozenset({"say", "reason", "wait", "calls", "fail"})

    def __init__(self, source: str) -> None:
        self._source = source

    def scenario(self, data: Any) -> Scenario:
        if isinstance(data, list):
            data = _LocatedMap(turns=data)
        top = self._mapping(data, {"turns", "pace"}, 1, "the file")
        turns = self._list(top.get("turns"), top.line, "turns")
        pace = top.get("pace")
        if pace is not None and not _is_seconds(pace):
            raise self._error(top.line, "`pace` must be seconds a word, 0 or more")
        return Scenario(tuple(self._turn(item, top.line) for item in turns), pace)

    def _turn(self, data: Any, line: int) -> Turn:
        turn = self._mapping(data, {"when", "steps", *self._STEP_KEYS}, line, "a turn")
        when = self._text(turn, "when") or None
        if "steps" not in turn:
            step = _LocatedMap({key: value for key, value in turn.items() if key != "when"})
            step.line = turn.line
            return Turn((self._step(step, turn.line),), when)
        if extra := sorted(self._STEP_KEYS & turn.keys()):
            raise self._error(turn.line, f"`{extra[0]}` belongs into one of the steps")
        steps = self._list(turn["steps"], turn.line, "steps")
        return Turn(tuple(self._step(item, turn.line) for item in steps), when)

    def _step(self, data: Any, line: int) -> Step:
        step = self._mapping(data, self._STEP_KEYS, line, "a step")
        wait = step.get("wait", 0.0)
        if not _is_seconds(wait):
            raise self._error(step.line, "`wait` must be seconds, 0 or more")
        if not step:
            raise self._error(step.line, "a step must say, call or fail")
        calls = step.get("calls")
        items = [] if calls is None else self._list(calls, step.line, "calls")
        return Step(
            say=self._text(step, "say"),
            reason=self._text(step, "reason"),
            wait=float(wait),
            calls=tuple(call for item in items for call in self._calls(item, step.line)),
            fail=self._failure(step),
        )

    def _calls(self, data: Any, line: int) -> tuple[WrittenCall, ...]:
        if isinstance(data, str):
            found = find_calls(data, ())
            if found.faults:
                raise self._error(line, f"a call cannot be read:\n{found.faults[0]}")
            if not found.calls:
                raise self._error(line, f"`{data}` is not a call")
            if any("arg1" in call.arguments for call in found.calls):
                raise self._error(line, f"`{data}` must name its arguments, as in add(a=2, b=3)")
            return found.calls
        call = self._mapping(data, {"name", "arguments"}, line, "a call")
        arguments = call.get("arguments") or {}
        if not self._text(call, "name") or not isinstance(arguments, dict):
            raise self._error(call.line, "a call has a `name` and a mapping of `arguments`")
        return (WrittenCall(self._text(call, "name").replace(".", "-"), dict(arguments)),)

    def _failure(self, step: _LocatedMap) -> Failure | None:
        data = step.get("fail")
        if data is None:
            return None
        if isinstance(data, str):
            return Failure("ProviderError", data)
        keys = {"error", "message", "hint", "retry_after"}
        fail = self._mapping(data, keys, step.line, "`fail`")
        name = self._text(fail, "error") or "ProviderError"
        kind = getattr(errors, name, None)
        if not (isinstance(kind, type) and issubclass(kind, ProviderError)):
            raise self._error(fail.line, f"`{name}` is no provider error, such as RateLimitError")
        retry_after = fail.get("retry_after")
        if retry_after is not None and not _is_seconds(retry_after):
            raise self._error(fail.line, "`retry_after` must be seconds, 0 or more")
        message = self._text(fail, "message") or "The scenario fails here."
        return Failure(name, message, self._text(fail, "hint"), retry_after)

    def _mapping(self, data: Any, keys: set[str] | frozenset[str], line: int, what: str) -> _LocatedMap:
        if not isinstance(data, _LocatedMap):
            raise self._error(line, f"{what} must be a mapping of {', '.join(sorted(keys))}")
        for key in data:
            if key not in keys:
                raise self._error(data.line, f"{what} has no `{key}`; it has {', '.join(sorted(keys))}")
        return data

    def _list(self, data: Any, line: int, what: str) -> list[Any]:
        if not isinstance(data, list) or not data:
            raise self._error(line, f"`{what}` must be a list of at least one item")
        return data

    def _text(self, data: _LocatedMap, key: str) -> str:
        value = data.get(key, "")
        if not isinstance(value, str):
            raise self._error(data.line, f"`{key}` must be text")
        return value

    def _error(self, line: int, message: str) -> ConfigError:
        return ConfigError(f"{self._source}, line {line}: {message}.")


def _is_seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
