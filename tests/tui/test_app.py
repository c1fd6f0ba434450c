"""The whole app: a person talks, approves, watches, toggles, stops and leaves."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from textual.widgets import TextArea

from tests.tui.driving import Driven, driven
from workbench.compose import Agent
from workbench.engine.agent import Agent as EngineAgent
from workbench.engine.llm import LLMResponse
from workbench.errors import MissingKeyError
from workbench.providers.base import create_llm
from workbench.registry import PermissionPolicy
from workbench.tui.events import LoadFailed, LoadMended, Post
from workbench.tui.screens.approval import ApprovalScreen
from workbench.tui.screens.help import HelpScreen
from workbench.tui.screens.inspector import InspectorScreen
from workbench.tui.screens.question import QuestionScreen

BOTH = 'add(a=2, b=3) and write_file(path="hello.txt", text="hi")'


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """What the tool `block` waits for; open at the latest when the test is over."""
    event = threading.Event()
    yield event
    event.set()


def blocking(gate: threading.Event) -> Callable[[Post], EngineAgent]:
    """An agent with a tool that blocks and one that does not."""

    def block() -> str:
        """Wait until the test says so."""
        gate.wait(30)
        return "done"

    def add(a: int, b: int) -> int:
        """The sum."""
        return a + b

    def start(post: Post) -> EngineAgent:
        return Agent("tester", [block, add], model="offline", quiet=True, trust="open")

    return start


def statuses(it: Driven) -> dict[str, str]:
    return {e["tool_name"]: e["status"] for e in it.trace if e["type"] == "tool_execution"}


async def test_a_batch_is_approved_call_by_call_and_all_of_it_is_on_disk(own_folder: Path) -> None:
    async with driven() as it:
        await it.send(BOTH)
        await it.asked()
        await it.press("r")
        await it.write("not now")
        await it.press("enter", "enter")
        await it.until(lambda: it.idle and statuses(it))
        await it.until(lambda: "5" in it.shown(it.app.main.conversation))
        assert statuses(it) == {"arithmetic.add": "success", "files.write_file": "rejected"}
        assert "rejected" in it.shown(it.app.main.trace)
        assert "“not now”" in it.shown(it.app.main.conversation)
    assert not (own_folder / "hello.txt").exists()
    (session,) = (own_folder / ".workbench" / "sessions").glob("*.yaml")
    (turn,) = yaml.safe_load(session.read_text())["turns"]
    assert turn["input"] == BOTH
    assert "Rejected by the user: not now" in turn["messages"]


@pytest.mark.parametrize(
    ("keys", "written", "status"),
    [
        (("y", "enter"), True, "success"),
        (("n", "enter"), False, "rejected"),
        (("Y", "enter"), True, "success"),
        (("N", "enter"), False, "rejected"),
        (("escape",), False, "rejected"),
    ],
)
async def test_a_verdict_key_does_what_it_says(
    own_folder: Path, keys: tuple[str, ...], written: bool, status: str
) -> None:
    async with driven() as it:
        await it.send(BOTH)
        await it.asked()
        await it.press(*keys)
        await it.until(lambda: it.idle and statuses(it))
        assert statuses(it)["files.write_file"] == status
        assert statuses(it)["arithmetic.add"] == "success"
    assert (own_folder / "hello.txt").exists() is written


async def test_x_rejects_everything_and_stops_the_turn(own_folder: Path) -> None:
    async with driven() as it:
        await it.send(BOTH)
        await it.asked()
        await it.press("x")
        await it.until(lambda: it.idle)
        assert it.agent.last_status == "stopped"
        assert set(statuses(it).values()) == {"cancelled"}
    assert not (own_folder / "hello.txt").exists()


async def test_edited_arguments_are_what_runs(own_folder: Path) -> None:
    async with driven() as it:
        await it.send('write_file(path="hello.txt", text="hi")')
        screen = await it.asked()
        await it.press("e")
        await it.pilot.pause()
        area = screen.query_one(TextArea)
        await it.act(lambda: area.load_text('{"path": "other.txt", "text": "ho"}'))
        await it.press("ctrl+s", "enter")
        await it.until(lambda: it.idle and statuses(it))
    assert (own_folder / "other.txt").read_text() == "ho"
    assert not (own_folder / "hello.txt").exists()


async def test_always_covers_the_next_call_without_asking() -> None:
    async with driven() as it:
        await it.send('write_file(path="a.txt", text="1")')
        await it.asked()
        await it.press("a", "down", "right", "enter", "enter")
        await it.until(lambda: it.idle and statuses(it))
        await it.turn('write_file(path="b.txt", text="2")')
        assert not isinstance(it.app.screen, ApprovalScreen)
        assert [e["status"] for e in it.trace if e["type"] == "tool_execution"] == ["success", "success"]


async def test_keys_typed_for_the_prompt_decide_nothing_and_stay_in_the_draft() -> None:
    async with driven() as it:
        await it.send('write_file(path="a.txt", text="1")')
        await it.until(lambda: isinstance(it.app.screen, ApprovalScreen))
        await it.write("yes Yes n x")
        assert isinstance(it.app.screen, ApprovalScreen)
        await it.until(lambda: it.app.main.prompt.draft == "yes Yes n x")
        it.clock.now += 1
        await it.press("escape")
        await it.until(lambda: it.idle)
        assert statuses(it) == {"files.write_file": "rejected"}


async def test_a_toggle_by_keyboard_reaches_the_panel_and_the_model() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=1)")
        await it.focus("tools")
        await it.press("down", "space")
        await it.until(lambda: not it.agent.tools.is_enabled("arithmetic.add"))
        await it.until(lambda: "off" in it.shown(it.app.main.tools))
        await it.turn("add(a=2, b=2)")
        note = "[Tools changed: arithmetic-add is off (by the user).]"
        session = it.agent.current_session
        assert session is not None
        assert [m["content"] for m in session["messages"] if m["role"] == "user"][-1].endswith(note)
        assert note[:30] in it.shown(it.app.main.conversation)
        assert "arithmetic.add is switched off: by the user" in session["messages"][-2]["content"]
        assert [e["status"] for e in it.trace if e["type"] == "tool_execution"][-1] == "disabled"


async def test_a_click_on_a_tool_toggles_it() -> None:
    async with driven() as it:
        shown = it.shown(it.app.main.tools).splitlines()
        line = next(index for index, text in enumerate(shown) if "multiply" in text)
        column = shown[line].index("■")
        await it.pilot.click(it.app.main.tools, offset=(column, line))
        await it.until(lambda: not it.agent.tools.is_enabled("arithmetic.multiply"))


async def test_the_trace_grows_while_the_turn_runs() -> None:
    async with driven() as it:
        await it.send(BOTH)
        await it.asked()
        await it.until(
            lambda: "waiting" in it.shown(it.app.main.trace) or "pending" in it.shown(it.app.main.trace)
        )
        await it.press("escape")
        await it.until(lambda: it.idle)
        await it.until(lambda: "iteration 2" in it.shown(it.app.main.trace))


async def test_escape_stops_a_running_tool_and_the_next_message_works(gate: threading.Event) -> None:
    async with driven(blocking(gate)) as it:
        await it.send("block()")
        await it.until(lambda: "running" in it.shown(it.app.main.activity_line))
        await it.press("escape")
        await it.until(lambda: it.idle)
        assert it.agent.last_status == "stopped"
        await it.turn("add(a=2, b=3)")
        assert statuses(it)["add"] == "success"


@pytest.mark.parametrize(
    ("count", "said"),
    [(1, "Enter sends the message that waits"), (2, "Enter sends the first of 2 messages that wait")],
)
async def test_after_a_stop_the_empty_prompt_says_what_enter_sends(
    gate: threading.Event, count: int, said: str
) -> None:
    async with driven(blocking(gate)) as it:
        await it.send("block()")
        await it.until(lambda: "running" in it.shown(it.app.main.activity_line))
        for _ in range(count):
            await it.send("add(a=1, b=1)")
        await it.press("escape")
        await it.until(lambda: said in it.shown(it.app.main.prompt))


async def test_escape_before_the_turn_has_begun_stops_it_when_it_begins(gate: threading.Event) -> None:
    class Slow:
        """Takes its time to look at the tools."""

        def __init__(self) -> None:
            self.entered = threading.Event()
            self.go_on = threading.Event()

        def check(self) -> None:
            self.entered.set()
            self.go_on.wait()

        def reload(self) -> None:
            """Nothing is loaded here."""

        def close(self) -> None:
            """Nothing is open here."""

    async with driven(blocking(gate)) as it:
        slow = it.app.sending.upkeep = Slow()
        await it.send("block()")
        await it.until(slow.entered.is_set)
        await it.press("escape")
        slow.go_on.set()
        await it.until(lambda: it.idle)
        assert it.agent.last_status == "stopped"


async def test_a_stop_from_code_closes_the_modal_and_nothing_runs(own_folder: Path) -> None:
    async with driven() as it:
        await it.send('write_file(path="a.txt", text="1")')
        await it.asked()
        it.agent.stop("the watchdog said so")
        await it.until(lambda: it.idle)
        await it.until(lambda: not isinstance(it.app.screen, ApprovalScreen))
    assert not (own_folder / "a.txt").exists()


async def test_a_stop_from_code_ends_a_question_that_a_tool_asks() -> None:
    def ask() -> str:
        """Ask the person."""
        return input("name? ")

    def start(post: Post) -> EngineAgent:
        return Agent("tester", [ask], model="offline", quiet=True, trust="open")

    async with driven(start) as it:
        await it.send("ask()")
        await it.until(lambda: isinstance(it.app.screen, QuestionScreen))
        it.agent.stop()
        await it.until(lambda: it.idle and not isinstance(it.app.screen, QuestionScreen))


async def test_a_tool_that_asks_gets_the_answer() -> None:
    def ask() -> str:
        """Ask the person."""
        return "hello " + input("name? ")

    def start(post: Post) -> EngineAgent:
        return Agent("tester", [ask], model="offline", quiet=True, trust="open")

    async with driven(start) as it:
        await it.send("ask()")
        await it.until(lambda: isinstance(it.app.screen, QuestionScreen))
        await it.pilot.pause()
        it.clock.now += 1
        await it.write("you")
        await it.press("enter")
        await it.until(lambda: it.idle)
        assert "hello you" in it.shown(it.app.main.conversation)
        entry = next(e for e in it.trace if e["type"] == "tool_execution")
        assert entry["human_ms"] > entry["timing"]


async def test_escape_over_the_modal_of_another_kind_leaves_the_turn_alone() -> None:
    async with driven() as it:
        await it.send('write_file(path="a.txt", text="1")')
        await it.asked()
        await it.press("f1")
        await it.until(lambda: isinstance(it.app.screen, HelpScreen))
        await it.press("escape")
        await it.until(lambda: isinstance(it.app.screen, ApprovalScreen))
        assert not statuses(it)
        await it.press("escape")
        await it.until(lambda: it.idle)


async def test_messages_written_during_a_turn_wait_and_then_go() -> None:
    async with driven() as it:
        await it.send('write_file(path="a.txt", text="1")')
        await it.asked()
        await it.draft("add(a=1, b=2)")
        await it.act(it.app.main.prompt.area.action_send)
        await it.until(lambda: it.app.main.queue.display)
        await it.press("escape")
        await it.until(lambda: it.idle and statuses(it).get("arithmetic.add") == "success")
        assert not it.app.main.queue.display


async def test_a_queued_message_that_begins_does_not_move_who_reads_above(gate: threading.Event) -> None:
    async with driven(blocking(gate)) as it:
        for _ in range(4):
            await it.turn("hello")
        await it.send("block()")
        await it.until(lambda: "running" in it.shown(it.app.main.activity_line))
        await it.send("add(a=1, b=2)")
        await it.act(it.app.main.conversation.action_scroll_home)
        await it.until(lambda: it.app.main.conversation.scroll_offset.y == 0)

        gate.set()

        await it.until(lambda: it.idle and statuses(it).get("add") == "success")
        assert it.app.main.conversation.scroll_offset.y == 0
        assert "new below" in it.shown(it.app.main.conversation)


async def test_a_message_that_begins_at_once_is_in_view() -> None:
    async with driven() as it:
        for _ in range(4):
            await it.turn("hello")
        await it.act(it.app.main.conversation.action_scroll_home)
        await it.until(lambda: it.app.main.conversation.scroll_offset.y == 0)

        await it.turn("add(a=1, b=2)")

        assert it.app.main.conversation.follow
        assert "returned 3" in it.shown(it.app.main.conversation)


async def test_a_stop_holds_the_queue_and_enter_sends_it(gate: threading.Event) -> None:
    async with driven(blocking(gate)) as it:
        await it.send("block()")
        await it.until(lambda: "running" in it.shown(it.app.main.activity_line))
        await it.send("add(a=1, b=2)")
        await it.press("escape")
        await it.until(lambda: it.idle)
        assert it.app.main.queue.display
        await it.press("enter")
        await it.until(lambda: it.idle and statuses(it).get("add") == "success")


class Broken:
    """A model that fails once and then answers."""

    model = "broken"

    def __init__(self) -> None:
        self.asked = 0

    def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] | None = None
    ) -> LLMResponse:
        self.asked += 1
        if self.asked == 1:
            raise MissingKeyError("OpenAI wants a key", hint="Set OPENAI_API_KEY and send it again.")
        return LLMResponse(content="It works now.")


async def test_a_model_that_fails_says_what_to_do_and_the_next_message_works() -> None:
    def start(post: Post) -> EngineAgent:
        return Agent("tester", llm=Broken(), quiet=True)

    async with driven(start) as it:
        await it.turn("hello")
        shown = it.shown(it.app.main.conversation)
        assert "OpenAI wants a key" in shown
        assert "Set OPENAI_API_KEY" in shown
        await it.turn("again")
        assert "It works now." in it.shown(it.app.main.conversation)


async def test_an_agent_that_cannot_be_built_says_why() -> None:
    def start(post: Post) -> EngineAgent:
        raise MissingKeyError("no luck", hint="Try another day.")

    async with driven(start) as it:
        await it.until(lambda: "no luck" in it.shown(it.app.main.conversation))
        assert "Try another day." in it.shown(it.app.main.conversation)


async def test_leaving_with_a_batch_pending_runs_nothing_and_keeps_the_session(own_folder: Path) -> None:
    async with driven() as it:
        await it.send('write_file(path="a.txt", text="1")')
        await it.asked()
        await it.press("ctrl+q")
        assert it.app.is_running
        await it.press("ctrl+q")
        await it.until(lambda: not it.app.is_running)
    assert not (own_folder / "a.txt").exists()
    (session,) = (own_folder / ".workbench" / "sessions").glob("*.yaml")
    (turn,) = yaml.safe_load(session.read_text())["turns"]
    assert turn["status"] == "stopped"


async def test_ctrl_c_clears_the_draft_then_asks_before_it_leaves() -> None:
    async with driven() as it:
        await it.draft("half a thought")
        await it.press("ctrl+c")
        assert it.app.main.prompt.draft == ""
        await it.press("ctrl+c")
        assert it.app.is_running
        it.clock.now += 100
        await it.press("ctrl+c")
        assert it.app.is_running
        await it.press("ctrl+c")
        await it.until(lambda: not it.app.is_running)


async def test_a_new_conversation_forgets_and_says_so() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        await it.send("/new")
        await it.until(lambda: it.agent.current_session is None)
        await it.until(lambda: "arithmetic.add" not in it.shown(it.app.main.conversation))


async def test_an_unknown_slash_command_names_the_known_ones_and_keeps_the_text() -> None:
    async with driven() as it:
        await it.send("/nonsense")
        await it.until(lambda: "no command /nonsense" in it.shown(it.app.main.conversation))
        assert it.app.main.prompt.draft == "/nonsense"


async def test_tab_walks_through_the_panels_and_typing_fast_loses_none() -> None:
    async with driven() as it:
        await it.press("tab", "tab", "tab")
        assert it.app.main.focused_panel == "tools"
        await it.press("tab")
        assert it.app.main.focused_panel == "prompt"
        await it.press("f18")  # what terminals send for shift+f6
        assert it.app.main.focused_panel == "tools"


async def test_a_narrow_screen_folds_the_columns_into_tabs() -> None:
    async with driven(size=(80, 24)) as it:
        assert it.app.main.narrow
        assert "Conversation" in it.shown(it.app.main.tab_line)
        await it.press("tab", "tab")
        await it.until(lambda: it.app.main.focused_panel == "trace")
        assert not it.app.main.conversation.is_on_screen
        await it.pilot.click(it.app.main.tab_line, offset=(4, 0))
        await it.until(lambda: it.app.main.focused_panel == "conversation")


async def test_a_resize_goes_back_and_forth() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        for size in ((40, 12), (300, 100), (80, 24), (120, 40)):
            await it.pilot.resize_terminal(*size)
            await it.pilot.pause()
            assert "1" in it.shown()
        assert not it.app.main.narrow


async def test_help_lists_keys_and_filters_them() -> None:
    async with driven() as it:
        await it.press("f1")
        await it.until(lambda: "Show every key" in it.shown())
        await it.write("newline")
        await it.until(lambda: "Show every key" not in it.shown())
        assert "Begin a new line" in it.shown()
        await it.press("escape")
        await it.until(lambda: not isinstance(it.app.screen, HelpScreen))


async def test_a_tool_that_prints_shows_it_on_its_call() -> None:
    def loud(word: str) -> str:
        """Say a word aloud."""
        print(f"LOUD {word}")
        return "said"

    def start(post: Post) -> EngineAgent:
        return Agent("tester", [loud], model="offline", quiet=True, trust="open")

    async with driven(start) as it:
        await it.turn('loud(word="hello")')
        entry = next(e for e in it.trace if e["type"] == "tool_execution")
        assert entry["output"] == "LOUD hello\n"


async def test_the_screen_stays_alive_while_a_tool_blocks(gate: threading.Event) -> None:
    async with driven(blocking(gate)) as it:
        await it.send("block()")
        await it.until(lambda: "running block" in it.shown(it.app.main.activity_line))
        await it.focus("prompt")
        await it.write("still here")
        assert it.app.main.prompt.draft == "still here"
        gate.set()
        await it.until(lambda: it.idle)


async def test_enter_in_the_trace_inspects_the_entry_and_esc_goes_back() -> None:
    async with driven() as it:
        await it.turn("add(a=20, b=3)")
        await it.focus("trace")
        await it.press("end", "up", "up")
        await it.press("enter")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))
        await it.until(lambda: "iteration" in it.shown())
        await it.press("escape")
        await it.until(lambda: not isinstance(it.app.screen, InspectorScreen))


async def test_a_theme_chosen_in_the_palette_reaches_every_panel() -> None:
    async with driven() as it:
        await it.turn("add(a=20, b=3)")
        await it.act(lambda: setattr(it.app, "theme", "paper"))
        await it.until(lambda: it.app.main.palette.name == "paper")
        assert it.app.main.trace.palette.name == "paper"
        assert it.app.main.conversation.palette.name == "paper"


async def test_rejecting_everything_that_an_agent_inside_a_tool_asks_stops_the_whole_turn(
    own_folder: Path,
) -> None:
    def note(text: str) -> str:
        """Write a note."""
        (own_folder / text).write_text(text)
        return "noted"

    def start(post: Post) -> EngineAgent:
        inner = Agent("scribe", [note], model="offline")
        return Agent("chief", [inner, note], model="offline", quiet=True, trust="strict")

    async with driven(start) as it:
        await it.send("scribe(task=\"note(text='inside')\") and note(text='outside')")
        first = await it.asked()
        await it.press("Y", "enter")
        await it.until(lambda: it.app.screen is not first and isinstance(it.app.screen, ApprovalScreen))
        await it.asked()
        await it.press("x")
        await it.until(lambda: it.idle)
        assert it.agent.last_status == "stopped"
        assert not (own_folder / "inside").exists()
        assert not (own_folder / "outside").exists()
        called = [entry for entry in it.trace if entry["type"] == "tool_execution"]
        assert [entry["status"] for entry in called] == ["cancelled", "cancelled"]


async def test_an_agent_inside_a_tool_asks_too_and_shows_where_it_comes_from(own_folder: Path) -> None:
    def note(text: str) -> str:
        """Write a note."""
        (own_folder / "note.txt").write_text(text)
        return "noted"

    def start(post: Post) -> EngineAgent:
        inner = Agent("scribe", [note], model="offline")
        return Agent("chief", [inner], model="offline", quiet=True, trust="strict")

    async with driven(start) as it:
        await it.send("scribe(task=\"note(text='hi')\")")
        first = await it.asked()
        await it.press("y", "enter")
        await it.until(lambda: it.app.screen is not first and isinstance(it.app.screen, ApprovalScreen))
        await it.asked()
        assert "chief › scribe  " in it.shown()
        assert not (own_folder / "note.txt").exists()
        await it.press("y", "enter")
        await it.until(lambda: it.idle)
        assert (own_folder / "note.txt").read_text() == "hi"
        await it.until(lambda: "scribe › note" in it.shown(it.app.main.conversation))
        assert "note" in it.shown(it.app.main.trace)


async def test_calls_that_cannot_run_are_not_offered_for_a_verdict(own_folder: Path) -> None:
    async with driven() as it:
        await it.send('write_file(path="a.txt", text="1") and delete_file(path="a.txt") and nosuch_tool(x=1)')
        await it.asked()
        shown = it.shown()
        assert "switched off" in shown
        assert "no such tool" in shown
        await it.press("Y", "enter")
        await it.until(lambda: it.idle and len(statuses(it)) == 3)
        assert statuses(it) == {
            "files.write_file": "success",
            "files.delete_file": "disabled",
            "nosuch_tool": "not_found",
        }


async def test_a_policy_that_denies_is_not_told_as_the_persons_word() -> None:
    def remove() -> str:
        """Remove everything."""
        return "removed"

    def note() -> str:
        """Note something."""
        return "noted"

    def start(post: Post) -> EngineAgent:
        policy = PermissionPolicy.from_rules([{"deny": "remove", "reason": "never"}], default="ask")
        return Agent("tester", [remove, note], model="offline", quiet=True, trust=policy)

    async with driven(start) as it:
        await it.send("remove() note()")
        await it.asked()
        await it.press("Y", "enter")
        await it.until(lambda: it.idle and len(statuses(it)) == 2)
        session = it.agent.current_session
        assert session is not None
        (answer, _) = [m["content"] for m in session["messages"] if m["role"] == "tool"]
        assert "never" in answer
        assert "by the user" not in answer


async def test_a_tool_that_exits_ends_its_turn_and_not_the_agent() -> None:
    def leave() -> str:
        """Leave the program."""
        raise SystemExit(3)

    def start(post: Post) -> EngineAgent:
        return Agent("tester", [leave], model="offline", quiet=True, trust="open")

    async with driven(start) as it:
        await it.turn("leave()")
        await it.turn("hello")
        assert it.agent.last_status == "success"


async def test_the_end_of_an_inner_turn_leaves_the_outer_one_running() -> None:
    gate = threading.Event()

    def wait() -> str:
        """Wait until the test says so."""
        gate.wait(30)
        return "waited"

    def start(post: Post) -> EngineAgent:
        inner = Agent("scribe", [], model="offline")

        def both() -> str:
            """Ask the inner agent, then wait."""
            inner.input("hi")
            return wait()

        return Agent("chief", [both], model="offline", quiet=True, trust="open")

    async with driven(start) as it:
        await it.send("both()")
        await it.until(lambda: any(e["type"] == "llm_call" for e in it.trace))
        await it.until(lambda: "running both" in it.shown(it.app.main.activity_line))
        await it.pilot.pause()
        await it.pilot.pause()
        assert it.app.busy
        gate.set()
        await it.until(lambda: it.idle)


async def test_a_new_conversation_empties_the_context_gauge() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        await it.until(lambda: " 0%" not in it.shown(it.app.main.top_line))
        await it.send("/new")
        await it.until(lambda: " 0%" in it.shown(it.app.main.top_line))


async def test_ctrl_j_begins_a_new_line_where_the_cursor_is() -> None:
    async with driven() as it:
        await it.write("hello there\nsecond line")
        assert it.app.main.prompt.draft == "hello there\nsecond line"


async def test_an_answer_that_ends_in_a_code_block_ends_without_a_caret() -> None:
    async with driven() as it:
        it.agent.llm = create_llm("offline", pace=0.003)
        await it.turn("always_fails()")
        await it.until(lambda: "▍" not in it.shown(it.app.main.conversation))
        assert "calling again will not" in it.shown(it.app.main.conversation)


async def test_a_file_that_did_not_load_has_a_row_until_it_is_mended() -> None:
    async with driven() as it:
        it.app.inbox.post(LoadFailed("", 0.0, "bad.py", "SyntaxError", "line 1"))
        await it.until(lambda: "bad.py" in it.shown(it.app.main.tools))
        it.app.inbox.post(LoadMended("", 0.0, "bad.py"))
        await it.until(lambda: "bad.py" not in it.shown(it.app.main.tools))
