"""A traced call as a test: it passes while the tool gives what it gave, and fails when that changes."""

from __future__ import annotations

import builtins
import functools
import os
import pprint
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from workbench.engine.toolset import agent_behind
from workbench.errors import ConfigError
from workbench.registry import Tool
from workbench.registry.hints import innermost
from workbench.toolbox.recorded import plain_result, text_digest
from workbench.toolbox.tool_imports import PACKAGES

LONGEST: Final = 100_000
"""Characters of a result that are written into a test; of a longer one its SHA-256 is."""

_WIDTH: Final = 100
_ADDRESS: Final = re.compile(r"\bat 0x[0-9a-fA-F]{6,}")
_REFUSED: Final = {
    "rejected": "it was rejected, so the tool gave nothing",
    "cancelled": "it was cancelled, so the tool gave nothing that could be held to",
    "not_found": "there was no such tool",
    "disabled": "the tool was switched off, so it never ran",
    "denied": "it was denied, so the tool never ran",
}


@dataclass(frozen=True, slots=True)
class Callee:
    """Where a test finds the tool: a file or the name of a module, and the name in it.

    ``server``: the file says how to reach this MCP server, and the name is the one that it gave the tool.
    ``text``: the tool says that it gives text, so that ``2`` is the text, not the number.
    """

    place: Path | str
    name: str
    server: str = ""
    text: bool = False


@dataclass(frozen=True, slots=True)
class WrittenTest:
    """The text of a test file; ``doubts`` are reasons for which it may fail though the tool is right."""

    text: str
    doubts: tuple[str, ...]


def callee(tool: Tool) -> Callee:
    """Where a test finds this tool.

    Raises ConfigError for a tool that a test cannot get at, and says why.
    """
    extra = tool.metadata.extra
    if "mcp_server" in extra:
        return _served(tool.name, extra)
    function = innermost(tool.func)
    space: Mapping[str, Any] | None = getattr(function, "__globals__", None)
    file = space.get("__file__") if space is not None else None
    if agent_behind(tool.func) is not None:
        raise ConfigError(
            f"{tool.name} is an agent, and what its model says is another thing each time",
            hint="Save the calls that it made, which stand below this one in the trace.",
        )
    if space is None or not file:
        raise ConfigError(
            f"{tool.name} has no Python file of its own, so a test cannot call it",
            hint="A tool that stands in a Python file can be saved, and one of a server in an MCP file.",
        )
    name = _name_in(space, tool, function)
    module = str(space.get("__name__", ""))
    packaged = "." in module and not module.startswith(PACKAGES) and module in sys.modules
    text = getattr(function, "__annotations__", {}).get("return") in (str, "str")
    return Callee(module if packaged else Path(file).resolve(), name, text=text)


def _served(tool: str, extra: Mapping[str, Any]) -> Callee:
    """The tool of an MCP server, by the file that says how the server is reached."""
    server, file = str(extra["mcp_server"]), extra.get("mcp_config")
    if not file:
        raise ConfigError(
            f"{tool} is a tool of the MCP server {server}, which no file says how to reach",
            hint="With the server in an MCP file (--mcp FILE) its calls can be saved.",
        )
    return Callee(Path(file).resolve(), str(extra["mcp_name"]), server)


def _name_in(space: Mapping[str, Any], tool: Tool, function: Any) -> str:
    """What the tool is called in its module: what stands there under a name, or a method of it."""
    for name, value in space.items():
        if value is tool.func:
            return name
    owner = getattr(tool.func, "__self__", None)
    if owner is not None and not isinstance(owner, type):
        for name, value in space.items():
            if value is owner:
                return f"{name}.{function.__name__}"
        raise ConfigError(
            f"{tool.name} is a method of an object that its module does not hold under a name",
            hint="Put the object into a variable of the module, then a test can call its method.",
        )
    path = str(function.__qualname__)
    found: Any = space.get(path.partition(".")[0])
    for part in path.split(".")[1:]:
        found = getattr(found, part, None)
    if not callable(found) or innermost(found) is not function:
        raise ConfigError(
            f"{tool.name} is made inside another function, so a test cannot get at it",
            hint="A tool that stands in its module under a name can be saved.",
        )
    if isinstance(tool.func, functools.partial) or not hasattr(tool.func, "__name__"):
        raise ConfigError(
            f"{tool.name} is an object that its module does not hold under a name",
            hint="Put it into a variable of the module, then a test can call it.",
        )
    return path


def check_savable(entry: Mapping[str, Any]) -> None:
    """Raise ConfigError for a traced call that gave nothing to hold a tool to."""
    status = str(entry.get("status", ""))
    why = _REFUSED.get(status)
    if entry.get("made_up") or "result_edited_from" in entry or "original_result" in entry:
        why = "its result was made up or edited by hand"
    elif entry.get("fault"):
        why = "a fault had been put into it"
    elif entry.get("error_type") in ("ToolTimeoutError", "CancelledError"):
        why = "it ran out of time, which a test cannot hold the tool to"
    if why is not None:
        raise ConfigError(f"this call cannot be saved as a test: {why}", hint="Run it again, then save that.")


