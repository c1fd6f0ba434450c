"""What is granted for a project comes into force with the user's yes, and is kept while it changes."""

from __future__ import annotations

import logging
from pathlib import Path

from workbench.errors import ConfigError
from workbench.project_trust import ProjectTrust
from workbench.registry import ChangeEvent, ChangeEventType, Grant, GrantScope, ToolRegistry
from workbench.toolbox.grants_file import grants_path, load_grants, save_grants
from workbench.whole_file import locked_folder

logger = logging.getLogger(__name__)


class ProjectGrants:
    """Keeps the project's grants of one registry in ``.workbench/grants.yaml``.

    Grants that others wrote there stay: those of another Workbench in the same folder, and those that
    wait for a yes. A file that cannot be written is logged once; the grants then hold until the end.
    """

    def __init__(self, registry: ToolRegistry, project: Path, trust: ProjectTrust) -> None:
        """Put the grants in force that have the user's yes. Raises ConfigError for a damaged file."""
        self._registry = registry
        self._path = grants_path(project)
        self._trust = trust
        self._told = False
        loaded = load_grants(self._path) if trust.covers(self._path) else ()
        for grant in loaded:
            registry.grant(grant)
        self._saved = frozenset(grant.id for grant in loaded)
        registry.on_change(self._changed, only=ChangeEventType.METADATA_UPDATE)

    def _current(self) -> dict[str, Grant]:
        return {grant.id: grant for grant in self._registry.grants if grant.scope is GrantScope.PROJECT}

    def _changed(self, change: ChangeEvent) -> None:
        if "grants" not in change.metadata.get("fields", ()) or self._current().keys() == self._saved:
            return
        try:
            self._save()
        except (ConfigError, OSError) as error:
            if not self._told:
                logger.warning("the grants of this project cannot be kept: %s", error)
            self._told = True
        else:
            self._told = False

    def _save(self) -> None:
        current = self._current()
        with locked_folder(self._path.parent), self._trust.keeping(self._path):
            revoked = self._saved - current.keys()
            kept = [grant for grant in load_grants(self._path) if grant.id not in revoked]
            # what was saved before and is not there any more was revoked in another Workbench
            save_grants(
                self._path, [*kept, *(each for key, each in current.items() if key not in self._saved)]
            )
        self._saved = frozenset(current)
