"""The draft of an app that ended is found by the next one, and that of a running app is left alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.storage.draft_file import DraftFile
from workbench.storage.masking import Masker


def test_what_a_closed_app_kept_is_taken_once(tmp_path: Path) -> None:
    folder = tmp_path / ".workbench" / "drafts"
    first = DraftFile(folder)
    first.keep("half a thought \ud800")
    first.close()
    assert DraftFile(folder).take() == "half a thought \ud800"
    assert DraftFile(folder).take() == ""
    assert list(folder.iterdir()) == []


def test_a_running_app_keeps_its_own(tmp_path: Path) -> None:
    folder = tmp_path / ".workbench" / "drafts"
    running = DraftFile(folder)
    for text in ("one", "two", "three"):
        running.keep(text)
        assert DraftFile(folder).take() == ""
    (path,) = folder.iterdir()
    assert path.read_text() == "three"
    assert path.stat().st_mode & 0o777 == 0o600


def test_no_secret_of_a_draft_is_on_disk(tmp_path: Path) -> None:
    folder = tmp_path / ".workbench" / "drafts"
    draft = DraftFile(folder, mask=Masker({"OTHER_TOKEN": "correct-horse"}))
    key = "sk-" + "a1" * 20
    draft.keep(f"use {key} and correct-horse\n")
    (path,) = folder.iterdir()
    assert path.read_text() == "use [masked key] and [masked OTHER_TOKEN]\n"


def test_an_empty_draft_leaves_no_file(tmp_path: Path) -> None:
    folder = tmp_path / ".workbench" / "drafts"
    draft = DraftFile(folder)
    draft.keep("something")
    draft.keep("")
    assert list(folder.iterdir()) == []
    draft.keep("")


def test_the_draft_of_a_killed_app_is_taken(tmp_path: Path) -> None:
    folder = tmp_path / ".workbench" / "drafts"
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom workbench.storage.draft_file import DraftFile\n"
        "draft = DraftFile(Path(sys.argv[1]))\ndraft.keep('written before the crash')\nos.abort()\n"
    )
    subprocess.run([sys.executable, "-c", code, str(folder)], check=False, capture_output=True)
    assert DraftFile(folder).take() == "written before the crash"


def test_the_newest_is_taken_first(tmp_path: Path) -> None:
    folder = tmp_path / ".workbench" / "drafts"
    folder.mkdir(parents=True)
    for age, name in enumerate(("new", "old")):
        (folder / f"{name}.txt").write_text(name)
        os.utime(folder / f"{name}.txt", (1_000 - age, 1_000 - age))
    assert [DraftFile(folder).take() for _ in range(3)] == ["new", "old", ""]


def test_nothing_is_taken_through_a_symbolic_link(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.txt"
    elsewhere.write_text("not ours")
    folder = tmp_path / ".workbench" / "drafts"
    folder.mkdir(parents=True)
    (folder / "1.txt").symlink_to(elsewhere)
    with pytest.raises(OSError, match="Too many levels"):
        DraftFile(folder).take()
    assert elsewhere.read_text() == "not ours"


def test_a_draft_that_was_damaged_is_given_back_as_far_as_it_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "drafts"
    folder.mkdir()
    (folder / "1_a.txt").write_bytes(b"half a \xff thought")
    assert DraftFile(folder).take() == "half a \ufffd thought"
