"""Which of several changed tools is offered to run again."""

from __future__ import annotations

from tests.tui.panel_app import START, Story
from workbench.registry import ToolRegistry
from workbench.tui.changed_tools import ChangedTools
from workbench.tui.events import ToolsChanged
from workbench.tui.trace_model import TraceModel
from workbench.tui.trace_records import Entry


def first() -> int:
    """One."""
    return 1


def other_first() -> int:
    """One, or so."""
    return 11


def uses() -> int:
    """Uses it."""
    return first()


def never() -> int:
    """Never called."""
    return 0


def called(*names: str) -> list[Entry]:
    story = Story()
    story.begin()
    story.ask_model()
    for name in names:
        (call,) = story.batch(name)
        story.run(call, 1)
    model = TraceModel(lambda start, removed, added: None)
    model.apply(story.take())
    return [entry for entry in model.entries() if entry.call_id]


def changed(*names: str, at: float) -> tuple[ChangedTools, set[str]]:
    """What is known once these were told to be renewed, in this order; ``first`` is another function now."""
    tools = ToolRegistry()
    for each in (first, uses, never):
        tools.register(each)
    known = ChangedTools()
    known.begin(tools, START)
    tools.refresh("first", other_first)
    events = [ToolsChanged("ann", START + at, "refresh", name) for name in names]
    return known, {name for event in events for name in known.follow(tools, event)}


def test_the_edited_tool_is_offered_before_one_that_uses_it_whichever_was_called_last() -> None:
    known, names = changed("first", "uses", "never", at=1)
    assert names == {"first", "uses", "never"}
    calls = called("first", "uses")
    assert known.choose(names, calls) == "first"
    assert known.last_call(calls) is calls[0]
    assert known.choose({"uses"}, calls) == ""


def test_a_tool_of_which_only_the_helper_changed_is_offered_where_no_other_was_called() -> None:
    known, names = changed("first", "uses", at=1)
    assert known.choose(names, called("uses", "uses")) == "uses"
    assert known.choose(names, []) == ""


def test_nothing_is_offered_before_anything_changed() -> None:
    assert ChangedTools().last_call(called("first")) is None
