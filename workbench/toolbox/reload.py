"""Loads changed tool files again and brings the registry to what they say now."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from workbench.registry import ToolRegistry
from workbench.toolbox.affected import affected_names
from workbench.toolbox.module_graph import ModuleGraph, dependents, reached_from, source_of
from workbench.toolbox.registry_update import RegistryUpdate, Update
from workbench.toolbox.renewal import LoadedSources, Renewal
from workbench.toolbox.tool_files import ImportFailedError, LoadFailure, import_lock, import_named, put_back
from workbench.toolbox.tool_imports import DIGEST, PACKAGES, digest_of, finder, home_of
from workbench.toolbox.tool_source import LoadedFile, ToolSource


@dataclass(frozen=True, slots=True)
class ReloadReport:
    """What a reload did; all names are dotted tool names.

    Attributes:
        changed: Tools that act or look differently now.
        added: New tools.
        removed: Tools whose function is gone.
        moved: Old and new name of tools whose function was renamed; in neither of the two above.
        left_behind: What changed, but takes effect only at the next start: parts of an agent, in words.
        failures: Everything that is wrong in the files now, also what was wrong before.
        took_ms: How long it took, in milliseconds.
    """

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    left_behind: tuple[str, ...] = ()
    failures: tuple[LoadFailure, ...] = ()
    took_ms: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong in any file."""
        return not self.failures


@dataclass(slots=True)
class _Round:
    """What one reload found: files read again, the names in them that it affects, and files gone.

    ``differing`` are the modules whose files changed, ``renewed`` those that were loaded again by now: what
    several sources import is loaded once. ``before`` has the texts that modules were made from until then.
    """

    before: Mapping[str, bytes]

    differing: set[str] = field(default_factory=set)
    renewed: set[str] = field(default_factory=set)
    read: list[LoadedFile] = field(default_factory=list)
    affected: dict[int, frozenset[str]] = field(default_factory=dict)
    left_behind: list[str] = field(default_factory=list)
    tried: bool = False
    gone: list[LoadedFile] = field(default_factory=list)


