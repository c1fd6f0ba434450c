"""A script that ends without closing its agent leaves its session, and no empty journal beside it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_SCRIPT = """
from workbench import Agent

def add(a: int, b: int) -> int:
    '''Add.'''
    return a + b

Agent("scripted", [add], model="offline", quiet=True, trust="open").input("add(a=1, b=2)")
"""


def test_a_script_that_closes_nothing_leaves_no_empty_journal(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(_SCRIPT)
    subprocess.run([sys.executable, "script.py"], cwd=tmp_path, check=True, timeout=60)
    (session,) = (tmp_path / ".workbench" / "sessions").iterdir()
    assert session.suffix == ".yaml"


def test_a_forked_child_that_ends_leaves_its_parents_journal(tmp_path: Path) -> None:
    source = """
import os, sys
from pathlib import Path
from workbench.storage.journal import Journal, journal_path
session = Path("session.yaml")
journal = Journal(session)
if os.fork() == 0:
    sys.exit()
os.wait()
print(journal_path(session).exists())
"""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", source],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert run.stdout == "True\n"
