"""What keys do now is what the hints say, where calls run by hand and become tests."""

from __future__ import annotations

import threading
from pathlib import Path

from tests.tui.driving import driven
from tests.tui.test_lab import TOOLS, at_call, open_form, reload, rerun_shown, run_pytest, shop, shop_agent
from workbench import Agent
from workbench.providers.base import create_llm
from workbench.tui.events import Post
from workbench.tui.screens.edit_arguments import EditArgumentsScreen
from workbench.tui.screens.inspector import InspectorScreen
from workbench.tui.screens.save_test import SaveTestScreen
from workbench.tui.screens.what_if import WhatIfScreen

__all__ = ["shop"]


async def test_a_form_says_that_its_call_runs_what_it_printed_and_how_to_stop_it() -> None:
    end = threading.Event()

    def crawl(page: str = "one") -> str:
        """Crawl."""
        print(f"page {page}")
        end.wait(60)
        return "crawled"

    def start(post: Post) -> Agent:
        llm = create_llm("offline", pace=0)
        return Agent("teller", [crawl], llm=llm, quiet=True, log=False, trust="open")

    async with driven(start) as it:
        await open_form(it, "crawl")
        assert "^s run   esc back" in it.shown()
        try:
            await it.press("ctrl+s")
            await it.until(lambda: "page one" in it.shown() and "● running  " in it.shown())
            assert "esc stop" in it.shown()
            assert "^s run" not in it.shown()
            assert "esc back" not in it.shown()
        finally:
            end.set()
        await it.until(lambda: "crawled" in it.shown())
        assert "^s run   esc back" in it.shown()
        assert "page one" not in it.shown()


async def test_a_run_again_says_that_escape_stops_it_while_it_runs() -> None:
    end = threading.Event()
    end.set()

    def crawl() -> str:
        """Crawl."""
        end.wait(60)
        return "crawled"

    def start(post: Post) -> Agent:
        llm = create_llm("offline", pace=0)
        return Agent("teller", [crawl], llm=llm, quiet=True, log=False, trust="open")

    async with driven(start) as it:
        await it.turn("crawl()")
        await at_call(it)
        end.clear()
        try:
            await it.press("R")
            await it.until(lambda: "esc stop" in it.shown())
        finally:
            end.set()
        await rerun_shown(it)
        await it.until(lambda: "esc back" in it.shown())


async def test_a_test_of_an_older_version_says_so_and_the_later_run_can_be_saved_instead(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        shop.write_text(TOOLS.replace("1.5 * n", "2.5 * n"))
        await reload(it, shop)
        await at_call(it)
        await it.press("t")
        await it.until(lambda: isinstance(it.app.screen, SaveTestScreen))
        assert "This call was made on v1; the tool is v2 now." in it.shown()
        assert "the other run" not in it.shown()
        await it.press("escape")
        await it.until(lambda: it.app.screen is it.app.main)
        await it.press("R")
        await rerun_shown(it)
        await it.press("escape")
        await it.until(lambda: it.app.screen is it.app.main)
        await at_call(it)
        await it.press("t")
        await it.until(lambda: isinstance(it.app.screen, SaveTestScreen))
        assert "as a pytest: the run of then, not the one of now" in it.shown()
        assert "^t the other run" in it.shown()
        await it.press("ctrl+t")
        await it.until(lambda: "as a pytest: the run of now, not the one of then" in it.shown())
        assert "v1" not in it.shown()
        await it.press("enter")
        path = shop.parent.parent / "tests" / "test_stock_1.py"
        await it.until(path.exists)
    assert run_pytest(path) == 0


async def test_the_key_that_runs_a_call_again_edited_does_so_in_the_inspector_and_the_comparison(
    shop: Path,
) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        await at_call(it)
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))
        await it.press("A")
        await it.until(lambda: isinstance(it.app.screen, EditArgumentsScreen))
        await it.press("ctrl+s")
        await rerun_shown(it)
        await it.press("A")
        await it.until(lambda: isinstance(it.app.screen, EditArgumentsScreen))


async def test_the_key_between_a_result_and_a_failure_says_which_it_makes(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        await at_call(it)
        await it.press("w")
        await it.until(lambda: isinstance(it.app.screen, WhatIfScreen))
        assert "^t make it fail" in it.shown()
        await it.press("ctrl+t")
        await it.until(lambda: "^t give a result" in it.shown())
        assert "make it fail" not in it.shown()
        await it.press("ctrl+t")
        await it.until(lambda: "^t make it fail" in it.shown())
