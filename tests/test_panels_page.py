"""The page about panels of one's own: its example runs as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "panels.md"


def lines_of(example: int, own_folder: Path) -> list[str]:
    """What an example of the page prints."""
    codes = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    code = codes[example]
    script = own_folder / "panel.py"
    script.write_text(code, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        capture_output=True,
        text=True,
        timeout=60,
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(PAGE.parent.parent),
            "COLUMNS": "120",
            "PYTHONUTF8": "1",
        },
    )
    assert run.returncode == 0, run.stderr
    return [" ".join(line.split()) for line in run.stdout.splitlines()]


def test_the_example_shows_what_happened(own_folder: Path) -> None:
    shown = lines_of(0, own_folder)
    assert any(line.startswith("◆ model 2 calls") for line in shown)
    assert any(line.startswith("✗ add line is down (fault: raise ConnectionError)") for line in shown)
    assert any(line.startswith("✓ add 9") for line in shown)
    assert "□ add disabled maintenance" in shown
    assert any(line.startswith("■ add 2 calls, 1 errors,") for line in shown)


def test_the_observer_of_the_page_is_told_of_a_turn(own_folder: Path) -> None:
    shown = lines_of(1, own_folder)
    assert "watched asks with 0 tools" in shown
    assert any(line.startswith("I am the **offline** model") for line in shown)
    assert any(line.startswith("llm_call ") for line in shown)
    assert "success: 0 calls, 0 ms of yours" in shown
