"""What the user said yes to: files of project folders, each with the content that it had then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from workbench.errors import ConfigError
from workbench.whole_file import locked_folder, replace_file

FILE_NAME: Final = "trusted.yaml"

Digests = Mapping[str, str]
"""SHA-256 of files, by their path from the project folder; absolute for files outside of it."""


class ProjectTrust:
    """The user's yes to files of one project folder, kept in ``trusted.yaml`` in the folder ``user``.

    A yes is for this folder, this file and this content; after any change it does not count any more.
    Every method raises ConfigError if ``trusted.yaml`` cannot be read, or written where it has to be.
    """

    def __init__(self, project: Path, user: Path) -> None:
        self.project = project.resolve()
        self._store = user / FILE_NAME

    def covers(self, path: Path) -> bool:
        """Whether the user said yes to the file as it is now; True if there is no such file."""
        found = self.digests([path])
        if not found:
            return not path.exists()
        return found.items() <= self._said().items()

    def digests(self, paths: Iterable[Path]) -> Digests:
        """What a yes to the files would be about; files that cannot be read are left out."""
        import hashlib  # brings OpenSSL, which most starts have no use for

        digests = {}
        for path in paths:
            try:
                content = path.read_bytes()
            except OSError:
                continue
            digests[self._key(path)] = hashlib.sha256(content).hexdigest()
        return digests

    def say_yes(self, digests: Digests) -> None:
        """Remember the user's yes to these contents."""
        try:
            with locked_folder(self._store.parent):
                everything = self._read()
                everything.setdefault(str(self.project), {}).update(digests)
                self._write(everything)
        except OSError as error:
            raise ConfigError(f"cannot write {self._store}: {error.strerror}") from error

    def take_back(self) -> bool:
        """Forget the user's yes to everything in this folder; False if there was none."""
        if not self._said():
            return False
        try:
            with locked_folder(self._store.parent):
                everything = self._read()
                known = everything.pop(str(self.project), None) is not None
                if known:
                    self._write(everything)
                return known
        except OSError as error:
            raise ConfigError(f"cannot write {self._store}: {error.strerror}") from error

    def given(self) -> dict[Path, str]:
        """The files that the user said yes to, and why a yes does not count now: empty where it does."""
        states = {}
        for key in sorted(self._said()):
            path = self.project / key
            counts = path.exists() and self.covers(path)
            states[path] = "" if counts else "changed since" if path.exists() else "not there any more"
        return states

    @contextmanager
    def keeping(self, path: Path) -> Iterator[None]:
        """While Workbench itself writes the file: a yes to the old content becomes one to the new.

        The same if there was no file before. What others put there stays without a yes.
        """
        ours = self.covers(path)
        yield
        if ours:
            self.say_yes(self.digests([path]))

    def _key(self, path: Path) -> str:
        # the folder is resolved and the file is not: it is the name that takes effect, whatever it links to
        place = path.parent.resolve() / path.name
        return str(place.relative_to(self.project) if place.is_relative_to(self.project) else place)

    def _said(self) -> Digests:
        return self._read().get(str(self.project), {})

    def _read(self) -> dict[str, dict[str, str]]:
        import yaml

        try:
            data = yaml.safe_load(self._store.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, AttributeError, RecursionError, yaml.YAMLError) as error:
            # also a date that no calendar has
            raise ConfigError(f"{self._store}: cannot be read: {error}", hint=_HINT) from error
        if data is None:
            return {}
        if not isinstance(data, dict) or not all(isinstance(files, dict) for files in data.values()):
            raise ConfigError(f"{self._store}: expected folders with files in them", hint=_HINT)
        return data

    def _write(self, everything: Mapping[str, Digests]) -> None:
        import yaml

        replace_file(self._store, yaml.safe_dump(dict(everything), sort_keys=True))


def trusted_projects(user: Path) -> tuple[ProjectTrust, ...]:
    """The project folders whose files the user said yes to; raises ConfigError as `ProjectTrust` does."""
    folders = ProjectTrust(Path.cwd(), user)._read()
    return tuple(ProjectTrust(Path(folder), user) for folder in sorted(folders) if folders[folder])


_HINT: Final = "Correct or delete the file; without it, no project folder has your yes."
