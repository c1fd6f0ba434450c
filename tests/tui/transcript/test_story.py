"""Events told as blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from workbench.engine.scope import STOPPED, interrupted, not_run
from workbench.tui.events import (
    AgentEvent,
    BatchStarted,
    CallInfo,
    ModelDelta,
    ModelFinished,
    Notice,
    SessionReset,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
    WaitFinished,
    WaitStarted,
)
from workbench.tui.transcript.blocks import Reasoning, notice
from workbench.tui.transcript.call import CallBlock
from workbench.tui.transcript.document import Document
from workbench.tui.transcript.story import Story

ME = "me"


def delta(text: str, kind: Any = "text", **fields: Any) -> ModelDelta:
    """A piece of an answer."""
    return ModelDelta(ME, 0.0, kind, text, **fields)


def finished(content: str, calls: int = 0, status: str = "success") -> ModelFinished:
    """The end of an answer."""
    return ModelFinished(ME, 0.0, {"status": status}, content, calls)


def call(call_id: str, name: str = "tool", **fields: Any) -> CallInfo:
    """A call of a batch."""
    arguments: Mapping[str, Any] = fields.pop("arguments", {"path": "a.txt"})
    return CallInfo(call_id, name, arguments, **fields)


def batch(*calls: CallInfo, agent: str = ME) -> BatchStarted:
    """A batch of calls."""
    return BatchStarted(agent, 0.0, 1, 1, calls)


def over(call_id: str, status: str = "success", agent: str = ME, **fields: Any) -> ToolFinished:
    """The end of a call."""
    entry = {"call_id": call_id, "tool_name": "tool", "status": status, "timing": 12.0, **fields}
    return ToolFinished(agent, 0.0, entry)


def ended(status: Any = "success", agent: str = ME, **fields: Any) -> TurnFinished:
    """The end of a turn."""
    return TurnFinished(agent, 0.0, 1, status, 5.0, 0.0, **fields)


STARTED = TurnStarted(ME, 0.0, 1, "Do it")


def told(*events: AgentEvent) -> Document:
    """The document after the events."""
    document = Document(60)
    story = Story(document)
    for event in events:
        story.tell(event)
    return document


def texts(document: Document) -> list[str]:
    """What each block shows, its rows as one text, glyph and right column included."""
    shown = []
    for block in document.blocks:
        document.measure(block.index)
        shown.append(
            "\n".join(
                "".join(text for text, _ in line.lead) + line.text + "".join(text for text, _ in line.right)
                for line in block.lines
            )
        )
    return shown


def test_the_answer_is_what_was_streamed() -> None:
    assert texts(told(STARTED, delta("Hel"), delta("lo."), finished("Hello."))) == ["❯ Do it", "Hello."]


def test_an_answer_that_was_not_streamed_is_shown_whole() -> None:
    assert texts(told(STARTED, finished("Hello.\n\nYou.")))[1:] == ["Hello.", "You."]


def test_what_the_model_says_at_the_end_counts() -> None:
    document = told(STARTED, delta("A draft.\n\nOf two."), finished("The answer."))
    assert texts(document) == ["❯ Do it", "The answer."]


def test_an_answer_that_broke_off_keeps_what_came() -> None:
    document = told(STARTED, delta("As far as"), finished("", status="error"), ended("error", error="Lost"))
    assert texts(document)[1:] == ["As far as", "✗ Lost"]


def test_what_is_added_for_the_model_stands_under_the_message() -> None:
    document = told(TurnStarted(ME, 0.0, 1, "Do it", "shell was switched off"))
    assert texts(document) == ["❯ Do it\n  shell was switched off"]
    assert document.blocks[0].lines[1].key == "muted"
    assert document.blocks[0].background == "raised"


def test_reasoning_folds_to_a_line_when_the_answer_starts() -> None:
    document = told(STARTED, delta("I must\nthink", "reasoning"))
    assert texts(document)[1] == "I must\nthink"
    document = told(STARTED, delta("I must\nthink", "reasoning"), delta("So."))
    assert texts(document)[1:] == ["▸ reasoning  3 words", "So."]
    block = document.blocks[1]
    assert isinstance(block, Reasoning)
    block.toggle()
    assert texts(document)[1] == "▾ reasoning  3 words\n  I must\n  think"


def test_reasoning_in_chunks_is_the_reasoning() -> None:
    text = "one two\nthree\n\n" + "x" * 9_000
    document = told(STARTED, *(delta(text[at : at + 7], "reasoning") for at in range(0, len(text), 7)))
    assert document.blocks[1].source() == text


STATES = [
    ([], "○ tool  path='a.txt'pending"),
    ([WaitStarted(ME, 0.0, ("1",))], "◇ tool  path='a.txt'waiting"),
    ([ToolStarted(ME, 9.0, "1", "tool", {"path": "a.txt"})], "● tool  path='a.txt'   <1 ms"),
    ([over("1")], "✓ tool  path='a.txt'   12 ms"),
    ([over("1", "error", error="KeyError: 'x'\nmore")], "✗ tool  path='a.txt'   12 ms\n  KeyError: 'x'"),
    ([over("1", "rejected", reason="Not now")], "⊘ tool  path='a.txt'rejected\n  “Not now”"),
    ([over("1", "cancelled")], "– tool  path='a.txt'cancelled"),
    ([over("1", "not_found", error="No tool x")], "✗ tool  path='a.txt'no such\n  No tool x"),
    ([over("1", "denied", reason="by the policy")], "⊘ tool  path='a.txt'denied\n  by the policy"),
    ([over("1", "disabled")], "⊘ tool  path='a.txt'off"),
]


@pytest.mark.parametrize(("events", "shown"), STATES)
def test_each_state_of_a_call_has_its_glyph_and_word(events: list[AgentEvent], shown: str) -> None:
    assert texts(told(STARTED, batch(call("1")), *events))[1] == shown


def test_calls_of_one_batch_stand_close_together() -> None:
    document = told(STARTED, delta("Now:"), finished("Now:", 2), batch(call("1"), call("2")))
    assert [block.gap for block in document.blocks] == [1, 1, 1, 0]


def test_a_rejected_call_says_why_even_if_it_is_only_told_by_the_verdict() -> None:
    verdict = WaitFinished(ME, 0.0, 5.0, (call("1", decision="reject", reason="Too early"),))
    document = told(STARTED, batch(call("1")), WaitStarted(ME, 0.0, ("1",)), verdict, over("1", "rejected"))
    assert texts(document)[1] == "⊘ tool  path='a.txt'rejected\n  “Too early”"


def test_a_call_whose_arguments_were_changed_says_so() -> None:
    verdict = WaitFinished(ME, 0.0, 5.0, (call("1", arguments={"path": "b.txt"}, decision="approve"),))
    document = told(STARTED, batch(call("1")), verdict, over("1"))
    assert texts(document)[1] == "✓ tool  path='b.txt'  ± edited   12 ms"


@pytest.mark.parametrize(
    ("facts", "words", "time"),
    [
        ({"fault": "raise OSError"}, "fault raise", "   12 ms"),
        ({"made_up": True}, "made up", "   12 ms"),
        ({"result_edited_from": "before"}, "result edited", "   12 ms"),
        ({"replayed": True}, "from the record", " " * 8),
        ({"replayed": True, "original_result": "before"}, "made up", " " * 8),
    ],
)
def test_a_call_that_did_not_just_run_says_so_in_a_word(facts: dict[str, Any], words: str, time: str) -> None:
    document = told(STARTED, batch(call("1")), over("1", **facts))
    assert texts(document)[1] == f"✓ tool  path='a.txt'  {words}{time}"


def test_a_call_being_written_becomes_the_call() -> None:
    pieces = [delta('{"pa', "tool_call", name="tool"), delta('th": 1}', "tool_call")]
    assert texts(told(STARTED, *pieces))[1] == "○ tool  11 characters so farpending"
    document = told(STARTED, *pieces, finished("", 1), batch(call("1")), over("1"))
    assert texts(document)[1:] == ["✓ tool  path='a.txt'   12 ms"]


def test_a_call_that_was_never_finished_being_written_disappears() -> None:
    document = told(STARTED, delta("{", "tool_call", name="tool"), finished("", status="cancelled"))
    assert len(document.blocks) == 1


def test_calls_that_were_open_when_the_turn_ended_are_cancelled() -> None:
    document = told(STARTED, batch(call("1")), ended("stopped"))
    assert texts(document)[1:] == ["– tool  path='a.txt'cancelled", "– stopped"]


def test_a_call_that_a_stop_cut_short_says_so_and_one_that_never_ran_does_not() -> None:
    document = told(
        STARTED,
        batch(call("1"), call("2"), call("3")),
        ToolStarted(ME, 9.0, "1", "tool", {"path": "a.txt"}),
        over("1", "cancelled", result=interrupted(STOPPED)),
        over("2", "cancelled", result=not_run(STOPPED)),
        over("3", "cancelled", result=not_run("no more")),
        ended("stopped"),
    )
    note = "  interrupted while running; it may have had effects"
    assert texts(document)[1:4] == [
        f"– tool  path='a.txt'cancelled\n{note}",
        "– tool  path='a.txt'cancelled",
        "– tool  path='a.txt'cancelled",
    ]
    assert document.blocks[1].lines[1].key == "muted"


def test_a_running_call_of_which_nothing_was_heard_when_the_turn_ended_may_have_had_effects() -> None:
    started = ToolStarted(ME, 9.0, "1", "tool", {"path": "a.txt"})
    document = told(STARTED, batch(call("1"), call("2")), started, ended("stopped"))
    assert "it may have had effects" in texts(document)[1]
    assert "effects" not in texts(document)[2]


def test_a_call_that_is_left_running_may_have_had_effects() -> None:
    document = told(STARTED, batch(call("1")), over("1", "cancelled", left_running=True))
    assert "it may have had effects" in texts(document)[1]


def test_a_call_that_stopped_the_turn_itself_says_why() -> None:
    document = told(STARTED, batch(call("1")), over("1", "cancelled", result="Stopped the turn: enough"))
    assert texts(document)[1].endswith("\n  Stopped the turn: enough")


def test_what_a_call_printed_shows_as_a_terminal_would_have_left_it() -> None:
    shown = expanded(batch(call("1")), over("1", output="0%\r50%\r100%\ndone\r\n"))
    assert "    100%" in shown
    assert not any("50%" in line or "\\r" in line for line in shown)


def test_a_failed_turn_says_what_to_do() -> None:
    document = told(STARTED, ended("error", error="No key for openai", hint="Set OPENAI_API_KEY."))
    assert texts(document)[1] == "✗ No key for openai\n  Set OPENAI_API_KEY."
    assert [line.key for line in document.blocks[1].lines] == ["error", "muted"]


def test_a_turn_that_ran_out_of_iterations_says_so_in_amber() -> None:
    document = told(STARTED, ended("incomplete", result="Task incomplete"))
    assert texts(document)[1] == "◇ Task incomplete"
    assert document.blocks[1].lines[0].key == "warning"


def test_one_id_used_again_in_a_later_turn_is_another_call() -> None:
    document = told(STARTED, batch(call("1")), over("1"), ended(), STARTED, batch(call("1")))
    assert [text.split("  ")[0] for text in texts(document)] == ["❯ Do it", "✓ tool", "❯ Do it", "○ tool"]


def test_an_agent_inside_a_tool_shows_its_calls_and_not_its_words() -> None:
    inner = "helper"
    document = told(
        STARTED,
        batch(call("1")),
        ToolStarted(ME, 0.0, "1", "tool", {"path": "a.txt"}),
        TurnStarted(inner, 0.0, 1, "inner task", inner=True),
        ModelDelta(inner, 0.0, "text", "inner words", inner=True),
        ModelFinished(inner, 0.0, {"status": "success"}, "inner words", 1, inner=True),
        replace(batch(call("1", "deep"), agent=inner), inner=True),
        replace(over("1", agent=inner), inner=True),
        replace(ended(agent=inner), inner=True),
        over("1"),
        delta("Done."),
    )
    assert texts(document)[1:] == [
        "✓ tool  path='a.txt'   12 ms",
        "✓ helper › deep  path='a.txt'   12 ms",
        "Done.",
    ]


def test_a_reset_clears_everything() -> None:
    assert told(STARTED, delta("x"), SessionReset(ME, 0.0)).blocks == []


HOSTILE = [
    "\x1b[31mred\x1b]8;;http://e\x07",
    "\x9b2J",
    "a\u202eb",
    "nul\0",
    "\ud800",
    "[b]x[/b] [/",
    "\rover",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_never_acts(text: str) -> None:
    document = told(
        TurnStarted(ME, 0.0, 1, text, text),
        delta(text, "reasoning"),
        delta(
            f"{text}\n\n```{text}\n{text}\n```\n\n| {text} |\n|--|\n| {text} |\n\n[{text}](http://e.org/{text})"
        ),
        delta(text, "tool_call", name=text),
        batch(call("1", text, arguments={text: text, "more": [text]})),
        over("1", "error", error=text, output=text, result=text),
        ended("error", error=text, hint=text),
    )
    for block in document.blocks:
        if isinstance(block, CallBlock | Reasoning):
            block.toggle()
    shown = "".join(texts(document))
    targets = "".join(
        target for block in document.blocks for line in block.lines for _, _, target in line.links
    )
    assert not any(ord(char) < 0x20 and char != "\n" for char in shown + targets)
    assert not any(0x7F <= ord(char) < 0xA0 or 0xD800 <= ord(char) < 0xE000 for char in shown + targets)
    assert "\u202e" not in shown + targets


def expanded(*events: AgentEvent) -> str:
    """The only call of the events, opened."""
    document = told(STARTED, *events)
    block = document.blocks[1]
    assert isinstance(block, CallBlock)
    block.toggle()
    return texts(document)[1]


def test_an_opened_call_shows_arguments_output_and_result() -> None:
    shown = expanded(batch(call("1")), over("1", output="printed\nlines\n", result={"n": 1}))
    assert shown.split("\n")[1:] == [
        "  path  a.txt",
        "  printed",
        "    printed",
        "    lines",
        "  result",
        "    {",
        '      "n": 1',
        "    }",
    ]


def test_an_opened_call_says_how_much_of_ten_megabytes_it_does_not_show() -> None:
    shown = expanded(batch(call("1")), over("1", result="line\n" * 2_000_000))
    assert "… 10.0M more characters, 2.0M lines" in shown
    assert len(shown) < 10_000


def test_an_opened_call_bounds_a_line_of_a_million_characters() -> None:
    shown = expanded(batch(call("1")), over("1", result="x" * 1_000_000))
    assert "992.0k more characters" in shown
    assert len(shown) < 10_000


NEWS = Notice(ME, 0.0, "Tools were reloaded")


def sources(document: Document) -> list[str]:
    """What the blocks below the message say."""
    return [block.source().strip() for block in document.blocks[1:]]


def test_a_notice_that_comes_while_an_answer_is_written_stands_below_it() -> None:
    document = told(STARTED, delta("one **two "), NEWS, delta("three** four"))
    assert sources(document) == ["one **two three** four"]
    document = told(
        STARTED, delta("one **two "), NEWS, delta("three** four"), finished("one **two three** four")
    )
    first, second = sources(document)
    assert first == "one **two three** four"
    assert "Tools were reloaded" in second


def test_what_a_person_is_told_at_once_while_an_answer_is_written_does_not_make_it_come_twice() -> None:
    document = Document(60)
    story = Story(document)
    story.tell(STARTED)
    story.tell(delta("one "))
    story.add(notice("There is no command /x", "", "", "warning"))
    story.tell(delta("two"))
    story.tell(finished("one two"))
    first, second, third = sources(document)
    assert (first, third) == ("one", "two")
    assert "There is no command /x" in second


def inside(call_id: str, agent: str, *calls: CallInfo) -> list[AgentEvent]:
    """An agent begins inside a call, and asks for others."""
    begun = TurnStarted(agent, 0.0, 1, "inner task", "", call_id, inner=True)
    return [begun, replace(batch(*calls, agent=agent), inner=True)]


def running(call_id: str, agent: str = ME, name: str = "tool") -> ToolStarted:
    """A call begins."""
    return ToolStarted(agent, 0.0, call_id, name, {"path": "a.txt"}, inner=agent != ME)


def test_what_is_called_inside_a_call_stands_below_it_in_its_order() -> None:
    document = told(
        STARTED,
        batch(call("h", "helper"), call("g", "guide"), call("z", "last")),
        running("h"),
        running("g"),
        *inside("g", "guide", call("1", "look")),
        *inside("h", "helper", call("1", "deep"), call("2", "wide")),
        running("1", "helper"),
        *inside("1", "deeper", call("1", "bottom")),
        replace(batch(call("3", "later"), agent="helper"), inner=True),
        replace(over("1", agent="guide", result="seen"), inner=True),
        over("g", result="shown"),
        over("z"),
    )
    calls = [block for block in document.blocks if isinstance(block, CallBlock)]
    names = [block.source().partition("(")[0] for block in calls]
    assert names == ["helper", "deep", "bottom", "wide", "later", "guide", "look", "last"]
    states = ["running", "running", "pending", "pending", "pending", "success", "success", "success"]
    assert [block.state for block in calls] == states
    assert [block.number for block in document.blocks] == sorted(block.number for block in document.blocks)
    assert [document.find(block.number) for block in calls] == calls
    assert [block.gap for block in calls[1:]] == [0] * 7


def test_a_call_that_moved_goes_on_counting_its_time() -> None:
    story = Story(Document())
    two = batch(call("h", "helper"), call("g", "guide"))
    for event in (STARTED, two, running("h"), running("g"), *inside("h", "helper", call("1", "deep"))):
        story.tell(event)
    assert {block.call_id for block in story.tick(5.0)} == {"h", "g"}
    story.tell(over("g"))
    assert {block.call_id for block in story.tick(6.0)} == {"h"}


def test_behind_something_else_than_calls_a_call_inside_one_stands_at_the_end() -> None:
    document = told(
        STARTED,
        batch(call("h", "helper"), call("g", "guide")),
        running("h"),
        Notice(ME, 0.0, "Something was said"),
        *inside("h", "helper", call("1", "deep")),
    )
    assert isinstance(last := document.blocks[-1], CallBlock)
    assert last.source().startswith("deep(")
