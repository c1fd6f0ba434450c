"""The grants that a project keeps: ``.workbench/grants.yaml``, readable by its owner only."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from workbench.errors import ConfigError
from workbench.registry import Grant, GrantScope


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
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
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
        ConfigError: when the file cannot be written; the old one is then as it was.
    """
    path = Path(path)
    kept = [grant.to_dict() for grant in grants if grant.scope is GrantScope.PROJECT]
    text = yaml.safe_dump({"grants": kept}, sort_keys=False)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # mkstemp creates the file for its owner only (0600), and in the same folder a rename is atomic.
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigError(f"cannot write the grants to {path}: {error.strerror}") from error


def _hint(path: Path) -> str:
    return f"Correct or delete {path}; until then its grants do not count."
