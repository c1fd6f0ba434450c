"""What a reload renews, module by module: which names in each may act differently than before."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from types import ModuleType

from workbench.toolbox.affected import affected_names
from workbench.toolbox.module_graph import source_of
from workbench.toolbox.tool_imports import DIGEST, digest_of, home_of


class LoadedSources:
    """The text that each module was made from, as far as its file still had it when it was noted."""

    def __init__(self) -> None:
        self._sources: dict[str, bytes] = {}
        self._digests: dict[str, str] = {}

    def note(self, name: str, *, digest: str | None = None) -> None:
        """Remember what is loaded now; ``digest`` says which text that was, for a module that does not."""
        module = sys.modules.get(name)
        path = source_of(module)
        loaded = vars(module).get(DIGEST, digest) if module is not None else None
        if path is None or loaded is None or self._digests.get(name) == loaded:
            return
        text = _text_of(path)
        if text is not None and digest_of(text) == loaded:
            self._sources[name], self._digests[name] = text, loaded
        else:
            self._sources.pop(name, None)
            self._digests.pop(name, None)

    def all(self) -> Mapping[str, bytes]:
        """The texts by module; a copy."""
        return dict(self._sources)


class Renewal(Mapping[str, "frozenset[str] | None"]):
    """For each of ``names`` the names in that module that may act differently; None where that is unknown.

    ``before`` has the texts that were in use; the modules are to be asked about once they were loaded again.
    """

    def __init__(self, names: AbstractSet[str], before: Mapping[str, bytes]) -> None:
        self._names = names
        self._before = before
        self._found: dict[str, frozenset[str] | None] = {}

    def __getitem__(self, name: str) -> frozenset[str] | None:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._found:
            self._found[name] = None  # for modules that import each other
            self._found[name] = self._affected(name, sys.modules.get(name))
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _affected(self, name: str, module: ModuleType | None) -> frozenset[str] | None:
        path, old = source_of(module), self._before.get(name)
        new = _text_of(path) if path is not None else None
        if module is None or old is None or new is None:
            return None
        return affected_names(old, new, renewed=self, package=module.__package__ or "", folder=home_of(name))


def _text_of(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:  # gone: nothing is known of it
        return None
