"""The breakpoints that a project keeps: ``.workbench/breakpoints.yaml``, readable by its owner only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from workbench.engine.breakpoints import Breakpoint
from workbench.errors import ConfigError
from workbench.project_trust import ProjectTrust
from workbench.whole_file import locked_folder, replace_file

_WHEN: Final = ("before", "after", "on error")
_KEYS: Final = frozenset({"tool", "when", "condition", "enabled", "xray_only"})


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the file as it stands there: a breakpoint, or ``problem``, which says what is wrong."""

    raw: Any
    line: int
    point: Breakpoint | None = None
    problem: str = ""


class BreakpointFile:
    """Loads the breakpoints of one project and keeps them as they change.

    Conditions are expressions that are evaluated, so those in the file wait for the user's yes to it;
    breakpoints without one only pause. What does not count, because it waits or is broken, stays in the
    file, and so does what another Workbench in the same folder put there.
    """

    def __init__(self, project: Path, trust: ProjectTrust) -> None:
        self.path = breakpoints_path(project)
        self.problems: tuple[str, ...] = ()
        """What did not count when it was loaded: where, and why."""
        self._trust = trust
        self._saved: tuple[Breakpoint, ...] = ()

    def load(self) -> tuple[Breakpoint, ...]:
        """The breakpoints that count.

        Raises:
            ConfigError: when the file cannot be read at all.
        """
        items = read_items(self.path)
        yes = self._trust.covers(self.path)
        self._saved = tuple(
            each.point for each in items if each.point is not None and _counts(each.point, yes)
        )
        problems = [f"{self.path.name}, line {each.line}: {each.problem}" for each in items if each.problem]
        waiting = [each for each in items if each.point is not None and not _counts(each.point, yes)]
        if waiting:
            problems.append(
                f"{self.path.name}: {len(waiting)} with a condition: run workbench trust to let them count"
            )
        self.problems = tuple(problems)
        return self._saved

    def save(self, points: Iterable[Breakpoint]) -> None:
        """Keep these from now on.

        Raises:
            ConfigError: when the file cannot be written, or holds something that would be lost.
        """
        points = tuple(points)
        if points == self._saved:
            return
        if self.path.parent.is_symlink():
            raise ConfigError(f"cannot write {self.path}: {self.path.parent.name} is a symbolic link")
        try:
            with locked_folder(self.path.parent), self._trust.keeping(self.path):
                gone = [point for point in self._saved if point not in points]
                new = [_plain(point) for point in points if point not in self._saved]
                kept = [each.raw for each in read_items(self.path) if each.point not in gone]
                replace_file(self.path, yaml.safe_dump({"breakpoints": [*kept, *new]}, sort_keys=False))
        except OSError as error:
            raise ConfigError(f"cannot write {self.path}: {error.strerror}") from error
        self._saved = points


def breakpoints_path(project: str | Path) -> Path:
    """Where the breakpoints of the project in this folder lie."""
    return Path(project) / ".workbench" / "breakpoints.yaml"


def read_items(path: Path) -> list[Item]:
    """The items of a file, the broken ones too; none if there is no file.

    Raises:
        ConfigError: when it cannot be read, is no YAML, or holds no list ``breakpoints``.
    """
    try:
        text = path.read_text(encoding="utf-8")
        data, tree = yaml.safe_load(text), yaml.compose(text, Loader=yaml.SafeLoader)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (OSError, ValueError, AttributeError, RecursionError, yaml.YAMLError) as error:
        # also such as a date that no calendar has
        raise ConfigError(f"{path}: cannot be read: {error}", hint=_HINT) from error
    if data is None:
        return []
    found = data.get("breakpoints") if isinstance(data, Mapping) else None
    if not isinstance(found, list):
        raise ConfigError(f"{path} must hold a list named breakpoints", hint=_HINT)
    lines = _lines(tree)
    if len(lines) != len(found):
        raise ConfigError(f"{path} must hold one list named breakpoints, and no merged ones", hint=_HINT)
    return [_item(raw, line) for raw, line in zip(found, lines, strict=True)]


def condition_lines(path: Path) -> Iterator[str]:
    """What a yes to the file would let be evaluated, a line each. Raises ConfigError as `read_items`."""
    for item in read_items(path):
        if item.point is not None and item.point.condition is not None:
            yield f"evaluates at each call of {item.point.tool}: {item.point.condition}"


def _counts(point: Breakpoint, yes: bool) -> bool:
    return yes or point.condition is None


def _lines(tree: Any) -> list[int]:
    for key, value in tree.value:
        if key.value == "breakpoints":
            return [each.start_mark.line + 1 for each in value.value]
    return []


def _item(raw: Any, line: int) -> Item:
    try:
        return Item(raw, line, _point(raw))
    except ConfigError as error:
        return Item(raw, line, problem=error.message)


def _point(raw: Any) -> Breakpoint:
    if not isinstance(raw, Mapping):
        raise ConfigError("expected a tool and when to pause")
    unknown = sorted(str(key) for key in raw if key not in _KEYS)
    if unknown:
        raise ConfigError(f"{', '.join(unknown)}: not known here")
    tool, when, condition = raw.get("tool", "*"), raw.get("when", "before"), raw.get("condition")
    if not isinstance(tool, str) or not isinstance(condition, str | None):
        raise ConfigError("tool and condition must be text")
    if when not in _WHEN:
        raise ConfigError(f"when is {when!r}, not {', '.join(_WHEN)}")
    flags = {key: raw.get(key, default) for key, default in (("enabled", True), ("xray_only", False))}
    if not all(isinstance(flag, bool) for flag in flags.values()):
        raise ConfigError("enabled and xray_only must be true or false")
    failed = when == "on error"
    return Breakpoint(tool, "before" if when == "before" else "after", failed, condition=condition, **flags)


def _plain(point: Breakpoint) -> dict[str, Any]:
    plain: dict[str, Any] = {"tool": point.tool, "when": "on error" if point.on_error else point.when}
    if point.condition is not None:
        plain["condition"] = point.condition
    if point.xray_only:
        plain["xray_only"] = True
    if not point.enabled:
        plain["enabled"] = False
    return plain


_HINT: Final = "Correct or delete the file; it is not written over."
