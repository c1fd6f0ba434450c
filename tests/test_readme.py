"""The Python of the README and of its page: the blocks run one after the other, as they stand there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
PAGE = README.parent / "docs" / "python.md"


def test_the_readmes_blocks_are_one_story_that_runs(own_folder: Path) -> None:
    story = story_of(README, blocks=3)
    assert "openai/gpt-5-mini" in story
    printed = printed_by(story.replace("openai/gpt-5-mini", "offline") + CHECK, own_folder)
    assert printed.rstrip().endswith("done, 1 call")


def test_the_pages_blocks_are_one_story_that_runs(own_folder: Path) -> None:
    printed = printed_by(story_of(PAGE, blocks=4), own_folder)
    assert "write_file success" in printed
    assert "['success', 'rejected']" in printed
    assert "Hello." in printed
    assert "disable write_file" in printed
    assert printed.rstrip().endswith("success 0 characters in a.txt")


CHECK = """
answer = agent.input("Clean up.")
ran = [entry for entry in agent.current_session["trace"] if entry["type"] == "tool_execution"]
print(f"{answer}, {len(ran)} call")
"""


def story_of(page: Path, *, blocks: int) -> str:
    """The blocks as one script; there are at least so many."""
    text = page.read_text(encoding="utf-8")
    found = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len(found) >= blocks
    return "\n".join(found)


def printed_by(story: str, folder: Path) -> str:
    """What the script prints to stdout."""
    script = folder / "story.py"
    script.write_text(story, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(README.parent), "PYTHONUTF8": "1"},
    )
    assert run.returncode == 0, run.stderr
    return run.stdout
