"""What the files of a project would do once the user said yes to them, for people to read."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.config import FILE_NAME, PROJECT_FOLDER, load_settings, policy_file, user_folder
from workbench.environment import env_files, read_env_file
from workbench.errors import ConfigError
from workbench.project_trust import Digests, ProjectTrust, trusted_projects
from workbench.registry import ToolRegistry
from workbench.storage.masking import Masker, is_secret_variable
from workbench.visible import visible_line

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A file that waits for a yes: ``brief`` in a few words, ``effects`` a line for each thing it does."""

    path: Path
    brief: str
    effects: tuple[str, ...]


class ProjectReview:
    """The files of one project folder that wait for the user's yes.

    Raises ConfigError for a configuration that cannot be read or holds something wrong. The other files
    are not in force yet, so that what is wrong with them is only shown.
    """

    def __init__(self, project: Path, user: Path | None = None) -> None:
        user = user_folder() if user is None else user
        self.project = project
        self.trust = ProjectTrust(project, user)
        # taken before the files are shown, so that a yes is never about more than was seen
        self._seen = self._digests(user)
        self.waiting = tuple(self._find(user))

    @property
    def line(self) -> str:
        """What is left out and what to do about it, in one line; empty if nothing waits."""
        if not self.waiting:
            return ""
        return _in_one_line(each.brief for each in self.waiting)

    @property
    def text(self) -> str:
        """Each file with what it does, on lines of their own."""
        lines = [visible_line(str(self.trust.project))]
        for each in self.waiting:
            inside = each.path.is_relative_to(self.project)
            path = each.path.relative_to(self.project) if inside else each.path
            lines.append(f"  {visible_line(str(path))}")
            lines += [f"    {effect}" for effect in each.effects]
        return "\n".join(lines)

    def say_yes(self) -> None:
        """Let everything take effect that is listed in ``waiting``, until a file changes."""
        self.trust.say_yes(self._seen)

    def _digests(self, user: Path) -> Digests:
        folder = self.project / PROJECT_FOLDER
        waiting = load_settings(self.project, user).waiting
        policy = policy_file(self.project, waiting)
        files = [folder / FILE_NAME, _grants(self.project), _breakpoints(self.project)]
        files += env_files(self.project)
        return self.trust.digests([each for each in [*files, policy] if each is not None and each.is_file()])

    def _find(self, user: Path) -> Iterator[Waiting]:
        settings = load_settings(self.project, user).waiting
        if settings:
            path = self.project / PROJECT_FOLDER / FILE_NAME
            yield Waiting(path, ", ".join(map(visible_line, settings)), tuple(_settings(settings)))
            policy = policy_file(self.project, settings)
            if policy is not None and policy.is_file():
                yield Waiting(policy, visible_line(policy.name), _effects(_policy, policy))
        for path, read in (
            (_grants(self.project), _grant_lines),
            (_breakpoints(self.project), _condition_lines),
            *((path, _variable_lines) for path in env_files(self.project)),
        ):
            if path.is_file() and not self.trust.covers(path):
                effects = _effects(read, path)
                if effects:
                    yield Waiting(path, str(path.relative_to(self.project)), effects)


def trusted_text(project: Path | None = None) -> str:
    """The files that the user said yes to, in one project or in all, for people; empty for none."""
    user = user_folder()
    projects = trusted_projects(user) if project is None else (ProjectTrust(project, user),)
    lines: list[str] = []
    for each in projects:
        given = each.given()
        if given:
            lines.append(visible_line(str(each.project)))
        for path, state in given.items():
            inside = path.relative_to(each.project) if path.is_relative_to(each.project) else path
            note = f"  ({state}: it waits for your yes)" if state else ""
            lines.append(visible_line(f"  {inside}{note}"))
    return "\n".join(lines)


def tell_what_waits(project: Path, problem: Callable[[str, str, str], None] | None) -> None:
    """Say in one line what is left out for want of a yes; without ``problem``, in the log, and only once."""
    line = ProjectReview(project).line
    if line and problem is not None:
        _told.add(line)
        problem("project setup", line, "")
    elif line:
        _log_once(line)


def keep_grants(registry: ToolRegistry, project: Path) -> None:
    """Put the project's grants in force that have the user's yes, and keep those that will be given."""
    from workbench.toolbox.project_grants import ProjectGrants

    ProjectGrants(registry, project, ProjectTrust(project, user_folder()))


def log_waiting_parameters(waiting: Mapping[str, Any]) -> None:
    """For scripts, which have nobody to show it to: log once which parameters the model does not get."""
    names = [visible_line(key) for key in waiting if key.startswith("parameters.")]
    # If something was told already, these parameters were in it.
    if names and not _told:
        _log_once(_in_one_line(names))


_told: set[str] = set()
"""Lines that were said in this process."""


def _log_once(line: str) -> None:
    if line not in _told:
        logger.warning("project setup was not loaded: %s", line)
    _told.add(line)


def _in_one_line(briefs: Iterable[str]) -> str:
    return f"workbench trust loads it (waiting for your yes: {', '.join(briefs)})"


def _effects(read: Callable[[Path], Iterable[str]], path: Path) -> tuple[str, ...]:
    try:
        return tuple(read(path))
    except ConfigError as error:
        return (visible_line(f"(cannot be used: {error})"),)


def _grants(project: Path) -> Path:
    from workbench.toolbox.grants_file import grants_path

    return grants_path(project)


def _breakpoints(project: Path) -> Path:
    from workbench.storage.breakpoint_file import breakpoints_path

    return breakpoints_path(project)


def _settings(waiting: Mapping[str, Any]) -> Iterator[str]:
    mask = Masker()
    for key, value in waiting.items():
        # Only plain values: a few lines of YAML can hold a mapping that is too large to be shown.
        plain = value is None or isinstance(value, bool | int | float | str)
        text = str(value) if plain else f"({type(value).__name__})"
        yield visible_line(f"{key}: {'(hidden)' if is_secret_variable(key, text) else mask(text)}")


def _policy(path: Path) -> Iterator[str]:
    from workbench.toolbox.policy_file import load_policy

    policy = load_policy(path)
    yield f"default: {policy.default.value}"
    for rule in policy.rules:
        tags = "".join(f", tagged {tag}" for tag in sorted(map(str, rule.tags)))
        tags += "".join(f", not tagged {tag}" for tag in sorted(map(str, rule.without_tags)))
        globs = "".join(f", {name}={glob}" for name, glob in rule.arguments.items())
        yield visible_line(f"{rule.result.value}: {rule.tool}{tags}{globs}")


def _grant_lines(path: Path) -> Iterator[str]:
    from workbench.toolbox.grants_file import load_grants

    for grant in load_grants(path):
        globs = "".join(f", {name}={glob}" for name, glob in grant.arguments.items())
        yield visible_line(f"never asks for {grant.tool}{globs}")


def _condition_lines(path: Path) -> Iterator[str]:
    from workbench.storage.breakpoint_file import condition_lines

    yield from map(visible_line, condition_lines(path))


def _variable_lines(path: Path) -> Iterator[str]:
    for name, value in read_env_file(path).items():
        if value is not None:
            yield visible_line(f"sets {name}")
