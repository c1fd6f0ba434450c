"""``workbench run PROMPT --image FILE``: pictures go with the prompt, and a wrong one is said at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pictures import address, picture
from tests.test_cli import workbench
from workbench.storage.session_file import read_session


def test_pictures_go_with_the_prompt(own_folder: Path) -> None:
    (own_folder / "plot.png").write_bytes(picture())
    (own_folder / "photo").write_bytes(picture("JPEG", 640, 480))
    run = workbench("run", "what is this?", "--image", "plot.png", "--image", "photo", folder=own_folder)
    assert run.returncode == 0
    assert run.stdout.startswith("I got 2 images, but I cannot look at images: image/png, 64×48, ")
    assert "  plot.png  image/png 64×48 " in run.stderr
    assert "  photo  image/jpeg 640×480 " in run.stderr
    (path,) = (own_folder / ".workbench" / "sessions").glob("*.yaml")
    (turn,) = read_session(path).turns
    assert turn.prompt_images()[0].url == address(picture())


@pytest.mark.parametrize(
    ("name", "said"), [("gone.png", "there is no picture gone.png"), ("note.txt", "note.txt is no picture")]
)
def test_a_wrong_picture_is_a_wrong_command_line_and_nothing_begins(
    own_folder: Path, name: str, said: str
) -> None:
    (own_folder / "note.txt").write_text("hello")
    run = workbench("run", "what is this?", "--image", name, folder=own_folder)
    assert run.returncode == 2
    assert said in run.stderr
    assert run.stdout == ""
    assert not (own_folder / ".workbench").exists()
