"""The grants that a project keeps: ``.workbench/grants.yaml``, readable by its owner only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from workbench.errors import ConfigError
from workbench.registry import Grant, GrantScope
from workbench.whole_file import replace_file


def grants_path(root: str | Path) -> Path:
    """Where the grants of the project in folder ``root`` lie."""
    return Path(root) / ".workbench" / "grants.yaml"


def load_grants(path: str | Path) -> tuple[Grant, ...]:
    """The grants in a file, oldest first; none if there is no file.

    Raises:
        ConfigError: when the file cannot be read or holds something else. Nothing is granted then.
    """
    path = Path(path)
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except (OSError, ValueError, AttributeError, RecursionError, yaml.YAMLError) as error:
        raise ConfigError(f"cannot read the grants in {path}: {error}", hint=_hint(path)) from error
    if data is None:
        return ()
    items = data.get("grants") if isinstance(data, Mapping) else None
    if not isinstance(items, list):
        raise ConfigError(f"{path} must hold a list named grants", hint=_hint(path))
    grants = []
    for number, item in enumerate(items, 1):
        try:
            grant = Grant.from_dict(item)
        except ConfigError as error:
            raise ConfigError(f"{path}, grant {number}: {error.message}", hint=_hint(path)) from error
        if grant.scope is not GrantScope.PROJECT:
            raise ConfigError(f"{path}, grant {number}: its scope must be project", hint=_hint(path))
        grants.append(grant)
    return tuple(grants)


def save_grants(path: str | Path, grants: Iterable[Grant]) -> None:
    """Keep those grants whose scope is the project; the file is replaced as a whole.

    Raises:
        ConfigError: when the file cannot be written, or its folder is a symbolic link, which could lead
            anywhere; the old file is then as it was.
    """
    path = Path(path)
    kept = [grant.to_dict() for grant in grants if grant.scope is GrantScope.PROJECT]
    text = yaml.safe_dump({"grants": kept}, sort_keys=False)
    if path.parent.is_symlink():
        raise ConfigError(f"cannot write the grants to {path}: {path.parent.name} is a symbolic link")
    try:
        replace_file(path, text)
    except OSError as error:
        raise ConfigError(f"cannot write the grants to {path}: {error.strerror}") from error


def _hint(path: Path) -> str:
    return f"Correct or delete {path}; until then its grants do not count."
