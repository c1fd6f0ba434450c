"""Settings from files: the user's own, then the project's, as far as these may decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from workbench.errors import ConfigError
from workbench.project_trust import ProjectTrust
from workbench.tightening import APPROVALS, tightened

PROJECT_FOLDER = ".workbench"
FILE_NAME = "config.yaml"
_MEND = "Mend or remove the file."


@dataclass(frozen=True, slots=True)
class Config:
    """What may be set once instead of on every command line.

    ``model`` as for ``--model``; ``theme`` a theme's name; ``approval`` is ``careful``, ``strict``,
    ``open`` or a policy file; ``parameters`` go to the model (``temperature``, ``base_url`` …). A turn
    stops at ``max_cost`` (US dollars for a session) and ``max_turn_tokens`` (tokens for one turn).
    ``keymap`` gives commands of the app other keys: id to a key, a list of keys, or ``none``.
    ``ascii`` draws signs and lines with ASCII; ``motion`` is ``full`` or ``reduced``.
    """

    model: str = "offline"
    theme: str = "graphite"
    approval: str = "careful"
    parameters: dict[str, Any] = field(default_factory=dict)
    max_cost: float | None = None
    max_turn_tokens: int | None = None
    keymap: dict[str, Any] = field(default_factory=dict)
    ascii: bool = False
    motion: str = "full"


def user_folder() -> Path:
    """Where the user's own settings and themes are."""
    from platformdirs import user_config_path

    return user_config_path("workbench", appauthor=False)


@dataclass(frozen=True, slots=True)
class Settings:
    """What counts, and what in the project's file waits for the user's yes.

    ``waiting`` has keys such as ``approval`` and ``parameters.base_url``.
    """

    config: Config
    waiting: Mapping[str, Any]


def load_config(project: Path, user: Path | None = None) -> Config:
    """The settings that count. Raises ConfigError that names the file and the key."""
    return load_settings(project, user).config


def load_settings(project: Path, user: Path | None = None) -> Settings:
    """Read both files, where they exist. Raises ConfigError that names the file and the key.

    The project's settings win where the user said yes to its file; else only those that make things
    stricter do. Parameters are taken one by one from both.
    """
    user = user_folder() if user is None else user
    own, path = _read(user / FILE_NAME), project / PROJECT_FOLDER / FILE_NAME
    if own.get("approval", "open") not in APPROVALS:
        own["approval"] = str(user / own["approval"])
    theirs = _read(path)
    accepted, waiting = tightened(own, theirs)
    if waiting and ProjectTrust(project, user).covers(path):
        policy = policy_file(project, theirs)
        yes = policy is None or ProjectTrust(project, user).covers(policy)
        waiting = {} if yes else {"approval": theirs["approval"]}
        accepted = {key: value for key, value in theirs.items() if key not in waiting}
    parameters = {**own.get("parameters", {}), **accepted.get("parameters", {})}
    return Settings(Config(**{**own, **accepted, "parameters": parameters}), waiting)


def policy_file(project: Path, settings: Mapping[str, Any]) -> Path | None:
    """The policy file that the ``approval`` of a project's settings names, or None."""
    approval = settings.get("approval", "open")
    return None if approval in APPROVALS else project / approval


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    import yaml

    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ConfigError(f"{path}{line}: not valid YAML: {error.problem or error}", hint=_MEND) from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}", hint=_MEND) from error
    except (yaml.YAMLError, ValueError, AttributeError, RecursionError) as error:  # also an impossible date
        raise ConfigError(f"{path}: cannot be read: {error}", hint=_MEND) from error
    if data is None:
        return {}
    known = [each.name for each in fields(Config)]
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: expected keys such as {', '.join(known)}")
    for key, value in data.items():
        if key not in known:
            raise ConfigError(f"{path}: {key}: not a setting", hint=f"Settings are {', '.join(known)}.")
        _check(f"{path}: {key}", key, value)
    return data


def _check(where: str, key: str, value: Any) -> None:
    """Raise ConfigError that begins with ``where`` unless ``value`` may stand under ``key``."""
    if key in ("max_cost", "max_turn_tokens"):
        from workbench.engine.ceilings import check_ceiling

        check_ceiling(where, value, whole=key == "max_turn_tokens")
    elif key == "parameters":
        if not isinstance(value, dict):
            raise ConfigError(f"{where}: expected a mapping, got {value!r}")
        from workbench.providers.parameters import check_parameters

        check_parameters(where, value)
    elif key == "ascii":
        if not isinstance(value, bool):
            raise ConfigError(f"{where}: expected true or false, got {value!r}")
    elif key == "motion":
        if value not in ("full", "reduced"):
            raise ConfigError(f"{where}: expected full or reduced, got {value!r}")
    elif key == "keymap":
        _check_keymap(where, value)
    elif not isinstance(value, str):
        raise ConfigError(f"{where}: expected text, got {value!r}")


def _check_keymap(where: str, value: Any) -> None:
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: expected a mapping such as app.help: f2, got {value!r}")
    for command, keys in value.items():
        for key in keys if isinstance(keys, list) else [keys]:
            if not (key is None or isinstance(key, str | int)) or isinstance(key, bool):
                raise ConfigError(f"{where}: {command}: expected a key, a list of keys or none, got {keys!r}")
