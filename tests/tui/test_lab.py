"""Running traced calls again, calling tools by hand, and making tests of them, in the whole app."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input, TextArea

from tests.tui.driving import Driven, driven
from workbench.compose import build_agent
from workbench.engine.agent import Agent
from workbench.providers.base import create_llm
from workbench.tui.events import LoadFailed, LoadMended, Post
from workbench.tui.inspector_about import tool_lines
from workbench.tui.lab_wishes import RunToolAgain, Wanted
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.screens.call_form import CallForm
from workbench.tui.screens.edit_arguments import EditArgumentsScreen
from workbench.tui.screens.form_parts import FormField, ValueArea
from workbench.tui.screens.inspector import InspectorScreen
from workbench.tui.screens.rerun import RerunScreen
from workbench.tui.screens.reruns import RerunsScreen
from workbench.tui.screens.save_test import SaveTestScreen

TOOLS = '''\
from workbench import tool, ToolTag


@tool(tags={ToolTag.READ_ONLY})
def stock(item: str, count: int = 2) -> list[dict]:
    """What is in stock.

    Args:
        item: What to look for.
        count: How many rows.
    """
    return [{"item": item, "n": n, "price": 1.5 * n} for n in range(count)]


def order(item: str) -> str:
    """Order it."""
    return f"ordered {item}"
'''


@pytest.fixture
def shop(own_folder: Path) -> Path:
    """A tools folder whose file may be changed."""
    folder = own_folder / "tools"
    folder.mkdir()
    (folder / "shop.py").write_text(TOOLS)
    return folder / "shop.py"


def shop_agent(post: Post) -> Agent:
    agent = build_agent("tools", model="offline")
    agent.llm = create_llm("offline", pace=0)
    return agent


async def at_call(it: Driven, number: int = 0) -> None:
    """The cursor of the trace is on this tool call."""
    await it.focus("trace")
    calls = it.app.main.trace.calls()
    await it.act(lambda: it.app.main.trace.go_to(calls[number]))


def hand_entries(it: Driven) -> list[dict[str, Any]]:
    return [e for e in it.trace if e["type"] == "tool_execution" and e.get("by_hand")]


async def rerun_shown(it: Driven) -> RerunScreen:
    await it.until(lambda: isinstance(it.app.screen, RerunScreen) and it.app.screen.run.state == "ended")
    await it.until(lambda: it.idle)
    screen = it.app.screen
    assert isinstance(screen, RerunScreen)
    await it.pilot.pause()
    return screen


async def test_a_call_that_runs_again_gives_the_same_and_says_so() -> None:
    async with driven() as it:
        await it.turn("add(a=2, b=3)")
        told = it.shown(it.app.main.conversation)
        await at_call(it)
        await it.press("R")
        await rerun_shown(it)
        assert "the same, 1 character" in it.shown()
        (entry,) = hand_entries(it)
        assert entry["result"] == "5"
        assert entry["rerun_of"] == it.app.main.trace.calls()[0].call_id
        await it.press("escape")
        await it.until(lambda: it.app.screen is it.app.main)
        trace = it.shown(it.app.main.trace)
        assert "by you  arithmetic.add again" in trace
        assert "iteration" not in trace.partition("by you  arithmetic.add again")[2].partition("Tools")[0]
        assert it.shown(it.app.main.conversation) == told


async def test_the_changed_code_runs_and_the_results_stand_beside_each_other(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        shop.write_text(TOOLS.replace("1.5 * n", "2.5 * n"))
        await reload(it, shop)
        await at_call(it)
        await it.press("R")
        screen = await rerun_shown(it)
        assert screen.run.compared == ("1 changed", "accent")
        line = next(line for line in it.shown().splitlines() if "[1].price" in line)
        assert line.index("1.5") < line.index("2.5")


async def reload(it: Driven, file: Path) -> None:
    """The tool's file is read again, and the app has heard of it."""
    from workbench.registry import ToolRegistry
    from workbench.toolbox.loader import load_tools

    fresh = ToolRegistry()
    load_tools(file, fresh)
    for tool in fresh:
        it.agent.tools.refresh(tool.name, tool.func)
    await it.pilot.pause()


