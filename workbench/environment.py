"""Environment variables from ``.env`` files, where people keep their keys."""

from __future__ import annotations

import os
from pathlib import Path

from workbench.config import PROJECT_FOLDER, user_folder
from workbench.engine.hooks import Handler, after_user_input
from workbench.errors import ConfigError
from workbench.project_trust import ProjectTrust


def env_files(project: Path) -> tuple[Path, Path]:
    """The files of a project that may set variables, the nearer one first, whether they exist or not."""
    return project / PROJECT_FOLDER / ".env", project / ".env"


def load_env_files(project: Path, user: Path | None = None) -> list[Path]:
    """Set what ``.workbench/.env`` and ``.env`` of the project, and ``.env`` in the user's own folder, say
    and the environment does not. The project's files count only with the user's yes.

    What is set already stays, and the first of the files wins. Returns the files that were read;
    their values are shown to nobody. Raises ConfigError for a file that cannot be read.
    """
    user = user_folder() if user is None else user
    trust = ProjectTrust(project, user)
    found = [path for path in env_files(project) if path.is_file() and trust.covers(path)]
    if (user / ".env").is_file():
        found.append(user / ".env")
    for path in found:
        _load(path)
    return found


def env_files_hook(project: Path) -> Handler:
    """A handler that looks at the files again with each message, so that a key can be added meanwhile."""

    @after_user_input
    def read_env_files(_agent: object) -> None:
        load_env_files(project)

    return read_env_files


def read_env_file(path: Path) -> dict[str, str | None]:
    """The variables that a file sets; None for a name without a value. Raises ConfigError."""
    from dotenv import dotenv_values

    try:
        return dotenv_values(path, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: is not UTF-8 text", hint="Save it as UTF-8.") from None


def _load(path: Path) -> None:
    for name, value in read_env_file(path).items():
        if value is None or name in os.environ:
            continue
        try:
            os.environ[name] = value
        except (ValueError, UnicodeEncodeError):
            raise ConfigError(f"{path}: {name}: holds what no environment variable can") from None
