"""Environment variables from ``.env`` files, where people keep their keys."""

from __future__ import annotations

import os
from pathlib import Path

from workbench.config import PROJECT_FOLDER
from workbench.engine.hooks import Handler, after_user_input
from workbench.errors import ConfigError


def load_env_files(project: Path) -> list[Path]:
    """Set what ``.workbench/.env`` and ``.env`` of the project say and the environment does not.

    What is set already stays, and the first of the two files wins. Returns the files that were read;
    their values are shown to nobody. Raises ConfigError for a file that cannot be read.
    """
    paths = (project / PROJECT_FOLDER / ".env", project / ".env")
    found = [path for path in paths if path.is_file()]
    for path in found:
        _load(path)
    return found


def env_files_hook(project: Path) -> Handler:
    """A handler that looks at the files again with each message, so that a key can be added meanwhile."""

    @after_user_input
    def read_env_files(agent: object) -> None:
        load_env_files(project)

    return read_env_files


def _load(path: Path) -> None:
    from dotenv import dotenv_values

    try:
        values = dotenv_values(path, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8 text", hint="Save it as UTF-8.") from None
    for name, value in values.items():
        if value is None or name in os.environ:
            continue
        try:
            os.environ[name] = value
        except (ValueError, UnicodeEncodeError):
            raise ConfigError(f"{path}: {name}: holds what no environment variable can") from None