async def test_a_changed_tool_that_was_used_is_offered_to_run_again(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        shop.write_text(TOOLS.replace("1.5 * n", "2.5 * n"))
        await reload(it, shop)
        await it.until(lambda: "shop.stock changed (v2): f9 runs its last call again." in notices(it))
        await it.press("f9")
        screen = await rerun_shown(it)
        assert screen.run.changed


async def test_a_changed_tool_that_was_never_called_is_not_offered(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.send("order(item='pear')")
        await it.asked()
        await it.press("n", "enter")
        await it.until(lambda: it.idle)
        shop.write_text(TOOLS.replace("1.5 * n", "2.5 * n"))
        await reload(it, shop)
        assert notices(it) == []
        await it.press("f9")
        await it.until(lambda: "No tool that was called has changed." in notices(it))


async def test_a_tool_of_which_only_the_helper_changed_is_another_version_too(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        it.agent.tools.refresh("shop.stock", it.agent.tools.resolve("shop.stock"), force=True)
        await it.until(lambda: "shop.stock changed (v2): f9 runs its last call again." in notices(it))
        about = it.app.desks.lab.about(it.app.main.trace.calls()[0])
        assert about.changed
        (line, *_) = tool_lines(about, 82)
        assert "1, now 2: a helper that it uses has changed since" in "".join(text for text, _ in line)


async def test_the_edited_tool_runs_again_and_not_the_one_that_only_uses_it(shop: Path) -> None:
    def with_helper(post: Post) -> Agent:
        agent = shop_agent(post)
        agent.tools.register(agent.tools.resolve("shop.stock").func, name="helper", namespace="shop")
        return agent

    async with driven(with_helper) as it:
        await it.turn("stock(item='pear')")
        await it.turn("helper(item='pear')")
        shop.write_text(TOOLS.replace("1.5 * n", "2.5 * n"))
        await reload(it, shop)
        it.agent.tools.refresh("shop.helper", it.agent.tools.resolve("shop.helper"), force=True)
        versions = it.app.desks.lab.history
        await it.until(lambda: (helper := versions.now("shop.helper")) is not None and helper.number == 2)
        await it.press("f9")
        screen = await rerun_shown(it)
        assert screen.run.tool == "shop.stock"
        assert [text for text in notices(it) if "changed" in text] == [
            "shop.stock changed (v2): f9 runs its last call again."
        ]


async def test_a_file_that_changed_but_does_not_load_is_told_in_the_inspector(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        await it.act(
            lambda: it.app.inbox.post(
                LoadFailed("", 0.0, "shop.py", "SyntaxError", "line 3", str(shop.resolve()))
            )
        )
        await it.focus("trace")
        await it.act(lambda: it.app.main.trace.go_to(it.app.main.trace.calls()[0]))
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))
        await it.until(lambda: "Tool v1 changed" in it.shown())
        await it.press("right", "right")
        assert "the file has changed since; it does not load: line 3" in it.shown()
        await it.press("escape")
        await it.act(lambda: it.app.inbox.post(LoadMended("", 0.0, "shop.py")))
        entry = it.app.main.trace.calls()[0]
        await it.until(lambda: it.app.desks.lab.about(entry).broken is None)


async def test_a_tool_that_is_switched_has_not_changed(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        it.agent.tools.disable("shop.stock")
        it.agent.tools.enable("shop.stock")
        await it.until(lambda: "stock on" in it.shown(it.app.main.trace))
        assert notices(it) == []


def notices(it: Driven) -> list[str]:
    return [str(notice.message) for notice in it.app._notifications]


async def test_arguments_are_edited_first_and_checked_against_the_schema(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        await at_call(it)
        await it.press("A")
        await it.until(lambda: isinstance(it.app.screen, EditArgumentsScreen))
        area = it.app.screen.query_one(TextArea)
        await it.act(lambda: area.load_text('{"item": 3}'))
        await it.until(lambda: "item: expected" in it.shown())
        await it.press("ctrl+s")
        assert isinstance(it.app.screen, EditArgumentsScreen)
        await it.act(lambda: area.load_text('{"item": "plum", "count": 3}'))
        await it.until(lambda: "fits the schema" in it.shown())
        await it.press("ctrl+s")
        screen = await rerun_shown(it)
        assert screen.run.edited
        assert hand_entries(it)[0]["arguments"] == {"item": "plum", "count": 3}
        shown = it.shown()
        assert "now, with other arguments" in shown
        assert "Arguments" in shown
        assert "2 changed, 1 added" in shown


async def test_what_asks_is_asked_when_it_runs_again(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.send("order(item='pear')")
        await it.asked()
        await it.press("y", "enter")
        await it.until(lambda: it.idle and it.trace)
        await at_call(it)
        await it.press("R")
        await it.asked()
        assert hand_entries(it) == []
        await it.press("n", "enter")
        screen = await rerun_shown(it)
        assert screen.run.compared == ("success → rejected", "warning")


async def test_all_calls_of_a_turn_run_again_and_the_changed_ones_are_listed(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear') and stock(item='fig', count=1)")
        shop.write_text(TOOLS.replace("1.5 * n", "2.5 * n"))
        await reload(it, shop)
        await it.focus("trace")
        await it.press("home", "R")
        await it.until(lambda: isinstance(it.app.screen, RerunsScreen) and not it.app.screen.running)
        await it.until(lambda: it.idle)
        await it.pilot.pause()
        assert "1 of 2 changed" in it.shown()
        assert len(hand_entries(it)) == 2
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, RerunScreen))
        await it.pilot.pause()
        assert "[1].price" in it.shown()
        await it.press("escape", "escape")
        await it.until(lambda: it.app.screen is it.app.main)
        assert "by you  2 calls again" in it.shown(it.app.main.trace)


async def test_a_run_is_stopped_with_escape() -> None:
    async with driven() as it:
        await it.turn("slow_countdown(seconds=0)")
        await at_call(it)
        await it.press("A")
        await it.until(lambda: isinstance(it.app.screen, EditArgumentsScreen))
        area = it.app.screen.query_one(TextArea)
        await it.act(lambda: area.load_text('{"seconds": 60}'))
        await it.until(lambda: "fits the schema" in it.shown())
        await it.press("ctrl+s")
        await it.until(
            lambda: isinstance(it.app.screen, RerunScreen) and it.app.screen.run.state == "running"
        )
        await it.press("escape")
        screen = await rerun_shown(it)
        assert screen.run.data is not None
        assert screen.run.data["status"] == "cancelled"
        await it.press("escape")
        await it.until(lambda: it.app.screen is it.app.main)


async def test_a_call_becomes_a_test_that_really_passes_and_fails_once_the_tool_changes(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        await at_call(it)
        await it.press("t")
        await it.until(lambda: isinstance(it.app.screen, SaveTestScreen))
        assert it.app.screen.query_one(Input).value == "tests/test_stock_1.py"
        await it.press("enter")
        path = shop.parent.parent / "tests" / "test_stock_1.py"
        await it.until(path.exists)
        await it.until(lambda: "The test is in tests/test_stock_1.py" in it.shown(it.app.main.conversation))
    assert run_pytest(path) == 0
    shop.write_text(TOOLS.replace("1.5 * n", "2.5 * n"))
    assert run_pytest(path) == 1


async def test_a_test_of_a_call_that_ran_again_says_which_run_it_holds_and_where_it_went(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        await at_call(it)
        await it.press("R")
        screen = await rerun_shown(it)
        await it.press("t")
        await it.until(lambda: isinstance(it.app.screen, SaveTestScreen))
        assert "as a pytest: the run of now, not the one of then" in it.shown()
        await it.press("enter")
        await it.until(lambda: it.app.screen is screen and it.app._notifications)
        (notice,) = it.app._notifications
        assert notice.title == "The test is in tests/test_stock_1.py"


def run_pytest(path: Path) -> int:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path.name]
    return subprocess.run(command, cwd=path.parent, check=False, capture_output=True, timeout=120).returncode


async def test_a_test_is_never_written_over_a_file(shop: Path) -> None:
    there = shop.parent.parent / "tests" / "test_mine.py"
    there.parent.mkdir()
    there.write_text("mine")
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        await at_call(it)
        await it.press("t")
        await it.until(lambda: isinstance(it.app.screen, SaveTestScreen))
        field = it.app.screen.query_one(Input)
        await it.act(lambda: setattr(field, "value", "tests/test_mine.py"))
        await it.until(lambda: "nothing is overwritten" in it.shown())
        await it.press("enter")
        await it.pilot.pause()
        assert isinstance(it.app.screen, SaveTestScreen)
        await it.press("escape")
        await it.until(lambda: it.app.screen is it.app.main)
    assert there.read_text() == "mine"


async def test_a_rejected_call_cannot_be_saved_and_says_why(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.send("order(item='pear')")
        await it.asked()
        await it.press("n", "enter")
        await it.until(lambda: it.idle and it.trace)
        await at_call(it)
        await it.press("t")
        await it.until(lambda: it.app._notifications)
        (notice,) = it.app._notifications
        assert "it was rejected" in str(notice.title)
        assert it.app.screen is it.app.main


async def test_a_call_with_a_secret_in_it_is_not_written_into_a_test(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "pear-4711-secret")
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear-4711-secret')")
        await at_call(it)
        await it.press("t")
        await it.until(lambda: it.app._notifications)
        (notice,) = it.app._notifications
        assert "a secret stands in it" in str(notice.title)
        assert it.app.screen is it.app.main


async def open_form(it: Driven, tool: str) -> CallForm:
    await it.send(f"/call {tool}")
    await it.until(lambda: isinstance(it.app.screen, CallForm))
    await it.pilot.pause()
    screen = it.app.screen
    assert isinstance(screen, CallForm)
    return screen


async def test_a_form_says_what_is_wrong_as_one_types_and_calls_the_tool(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await open_form(it, "shop.stock")
        shown = it.shown()
        assert "item  text, required" in shown
        assert "What to look for." in shown
        await it.press("tab")
        await it.press("end", "x")
        await it.until(lambda: "not a whole number" in it.shown())
        await it.press("ctrl+s")
        assert hand_entries(it) == []
        await it.press("end", "backspace", "shift+tab", *"fig")
        await it.until(lambda: "fits the schema" in it.shown())
        await it.press("ctrl+s")
        await it.until(lambda: hand_entries(it) and it.idle)
        await it.until(lambda: "price" in it.shown())
        (entry,) = hand_entries(it)
        assert entry["arguments"] == {"item": "fig", "count": 2}
        assert "rerun_of" not in entry
        await it.press("f8")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))


async def test_a_form_remembers_the_last_values_and_runs_the_whole_pipeline(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await open_form(it, "shop.order")
        await it.write("kiwi")
        await it.press("ctrl+s")
        await it.until(lambda: isinstance(it.app.screen, ApprovalScreen))
        await it.asked()
        await it.press("y", "enter")
        await it.until(lambda: hand_entries(it) and it.idle)
        await it.until(lambda: "ordered kiwi" in it.shown())
        await it.press("escape")
        await it.until(lambda: it.app.screen is it.app.main)
        await open_form(it, "order")
        assert "kiwi" in it.shown()


async def test_a_text_that_may_be_left_out_can_be_sent_empty_and_says_how(shop: Path) -> None:
    shop.write_text(TOOLS + "\n\ndef greet(name: str = 'Ann') -> str:\n    return f'hello <{name}>'\n")
    async with driven(shop_agent) as it:
        form = await open_form(it, "greet")
        area = form.query_one(TextArea)
        await it.act(area.clear)
        await it.until(lambda: 'left out, then Ann; "" for an empty text' in it.shown())
        await it.write('""')
        await it.press("ctrl+s")
        await it.asked()
        await it.press("y", "enter")
        await it.until(lambda: hand_entries(it) and it.idle)
        assert hand_entries(it)[0]["arguments"] == {"name": ""}
        await it.until(lambda: "hello <>" in it.shown())


NOTE = """

def note(text: str | None, author: str | None = "Ann") -> str:
    return f"{text!r} by {author!r}"
"""


async def test_a_text_that_may_be_null_can_be_sent_as_null_and_says_how(shop: Path) -> None:
    shop.write_text(TOOLS + NOTE)
    async with driven(shop_agent) as it:
        form = await open_form(it, "note")
        assert "text  text or null (^n), required" in it.shown()
        await it.write("gone")
        await it.press("ctrl+n")
        assert form.query_one(TextArea).text == ""
        await it.press("tab", "ctrl+n")
        await it.press("ctrl+s")
        await it.asked()
        await it.press("y", "enter")
        await it.until(lambda: hand_entries(it) and it.idle)
        assert hand_entries(it)[0]["arguments"] == {"text": None, "author": None}
        await it.until(lambda: "None by None" in it.shown())


async def test_what_is_written_after_null_is_the_value_and_null_again_is_empty(shop: Path) -> None:
    shop.write_text(TOOLS + NOTE)
    async with driven(shop_agent) as it:
        form = await open_form(it, "note")
        assert form.editor.form is not None
        text = form.editor.form.fields[0]
        assert isinstance(text, FormField)
        await it.press("ctrl+n")
        assert text.read() == (None, "")
        await it.write("null")
        assert text.read() == ("null", "")
        await it.press("ctrl+n")
        assert text.read() == (None, "")
        await it.press("ctrl+n")
        assert text.read() == ("", "")


async def test_the_key_for_null_is_offered_where_null_is_a_value(shop: Path) -> None:
    shop.write_text(TOOLS + NOTE)
    async with driven(shop_agent) as it:
        await open_form(it, "note")
        assert "^n null" in it.shown().splitlines()[-1]
        await it.press("escape")
        await it.until(lambda: it.app.screen is it.app.main)
        form = await open_form(it, "shop.order")
        assert "^n" not in it.shown()
        await it.press("ctrl+n")
        assert form.editor.form is not None
        assert form.editor.form.written() == {"item": ""}


async def test_a_tool_that_does_not_exist_has_no_form(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.send("/call stok")
        await it.until(lambda: it.app._notifications)
        (notice,) = it.app._notifications
        assert (notice.title, notice.message) == ("There is no tool stok", "For example /call shop.stock.")
        it.app.clear_notifications()
        await it.send("/call qqq")
        await it.until(lambda: it.app._notifications)
        (notice,) = it.app._notifications
        assert notice.message == "The tools panel lists all of them."


async def test_the_inspector_shows_what_was_sent_and_the_tool_as_it_was(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        shop.write_text(TOOLS.replace("1.5 * n", "2.5 * n"))
        await reload(it, shop)
        await it.focus("trace")
        entries = it.app.main.trace.entries()
        last = next(entry for entry in reversed(entries) if entry.kind == "llm")
        await it.act(lambda: it.app.main.trace.go_to(last))
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))
        await it.press("right")
        await it.pilot.pause()
        shown = it.shown()
        assert "since the request before: 2 new" in shown
        await it.press("k")
        await it.until(lambda: "shop.stock" in it.shown())
        await it.press("left", "left", "left")
        await it.pilot.pause()
        assert "1, now 2: the tool has changed since" in it.shown()


async def test_a_call_runs_again_from_the_inspector_and_the_way_back_leads_there(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        await at_call(it)
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))
        await it.press("R")
        await rerun_shown(it)
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))
        await it.pilot.pause()
        assert "by you" in it.shown()
        await it.press("escape")
        await it.until(lambda: isinstance(it.app.screen, RerunScreen))
        await it.press("escape")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))


async def test_the_source_opens_in_the_editor_at_the_line(
    shop: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = tmp_path / "told.txt"
    script = tmp_path / "editor.py"
    script.write_text(
        f"import sys, pathlib\npathlib.Path({str(told)!r}).write_text(' '.join(sys.argv[1:]))\n"
    )
    monkeypatch.setenv("VISUAL", "")
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script}")
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        await at_call(it)
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))
        await it.press("o")
        await it.until(told.exists)
    assert str(shop) in told.read_text()


