"""The README's Python: its blocks run one after the other, as they stand there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_the_blocks_are_one_story_that_runs(own_folder: Path) -> None:
    text = README.read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 4
    story = "\n".join(blocks)
    assert "openai/gpt-5-mini" in story
    script = own_folder / "story.py"
    script.write_text(story.replace("openai/gpt-5-mini", "offline"), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(README.parent), "PYTHONUTF8": "1"},
    )
    assert run.returncode == 0, run.stderr
    assert "disable delete_file" in run.stdout.replace("ChangeEventType.", "").lower()
    assert run.stdout.rstrip().endswith("success")
