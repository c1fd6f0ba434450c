"""The end of the message list while a batch is open: the assistant message and the answers so far."""

from __future__ import annotations

from typing import Any

from workbench.engine.hooks import HandlerFunction, describe
from workbench.engine.llm import Message
from workbench.errors import MessageOrderError


class OpenTail:
    """Guards the place where answers go. Noticing that nothing happened costs the same at any length."""

    __slots__ = (
        "_answers",
        "_aside",
        "_assistant",
        "_ids",
        "_last",
        "_length",
        "_list",
        "_session",
        "strict",
    )

    def __init__(self, session: dict[str, Any], assistant: Message) -> None:
        self._session = session
        self._assistant = assistant
        self._ids: list[str] = [call["id"] for call in assistant["tool_calls"]]
        """Of the calls, in order: a handler may damage the messages themselves."""
        self._answers: list[Message] = []
        self._aside: list[Message] = []
        self._list: list[Message] = session["messages"]
        self._length = 0
        self._last = assistant
        self.strict = False
        """Whether the calls have begun to be answered: from then on nobody may change the messages."""

    def open(self) -> None:
        """Append the assistant message: from now on its calls wait for answers."""
        self._list = self._session["messages"]
        self._list.append(self._assistant)
        self._length = len(self._list)

    @property
    def intact(self) -> bool:
        """Whether the list still ends as it was left."""
        messages = self._session.get("messages")
        return messages is self._list and len(messages) == self._length and messages[-1] is self._last

    def answer(self, message: Message) -> None:
        """Append the answer to the next call."""
        if not self.intact:
            self.set_aside()
        self._last = message  # first: an interrupt from here on finds the end disturbed, and mends it
        self._answers.append(message)
        self._list.append(message)
        self._length += 1

    @property
    def answered(self) -> int:
        """How many of the calls have their answer."""
        return len(self._answers)

    def disturbed(self, handler: HandlerFunction) -> None:
        """Put in order what a handler changed; raises MessageOrderError if it must not any more."""
        if self.set_aside() and self.strict:
            raise MessageOrderError(
                f"{describe(handler)} changed the messages between a call and its result",
                hint="Add messages in an after_tools handler: there, every call of the batch is answered.",
            )

    def set_aside(self) -> bool:
        """Restore the end of the list, and keep what stood in the wrong place for ``close``.

        An answer that was exchanged for another one to the same call is taken over; changes in front
        of the assistant message are nobody's concern here. True if anything was out of place.
        """
        messages = self._session.get("messages")
        if not isinstance(messages, list):
            messages = self._session["messages"] = self._list
        self._list = messages
        at = self._place(messages)
        if at is None:
            self._put_back(messages)
            return True
        if messages[at] is not self._assistant:
            self._assistant = messages[at]
        behind = messages[at + 1 :]
        own = {id(answer): number for number, answer in enumerate(self._answers)}
        known = {self._ids[number]: number for number in own.values()}
        strays: list[Message] = []
        for message in behind:
            number = own.get(id(message))
            call_id = _field(message, "tool_call_id")
            if number is not None:
                known.pop(self._ids[number], None)
            elif isinstance(call_id, str) and call_id in known and message.get("role") == "tool":
                self._answers[known.pop(call_id)] = message
            else:
                strays.append(message)
        misplaced = bool(strays or known or behind != self._answers)
        self._aside.extend(strays)
        messages[at + 1 :] = self._answers
        self._length = len(messages)
        self._last = messages[-1]
        return misplaced

    def close(self) -> None:
        """All calls are answered: make sure of the order, and append what was set aside."""
        if not self.intact:
            self.set_aside()
        self._list.extend(self._aside)
        self._aside = []

    def _place(self, messages: list[Message]) -> int | None:
        """Where the assistant message is: it itself, or an equal one with the same calls."""
        for at in range(len(messages) - 1, -1, -1):
            if messages[at] is self._assistant:
                return at
        for at in range(len(messages) - 1, -1, -1):
            calls = _field(messages[at], "tool_calls")
            if isinstance(calls, list) and [_field(call, "id") for call in calls] == self._ids:
                return at
        return None

    def _put_back(self, messages: list[Message]) -> None:
        """The assistant message was taken away: put it and the answers at the end, without doubles."""
        own = {id(answer) for answer in self._answers}
        messages[:] = [message for message in messages if id(message) not in own]
        messages.append(self._assistant)
        messages.extend(self._answers)
        self._length = len(messages)
        self._last = messages[-1]


def _field(thing: object, key: str) -> Any:
    """A key of something that a handler put there, and that may not even be a dict."""
    return thing.get(key) if isinstance(thing, dict) else None