async def test_every_call_of_a_tool_runs_again(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear')")
        await it.turn("stock(item='fig')")
        await it.act(lambda: it.app.post_message(Wanted(RunToolAgain("shop.stock"))))
        await it.until(lambda: isinstance(it.app.screen, RerunsScreen) and not it.app.screen.running)
        await it.pilot.pause()
        assert "2 calls of shop.stock, run again" in it.shown()
        assert "no result changed" in it.shown()


async def test_a_message_sent_while_calls_run_again_is_answered_afterwards() -> None:
    async with driven() as it:
        await it.turn("wait_and_echo(text='a', seconds=0)")
        await at_call(it)
        await it.press("R")
        await rerun_shown(it)
        await it.press("escape")
        await it.turn("add(a=1, b=1)")
        session = it.agent.current_session
        assert session is not None
        assert session["turn"] == 2
        roles = [message["role"] for message in session["messages"] if message["role"] != "system"]
        assert roles == ["user", "assistant", "tool", "assistant"] * 2


async def test_a_request_of_the_very_first_turn_can_be_looked_at() -> None:
    async with driven() as it:
        assert it.app.desks.lab.requests in list(it.agent.observers)
        await it.turn("hello")
        (entry,) = [entry for entry in it.app.main.trace.entries() if entry.kind == "llm"]
        sent = it.app.desks.lab.about(entry).sent
        assert sent is not None
        assert sent.messages[-1]["content"] == "hello"
        await it.act(it.app.agent_thread.leave)
        assert it.app.desks.lab.requests not in list(it.agent.observers)


NESTED = '''

from dataclasses import dataclass


@dataclass
class Place:
    street: str
    number: int = 1


def ship(to: list[Place], fast: bool = False) -> list[str]:
    """Ship it."""
    return [f"{place.street} {place.number}" for place in to]
'''


async def test_objects_are_filled_in_field_by_field_and_the_tool_is_called_with_them(shop: Path) -> None:
    shop.write_text(TOOLS + NESTED)
    async with driven(shop_agent) as it:
        form = await open_form(it, "ship")
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.focused, TextArea))
        await it.write("Elm")
        await it.press("tab", *"9")
        await it.until(lambda: "fits the schema" in it.shown())
        await it.press("ctrl+s")
        await it.asked()
        await it.press("y")
        await it.until(lambda: it.idle and hand_entries(it))
        (entry,) = hand_entries(it)
        assert entry["arguments"]["to"] == [{"street": "Elm", "number": 9}]
        await it.until(lambda: it.app.screen is form)
        await it.press("ctrl+t")
        await it.until(lambda: '"street": "Elm"' in it.shown())


