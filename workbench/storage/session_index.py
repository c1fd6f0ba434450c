"""The sessions of a project: which there are, which one is meant, and where a text occurs in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from workbench.errors import StorageError
from workbench.storage import private_file
from workbench.storage.journal import journal_path
from workbench.storage.session_file import SessionRecord, read_session
from workbench.storage.session_format import ITEM_START, Origin, first_input, load_yaml, origin_of

LAST: Final = "last"
"""The word for the session that was written last."""

_SHOWN: Final = 200
_AROUND: Final = 60


@dataclass(frozen=True, slots=True)
class SessionHead:
    """What a list shows of a session, without decoding its turns.

    ``written`` is when the file was written last, in Unix seconds. ``first`` is the first prompt (cut at 200
    characters), empty before there is one. ``running``: another process writes it now. ``interrupted``:
    its last turn never ended. ``problem`` says why it cannot be read, and is empty otherwise.
    """

    path: Path
    agent: str
    model: str
    written: float
    turns: int
    first: str
    origin: Origin | None = None
    running: bool = False
    interrupted: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A place where a text occurs: the turn, counted from 1, and the words around.

    ``at`` is where the text begins in the excerpt.
    """

    head: SessionHead
    turn: int
    excerpt: str
    at: int = 0


def sessions_folder(project: Path) -> Path:
    """Where the sessions of a project are kept."""
    return project / ".workbench" / "sessions"


def list_sessions(project: Path) -> list[SessionHead]:
    """All sessions of the project, the one written last first."""
    folder = sessions_folder(project)
    paths = [path for path in folder.glob("*.yaml") if path.is_file() and not path.is_symlink()]
    dated = sorted(((_written(path), path) for path in paths), key=lambda pair: (-pair[0], pair[1].name))
    return [_head(path, written) for written, path in dated]


def find_session(project: Path, word: str) -> Path:
    """The file that ``word`` names: ``last``, a path, or a part of a session's name that fits only one.

    Raises ``StorageError`` that says what there is instead.
    """
    if word != LAST and (path := Path(word)).suffix == ".yaml" and path.is_file():
        return path
    heads = list_sessions(project)
    if not heads:
        raise StorageError(
            f"there are no sessions in {sessions_folder(project)}",
            hint="A session is kept with its first turn.",
        )
    if word == LAST:
        return heads[0].path
    fits = [head.path for head in heads if word in head.path.name]
    if len(fits) == 1:
        return fits[0]
    shown = ", ".join(path.stem for path in (fits or [head.path for head in heads])[:5])
    what = f"{len(fits)} sessions fit {word!r}" if fits else f"no session fits {word!r}"
    raise StorageError(what, hint=f"Name one of them, or {LAST}: {shown}.")


def search_sessions(project: Path, text: str) -> Iterator[Found]:
    """Where ``text`` occurs in prompts, answers, calls and results, whatever its case; newest first."""
    wanted = text.casefold()
    if not wanted:
        return
    for head in list_sessions(project):
        try:
            record = read_session(head.path)
        except StorageError:
            continue  # the list shows it with its problem
        for number, said in _texts(record):
            at = said.casefold().find(wanted)
            if at >= 0:
                yield Found(head, number, *_excerpt(said, at, len(text)))


def _texts(record: SessionRecord) -> Iterator[tuple[int, str]]:
    """One text for each turn: all that was said and done in it."""
    for number, turn in enumerate(record.turns, 1):
        calls = (
            f"{entry.get('tool_name')}({entry.get('arguments')}) {entry.get('result')}"
            for entry in turn.trace
            if entry.get("type") == "tool_execution"
        )
        yield number, "\n".join((turn.input, *calls, turn.result))


def _excerpt(text: str, at: int, length: int) -> tuple[str, int]:
    """The words around a place, on one line, and where the place is in them."""
    start, end = max(0, at - _AROUND), at + length + _AROUND
    before, rest = (re.sub(r"\s+", " ", part) for part in (text[start:at], text[at:end]))
    before = ("…" if start else "") + before.lstrip()
    if before.endswith(" "):
        rest = rest.lstrip()
    return before + rest.rstrip() + ("…" if end < len(text) else ""), len(before)


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0  # it went away meanwhile; reading it says so


def _head(path: Path, written: float) -> SessionHead:
    try:
        data = path.read_bytes()
        running = private_file.is_being_written(path)
        journal = journal_path(path)
        interrupted = not running and journal.exists() and journal.stat().st_size > 0
    except OSError as error:
        problem = error.strerror or str(error)
        return SessionHead(path, path.stem, "", written, 0, "", problem=problem)
    starts = [found.start() for found in ITEM_START.finditer(data)]
    head = load_yaml(data[: starts[0]] if starts else data)
    facts = head if isinstance(head, dict) else {}
    return SessionHead(
        path=path,
        agent=str(facts.get("agent") or path.stem),
        model=str(facts.get("model") or ""),
        written=written or datetime.now(UTC).timestamp(),
        turns=len(starts),
        first=first_input(data[starts[0] :])[:_SHOWN] if starts else "",
        origin=origin_of(facts),
        running=running,
        interrupted=interrupted,
        problem="" if isinstance(head, dict) else "its header cannot be read",
    )
