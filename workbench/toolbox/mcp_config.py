"""The usual ``mcpServers`` file, JSON or YAML: which MCP servers there are and how to reach them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import yaml

from workbench.errors import ConfigError
from workbench.toolbox.yaml_doubles import second_key

_VARIABLE: Final = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_HTTP_TYPES: Final = ("http", "streamable-http", "streamable_http", "streamableHttp")


@dataclass(frozen=True, slots=True)
class McpServerConfig:
    """One MCP server: a command to run, or an address to call.

    Attributes:
        name: Its name, and the namespace of its tools.
        command: The program of a server over stdio; empty for one over HTTP.
        args: The program's arguments.
        env: Environment variables for it, on top of a few harmless ones of ours.
        cwd: The folder that it runs in; None for ours.
        url: The address of a server over streamable HTTP; empty for one over stdio.
        headers: HTTP headers of each request.
        disabled: It is not to be started; nothing else is known of it then.
        file: The file that says so; None for one that was made in code.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    disabled: bool = False
    file: Path | None = field(default=None, compare=False)


def load_mcp_config(path: str | Path) -> tuple[McpServerConfig, ...]:
    """The servers of a file, in its order.

    ``${NAME}`` and ``${NAME:-default}`` in texts stand for environment variables. Keys that other
    programs use and this one does not are passed over.

    Raises:
        ConfigError: when the file cannot be read or says something wrong; names the key.
    """
    path = Path(path)
    data = _parsed(path)
    servers = data.get("mcpServers") if isinstance(data, Mapping) else None
    if not isinstance(servers, Mapping):
        raise ConfigError(
            f"{path}: mcpServers is missing, or is not a mapping",
            hint='It looks like {"mcpServers": {"name": {"command": "…", "args": []}}}.',
        )
    return tuple(_Reader(path, str(name), entry).config() for name, entry in servers.items())


def load_mcp_configs(paths: Iterable[str | Path]) -> list[tuple[McpServerConfig, Path]]:
    """The servers of several files, in their order, each with the file that it is from.

    Raises:
        ConfigError: as `load_mcp_config`; also when two files have a server of one name, of which only one
            could be connected.
    """
    found: dict[str, tuple[McpServerConfig, Path]] = {}
    for path in dict.fromkeys(Path(each) for each in paths):
        for config in load_mcp_config(path):
            if config.name in found:
                raise ConfigError(
                    f"{path}: a server named {config.name!r} is in {found[config.name][1]} too",
                    hint="Give one of them another name: its tools stand below that name.",
                )
            found[config.name] = (config, path)
    return list(found.values())


def _parsed(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            return json.loads(text, object_pairs_hook=_without_doubles)
        root = yaml.compose(text, yaml.SafeLoader)
        double = second_key(root) if root is not None else None
        if double is not None:
            raise ConfigError(
                f"{path}:{double.start_mark.line + 1}: {double.value} stands here a second time"
            )
        return yaml.safe_load(text)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text") from error
    except json.JSONDecodeError as error:
        raise ConfigError(f"{path}:{error.lineno}: {error.msg}") from error
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f":{error.problem_mark.line + 1}"
        raise ConfigError(f"{path}{line}: {error.problem or error}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: {error}") from error
    except (ValueError, AttributeError, RecursionError) as error:  # such as a date that is none
        raise ConfigError(f"{path}: a value in it cannot be read: {error}") from error


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a JSON text; raises ValueError for a key that stands twice, of which one would count."""
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        double = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"{double} stands twice in one object")
    return made


class _Reader:
    """Reads one server's entry; each fault names its key."""

    def __init__(self, path: Path, name: str, entry: object) -> None:
        self._path = path
        self._name = name
        if not isinstance(entry, Mapping):
            raise self._error("", "must be a mapping with command or url")
        self._entry: Mapping[Any, Any] = entry
        if not all(self._name.split(".")) or not self._name.isprintable() or not self._name.strip():
            raise self._error("", "is not a name: tools could not be called after it")

    def config(self) -> McpServerConfig:
        disabled = self._entry.get("disabled", False)
        if not isinstance(disabled, bool):
            raise self._error("disabled", "must be true or false")
        if disabled:  # whatever else it says, and whichever variables it needs, does not matter
            return McpServerConfig(self._name, disabled=True)
        command, url = self._text("command"), self._text("url") or self._text("serverUrl")
        if bool(command) == bool(url):
            raise self._error("", "needs either command (stdio) or url (streamable HTTP)")
        self._check_type("stdio" if command else "http")
        return McpServerConfig(
            name=self._name,
            command=command,
            args=tuple(self._list("args")),
            env=dict(self._texts("env")),
            cwd=self._text("cwd") or None,
            url=url,
            headers=dict(self._texts("headers")),
            file=self._path.absolute(),
        )

    def _check_type(self, found: str) -> None:
        said = self._text("type") or self._text("transport") or found
        if said == "sse":
            raise self._error("type", "sse is the transport that streamable HTTP replaced; use type http")
        if said not in (("stdio",) if found == "stdio" else _HTTP_TYPES):
            needed = "command" if said == "stdio" else "url"
            known = said == "stdio" or said in _HTTP_TYPES
            text = f"{said} needs {needed}" if known else f"must be stdio or http, not {said!r}"
            raise self._error("type", text)

    def _text(self, key: str) -> str:
        value = self._entry.get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self._error(key, f"must be a text, not {value!r}")
        return self._filled(value, key)

    def _list(self, key: str) -> Iterator[str]:
        value = self._entry.get(key) or []
        if not isinstance(value, list):
            raise self._error(key, "must be a list of texts")
        for number, each in enumerate(value):
            yield self._filled(self._plain(each, f"{key}[{number}]"), f"{key}[{number}]")

    def _texts(self, key: str) -> Iterator[tuple[str, str]]:
        value = self._entry.get(key) or {}
        if not isinstance(value, Mapping):
            raise self._error(key, "must be a mapping of texts")
        for name, each in value.items():
            yield str(name), self._filled(self._plain(each, f"{key}.{name}"), f"{key}.{name}")

    def _plain(self, value: object, key: str) -> str:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self._error(key, f"must be a text, not {value!r}")
        return str(value)

    def _filled(self, text: str, key: str) -> str:
        def value_of(found: re.Match[str]) -> str:
            value = os.environ.get(found[1], found[2])
            if value is None:
                raise self._error(key, f"the environment variable {found[1]} is not set")
            return value

        return _VARIABLE.sub(value_of, text)

    def _error(self, key: str, text: str) -> ConfigError:
        where = f"mcpServers.{self._name}" + (f".{key}" if key else "")
        return ConfigError(f"{self._path}: {where} {text}")
