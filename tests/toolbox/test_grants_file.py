"""Project grants outlive the session, and nothing else does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from workbench.errors import ConfigError
from workbench.registry import Grant, GrantScope, ToolRegistry
from workbench.toolbox.grants_file import grants_path, load_grants, save_grants


def test_a_grant_that_is_kept_without_a_word_on_other_arguments_covers_none_of_them(tmp_path: Path) -> None:
    def act(path: str, force: bool = False) -> str:
        return f"{path} {force}"

    path = grants_path(tmp_path)
    path.parent.mkdir()
    path.write_text(
        "grants:\n- {tool: write, arguments: {path: a}, scope: project, id: x, created: 1.0}\n"
        "- {tool: look, arguments: {}, scope: project, id: y, created: 1.0}\n"
    )
    narrow, wide = load_grants(path)
    registry = ToolRegistry()
    registry.register(act, name="write")
    registry.register(act, name="look")
    write, look = registry
    assert narrow.fits(write, {"path": "a"})
    assert not narrow.fits(write, {"path": "a", "force": True})
    assert wide.fits(look, {"path": "a", "force": True})


def test_project_grants_come_back_as_they_were(tmp_path: Path) -> None:
    path = grants_path(tmp_path)
    kept = Grant("files.write_file", {"path": "docs/*\ud800\0é"}, GrantScope.PROJECT)
    save_grants(path, [kept, Grant("*", {}, GrantScope.SESSION), Grant("*", {}, GrantScope.ONCE)])
    (grant,) = load_grants(path)
    assert grant.to_dict() == kept.to_dict()


def test_the_file_is_private_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = grants_path(tmp_path)
    save_grants(path, [])
    save_grants(path, [Grant("x", {}, GrantScope.PROJECT)])
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["grants.yaml"]


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = grants_path(tmp_path)
    save_grants(path, [Grant("x", {}, GrantScope.PROJECT)])
    before = path.read_bytes()

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigError, match="No space left on device"):
        save_grants(path, [])
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["grants.yaml"]


def test_no_file_is_no_grant(tmp_path: Path) -> None:
    assert load_grants(grants_path(tmp_path)) == ()
    (tmp_path / ".workbench").write_text("a file in the way")
    assert load_grants(grants_path(tmp_path)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "grants: yes",
        "[1, 2]",
        "grants:\n- tool: x\n",
        "grants:\n- 5\n",
        "{",
        yaml.safe_dump({"grants": [Grant("*", {}, GrantScope.ONCE).to_dict()]}),
        "\x00",
    ],
)
def test_a_damaged_file_grants_nothing_and_says_so(tmp_path: Path, text: str) -> None:
    path = tmp_path / "grants.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"grants\.yaml") as raised:
        load_grants(path)
    assert "do not count" in raised.value.hint


UNREADABLE = {
    "a date that no calendar has": "a: 2025-13-45\n",
    "lists without end": "a: " + "[" * 20_000,
    "a number without end": "a: " + "1" * 5_000,
    "a time that is none": "a: !!timestamp x\n",
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_value_that_cannot_be_read_is_an_error_that_names_the_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "unreadable.yaml"
    path.write_text(UNREADABLE[kind])
    with pytest.raises(ConfigError, match=r"unreadable\.yaml"):
        load_grants(path)
