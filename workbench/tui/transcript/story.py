"""What happens to an agent, told as blocks of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from workbench.engine.scope import STOPPED, sentence
from workbench.tui.events import (
    AgentEvent,
    BatchStarted,
    ModelDelta,
    ModelFinished,
    Notice,
    PauseFinished,
    PauseStarted,
    SessionReset,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
    WaitFinished,
    WaitStarted,
)
from workbench.tui.transcript.blocks import Block, Failure, Fixed, Reasoning, notice
from workbench.tui.transcript.call import OVER, CallBlock
from workbench.tui.transcript.document import Document
from workbench.tui.transcript.user_message import UserMessage
from workbench.tui.transcript.writer import MarkdownWriter
from workbench.visible import visible

_MOST_MOVED: Final = 100
"""Calls that make room for one made in a call above them; behind more of them it stands at the end."""


class Story:
    """Turns events into blocks. Each event costs the same, however much stands there already.

    The first agent that begins a turn tells the story. An agent that begins one meanwhile works inside a
    tool: its calls are shown with its name, its words are the tool's result and are shown there.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        self._writer: MarkdownWriter | None = None
        self._streamed: list[str] = []
        self._later: list[Notice] = []
        """Notices that came while an answer was being written: they would tear it apart."""
        self._held = ""
        self._counted = (-1, "", 0)
        self._reasoning: Reasoning | None = None
        self._calls: dict[tuple[str, str], CallBlock] = {}
        self._drafts: dict[int, CallBlock] = {}
        self._running: dict[int, CallBlock] = {}
        self._hosts: dict[str, CallBlock] = {}
        """The calls that agents inside them work in."""
        self._handlers: Final[dict[type[AgentEvent], Callable[[Any], None]]] = {
            TurnStarted: self._turn_started,
            ModelDelta: self._delta,
            ModelFinished: self._model_finished,
            BatchStarted: self._batch_started,
            WaitStarted: self._wait_started,
            WaitFinished: self._wait_finished,
            PauseStarted: self._pause_started,
            PauseFinished: self._pause_finished,
            ToolStarted: self._tool_started,
            ToolFinished: self._tool_finished,
            TurnFinished: self._turn_finished,
            Notice: self._notice,
            SessionReset: self._reset,
        }

    def tell(self, event: AgentEvent) -> None:
        """Take one event; those that say nothing to the reader, and calls by hand, are passed over."""
        if event.by_hand:
            return
        handler = self._handlers.get(type(event))
        if handler is not None:
            handler(event)

    def add(self, block: Block) -> None:
        """Add a block that no event brought; an answer that is being written goes on below it."""
        self._close_reasoning()
        self._finish_writing()
        self._append(block)

    @property
    def writing(self) -> Block | None:
        """The block that the answer is being written into."""
        return None if self._writer is None or not self._writer.blocks else self._writer.blocks[-1]

    def tick(self, now: float) -> Iterable[CallBlock]:
        """Time passes: the calls whose time changed."""
        for call in self._running.values():
            call.tick(now)
        return self._running.values()

    def hear(self, said: Mapping[str, str]) -> bool:
        """Running calls have printed; True if any says something else than before."""
        news = [call for call in self._running.values() if call.hear(said.get(call.call_id, ""))]
        for call in news:
            self._document.changed(call)
        return bool(news)

    def _append(self, block: Block) -> None:
        last = self._document.blocks[-1] if self._document.blocks else None
        if isinstance(block, CallBlock) and isinstance(last, CallBlock):
            block.gap = 0
        self._document.append(block)

    def _turn_started(self, event: TurnStarted) -> None:
        if event.inner:
            running = reversed(self._running.values())
            host = next((call for call in running if call.call_id == event.parent_call_id), None)
            self._hosts.pop(event.agent, None)
            if host is not None:
                self._hosts[event.agent] = host
            return
        self._close_answer()
        self._append(UserMessage(event.prompt, event.note, event.images))

    def _delta(self, event: ModelDelta) -> None:
        if event.inner:
            return
        if event.kind == "text":
            self._write(event.text)
        elif event.kind == "reasoning":
            self._think(event.text)
        elif event.kind == "tool_call":
            self._draft(event)

    def _write(self, text: str) -> None:
        self._streamed.append(text)
        text, self._held = self._held + text, ""
        if text.endswith("\r"):
            # its newline may come with the next piece
            text, self._held = text[:-1], "\r"
        if self._writer is None:
            text = text.lstrip()
            if not text:
                return
            self._close_reasoning()
            self._writer = MarkdownWriter(self._document)
        self._writer.write(visible(text))

    def _think(self, text: str) -> None:
        if self._reasoning is None:
            if not text.strip():
                return
            self._close_answer()
            self._reasoning = Reasoning()
            self._document.append(self._reasoning)
            text = text.lstrip("\n")
        self._reasoning.write(visible(text))
        self._document.changed(self._reasoning)

    def _draft(self, event: ModelDelta) -> None:
        draft = self._drafts.get(event.index)
        if draft is None:
            self._close_reasoning()
            self._finish_writing()
            draft = self._drafts[event.index] = CallBlock("", event.name or "", {})
            self._append(draft)
        draft.receive(event.name, len(event.text))
        self._document.changed(draft)

    def _model_finished(self, event: ModelFinished) -> None:
        if event.inner:
            return
        streamed, content = "".join(self._streamed), event.content
        whole = event.entry.get("status", "success") == "success"
        if content.strip() and content.strip() != streamed.strip() and whole:
            self._replace_answer(content)
        self._close_answer()
        if not event.calls:
            self._drop_drafts()

    def _replace_answer(self, content: str) -> None:
        """The answer is not what was streamed: what came last counts."""
        blocks = self._writer.blocks if self._writer is not None else []
        for block in blocks:
            self._document.remove(block)
        self._writer, self._held = None, ""
        drafts = list(self._drafts.values())
        for draft in drafts:
            self._document.remove(draft)
        self._write(content)
        self._finish_writing()
        for draft in drafts:
            draft.gap = 1
            self._append(draft)

    def _finish_writing(self) -> None:
        if self._writer is not None:
            if self._held:
                self._writer.write(visible(self._held))
            self._writer.close()
        self._writer, self._held = None, ""
        # what was streamed is kept until the model says what it was

    def _close_reasoning(self) -> None:
        if self._reasoning is not None:
            self._reasoning.close()
            self._document.changed(self._reasoning)
            self._reasoning = None

    def _close_answer(self) -> None:
        self._close_reasoning()
        self._finish_writing()
        self._streamed.clear()
        later, self._later = self._later, []
        for event in later:
            self._notice(event)

    def _drop_drafts(self) -> None:
        for draft in self._drafts.values():
            self._document.remove(draft)
        self._drafts.clear()

    def _batch_started(self, event: BatchStarted) -> None:
        origin = event.agent if event.inner else ""
        drafts = [] if origin else [self._drafts[index] for index in sorted(self._drafts)]
        if not origin:
            self._close_answer()
            self._drafts.clear()
        for info in event.calls:
            if drafts:
                block = drafts.pop(0)
                block.name(info.id, info.name, info.arguments)
                self._document.changed(block)
            else:
                block = CallBlock(info.id, info.name, info.arguments, origin=origin)
                self._append_call(event, block)
            block.set_change(info.change)
            self._calls[event.agent, info.id] = block
        for draft in drafts:
            self._document.remove(draft)

    def _known(
        self, event: ToolStarted | ToolFinished, call_id: str, name: str, arguments: Mapping[str, Any]
    ) -> CallBlock:
        """The block of a call; a call that no batch announced gets one now."""
        block = self._calls.get((event.agent, call_id))
        if block is None:
            origin = event.agent if event.inner else ""
            block = self._calls[event.agent, call_id] = CallBlock(call_id, name, arguments, origin=origin)
            self._append_call(event, block)
        return block

    def _append_call(self, event: AgentEvent, block: CallBlock) -> None:
        """Add a call: one that is made in another below that, and the calls behind that again."""
        block.host = self._hosts.get(event.agent) if event.inner else None
        behind = _behind(self._document, block.host) if block.host is not None else []
        for call in reversed(behind):
            self._document.remove(call)
        self._append(block)
        for call in behind:
            self._document.append(call)
        if behind:
            self._running = {call.number: call for call in self._running.values()}

    def _wait_started(self, event: WaitStarted) -> None:
        for call_id in event.calls:
            block = self._calls.get((event.agent, call_id))
            if block is not None:
                block.set_state("waiting")
                self._document.changed(block)

    def _wait_finished(self, event: WaitFinished) -> None:
        for info in event.calls:
            block = self._calls.get((event.agent, info.id))
            if block is None or block.state in OVER:
                continue
            block.edit(info.arguments)
            block.set_change(info.change)
            if info.decision == "reject":
                block.set_state("rejected", info.reason or "")
            else:
                block.set_state("pending")
            self._document.changed(block)

    def _pause_started(self, event: PauseStarted) -> None:
        block = self._calls.get((event.agent, event.call_id))
        if block is not None:
            block.set_state("waiting")
            self._running.pop(block.number, None)
            self._document.changed(block)

    def _pause_finished(self, event: PauseFinished) -> None:
        block = self._calls.get((event.agent, event.call_id))
        if block is not None and block.state == "waiting":
            block.start(event.at)
            self._running[block.number] = block
            self._document.changed(block)

    def _tool_started(self, event: ToolStarted) -> None:
        block = self._known(event, event.call_id, event.name, event.arguments)
        block.edit(event.arguments)
        block.start(event.at)
        self._running[block.number] = block
        self._document.changed(block)

    def _tool_finished(self, event: ToolFinished) -> None:
        entry = event.entry
        arguments = entry.get("arguments")
        block = self._known(
            event,
            str(entry.get("call_id", "")),
            str(entry.get("tool_name", "")),
            arguments if isinstance(arguments, Mapping) else {},
        )
        block.finish(entry)
        self._running.pop(block.number, None)
        self._document.changed(block)

    def _turn_finished(self, event: TurnFinished) -> None:
        if event.inner:
            return
        self._close_answer()
        self._drop_drafts()
        for block in self._calls.values():
            if block.state not in OVER:
                block.leave()
                self._document.changed(block)
        self._calls.clear()
        self._hosts.clear()
        self._running.clear()
        ending = _ending(event)
        if ending is not None:
            self._append(ending)

    def _notice(self, event: Notice) -> None:
        if self._writer is not None:
            self._later.append(event)
            return
        number, said, times = self._counted
        blocks = self._document.blocks
        last = blocks[-1] if blocks else None
        if event.counted and isinstance(last, Fixed) and (last.number, event.title) == (number, said):
            self._counted = number, said, times + 1
            title = f"{visible(event.title)}, {times + 1} times"
            last.say(notice(title, visible(event.text), visible(event.hint), event.tone))
            self._document.changed(last)
            return
        block = notice(visible(event.title), visible(event.text), visible(event.hint), event.tone)
        self.add(block)
        self._counted = (block.number, event.title, 1) if event.counted else (-1, "", 0)

    def _reset(self, event: SessionReset) -> None:
        if event.inner:
            return
        self._document.clear()
        self._writer, self._reasoning, self._held = None, None, ""
        self._streamed.clear()
        self._later.clear()
        self._calls.clear()
        self._hosts.clear()
        self._drafts.clear()
        self._running.clear()


def _behind(document: Document, host: CallBlock) -> list[Block]:
    """The calls behind one and what is made in it; none where that is not all, or they are too many."""
    at = host.index + 1
    while at < len(document.blocks) and _is_within(document.blocks[at], host):
        at += 1
    behind = document.blocks[at : at + _MOST_MOVED]
    whole = at + len(behind) == len(document.blocks)
    return behind if whole and all(isinstance(block, CallBlock) for block in behind) else []


def _is_within(block: Block, host: CallBlock) -> bool:
    return isinstance(block, CallBlock) and block.within(host)


def _ending(event: TurnFinished) -> Fixed | None:
    """What is said under a turn that did not end well."""
    if event.status == "error":
        said = notice(visible(event.error) or "The turn failed", "", visible(event.hint), "error")
        return Failure(said, visible(event.traceback.rstrip())) if event.traceback else said
    if event.status == "stopped":
        why = "" if event.result == sentence(STOPPED) else event.result
        return notice("stopped", visible(why), visible(event.hint), "muted")
    if event.status == "incomplete":
        text = visible(event.result) or "The turn ended before the task was done."
        return notice(text, "", visible(event.hint), "warning")
    return None
