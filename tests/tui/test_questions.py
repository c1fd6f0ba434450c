"""``input()`` and ``getpass()`` in a thread become a question on the screen."""

import asyncio
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from getpass import getpass as getpass_by_name
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from workbench.console.stream_capture import StreamCapture
from workbench.errors import StopTurn
from workbench.tui.palette import Palette
from workbench.tui.questions import Questions
from workbench.tui.screens.held import QUIET_SECONDS, WRITING_SECONDS, HeldScreen
from workbench.tui.screens.question import AnswerInput, QuestionScreen
from workbench.tui.themes import css_variables, load_theme, textual_theme

THEMES = Path(__file__).parents[2] / "themes"


class Clock:
    """Stands still until it is moved; ``step`` is how far each look moves it."""

    def __init__(self, step: float = 1.0) -> None:
        self.now = 0.0
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


class Desk(App[None]):
    """A prompt, and questions above it."""

    def __init__(self, clock: Callable[[], float] | None = None, theme: str = "graphite") -> None:
        self.palette: Palette = load_theme(THEMES / f"{theme}.yaml")
        super().__init__()
        self.register_theme(textual_theme(self.palette))
        self.theme = theme
        self.stray: list[str] = []
        self.capture = StreamCapture(stray=self.stray.append)
        self.questions = Questions(self.capture, clock=clock or Clock())
        self.stops = 0

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return css_variables(self.palette)

    def compose(self) -> ComposeResult:
        yield Static("the screen below")
        yield Input(id="draft")

    def on_mount(self) -> None:
        self.capture.install()
        self.questions.open(self, self.stop_turn)

    def on_unmount(self) -> None:
        self.questions.close()
        self.capture.remove()

    def on_held_screen_typed(self, message: HeldScreen.Typed) -> None:
        message.give_to(self.screen_stack[0].query_one("#draft", Input))

    def stop_turn(self) -> None:
        self.stops += 1
        self.questions.stop()


