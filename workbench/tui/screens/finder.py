"""The palette in which commands are found by name, in the look of the app."""

from __future__ import annotations

from pathlib import Path

from textual.command import CommandPalette


class FinderScreen(CommandPalette):
    """Textual's own, with a style sheet that is read when it first comes up."""

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