async def test_a_call_runs_again_with_arguments_that_were_changed_in_fields(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.turn("stock(item='pear', count=1)")
        await at_call(it)
        await it.press("A")
        await it.until(lambda: isinstance(it.app.screen, EditArgumentsScreen))
        await it.press("ctrl+t")
        await it.until(lambda: "item  text, required" in it.shown())
        await it.until(lambda: isinstance(it.app.focused, ValueArea))
        await it.write("fig")
        await it.press("tab", *"x")
        await it.until(lambda: "not a whole number" in it.shown())
        await it.press("ctrl+s")
        assert hand_entries(it) == []
        await it.press("end", "backspace", "3", "ctrl+s")
        await it.until(lambda: it.idle and hand_entries(it))
        (entry,) = hand_entries(it)
        assert entry["arguments"] == {"item": "fig", "count": 3}


async def test_arguments_are_changed_in_fields_before_a_call_is_approved(shop: Path) -> None:
    async with driven(shop_agent) as it:
        await it.send("order(item='pear')")
        await it.asked()
        await it.press("e")
        await it.until(lambda: isinstance(it.app.focused, TextArea))
        assert "fields or JSON" in it.shown()
        await it.press("ctrl+t")
        await it.until(lambda: isinstance(it.app.focused, ValueArea))
        await it.write("fig")
        await it.press("ctrl+s")
        it.clock.now += 2
        await it.press("enter")
        await it.until(lambda: it.idle)
        call = next(entry for entry in it.trace if entry["type"] == "tool_execution")
        assert (call["arguments"], call["result"]) == ({"item": "fig"}, "ordered fig")
