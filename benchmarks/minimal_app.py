"""The smallest Textual app: how fast a first frame can be."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static


class MinimalApp(App[None]):
    """One word."""

    def compose(self) -> ComposeResult:
        yield Static("hello")


if __name__ == "__main__":
    MinimalApp().run()
