"""From the start of the process to the first frame and to the first token, and typing while models load."""

from __future__ import annotations

import compileall
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from benchmarks.contest import ROOT
from benchmarks.screen import MARKS
from benchmarks.table import Row, Table, at_most, median, percentile, ratio_to
from benchmarks.terminal import Terminal
from tests.providers.loopback import Loopback, text

ROUNDS: Final = 7
COLD: Final = 3
"""How often a cold first token is measured; each takes seconds."""

MODEL: Final = "openai/gpt-5-mini"
ANSWER: Final = "Rutabaga"
APP: Final = (sys.executable, "-m", "workbench.cli")
MINIMAL: Final = (sys.executable, "-m", "benchmarks.minimal_app")
PEERS: Final = ("elia", "toad", "oterm", "vibe")
"""Textual apps that are started where they are installed, by the name of their command."""

SCRIPT: Final = """
import asyncio, os, litellm
async def main():
    stream = await litellm.acompletion(model="{model}", messages=[{{"role": "user", "content": "hi"}}],
        api_base=os.environ["URL"], stream=True)
    async for chunk in stream:
        print(chunk.choices[0].delta.content, flush=True)
asyncio.run(main())
"""


class Places:
    """A project folder, a home with settings for the loopback server, and their environment."""

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        home = folder / "home"
        # the person's own settings: where a project sends its requests needs a yes
        settings = home / ".config" / "workbench" / "config.yaml"
        settings.parent.mkdir(parents=True)
        settings.write_text(f'parameters: {{base_url: "{url}"}}\n', encoding="utf-8")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "NO_COLOR"))}
        # without byte code every start would compile the libraries anew
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        self.environment = {
            **kept,
            "HOME": str(home),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "PYTHONPATH": str(ROOT),
            "OPENAI_API_KEY": "sk-bench",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "URL": url,
        }

    def open(self, command: Sequence[str]) -> Terminal:
        """Start a program there; what the last one left unsent is gone."""
        shutil.rmtree(self.folder / ".workbench", ignore_errors=True)
        return Terminal(command, self.folder, self.environment)


def run(rounds: int) -> Table:
    """All programs in turn; a start that does not count comes first, and leaves their byte code behind."""
    compileall.compile_dir(ROOT / "workbench", quiet=2)
    with (
        tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as name,
        Loopback() as server,
    ):
        server.script(text(ANSWER, " is a root."))
        places = Places(Path(name), server.base_url)
        table = Table("Starting, in a terminal of 120 × 40")
        table.rows = _first_frames(places, rounds)
        table.rows += _typing(places, max(1, rounds // 2))
        table.rows += _first_tokens(places, min(rounds, COLD))
    table.note = (
        "From the start of the process, byte code compiled, files in the page cache. A frame is most of "
        "the screen with a word on it. Cold: nothing runs yet; the app is typed at as soon as it shows "
        "itself."
    )
    return table


def _in_turn(
    measures: dict[str, Callable[[], float | None]], rounds: int, *, warm: bool
) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in measures}
    for number in range(rounds + warm):
        for name, measure in measures.items():
            value = measure()
            if value is not None and number >= warm:
                found[name].append(value)
    return found


def _first_frames(places: Places, rounds: int) -> list[Row]:
    commands: dict[str, Sequence[str]] = {
        "minimal Textual app": MINIMAL,
        "workbench, offline": (*APP, "--model", "offline"),
        f"workbench, {MODEL}": (*APP, "--model", MODEL),
    }
    found_peers = {peer: shutil.which(peer) for peer in PEERS}
    commands.update({peer: [path] for peer, path in found_peers.items() if path})

    def starter(command: Sequence[str]) -> Callable[[], float | None]:
        def start() -> float | None:
            with places.open(command) as terminal:
                try:
                    return terminal.first_frame()
                except TimeoutError:
                    if command[0] == sys.executable:
                        raise
                    return None  # a peer that shows no screen here, for want of settings or a network

        return start

    found = _in_turn({name: starter(command) for name, command in commands.items()}, rounds, warm=True)
    floor = Row("first frame: minimal Textual app", tuple(found["minimal Textual app"]), "ms")
    rows = [floor]
    for name in [*commands][1:]:
        samples = tuple(found[name])
        row = Row(f"  {name}", samples, "ms", note="showed no screen")
        row = ratio_to(row, floor, "minimal")
        ours = name.startswith("workbench")
        rows.append(at_most(row, 1.6 * median(floor.samples), "≤ 1.6 × minimal") if ours else row)
    rows += [Row(f"  {peer}", note="not installed") for peer, path in found_peers.items() if not path]
    return rows


def _typing(places: Places, rounds: int) -> list[Row]:
    """Type for some seconds from the first frame on, with and without a model host that loads."""
    names = {"offline": "nothing loads", MODEL: "the model host loads"}
    echoes: dict[str, list[list[float]]] = {model: [] for model in names}
    for _ in range(rounds):
        for model, kept in echoes.items():
            with places.open((*APP, "--model", model)) as terminal:
                terminal.first_frame()
                terminal.rest(0.5)
                times = []
                for mark in MARKS + MARKS.lower():
                    times.append(terminal.key(mark))
                    terminal.rest(0.06)
                kept.append(times)
    quiet, loading = (
        Row(f"  longest while {what}", tuple(max(times) for times in echoes[model]), "ms")
        for model, what in names.items()
    )
    middle = Row(
        "key to echo while the model host loads", tuple(median(times) for times in echoes[MODEL]), "ms"
    )
    most = [percentile(times, 0.95) for times in echoes[MODEL]]
    return [
        middle,
        Row("  95th percentile", tuple(most), "ms"),
        at_most(ratio_to(loading, quiet, "quiet"), 50, "≤ 50 ms"),
        quiet,
    ]


def _first_tokens(places: Places, rounds: int) -> list[Row]:
    def app() -> float:
        with places.open((*APP, "--model", MODEL)) as terminal:
            terminal.first_frame()
            terminal.type("hi\r")
            return terminal.shown(ANSWER)

    def script() -> float:
        with places.open((sys.executable, "-c", SCRIPT.format(model=MODEL))) as terminal:
            return terminal.shown(ANSWER)

    found = _in_turn({"app": app, "script": script}, rounds, warm=False)
    floor = Row("  a script that imports litellm and streams", tuple(found["script"]), "ms")
    row = Row("first token from a cold start", tuple(found["app"]), "ms")
    return [ratio_to(row, floor, "script"), floor]
