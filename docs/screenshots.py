"""Draws the README's pictures with the real app: ``uv run python docs/screenshots.py [FOLDER]``."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

from textual.pilot import Pilot

from workbench.compose import build_agent
from workbench.engine.agent import Agent
from workbench.engine.observer import Observer, TurnSummary
from workbench.resources import resource_folder
from workbench.tui.app import WorkbenchApp
from workbench.tui.events import Post
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.themes import load_themes

HERE = Path(__file__).resolve().parent
SIZE = (120, 40)
CELL = 12.2
"""Width of a cell in Rich's SVG, in its own units."""
ADVANCE = 0.6
"""Width of a glyph in ems, in the fonts below."""
FONTS = "'JetBrains Mono', 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"
REASON = "Leave it, the nightly job reads it."

_FONT_FACE = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
_FAMILY = re.compile(r"font-family: ?Fira Code, ?monospace")
_TEXT = re.compile(r'x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)" clip-path="([^"]+)">((?:&#160;)+)')


def standalone(svg: str) -> str:
    """The picture without addresses: the reader's own monospaced font, each run where its cells are."""
    svg = _FONT_FACE.sub("", svg).replace("font-size: 20px", f"font-size: {CELL / ADVANCE:.2f}px")
    svg = _FAMILY.sub(f"font-family: {FONTS}", svg)
    # some renderers drop leading blanks: say where the text begins instead
    return _TEXT.sub(_moved, svg)


def _moved(match: re.Match[str]) -> str:
    x, y, length, clip, blanks = match.groups()
    shift = CELL * (len(blanks) // len("&#160;"))
    rest = max(0.0, float(length) - shift)
    return f'x="{float(x) + shift:g}" y="{y}" textLength="{rest:g}" clip-path="{clip}">'


async def until(pilot: Pilot[None], fact: Callable[[], object]) -> None:
    """Wait until it is so."""
    async with asyncio.timeout(60):
        while not fact():
            await pilot.pause()


async def draw(theme: str, out: Path) -> None:
    """Play the demo in a copy of its folder and save the pictures of this theme."""
    themes, _ = load_themes([resource_folder("themes")])
    turns: list[TurnSummary] = []

    class Counter(Observer):
        def turn_finished(self, agent: Agent, summary: TurnSummary) -> None:
            turns.append(summary)

    def start(_post: Post) -> Agent:
        agent = build_agent(None, model=f"offline:{HERE / 'demo.yaml'}")
        agent.observers.append(Counter())
        return agent

    # each look at the clock is a second later: keys are pressed slowly, as by a person who reads
    app = WorkbenchApp(start, themes=themes, theme=theme, clock=count().__next__)
    suffix = "" if themes[theme].dark else "-light"

    def save(name: str) -> None:
        (out / f"{name}{suffix}.svg").write_text(standalone(app.export_screenshot()), encoding="utf-8")

    def rests(finished: int) -> bool:
        return len(turns) > finished or isinstance(app.screen, ApprovalScreen)

    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: not app.busy)
        for prompt in ("Which cities report?", "Complete the monthly report for March."):
            finished = len(turns)
            app.call_later(setattr, app.main.prompt, "draft", prompt)
            await pilot.pause()
            await pilot.press("enter")
            await until(pilot, partial(rests, finished))
        await pilot.pause(0.5)
        await pilot.press("y", "r", *("space" if char == " " else char for char in REASON))
        await pilot.press("enter", "k")
        await pilot.pause(0.3)
        save("approval")
        await pilot.press("enter")
        await until(pilot, lambda: len(turns) == 2 and not app.busy)
        await pilot.pause(0.3)
        save("main")


def main() -> None:
    """Draw both themes."""
    out = Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "pictures").resolve()
    out.mkdir(parents=True, exist_ok=True)
    for theme in ("graphite", "paper"):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "weather"
            shutil.copytree(HERE / "demo", place)
            os.chdir(place)
            asyncio.run(draw(theme, out))
            os.chdir(HERE)


if __name__ == "__main__":
    main()
