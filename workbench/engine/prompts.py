"""Where a system prompt comes from: the text itself, a file, or the ``prompts/`` folder."""

from __future__ import annotations

from pathlib import Path

from workbench.errors import ConfigError

DEFAULT_PROMPT = "You are a helpful assistant. Use the tools that you have to do what the user asks."
SUFFIXES = (".md", ".txt", ".prompt")
_LONGEST_NAME = 255


def load_system_prompt(source: str | Path | None, agent_name: str, folder: Path | None = None) -> str:
    """The text of a system prompt.

    ``None`` looks for ``<agent name>.md`` (or .txt, .prompt) in ``folder``, by default ``prompts/`` in
    the working directory, and falls back to a plain default. A string is the text, unless it is the
    path of a file, or the name of a prompt in the folder. A Path is a file, or a folder whose
    ``<agent name>`` file is taken, or else all its prompt files in order of their names.
    Raises ConfigError for a file that cannot be read, and for a string that can only be a file's name
    but names none.
    """
    folder = folder if folder is not None else Path("prompts")
    if source is None:
        return _from_folder(folder, agent_name) or DEFAULT_PROMPT
    if isinstance(source, Path):
        return _from_path(source, agent_name)
    if not _could_be_name(source):
        return source
    path = Path(source)
    if path.suffix in SUFFIXES:
        for candidate in (path, folder / path):
            if candidate.is_file():
                return _read(candidate)
        raise ConfigError(
            f"there is no system prompt file {source}",
            hint=f"Looked in the working directory and in {folder}/.",
        )
    return _from_folder(folder, source) or source


def _could_be_name(text: str) -> bool:
    return (
        bool(text)
        and len(text) <= _LONGEST_NAME
        and not any((c.isspace() and c != " ") or c == "\0" for c in text)
    )


def _from_folder(folder: Path, name: str) -> str | None:
    if not name or "/" in name or "\\" in name:
        return None
    for suffix in SUFFIXES:
        path = folder / f"{name}{suffix}"
        if path.is_file():
            return _read(path)
    return None


def _from_path(path: Path, agent_name: str) -> str:
    if not path.is_dir():
        return _read(path)
    own = _from_folder(path, agent_name)
    if own is not None:
        return own
    files = sorted(item for item in path.iterdir() if item.suffix in SUFFIXES and item.is_file())
    if not files:
        raise ConfigError(f"there is no prompt file in {path}", hint=f"Put {agent_name}.md there.")
    return "\n\n".join(_read(file).strip() for file in files)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the system prompt {path} cannot be read: {error}") from error
