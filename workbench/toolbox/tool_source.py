"""One target of the loader, the files behind it, and which tools came from each."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from workbench.toolbox.offered import Offer, offers
from workbench.toolbox.target_place import split_target
from workbench.toolbox.tool_files import HOOK_NAME, ImportFailedError, LoadFailure, import_file, import_named

if TYPE_CHECKING:
    from workbench.registry import Tool, ToolRegistry


class FileHook:
    """The post-register hook of one file; the registry keeps it while the file's function changes."""

    def __init__(self) -> None:
        self.latest: Any = None

    def __call__(self, name: str, tool: Tool, registry: ToolRegistry) -> str | None:
        """Ask the function as it is now; a file that has none any more has no say."""
        answer: str | None = self.latest(name, tool, registry) if self.latest is not None else None
        return answer


@dataclass(slots=True, eq=False)
class LoadedFile:
    """A file and what is in the registry because of it.

    Attributes:
        path: The file; for a module without one, its name.
        public: The name that the module is imported by; None when the file is a module of its own.
        module: The last version that could be imported; None before the first.
        source: The text of that version.
        hook: The file's hook, once it had one.
        tools: Names of the registered tools by the name in the file that they come from.
        failures: What is wrong with the file as it is now.
        broken: The file as it is now cannot be imported.
    """

    path: Path
    public: str | None = None
    module: ModuleType | None = None
    source: bytes = b""
    hook: FileHook | None = None
    tools: dict[str, tuple[str, ...]] = field(default_factory=dict)
    failures: list[LoadFailure] = field(default_factory=list)
    broken: bool = False

    def import_now(self) -> ModuleType:
        """Import the file as it is; raises ImportFailedError, and then ``module`` is as it was."""
        try:
            module = import_file(self.path) if self.public is None else import_named(self.public)
        except ImportFailedError as error:
            self.broken = True
            self.failures = [error.failure]
            raise
        self.module, self.broken, self.failures = module, False, []
        if module.__file__:
            self.path = Path(module.__file__)
            self.source = self.path.read_bytes()
        return module

    @property
    def is_there(self) -> bool:
        """Whether the file is on disk; a module that is no Python file always is."""
        return self.path.is_file() or self.path.suffix != ".py"

    @property
    def steady(self) -> frozenset[str]:
        """Names in the file that stand for the same thing whenever it is loaded again."""
        return frozenset()

    def offers(self, wanted: str | None) -> Iterator[Offer]:
        """The tools of the module, or of the one name in it that is wanted; raises ConfigError without it."""
        assert self.module is not None  # it was imported
        return offers(self.module, wanted, self.failures)

    def left_behind(self, old: bytes) -> list[str]:
        """What changed since the source was ``old`` but is not followed, in words: nothing."""
        return []

    def take_hook(self, registry: ToolRegistry) -> None:
        """Put the module's own hook in force, in the place of the one before."""
        latest = vars(self.module).get(HOOK_NAME) if self.module is not None else None
        if self.hook is None and callable(latest):
            self.hook = FileHook()
            registry.add_post_register_hook(self.hook)
        if self.hook is not None:
            self.hook.latest = latest if callable(latest) else None


@dataclass(slots=True, eq=False)
class ToolSource:
    """What was asked to be loaded, and the files that this means.

    Attributes:
        place: An absolute folder or file, or the name of a module.
        kind: Which of these.
        name: What is wanted of it; None for everything.
        files: The files behind it, in the order of loading.
    """

    place: Path
    kind: Literal["folder", "file", "module"]
    name: str | None
    files: list[LoadedFile] = field(default_factory=list)

    @classmethod
    def of(cls, target: str) -> ToolSource:
        """The source that a target names; nothing is read or imported."""
        place, name = split_target(target)
        if place.is_dir():
            return cls(place.resolve(), "folder", name)
        if place.is_file():
            return cls(place.resolve(), "file", name)
        return cls(place, "module", name)

    @property
    def root(self) -> Path:
        """The folder below which modules count as the tools' own."""
        if self.kind == "folder":
            return self.place
        return (self.files[0].path if self.kind == "module" and self.files else self.place).parent

    def find_files(self) -> list[LoadedFile]:
        """Files that belong to the source and are not in ``files`` yet; they are added to it."""
        known = {each.public or str(each.path) for each in self.files}
        found = [each for each in self._present() if (each.public or str(each.path)) not in known]
        self.files = sorted([*self.files, *found], key=lambda each: each.public or str(each.path))
        return found

    def _present(self) -> Iterator[LoadedFile]:
        if self.kind == "folder":
            yield from (LoadedFile(path) for path in tool_files(self.place))
        elif self.kind == "file":
            yield from [LoadedFile(self.place)] if self.place.is_file() else []
        else:
            yield LoadedFile(self.place, public=str(self.place))
            package = sys.modules.get(str(self.place))
            for found in pkgutil.iter_modules(getattr(package, "__path__", ())):
                if not found.name.startswith("_"):
                    yield LoadedFile(Path(found.name), public=f"{self.place}.{found.name}")


def tool_files(folder: Path) -> list[Path]:
    """The files of a folder that hold tools, by name."""
    return sorted(path for path in folder.glob("*.py") if not path.name.startswith("_") and path.is_file())