def in_thread(work: Callable[[], Any]) -> "Future[Any]":
    """Run ``work`` on a daemon thread of its own, as an agent would."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


async def until(pilot: "Pilot[None]", fact: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not fact():
            await pilot.pause()


def question(app: Desk) -> QuestionScreen | None:
    """The question on top of the screen, once it is there to be answered."""
    screen = app.screen
    return screen if isinstance(screen, QuestionScreen) and screen.focused is not None else None


def shown(app: Desk, widget: str) -> str:
    return str(app.screen.query_one(widget, Static).render())


async def test_input_in_a_thread_gets_the_line_that_the_person_types() -> None:
    app = Desk()
    async with app.run_test(size=(120, 40)) as pilot:
        answer = in_thread(lambda: input("Proceed? [y/n]: "))
        await until(pilot, lambda: question(app))
        assert shown(app, "#question-prompt") == "Proceed? [y/n]: "
        await pilot.press("y", "e", "s", "enter")
        await until(pilot, answer.done)
        assert answer.result() == "yes"
        await until(pilot, lambda: question(app) is None)


async def test_getpass_imported_by_name_before_the_app_started_asks_with_a_masked_line() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        answer = in_thread(lambda: getpass_by_name("Key: "))
        await until(pilot, lambda: question(app))
        line = app.screen.query_one(AnswerInput)
        await pilot.press("s", "3", "enter")
        await until(pilot, answer.done)
        assert line.password
        assert answer.result() == "s3"


async def test_a_line_read_from_stdin_is_asked_with_what_was_written_before_it() -> None:
    app = Desk()

    def tool() -> str:
        sys.stdout.write("two files\nName: ")
        return sys.stdin.readline()

    async with app.run_test() as pilot:
        answer = in_thread(tool)
        await until(pilot, lambda: question(app))
        assert shown(app, "#question-prompt") == "Name: "
        assert shown(app, "#question-context") == "two files"
        await pilot.press("a", "enter")
        await until(pilot, answer.done)
        assert answer.result() == "a\n"


async def test_the_call_keeps_prompt_and_answer_but_not_a_masked_answer() -> None:
    app = Desk()

    def tool() -> str:
        with app.capture.bracket("c1") as captured:
            print("before")
            input("Name: ")
            getpass_by_name("Key: ")
        return captured.text

    async with app.run_test() as pilot:
        text = in_thread(tool)
        await until(pilot, lambda: question(app))
        first = app.screen
        await pilot.press("a", "b", "enter")
        await until(pilot, lambda: question(app) not in (None, first))
        await pilot.press("s", "3", "enter")
        await until(pilot, text.done)
        assert text.result() == "before\nName: ab\nKey: \n"


async def test_a_stop_of_the_turn_ends_the_question_and_takes_its_screen_away() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        answer = in_thread(input)
        await until(pilot, lambda: question(app))
        app.questions.stop()
        await until(pilot, answer.done)
        assert isinstance(answer.exception(), StopTurn)
        await until(pilot, lambda: question(app) is None)
        assert app.questions.waiting == 0


async def test_escape_stops_the_turn() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        answer = in_thread(input)
        await until(pilot, lambda: question(app))
        await pilot.press("escape")
        await until(pilot, answer.done)
        assert isinstance(answer.exception(), StopTurn)
        assert app.stops == 1


async def test_ctrl_d_on_an_empty_line_ends_the_input_and_otherwise_deletes() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        answer = in_thread(input)
        await until(pilot, lambda: question(app))
        await pilot.press("a", "b", "home", "ctrl+d")
        line = app.screen.query_one(AnswerInput)
        await until(pilot, lambda: line.value == "b")
        await pilot.press("ctrl+d", "ctrl+d")
        await until(pilot, answer.done)
        assert isinstance(answer.exception(), EOFError)


async def test_keys_typed_across_the_arrival_decide_nothing_and_are_handed_on() -> None:
    clock = Clock(step=QUIET_SECONDS / 10)
    app = Desk(clock)
    async with app.run_test() as pilot:
        await pilot.click("#draft")
        await pilot.press(*"first half")
        answer = in_thread(input)
        await until(pilot, lambda: question(app))
        await pilot.press(*"second half", "enter", "ctrl+d")
        line = app.screen.query_one(AnswerInput)
        assert line.value == ""
        assert not answer.done()
        clock.now += WRITING_SECONDS
        await pilot.press("y", "enter")
        await until(pilot, answer.done)
        assert answer.result() == "y"
        await until(pilot, lambda: question(app) is None)
        assert app.query_one("#draft", Input).value == "first halfsecond half"


async def test_who_was_writing_is_told_where_the_keys_go_and_answers_at_once_after_tab() -> None:
    app = Desk(Clock(step=0))
    async with app.run_test() as pilot:
        await pilot.click("#draft")
        await pilot.press(*"half")
        answer = in_thread(input)
        await until(pilot, lambda: question(app))
        await until(pilot, lambda: "keys go to your draft" in shown(app, "#question-title"))

        await pilot.press("left", "x", "tab", "o", "k")
        await until(pilot, lambda: "from the running code" in shown(app, "#question-title"))
        await pilot.press("enter")

        await until(pilot, answer.done)
        assert answer.result() == "ok"
        await until(pilot, lambda: app.screen_stack[0].query_one("#draft", Input).value == "halxf")


async def test_a_paste_across_the_arrival_is_not_the_answer() -> None:
    from textual import events

    app = Desk(Clock(step=0))
    async with app.run_test() as pilot:
        answer = in_thread(input)
        await until(pilot, lambda: question(app))
        line = app.screen.query_one(AnswerInput)
        line.post_message(events.Paste("secret\n"))
        draft = app.screen_stack[0].query_one("#draft", Input)
        await until(pilot, lambda: draft.value == "secret")
        assert line.value == ""
        app.questions.stop()
        await until(pilot, answer.done)


async def test_a_paste_brings_no_characters_that_act_on_the_terminal() -> None:
    from textual import events

    app = Desk()
    async with app.run_test() as pilot:
        answer = in_thread(input)
        await until(pilot, lambda: question(app))
        line = app.screen.query_one(AnswerInput)
        line.post_message(events.Paste("a\x1b[2J\x9bb\u202e"))
        await until(pilot, lambda: line.value)
        assert line.value == "a[2Jb"
        await pilot.press("enter")
        await until(pilot, answer.done)


async def test_questions_of_several_threads_are_shown_one_after_the_other() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        answers = [in_thread(lambda name=name: input(f"{name}? ")) for name in ("one", "two", "three")]  # type: ignore[misc]  # mypy does not know the type of a lambda's default
        await until(pilot, lambda: app.questions.waiting == 3)
        for _ in answers:
            await until(pilot, lambda: question(app))
            assert len(app.screen_stack) == 2
            before = app.screen
            asked = shown(app, "#question-prompt").removesuffix("? ")
            await pilot.press(*asked, "enter")
            await until(pilot, lambda before=before: app.screen is not before)  # type: ignore[misc]  # as above
        assert sorted(answer.result(timeout=60) for answer in answers) == ["one", "three", "two"]


async def test_a_question_decided_under_another_screen_leaves_that_screen_alone() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        answer = in_thread(input)
        await until(pilot, lambda: question(app))
        above: ModalScreen[None] = ModalScreen()
        await app.push_screen(above)
        app.questions.stop()
        await until(pilot, answer.done)
        await until(pilot, lambda: app.questions.screen is None)
        assert app.screen is above
        above.dismiss()
        await until(pilot, lambda: len(app.screen_stack) == 1)


async def test_a_question_whose_screen_is_taken_away_stops_whoever_waits() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        answer = in_thread(input)
        await until(pilot, lambda: question(app))
        app.pop_screen()
        await until(pilot, answer.done)
        assert isinstance(answer.exception(), StopTurn)
        assert app.stops == 0


async def test_closing_the_app_lets_go_of_whoever_waits_and_gives_python_its_own_functions_back() -> None:
    before = (input, sys.stdin, getpass_by_name.__code__)
    app = Desk()
    async with app.run_test() as pilot:
        answer = in_thread(input)
        ask = input
        await until(pilot, lambda: question(app))
    assert isinstance(answer.exception(timeout=60), StopTurn)
    assert isinstance(in_thread(ask).exception(timeout=60), StopTurn)
    assert (input, sys.stdin, getpass_by_name.__code__) == before


async def test_input_on_the_screens_own_thread_raises_instead_of_waiting_for_itself() -> None:
    app = Desk()
    asked = threading.Event()

    def rescue() -> None:
        # an app that waits for itself shall fail this test, not hang it
        while not asked.wait(0.01):
            app.questions.stop()

    async with app.run_test():
        rescuer = in_thread(rescue)
        try:
            with pytest.raises(RuntimeError, match="own thread"):
                input("?")
        finally:
            asked.set()
        rescuer.result(timeout=60)


async def test_hostile_text_of_a_prompt_is_shown_and_not_obeyed() -> None:
    app = Desk()
    async with app.run_test() as pilot:
        answer = in_thread(lambda: (print("[/bold] \x1b[2J[a=b"), input("[red]\x1b[H\u202e[/dim]?"))[1])
        await until(pilot, lambda: question(app))
        assert shown(app, "#question-prompt") == "[red]\\e[H\\u202e[/dim]?"
        assert shown(app, "#question-context") == "[/bold] \\e[2J[a=b"
        app.questions.stop()
        await until(pilot, answer.done)


async def test_all_of_a_long_question_can_be_reached_with_the_keyboard() -> None:
    app = Desk()
    async with app.run_test(size=(40, 12)) as pilot:
        answer = in_thread(lambda: (print(*range(30), sep="\n"), input("last?"))[1])
        await until(pilot, lambda: question(app))
        text = app.screen.query_one("#question-text")
        await until(pilot, lambda: text.max_scroll_y > 0 and text.scroll_y == text.max_scroll_y)
        await pilot.press(*["pageup"] * 6)
        await until(pilot, lambda: text.scroll_y == 0)
        app.questions.stop()
        await until(pilot, answer.done)
