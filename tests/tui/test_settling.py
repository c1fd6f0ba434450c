"""A pilot's waits end when the app has nothing left to do."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.css.stylesheet import Stylesheet
from textual.geometry import Size
from textual.widgets import Label

from tests.tui import settling
from tests.tui.parsed_styles import keeping


class Chain(App[None]):
    """Each key sets off a chain of messages, at whose end the label has another text and place."""

    BINDINGS = [("a", "go", "go")]  # noqa: RUF012  # Textual declares the type

    def compose(self) -> ComposeResult:
        yield Label("before", id="label")

    def action_go(self) -> None:
        self.link(50)

    def link(self, left: int) -> None:
        """The next one of the chain, the last of which changes the label once the screen is painted."""
        if left:
            self.call_later(self.link, left - 1)
        else:
            self.call_after_refresh(self.change)

    def change(self) -> None:
        label = self.query_one("#label", Label)
        label.update("after\nit")
        label.styles.margin = (3, 0, 0, 4)


async def test_after_a_key_all_that_follows_from_it_is_done_and_has_its_place() -> None:
    app = Chain()
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("a")
        label = app.query_one("#label", Label)
        assert (label.region.x, label.region.y, label.region.height) == (4, 3, 2)
        assert app.screen._compositor.render_strips()[3].text.strip() == "after"


async def test_after_a_resize_the_screen_has_the_new_size() -> None:
    app = Chain()
    async with app.run_test(size=(40, 12)) as pilot:
        for size in (Size(80, 24), Size(20, 6), Size(120, 40)):
            await pilot.resize_terminal(*size)
            assert app.screen.size == size


async def test_what_another_thread_goes_on_with_forever_holds_nobody_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(settling, "LONGEST", 0.05)
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            sum(range(1_000))

    thread = threading.Thread(target=work)
    app = Chain()
    async with app.run_test() as pilot:
        thread.start()
        try:
            async with asyncio.timeout(60):
                await pilot.pause()
        finally:
            over.set()
            thread.join()


async def test_an_error_in_a_key_s_action_reaches_the_test() -> None:
    class Broken(Chain):
        def action_go(self) -> None:
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        async with Broken().run_test() as pilot:
            await pilot.press("a")


def test_a_style_sheet_is_read_again_for_other_variables_only() -> None:
    read: list[str] = []

    def parse(sheet: Stylesheet, css: str, *rest: Any) -> list[Any]:
        read.append(css)
        return [object()]

    again: Callable[..., list[Any]] = keeping(parse)
    red, blue = Stylesheet(variables={"ink": "red"}), Stylesheet(variables={"ink": "blue"})
    first = again(red, "a", ("file", ""))
    assert again(Stylesheet(variables={"ink": "red"}), "a", ("file", "")) is first
    assert read == ["a"]
    assert again(blue, "a", ("file", "")) is not first
    assert again(red, "a", ("other", "")) is not first
    assert read == ["a", "a", "a"]
