"""The sessions of a project: which there are, which one is meant, and where a text occurs in them."""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Final

from workbench.errors import StorageError
from workbench.storage import end_mark, file_hold
from workbench.storage.journal import journal_path
from workbench.storage.session_format import (
    ITEM_START,
    Origin,
    TurnRecord,
    earlier_of,
    first_words,
    load_yaml,
    origin_of,
)
from workbench.storage.turn_stream import count_turns, each_turn

LAST: Final = "last"
"""The word for the session that was written last."""

_AROUND: Final = 60
_BEGIN: Final = 16 * 1024  # bytes: the header, and the first words of the first prompt
_HEAD_ENDS: Final = re.compile(rb"^(?:  - input:|turns:$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SessionHead:
    """What a list shows of a session, without decoding its turns.

    ``written`` is when the file was written last, in Unix seconds. ``first`` is the first prompt (cut at 200
    characters), empty before there is one. ``running``: another process writes it now. ``interrupted``:
    its last turn never ended. ``problem`` says why it cannot be read, and is empty otherwise. ``before`` is
    how many turns of the conversation are in an earlier file.
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
    before: int = 0

    @property
    def last(self) -> int:
        """The number of the last turn."""
        return self.before + self.turns


@dataclass(frozen=True, slots=True)
class Found:
    """A place where a text occurs: the number of the turn, and the words around.

    ``at`` is where the text begins in the excerpt, ``length`` how many characters of it are the text.
    """

    head: SessionHead
    turn: int
    excerpt: str
    at: int = 0
    length: int = 0


def sessions_folder(project: Path) -> Path:
    """Where the sessions of a project are kept."""
    return project / ".workbench" / "sessions"


def list_sessions(project: Path) -> list[SessionHead]:
    """All sessions of the project, the one written last first. Of each only begin and end are read, so the
    time does not grow with their length.
    """
    return [_head(path) for path in _files(project)]


def find_session(project: Path, word: str) -> Path:
    """The file that ``word`` names: ``last``, a path, or a part of a session's name that fits only one.

    Raises ``StorageError`` that says what there is instead.
    """
    if word != LAST and (path := Path(word)).suffix == ".yaml" and path.is_file():
        return path
    paths = _files(project)
    if not paths:
        raise StorageError(
            f"there are no sessions in {sessions_folder(project)}",
            hint="A session is kept with its first turn.",
        )
    if word == LAST:
        return paths[0]
    fits = [path for path in paths if word in path.name]
    if len(fits) == 1:
        return fits[0]
    shown = ", ".join(path.stem for path in (fits or paths)[:5])
    what = f"{len(fits)} sessions fit {word!r}" if fits else f"no session fits {word!r}"
    raise StorageError(what, hint=f"Name one of them, or {LAST}: {shown}.")


def search_sessions(
    project: Path, text: str, *, stopped: Callable[[], bool] = lambda: False
) -> Iterator[Found]:
    """Where ``text`` occurs in prompts, answers, calls and results, whatever its case; newest first.

    One turn is in memory at a time. ``stopped`` is asked before each; once it says so, nothing more comes.
    """
    wanted = text.casefold()
    if not wanted:
        return
    for path in _files(project):
        head: SessionHead | None = None
        try:
            for number, turn in each_turn(path):
                if stopped():
                    return
                said = _text(turn)
                if place := _place(said, wanted):
                    head = head or _head(path)
                    yield Found(head, number, *_excerpt(said, *place))
        except StorageError:
            continue  # the list shows it with its problem


def _text(turn: TurnRecord) -> str:
    """All that was said and done in a turn."""
    calls = (
        f"{entry.get('tool_name')}({entry.get('arguments')}) {entry.get('result')}"
        for entry in turn.trace
        if entry.get("type") == "tool_execution"
    )
    pictures = (f"{facts.name} {facts}" for facts in turn.images)
    return "\n".join((turn.input, *pictures, *calls, turn.result))


def _place(text: str, wanted: str) -> tuple[int, int] | None:
    """Where the folded text ``wanted`` begins in ``text``, and how long it is there; None if it is not."""
    folded = text.casefold()
    at = folded.find(wanted)
    if at < 0:
        return None
    if len(folded) == len(text):  # no character becomes less than one
        return at, len(wanted)
    ends = list(accumulate(len(character.casefold()) for character in text))
    start = bisect_right(ends, at)
    return start, bisect_right(ends, at + len(wanted) - 1) + 1 - start


def _excerpt(text: str, at: int, length: int) -> tuple[str, int, int]:
    """The words around a place, on one line, where the place is in them, and how long it is there."""
    start, end = max(0, at - _AROUND), at + length + _AROUND
    places = (text[start:at], text[at : at + length], text[at + length : end])
    before, found, behind = (re.sub(r"\s+", " ", part) for part in places)
    before = ("…" if start else "") + before.lstrip()
    if before.endswith(" "):
        found = found.lstrip()
    if found.endswith(" "):
        behind = behind.lstrip()
    behind = behind.rstrip() + ("…" if end < len(text) else "")
    return before + found + behind, len(before), len(found)


def _files(project: Path) -> list[Path]:
    """The files of the sessions, the one written last first."""
    folder = sessions_folder(project)
    paths = [path for path in folder.glob("*.yaml") if path.is_file() and not path.is_symlink()]
    return sorted(paths, key=lambda path: (-_written(path), path.name))


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0  # it went away meanwhile; reading it says so


def _head(path: Path) -> SessionHead:
    try:
        with path.open("rb") as file:
            about = os.fstat(file.fileno())
            begin = file.read(_BEGIN)
            file.seek(max(0, about.st_size - end_mark.LONGEST))
            turns = end_mark.marked_turns(file.read(), about.st_size)
            running = file_hold.descriptor_is_held(file.fileno())
        if turns is None:
            turns = _counted(path, (about.st_size, about.st_mtime_ns))
        journal = journal_path(path)
        interrupted = not running and journal.exists() and journal.stat().st_size > 0
    except OSError as error:
        problem = error.strerror or str(error)
        return SessionHead(path, path.stem, "", _written(path), 0, "", problem=problem)
    ends = _HEAD_ENDS.search(begin)
    head = load_yaml(begin[: ends.start()] if ends is not None else begin)
    facts = head if isinstance(head, dict) else {}
    first = ITEM_START.search(begin)
    return SessionHead(
        path=path,
        agent=str(facts.get("agent") or path.stem),
        model=str(facts.get("model") or ""),
        written=about.st_mtime or datetime.now(UTC).timestamp(),
        turns=turns,
        first=first_words(begin[first.start() :]) if first is not None else "",
        origin=origin_of(facts),
        running=running,
        interrupted=interrupted,
        problem="" if isinstance(head, dict) else "its header cannot be read",
        before=earlier_of(facts).turns,
    )


@lru_cache(maxsize=1000)
def _counted(path: Path, state: tuple[int, int]) -> int:  # noqa: ARG001  # what is kept holds for it only
    """The turns of a file whose end does not tell; its size and the time of its last change say which one."""
    with path.open("rb") as file:
        return count_turns(file)