class Reloader:
    """Knows which files are loaded and which of them differ from what was loaded.

    Not safe on several threads at once; `ToolWatcher` sees to that.
    """

    def __init__(self, registry: ToolRegistry, sources: Iterable[ToolSource]) -> None:
        self.sources = tuple(sources)
        self._registry = registry
        self._update = RegistryUpdate(registry)
        self._graph = ModuleGraph()
        self._digests: dict[str, str | None] = {}
        self._sources = LoadedSources()
        for source in self.sources:
            self._note_digests(self._reach(source))

    @property
    def failures(self) -> tuple[LoadFailure, ...]:
        """Everything that is wrong in the files, each once."""
        found = [each for source in self.sources for file in source.files for each in file.failures]
        return tuple({(each.path, each.line, each.reason): each for each in found}.values())

    def reload(self, *, everything: bool = False) -> ReloadReport | None:
        """Load what differs, or everything, again; None when nothing does.

        A file that cannot be imported keeps its last good version in the registry and is tried again
        at each reload.
        """
        started = time.perf_counter()
        found = _Round(self._sources.all())
        for source in self.sources:
            found.differing.update(name for name in self._reach(source) if self._differs(name))
        for source in self.sources:
            self._read(source, found, everything)
        if not (found.read or found.gone or found.tried):
            return None
        for file in found.read:
            file.take_hook(self._registry)
        for file in found.gone:
            if file.hook is not None:
                file.hook.latest = None
        wanted = {id(file): source.name for source in self.sources for file in source.files}
        update = self._update.apply(
            [Update(file, wanted[id(file)], found.affected[id(file)]) for file in found.read],
            found.gone,
            in_one_step=everything,
        )
        return ReloadReport(
            changed=tuple(update.changed),
            added=tuple(update.added),
            removed=tuple(update.removed),
            moved=tuple(update.moved),
            left_behind=tuple(found.left_behind),
            failures=self.failures,
            took_ms=(time.perf_counter() - started) * 1000.0,
        )

    def watched(self) -> tuple[set[Path], set[Path]]:
        """Folders whose Python files matter, and files elsewhere that matter."""
        folders = {each.root for each in self.sources}
        files: set[Path] = set()
        for source in self.sources:
            files.update(file.path for file in source.files if file.path.suffix == ".py")
            files.update(path for name in self._reach(source) if (path := source_of(sys.modules.get(name))))
            for file in source.files:
                if file.public is None:  # also what it would import later, or could not import yet
                    files.update(self._graph.files_wanted(file.path))
        return folders, {each for each in files if each.parent not in folders}

    def _reach(self, source: ToolSource) -> dict[str, frozenset[str]]:
        return self._graph.reach(
            [file.module for file in source.files if file.module is not None], source.root
        )

    def _note_digests(self, names: Iterable[str]) -> None:
        """Remember what is loaded now of modules that the ordinary import system has loaded."""
        for name in names:
            module = sys.modules.get(name)
            if module is not None and DIGEST not in vars(module):
                self._digests.setdefault(name, _digest_on_disk(module))
            self._sources.note(name, digest=self._digests.get(name))

    def _differs(self, name: str) -> bool:
        module = sys.modules.get(name)
        if module is None:
            return True
        loaded = vars(module).get(DIGEST, self._digests.get(name))
        return bool(_digest_on_disk(module) != loaded)

    def _read(self, source: ToolSource, found: _Round, everything: bool) -> None:
        edges = self._reach(source)
        gone = [file for file in source.files if file.module is not None and not file.is_there]
        fresh = source.find_files() if source.kind != "module" or source.name is None else []
        for file in gone:
            source.files.remove(file)
        source.files = [file for file in source.files if file.module is not None or file.is_there]
        found.gone.extend(gone)
        differing = found.differing & edges.keys()
        changed = set(edges) if everything else differing
        broken = [file for file in source.files if file.broken and file not in fresh]
        dirty = dependents(edges, {*changed, *(file.module.__name__ for file in broken if file.module)})
        chosen = [
            file
            for file in source.files
            if file in fresh or file in broken or (file.module is not None and file.module.__name__ in dirty)
        ]
        with import_lock:
            self._import_again(chosen, dirty, dependents(edges, differing), edges, found)
        self._note_digests(self._reach(source))

    def _import_again(
        self,
        chosen: list[LoadedFile],
        dirty: set[str],
        renewed: set[str],
        edges: dict[str, frozenset[str]],
        found: _Round,
    ) -> None:
        """Load the ``dirty`` modules again; the ``renewed`` among them may act differently."""
        old = {name: sys.modules.get(name) for name in dirty - found.renewed}
        for name in old:
            put_back(name, None)
            self._digests.pop(name, None)
        finder.enter(name for name in old if not name.startswith(PACKAGES))
        importlib.invalidate_caches()
        try:
            renewal = Renewal(renewed, found.before)
            for file in chosen:
                self._import_file(file, renewal, found)
            self._mend(chosen, old, edges)
        finally:
            finder.afresh.clear()
            found.renewed.update(
                name for name, earlier in old.items() if sys.modules.get(name) not in (None, earlier)
            )

    @staticmethod
    def _import_file(file: LoadedFile, renewal: Renewal, found: _Round) -> None:
        found.tried = True
        before, source = file.module, file.source
        try:
            module = file.import_now()
        except ImportFailedError:
            if before is not None:
                put_back(before.__name__, before)
            return
        found.read.append(file)
        found.left_behind += file.left_behind(source)
        found.affected[id(file)] = affected_names(
            source,
            file.source,
            renewed=renewal,
            package=module.__package__ or "",
            folder=home_of(module.__name__),
            steady=file.steady,
        )

    @staticmethod
    def _mend(
        chosen: list[LoadedFile], old: dict[str, ModuleType | None], edges: dict[str, frozenset[str]]
    ) -> None:
        """See to helpers that no file has imported again, because it failed, or does so in a call only."""
        in_use = reached_from(edges, [each.module.__name__ for each in chosen if each.broken and each.module])
        for name, earlier in old.items():
            path = source_of(earlier)
            if name in sys.modules or earlier is None or path is None:
                continue
            if name in in_use:
                put_back(name, earlier)
            elif path.is_file():
                try:
                    import_named(name)
                except ImportFailedError as error:
                    put_back(name, earlier)
                    for file in chosen:
                        if file.module and name in reached_from(edges, [file.module.__name__]):
                            file.failures.append(error.failure)


def _digest_on_disk(module: ModuleType) -> str | None:
    path = source_of(module)
    try:
        return digest_of(path.read_bytes()) if path is not None else None
    except OSError:  # deleted: that differs from everything
        return None
