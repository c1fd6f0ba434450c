"""A line of input that a tool or hook waits for, as a small modal."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, Literal

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from workbench.tui.commands import bindings
from workbench.tui.key_hints import hint_content, hints_of
from workbench.tui.screens.held import HeldScreen
from workbench.visible import visible, visible_line

_INSET: Final = 6


@dataclass(frozen=True, slots=True)
class QuestionText:
    """What the person reads. ``context`` is what the code wrote just before; ``masked`` hides the answer."""

    prompt: str
    context: str = ""
    masked: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What the person did: gave a line, ended the input, stopped the turn; or nothing before it was gone."""

    kind: Literal["answer", "end", "stop", "gone"]
    text: str = ""


class AnswerInput(Input, inherit_bindings=False):
    """One line. Characters that cannot be seen do not enter it, nor events that ``holds`` keeps back."""

    # ctrl+d ends the input when the line is empty; the screen decides
    BINDINGS: ClassVar[list[BindingType]] = [
        *(key for key in Input.BINDINGS if isinstance(key, Binding) and "ctrl+d" not in key.key),
        Binding("delete", "delete_right", "Delete character right", show=False),
    ]

    def __init__(self, holds: Callable[[events.Event], bool], *, masked: bool) -> None:
        super().__init__(password=masked, select_on_focus=False, id="question-line")
        self._holds = holds

    async def on_event(self, event: events.Event) -> None:
        """Let no key and no paste through that was meant for what was on the screen before."""
        if self._holds(event):
            event.prevent_default().stop()
            return
        await super().on_event(event)

    def insert_text_at_cursor(self, text: str) -> None:
        """Insert what can be seen of the text."""
        super().insert_text_at_cursor("".join(char for char in text if visible_line(char) == char))


class QuestionScreen(HeldScreen):
    """Shows the prompt and takes one line. Reports the first decision through ``on_reply``, and only that.

    A screen that something else takes away reports that it is gone. ``clock`` is a monotonic clock, in
    seconds.
    """

    CSS_PATH = str(Path(__file__).with_suffix(".tcss"))
    BINDINGS: ClassVar[list[BindingType]] = bindings("question")
    AUTO_FOCUS = "AnswerInput"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (18, "-roomy")]  # noqa: RUF012 - Textual types it as a plain attribute

    def __init__(
        self,
        question: QuestionText,
        on_reply: Callable[[Reply], None],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(clock=clock)
        self._question = question
        self._on_reply = on_reply
        self._decided = False

    def compose(self) -> ComposeResult:
        """Title, what was written before, the prompt, the line, the keys."""
        question = self._question
        with Vertical(id="question-box"):
            yield Static(self._title(), id="question-title")
            with VerticalScroll(id="question-text", can_focus=False):
                if context := visible(question.context).strip("\n"):
                    yield Static(Content(context), id="question-context")
                yield Static(Content(_prompt(question)), id="question-prompt")
            with Horizontal(id="question-answer"):
                yield Static("❯", id="question-sign", markup=False)
                yield AnswerInput(self.holds, masked=question.masked)
            yield Static(id="question-hints")

    def on_mount(self) -> None:
        """What was written last is what the question is about."""
        self.query_one("#question-text").scroll_end(animate=False)

    def on_resize(self, event: events.Resize) -> None:
        """Show as many hints as fit."""
        width = min(event.size.width, 76) - _INSET
        self.query_one("#question-hints", Static).update(_hints(width))

    @property
    def takes_text(self) -> bool:
        """The line takes a paste as soon as it takes keys."""
        return self.takes_keys

    def on_unmount(self) -> None:
        """Whoever waits must not wait for a screen that is gone."""
        self._reply(Reply("gone"))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter."""
        event.stop()
        self._reply(Reply("answer", event.value))

    def action_answer(self) -> None:
        """Enter, wherever the focus is."""
        self._reply(Reply("answer", self.query_one(AnswerInput).value))

    def action_end(self) -> None:
        """As in a terminal: ends the input on an empty line, deletes a character otherwise."""
        line = self.query_one(AnswerInput)
        if line.value:
            line.action_delete_right()
        else:
            self._reply(Reply("end"))

    def action_scroll_text(self, rows: int) -> None:
        """Move what was written and asked."""
        self.query_one("#question-text").scroll_relative(y=rows, animate=False)

    def action_stop_turn(self) -> None:
        """Esc."""
        self._reply(Reply("stop"))

    def finish(self) -> None:
        """Go away, decided by whomever."""
        self._decided = True
        super().finish()

    def _reply(self, reply: Reply) -> None:
        if not self._decided:
            self._decided = True
            self._on_reply(reply)

    def kept(self) -> None:
        """Say where the keys go, and what ends it, until the answer begins."""
        self.query_one("#question-title", Static).update(
            self._title("keys go to your draft while you type; tab: answer now", "$warning")
        )

    def on_input_changed(self, event: Input.Changed) -> None:
        """The answer begins."""
        self.query_one("#question-title", Static).update(self._title())

    def _title(self, said: str = "", key: str = "$muted") -> Content:
        note = said or ("hidden as you type" if self._question.masked else "from the running code")
        return Content.assemble(("Question", "bold $foreground"), ("   " + note, key))


def _prompt(question: QuestionText) -> str:
    return visible(question.prompt).strip("\n") or "It asks without a word."


def _hints(width: int) -> Content:
    shown = hints_of("question")
    while len(shown) > 1:
        content = hint_content(shown, "$subtle", "$muted")
        if content.cell_length <= width:
            return content
        # esc stands last and is never dropped
        del shown[-2]
    return hint_content(shown, "$subtle", "$muted")
