"""Grants for a project last, stay beside those of others, and count only with the user's yes."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.config import user_folder
from workbench.project_trust import ProjectTrust
from workbench.registry import Grant, GrantScope, ToolRegistry
from workbench.toolbox.grants_file import grants_path, load_grants, save_grants
from workbench.toolbox.project_grants import ProjectGrants


def project(tool: str) -> Grant:
    return Grant(tool, {}, GrantScope.PROJECT)


def opened(folder: Path) -> ToolRegistry:
    """A registry that keeps the grants of the folder, as an app does that is opened there."""
    registry = ToolRegistry()
    ProjectGrants(registry, folder, ProjectTrust(folder, user_folder()))
    return registry


def in_file(folder: Path) -> list[str]:
    return [grant.tool for grant in load_grants(grants_path(folder))]


def in_force(registry: ToolRegistry) -> list[str]:
    return [grant.tool for grant in registry.grants]


def test_what_was_granted_here_holds_the_next_time(own_folder: Path) -> None:
    first = opened(own_folder)
    first.grant(project("a"))
    first.grant(Grant("for now", {}, GrantScope.SESSION))
    first.grant(project("b"))
    second = opened(own_folder)
    assert in_force(second) == ["a", "b"]
    second.revoke(second.grants[0])
    assert in_force(opened(own_folder)) == ["b"]


def test_grants_that_came_with_the_folder_do_not_count_and_stay_in_the_file(own_folder: Path) -> None:
    save_grants(grants_path(own_folder), [project("theirs")])
    registry = opened(own_folder)
    assert in_force(registry) == []
    registry.grant(project("mine"))
    assert in_file(own_folder) == ["theirs", "mine"]
    assert in_force(opened(own_folder)) == []


def test_a_grant_that_a_tool_wrote_meanwhile_does_not_get_a_yes_along_with_others(own_folder: Path) -> None:
    registry = opened(own_folder)
    registry.grant(project("mine"))
    save_grants(grants_path(own_folder), [*registry.grants, project("smuggled")])
    registry.grant(project("mine too"))
    assert in_force(opened(own_folder)) == []


def test_two_apps_in_one_folder_lose_no_grant_and_bring_none_back(own_folder: Path) -> None:
    shared = project("shared")
    opened(own_folder).grant(shared)
    one, two = opened(own_folder), opened(own_folder)
    one.grant(project("of one"))
    two.grant(project("of two"))
    one.revoke(shared)
    two.grant(project("another of two"))
    assert in_file(own_folder) == ["of one", "of two", "another of two"]
    assert in_force(opened(own_folder)) == in_file(own_folder)


def test_a_folder_that_cannot_be_written_is_said_once_and_the_grants_hold_for_now(
    own_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    registry = opened(own_folder)
    (own_folder / ".workbench").write_text("a file in the way")
    registry.grant(project("a"))
    registry.grant(project("b"))
    assert in_force(registry) == ["a", "b"]
    (record,) = caplog.records
    assert "the grants of this project cannot be kept" in record.getMessage()
    (own_folder / ".workbench").unlink()
    registry.grant(project("c"))
    assert in_file(own_folder) == ["a", "b", "c"]


def test_a_folder_that_is_a_link_is_not_written_through(own_folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (own_folder / ".workbench").symlink_to(elsewhere)
    registry = opened(own_folder)
    registry.grant(project("a"))
    assert list(elsewhere.iterdir()) == []
