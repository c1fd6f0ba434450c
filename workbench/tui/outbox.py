"""What the person sends: messages to the agent, one turn after the other, and slash commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Literal

from workbench.tui.commands import TABLE, Command, key_text_of, meant
from workbench.tui.message_queue import MessageQueue

if TYPE_CHECKING:
    from workbench.tui.activity import ActivityTracker
    from workbench.tui.screens.main import MainScreen

TurnStatus = Literal["success", "incomplete", "stopped", "error"]

_FILTER_LIKE: Final = re.compile(r"[^\W\d]\w*:")
_COMMAND_LIKE: Final = re.compile(r"[^\W\d]\w*:|[^\W\d][^/]*\Z")
"""What stands behind a slash and is meant for Workbench; a word with another slash in it is a path."""


class Outbox:
    """Sends a message when nothing runs, else keeps it above the prompt.

    ``begin`` starts a turn with a message; ``run`` does a command, with the word that followed it.
    """

    def __init__(
        self,
        main: MainScreen,
        tracker: ActivityTracker,
        begin: Callable[[str], None],
        run: Callable[[Command, str], None],
    ) -> None:
        self._main = main
        self._tracker = tracker
        self._begin = begin
        self._run = run
        self._queue = MessageQueue()

    def __len__(self) -> int:
        """How many messages wait."""
        return len(self._queue)

    def send(self, text: str) -> None:
        """Send it, queue it, or run it as a command; an empty text sends the next one that waits."""
        self._queue.held = False
        if text.startswith("/") and self._slash(text):
            return
        if text:
            self._queue.put_back(text)
        if self._queue and self._tracker.ready:
            # who sends wants to see it; a message that waited begins without moving who reads meanwhile
            self._main.conversation.follow = True
        self.send_next()

    def send_next(self) -> None:
        """Begin the next turn, if nothing runs and something waits."""
        if self._tracker.ready and (text := self._queue.next()) is not None:
            self._tracker.turn_running = True
            self._begin(text)
        self._show()

    def agent_ready(self) -> None:
        """Send what was written while there was no agent."""
        self._queue.held = False
        self.send_next()

    def turn_ended(self, status: TurnStatus) -> None:
        """Go on with the queue; after a stop or an error it waits for the person."""
        self._queue.held = status in ("stopped", "error")
        self.send_next()

    def drop(self) -> None:
        """The draft was thrown away: what is written next has no place among what waits."""
        self._queue.close_gap()

    def hold(self) -> None:
        """Keep what waits until the person sends again."""
        self._queue.held = True

    def recall(self) -> bool:
        """Take the last message back into the empty prompt; False where none waits."""
        if not self._queue:
            return False
        self._edit(len(self._queue) - 1)
        return True

    def take_back(self, index: int) -> None:
        """Take one message back into the prompt; a draft that stood there waits instead."""
        if self._main.prompt.draft.strip():
            self._queue.add(self._main.prompt.draft)
        self._edit(index)

    def invite(self) -> None:
        """Let the empty prompt say what Enter does."""
        hint = ""
        if self._queue.held and self._queue:
            count = len(self._queue)
            waiting = "message that waits" if count == 1 else f"first of {count} messages that wait"
            text = f"Enter sends the {waiting}"
        elif self._tracker.agentless and not self._tracker.busy:
            text, hint = "Message, sent once it is mended", f"{key_text_of('app.reload')} tries again"
        elif self._tracker.busy:
            text = "Message, sent after this turn"
        else:
            text, hint = f"Message {self._main.top_line.status.agent}", "/ commands   @ files"
        self._main.prompt.invite(text, hint)

    def _edit(self, index: int) -> None:
        self._main.prompt.draft = self._queue.take(index)
        self._show()
        self._main.focus_panel("prompt")

    def _show(self) -> None:
        self._main.queue.show(self._queue.messages)
        self.invite()

    def _slash(self, text: str) -> bool:
        """Run a slash command; False when it is a message that only begins with a slash."""
        word, _, rest = text[1:].partition(" ")
        for command in TABLE:
            if command.slash and command.slash == word:
                if rest.strip() and not command.takes:
                    self._refuse(text, f"/{word} takes nothing behind it", f"To do it, send /{word} alone.")
                else:
                    self._run(command, rest.strip())
                return True
        word = re.split(r"\s", text[1:], maxsplit=1)[0]
        if not _COMMAND_LIKE.match(word):
            return False
        self._refuse(text, f"There is no command /{word}", _instead_of(word))
        return True

    def _refuse(self, text: str, title: str, hint: str) -> None:
        """Say why a command was not done; it is back in the prompt."""
        self._main.conversation.add_notice(title, "", hint, "warning")
        self._main.prompt.draft = text


def _instead_of(word: str) -> str:
    """What to do instead of the command ``word``, which there is not."""
    if _FILTER_LIKE.match(word):
        return f"Filters are typed in the trace, after {key_text_of('trace.filter')}."
    if near := " or ".join(f"/{command.slash}" for command in meant(word)):
        return f"Did you mean {near}?"
    return f"Known are {', '.join(f'/{command.slash}' for command in TABLE if command.slash)}."
