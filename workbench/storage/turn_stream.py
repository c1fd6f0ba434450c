"""The turns of a session file one after the other, however many they are: one is in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from workbench.errors import StorageError
from workbench.storage.session_file import read_session, turns_under_way
from workbench.storage.session_format import (
    ITEM_START,
    RawTurn,
    TurnRecord,
    earlier_of,
    load_yaml,
    parse_item,
)

_CHUNK: Final = 1024 * 1024
_SPLIT: Final = b"\n  - input:"


def each_turn(path: Path) -> Iterator[tuple[int, TurnRecord]]:
    """The turns with their numbers, the running or interrupted one too. Raises ``StorageError``."""
    try:
        whole = before = 0
        with path.open("rb") as file:
            for piece in _pieces(file):
                if ITEM_START.match(piece) is None:
                    head = load_yaml(piece)
                    before = earlier_of(head).turns if isinstance(head, dict) else 0
                    continue
                turn = _turn(piece)
                if turn is not None:
                    whole += 1
                    yield before + whole, turn
        under_way, _ = turns_under_way(path, whole, before)
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from error
    if not whole:  # somebody may have written it in another layout
        yield from read_session(path).numbered()
    else:
        yield from enumerate(under_way, before + whole + 1)


def count_turns(file: IO[bytes]) -> int:
    """How many whole turns are in the file: the last one may be torn."""
    count, last = 0, b""
    for last in _pieces(file):
        count += ITEM_START.match(last) is not None
    torn = ITEM_START.match(last) is not None and _turn(last) is None
    return count - torn


def _turn(piece: bytes) -> TurnRecord | None:
    raw = RawTurn.match(piece, 0, len(piece))
    return raw.decode() if raw is not None else parse_item(piece)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """The header, then each item."""
    buffer = bytearray()
    searched = 0
    while chunk := file.read(_CHUNK):
        buffer += chunk
        while (at := buffer.find(_SPLIT, searched)) >= 0:
            yield bytes(buffer[: at + 1])
            del buffer[: at + 1]
            searched = 0
        searched = max(0, len(buffer) - len(_SPLIT))
    yield bytes(buffer)
