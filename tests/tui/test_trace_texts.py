"""Words are found in what is said in a trace, whether its texts lie together already or not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.tui.panel_app import Story
from workbench.tui import events
from workbench.tui.trace_model import TraceModel
from workbench.tui.trace_records import Entry
from workbench.tui.trace_texts import TraceTexts, text_of

MANY = 1_300


def model() -> TraceModel:
    return TraceModel(lambda start, removed, added: None)


def told(count: int, **said: str) -> tuple[TraceModel, Story]:
    """A turn that goes on, with so many calls that have ended."""
    trace, story = model(), Story()
    story.begin()
    story.ask_model()
    story.answer(0.1)
    for number in range(count):
        (call,) = story.batch("files.read", path=f"Notes/{number}.txt")
        story.run(call, 1, **said)
    trace.apply(story.take())
    return trace, story


def holding(trace: TraceModel, word: str, texts: TraceTexts | None = None) -> list[Entry]:
    found = (texts or trace.texts).holding(word, 0, len(trace.flat))
    return [entry for entry in trace.flat if entry.serial in found]


@given(st.lists(st.text(max_size=5), min_size=1, max_size=40), st.text(min_size=1, max_size=3))
def test_a_word_is_found_in_exactly_the_entries_that_say_it(results: list[str], word: str) -> None:
    word = word.lower().replace("\0", "")
    trace, story = told(480)
    for result in results:
        (call,) = story.batch("a")
        story.run(call, 1, result=result)
        trace.apply(story.take())
    expected = [entry for entry in trace.flat if word in text_of(entry).lower()]
    assert holding(trace, word) == expected
    assert holding(trace, word, TraceTexts(trace.flat)) == expected


def test_entries_from_the_middle_on_are_looked_at_alone() -> None:
    trace, _ = told(MANY)
    found = trace.texts.holding("notes/", 499, 1_002)
    assert sorted(found) == [entry.serial for entry in trace.flat[499:1_002]]


def test_a_call_that_goes_on_does_not_keep_its_neighbours_from_being_found() -> None:
    trace, story = told(10)
    (long,) = story.batch("slow.wait", what="Patience")
    story.start(long)
    trace.apply(story.take())
    for number in range(MANY):
        (call,) = story.batch("files.read", path=f"late/{number}")
        story.run(call, 1)
    trace.apply(story.take())
    assert len(holding(trace, "late/")) == MANY
    assert [entry.call_id for entry in holding(trace, "patience")] == [long.id]
    story.finish(long, 5.0, result="At last")
    trace.apply(story.take())
    assert [entry.call_id for entry in holding(trace, "at last")] == [long.id]


def test_an_entry_that_was_changed_afterwards_is_found_by_what_it_says_now() -> None:
    trace, _ = told(MANY, result="one thing")
    entry = trace.flat[700]
    changed = {**entry.data, "result": "quite another"}
    assert entry not in holding(trace, "another")
    trace.apply([events.EntryChanged("ann", 0.0, changed)])
    assert holding(trace, "another") == [entry]
    assert entry not in holding(trace, "one thing")


def test_a_text_with_the_sign_between_two_texts_in_it_is_one_text() -> None:
    trace, _ = told(MANY, result="a\0b\0c")
    assert len(holding(trace, "c")) == MANY
    assert [entry.arguments["path"] for entry in holding(trace, "notes/1299")] == ["Notes/1299.txt"]


def test_letters_beyond_ascii_are_found_whatever_their_case() -> None:
    trace, _ = told(MANY, result="ÄRGER ☂")
    assert len(holding(trace, "ärger ☂")) == MANY


def test_of_a_huge_argument_only_the_beginning_is_read() -> None:
    trace, story = told(1)
    (call,) = story.batch("big", rows=[{"id": 7}] * 1_000_000)
    story.run(call, 1)
    trace.apply(story.take())
    assert len(text_of(trace.flat[-1])) < 1_000
    assert len(holding(trace, "'id': 7")) == 1


def test_nothing_of_a_trace_that_was_emptied_is_found_in_the_next_one() -> None:
    trace, _ = told(MANY)
    later, _ = told(MANY, result="later")
    trace.flat[:] = later.flat
    trace.texts.empty()
    trace.texts.keep_up()
    assert len(holding(trace, "later")) == MANY