def default_path(folder: Path, tool: str) -> Path:
    """``tests/test_<tool>_<n>.py`` in a folder, with the first number that is free."""
    word = re.sub(r"\W+", "_", tool.rpartition(".")[2]).strip("_").lower() or "tool"
    number = 1
    while (path := folder / "tests" / f"test_{word}_{number}.py").exists():
        number += 1
    return path


def write_test(entry: Mapping[str, Any], where: Callee, path: Path, *, varies: bool = False) -> WrittenTest:
    """The test that holds the tool to a traced call, as a file at ``path`` (nothing is written).

    ``varies``: the same arguments are known to have given something else too.
    """
    tool = str(entry["tool_name"])
    arguments = _literal(entry.get("arguments") or {})
    doubts = [*_doubts(entry, where, varies)]
    began = entry.get("timestamp")
    day = (
        f" on {datetime.fromtimestamp(began).astimezone():%Y-%m-%d}" if isinstance(began, int | float) else ""
    )
    imports, body = _body(entry, where)
    lines = [f'"""{tool} gives what it gave{day}, in a call that was traced."""', ""]
    lines += [f"# {doubt}" for doubt in doubts] + ([""] if doubts else [])
    lines += ["from __future__ import annotations", "", *imports, "", *_place(where, path)]
    lines += [f"ARGUMENTS = {arguments}", "", "", *body]
    return WrittenTest("\n".join(lines) + "\n", tuple(doubts))


def _doubts(entry: Mapping[str, Any], where: Callee, varies: bool) -> list[str]:
    found: list[str] = []
    if where.server:
        found.append(
            f"The test starts the MCP server {where.server} anew: what it knew then it may not know."
        )
    text = str(entry.get("error") if entry.get("status") == "error" else entry.get("result", ""))
    if varies:
        found.append("The same arguments gave other results too: this may fail though the tool is right.")
    if _ADDRESS.search(text):
        found.append("The result holds a memory address, which is another one in each run.")
    if "only the first 10,000 items were taken" in text:
        found.append("The result was endless or very long: only its beginning is compared.")
    if len(text) > LONGEST:
        found.append(f"The result has {len(text):,} characters: its SHA-256 stands for it.")
    return found


def _body(entry: Mapping[str, Any], where: Callee) -> tuple[list[str], list[str]]:
    """Import lines and the test function."""
    if entry.get("result_is_text"):
        where = replace(where, text=not where.server)
    word = re.sub(r"\W+", "_", where.name)
    standard = ["from pathlib import Path", ""] if isinstance(where.place, Path) else []
    place = "FILE" if isinstance(where.place, Path) else "MODULE"
    caller = "call_mcp_tool" if where.server else "call_tool"
    called = f"{where.server!r}, {where.name!r}" if where.server else repr(where.name)
    call = f"{caller}({place}, {called}, ARGUMENTS{', text=True' if where.text else ''})"
    if entry.get("status") == "error":
        kind = str(entry.get("error_type") or "Exception")
        known, imported = _exception(kind)
        imports = [*standard, "import pytest", "", *imported]
        body = [f"def test_{word}_fails_as_it_did() -> None:", f"    with pytest.raises({known}) as raised:"]
        body += [f"        {call}"]
        if known != kind:
            body.append(f"    assert type(raised.value).__name__ == {kind!r}")
        message = _literal(str(entry.get("error") or ""))
        return [*imports, f"from workbench.toolbox.recorded import {caller}, message_of"], [
            *body,
            f"    assert message_of(raised.value) == {message}",
        ]
    told = str(entry.get("result", ""))
    value = told if where.text else plain_result(told)
    head = f"def test_{word}_gives_what_it_gave() -> None:"
    if len(told) > LONGEST:
        imports = [*standard, f"from workbench.toolbox.recorded import {caller}, text_digest"]
        return imports, [head, f"    assert text_digest({call}) == {text_digest(value)!r}"]
    imports = [*standard, f"from workbench.toolbox.recorded import as_json, {caller}"]
    compared = f"    assert as_json({call}) == as_json(RESULT)"
    return imports, [f"RESULT = {_literal(value)}", "", "", head, compared]


def _exception(kind: str) -> tuple[str, list[str]]:
    """What ``pytest.raises`` is given for an exception's class name, and the import that it takes."""
    found = getattr(builtins, kind, None)
    if isinstance(found, type) and issubclass(found, Exception):
        return kind, []
    import workbench.errors as errors

    if isinstance(getattr(errors, kind, None), type):
        return kind, [f"from workbench.errors import {kind}"]
    return "Exception", []


def _place(where: Callee, path: Path) -> list[str]:
    if not isinstance(where.place, Path):
        return [f"MODULE = {where.place!r}"]
    try:
        way = Path(os.path.relpath(where.place, path.resolve().parent))
    except ValueError:  # another drive
        return [f"FILE = Path({str(where.place)!r})"]
    ups = sum(part == ".." for part in way.parts)
    below = [part for part in way.parts if part != ".."]
    joined = "".join(f" / {part!r}" for part in below)
    return [f"FILE = Path(__file__).resolve().parents[{ups}]{joined}"]


def _literal(value: Any) -> str:
    return pprint.pformat(value, width=_WIDTH, sort_dicts=False)
