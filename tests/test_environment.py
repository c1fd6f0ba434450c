"""Keys from ``.env`` files."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from workbench.config import user_folder
from workbench.environment import load_env_files
from workbench.errors import ConfigError
from workbench.project_review import ProjectReview
from workbench.project_trust import ProjectTrust


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SOME_KEY", "OTHER_KEY"):
        monkeypatch.setenv(name, "")  # so that it is taken away afterwards
        monkeypatch.delenv(name)


def test_both_files_are_read_and_the_nearer_one_wins(own_folder: Path) -> None:
    (own_folder / ".workbench").mkdir()
    (own_folder / ".workbench" / ".env").write_text("SOME_KEY=near\n")
    (own_folder / ".env").write_text("SOME_KEY=far\nexport OTHER_KEY='two words' # a remark\n")
    ProjectReview(own_folder).say_yes()
    found = load_env_files(own_folder)
    assert [path.parent.name for path in found] == [".workbench", own_folder.name]
    assert os.environ["SOME_KEY"] == "near"
    assert os.environ["OTHER_KEY"] == "two words"


def test_the_files_of_a_project_set_nothing_until_the_user_said_yes(own_folder: Path) -> None:
    (own_folder / ".env").write_text("SOME_KEY=theirs\n")
    assert load_env_files(own_folder) == []
    assert "SOME_KEY" not in os.environ
    ProjectReview(own_folder).say_yes()
    (own_folder / ".env").write_text("SOME_KEY=changed\n")
    assert load_env_files(own_folder) == []
    assert "SOME_KEY" not in os.environ


def test_the_file_of_the_user_needs_no_yes_and_comes_last(own_folder: Path) -> None:
    user_folder().mkdir(parents=True)
    (user_folder() / ".env").write_text("SOME_KEY=own\nOTHER_KEY=own\n")
    (own_folder / ".env").write_text("SOME_KEY=project\n")
    ProjectReview(own_folder).say_yes()
    load_env_files(own_folder)
    assert (os.environ["SOME_KEY"], os.environ["OTHER_KEY"]) == ("project", "own")


def test_what_is_set_already_stays(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "mine")
    (own_folder / ".env").write_text("SOME_KEY=theirs\n")
    ProjectReview(own_folder).say_yes()
    load_env_files(own_folder)
    assert os.environ["SOME_KEY"] == "mine"


def test_without_files_nothing_is_loaded_or_said(own_folder: Path) -> None:
    sys.modules.pop("dotenv", None)
    assert load_env_files(own_folder) == []
    assert "dotenv" not in sys.modules


def test_a_folder_of_that_name_is_no_file(own_folder: Path) -> None:
    (own_folder / ".env").mkdir()
    assert load_env_files(own_folder) == []


@pytest.mark.parametrize("content", [b"SOME_KEY=\xff\xfesecret", b"SOME_KEY=sec\x00ret"])
def test_a_file_that_cannot_be_used_is_named_and_its_values_are_not(own_folder: Path, content: bytes) -> None:
    (own_folder / ".env").write_bytes(content)
    trust = ProjectTrust(own_folder, user_folder())
    trust.say_yes(trust.digests([own_folder / ".env"]))
    with pytest.raises(ConfigError) as caught:
        load_env_files(own_folder)
    assert str(own_folder / ".env") in str(caught.value)
    assert "sec" not in str(caught.value).replace(str(own_folder), "")
