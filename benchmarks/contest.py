"""Subjects side by side: each in a process of its own, measured in turn, one round after the other.

Own processes keep the subjects' imports and garbage apart; only one of them works at a time. A subject
is a class with a method for each measure, which does one round and returns its value.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

Samples = dict[tuple[str, str], list[float]]
"""The rounds' values by subject and measure."""


class Contestant:
    """A subject's process, with a folder of its own for temporary files.

    ``missing`` says what is not installed, empty when it can be measured.
    """

    def __init__(self, module: str, subject: str, arguments: Mapping[str, Any] | None = None) -> None:
        self.subject = subject
        self._folder = tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.contest", module, subject, json.dumps(arguments or {})],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "TMPDIR": self._folder.name},
            text=True,
        )
        self.missing = str(self._answer()["missing"])

    def measure(self, name: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """Do one round of a measure; what its method returned."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([name, arguments or {}]) + "\n")
        self._process.stdin.flush()
        return self._answer()["value"]

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.subject} ended with exit code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"{self.subject} failed:\n{answer['error']}")
        return answer


@contextmanager
def contestants(
    module: str, subjects: Sequence[str], arguments: Mapping[str, Any] | None = None
) -> Iterator[list[Contestant]]:
    """The subjects, each in its process, as long as this is open."""
    with ExitStack() as stack:
        opened = []
        for subject in subjects:
            contestant = Contestant(module, subject, arguments)
            stack.callback(contestant.close)
            opened.append(contestant)
        yield opened


def interleaved(
    those: Sequence[Contestant], measures: Mapping[str, Mapping[str, Any]], rounds: int
) -> Samples:
    """Measure A B A B: each measure of each subject once a round, after a round that does not count."""
    samples: Samples = {}
    for number in range(rounds + 1):
        for measure, arguments in measures.items():
            for contestant in those:
                if contestant.missing:
                    continue
                value = contestant.measure(measure, arguments)
                if value is not None and number:
                    samples.setdefault((contestant.subject, measure), []).append(value)
    return samples


def _serve(module: str, subject: str, arguments: Mapping[str, Any]) -> None:
    """The child's side: answers measures on the real stdout; whatever else is printed goes nowhere."""
    orders, answers = sys.stdin, os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)

    def answer(**fields: Any) -> None:
        answers.write(json.dumps(fields) + "\n")
        answers.flush()

    try:
        made = import_module(module).SUBJECTS[subject](**arguments)
        answer(missing="")
        for line in orders:
            name, options = json.loads(line)
            measure = getattr(made, name, None)
            gc.collect()
            answer(value=measure(**options) if measure is not None else None)
    except ModuleNotFoundError as error:
        answer(missing=f"{error.name} is not installed")
    except Exception:  # noqa: BLE001  the top of a process: whoever asked raises it
        answer(error=traceback.format_exc())
    # without an end in order: a subject may have threads and an app that go on
    os._exit(0)


if __name__ == "__main__":
    _serve(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
