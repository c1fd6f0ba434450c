"""Which agent has the tools now that a call in the trace was made with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workbench.engine.agent import Agent
from workbench.engine.toolset import agent_behind
from workbench.tui.guests import Guests
from workbench.tui.tool_history import ToolHistory
from workbench.tui.trace_records import Entry


class Makers:
    """``agent`` is the one that a person talks to, ``calls`` are those of the trace.

    ``histories`` gives what is known of the versions of the tools of the agent that made a call.
    """

    def __init__(
        self,
        guests: Guests,
        agent: Callable[[], Agent | None],
        calls: Callable[[], Sequence[Entry]],
        histories: Callable[[Entry], ToolHistory],
    ) -> None:
        self._guests = guests
        self._agent = agent
        self._calls = calls
        self._histories = histories

    def of(self, entry: Entry) -> Agent | None:
        """The agent; None for one inside a tool that is gone, or whose tool has changed since."""
        turn = entry.turn
        if turn.by_hand and turn.guest_number:
            first = self._first_run(entry)
            return self.of(first) if first is not None else None
        if not turn.guest:
            return self._agent()
        around = turn.parent
        host = self.of(around) if around is not None else None
        if around is None or host is None:
            return None
        name = str(around.data.get("tool_name") or around.name)
        tool = host.tools.get(name)
        behind = agent_behind(tool.func) if tool is not None else None
        if tool is None or behind is not None:
            return behind
        history = self._histories(around)
        same = history.at(name, around.began) is history.now(name)
        return self._guests.agent(turn.guest_number) if same else None

    def _first_run(self, entry: Entry) -> Entry | None:
        """The call that a person ran again; two agents may give the same id to calls of theirs."""
        for call in self._calls():
            if call.call_id == entry.data.get("rerun_of") and call.turn.agent == entry.turn.agent:
                return call
        return None

    def number(self, entry: Entry) -> int:
        """The number of that agent among the guests, 0 for the one that a person talks to."""
        maker = self.of(entry)
        return 0 if maker is None or maker is self._agent() else self._guests.number(maker)
