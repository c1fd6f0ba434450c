"""The page about panels of one's own: its example runs as it stands there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "panels.md"


def test_the_example_shows_what_happened(own_folder: Path) -> None:
    (code,) = re.findall(
        r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
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
    shown = [" ".join(line.split()) for line in run.stdout.splitlines()]
    assert any(line.startswith("◆ model 2 calls") for line in shown)
    assert any(line.startswith("✗ add line is down (fault: raise ConnectionError)") for line in shown)
    assert any(line.startswith("✓ add 9") for line in shown)
    assert "□ add disabled maintenance" in shown
    assert any(line.startswith("■ add 2 calls, 1 errors,") for line in shown)
