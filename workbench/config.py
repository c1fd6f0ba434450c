"""Settings from files: the user's own, then the project's, the later one winning."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from workbench.errors import ConfigError

PROJECT_FOLDER = ".workbench"
FILE_NAME = "config.yaml"


@dataclass(frozen=True, slots=True)
class Config:
    """What may be set once instead of on every command line.

    ``model`` as for ``--model``; ``theme`` a theme's name; ``approval`` is ``careful``, ``strict``,
    ``open`` or a policy file; ``parameters`` go to the model (``temperature``, ``base_url`` …). A turn
    stops at ``max_cost`` (US dollars for a session) and ``max_turn_tokens`` (tokens for one turn).
    """

    model: str = "offline"
    theme: str = "graphite"
    approval: str = "careful"
    parameters: dict[str, Any] = field(default_factory=dict)
    max_cost: float | None = None
    max_turn_tokens: int | None = None


def user_folder() -> Path:
    """Where the user's own settings and themes are."""
    from platformdirs import user_config_path

    return user_config_path("workbench", appauthor=False)


def load_config(project: Path, user: Path | None = None) -> Config:
    """Read both files, where they exist. Raises ConfigError that names the file and the key."""
    settings: dict[str, Any] = {}
    for folder in (user if user is not None else user_folder(), project / PROJECT_FOLDER):
        path = folder / FILE_NAME
        if path.is_file():
            settings |= _read(path)
    return Config(**settings)


def _read(path: Path) -> dict[str, Any]:
    import yaml

    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {error}", hint="Mend or remove the file.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
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
    elif not isinstance(value, str):
        raise ConfigError(f"{where}: expected text, got {value!r}")
