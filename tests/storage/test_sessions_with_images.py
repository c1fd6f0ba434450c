"""A picture is kept once, whole and unharmed, and everything that reads a session can name it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.strict_llm import StrictLLM
from tests.pictures import KINDS, address, picture
from workbench.console.printer import ConsolePrinter
from workbench.engine.agent import Agent
from workbench.providers.replay import ReplayModel
from workbench.storage.continuing import fork_session, resume_session
from workbench.storage.export import to_jsonl, to_markdown
from workbench.storage.journal import journal_path
from workbench.storage.masking import Masker
from workbench.storage.otel_export import spans_of
from workbench.storage.pictures import is_picture
from workbench.storage.session_file import SessionRecord, read_session
from workbench.storage.session_format import TurnRecord
from workbench.storage.session_index import search_sessions
from workbench.storage.session_log import SessionLog
from workbench.storage.text_log import TextLog

PLOT = picture("PNG", 640, 480)


class Lived:
    """An agent with logs in ``folder`` that has been shown a picture."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "plot.png"
        self.path.write_bytes(PLOT)
        self.log = SessionLog(folder)
        self.folder = folder
        self.agent = Agent("painter", llm=StrictLLM("a plot"), observers=[TextLog(folder), self.log])
        self.agent.input("what is this?", images=[self.path])

    @property
    def record(self) -> SessionRecord:
        assert self.log.path is not None
        return read_session(self.log.path)

    @property
    def messages(self) -> list[dict[str, Any]]:
        assert self.agent.current_session is not None
        return [dict(message) for message in self.agent.current_session["messages"]]


@pytest.fixture
def lived(tmp_path: Path) -> Lived:
    return Lived(tmp_path)


def test_the_session_file_holds_the_picture_once_and_gives_it_back(lived: Lived) -> None:
    assert lived.record.messages == lived.messages
    assert lived.log.path is not None
    data = lived.log.path.read_bytes()
    assert data.count(address(PLOT).partition(",")[2].encode()) == 1
    (turn,) = lived.record.turns
    assert turn.prompt_at == 1
    assert [f"{facts.name} {facts}" for facts in turn.images] == [f"plot.png image/png, 640×480, {size()}"]
    (image,) = turn.prompt_images()
    assert (image.url, image.facts.name) == (address(PLOT), "plot.png")


def size() -> str:
    return f"{len(PLOT) / 1000:.0f} kB"


def test_the_prompt_is_found_among_the_messages_whatever_it_holds() -> None:
    prompt = 'it\'s "two"\nlines'
    part = {"type": "image_url", "image_url": {"url": address(PLOT)}}
    messages = (
        {"role": "user", "content": "earlier"},
        {"role": "user", "content": [{"type": "text", "text": prompt}, part]},
        {"role": "user", "content": "put there by a hook"},
    )
    assert TurnRecord(prompt, messages=messages, replaces=True).prompt_at == 1
    assert [image.url for image in TurnRecord(prompt, messages=messages).prompt_images()] == [address(PLOT)]


def test_a_resumed_and_a_forked_session_send_the_picture_again(lived: Lived, tmp_path: Path) -> None:
    lived.log.close()
    path = next((tmp_path / ".workbench" / "sessions").glob("*.yaml"))
    for go_on in (resume_session, lambda agent, path: fork_session(agent, read_session(path))):
        later = Agent("painter", llm=StrictLLM("yes"), observers=[SessionLog(tmp_path)])
        go_on(later, path)
        later.input("again")
        assert later.llm.requests[-1][1]["content"][1]["image_url"]["url"] == address(PLOT)
        later.close()


def test_a_record_with_a_picture_is_replayed_and_another_picture_is_noticed(lived: Lived) -> None:
    again = Agent("painter", llm=ReplayModel(lived.record.messages))
    assert again.input("what is this?", images=[PLOT]) == "a plot"
    other = Agent("painter", llm=ReplayModel(lived.record.messages))
    with pytest.raises(Exception, match="Message 1 differs from the record") as caught:
        other.input("what is this?", images=[picture()])
    assert len(str(caught.value)) < 1_000


def test_a_turn_that_was_cut_off_has_its_picture_from_the_journal(tmp_path: Path) -> None:
    class Dying(StrictLLM):
        def complete(self, messages: Any, tools: Any = None) -> Any:
            (self.kept,) = (tmp_path / ".workbench" / "sessions").glob("*.yaml")
            self.journal = journal_path(self.kept).read_bytes()
            return super().complete(messages, tools)

    model = Dying("done")
    agent = Agent("painter", llm=model, observers=[SessionLog(tmp_path)])
    agent.input("look", images=[PLOT])
    before = model.kept.read_bytes()
    agent.close()
    model.kept.write_bytes(before[: before.index(b"  - input")])
    journal_path(model.kept).write_bytes(model.journal)
    assert read_session(model.kept).messages[1]["content"][1]["image_url"]["url"] == address(PLOT)
    (turn,) = read_session(model.kept).turns
    assert [facts.name for facts in turn.images] == ["picture"]


def test_markdown_names_the_picture_and_json_lines_hold_it_whole(lived: Lived) -> None:
    markdown = "".join(to_markdown(lived.record))
    assert f"> plot.png (image/png, 640×480, {size()})" in markdown
    assert "base64" not in markdown
    lines = [json.loads(line) for line in to_jsonl(lived.record)]
    assert address(PLOT) in [
        part.get("image_url", {}).get("url") for part in lines[1]["messages"][1]["content"]
    ]


@pytest.mark.parametrize("content", [True, False])
def test_spans_hold_no_picture(lived: Lived, content: bool) -> None:
    told = " ".join(span.to_json() for span in spans_of(lived.record, content=content))
    assert "base64" not in told
    assert ("what is this?" in told) is content


def test_the_text_log_has_a_line_for_the_picture(lived: Lived) -> None:
    (log,) = (lived.folder / ".workbench" / "logs").glob("*.log")
    text = log.read_text()
    assert f" image  plot.png image/png, 640×480, {size()}\n" in text
    assert "base64" not in text


def test_a_script_prints_a_line_for_the_picture() -> None:
    from rich.console import Console

    out = io.StringIO()
    printer = ConsolePrinter(Console(file=out, width=80, color_system=None))
    Agent("painter", llm=StrictLLM("fine"), observers=[printer]).input("look", images=[PLOT])
    assert f"painter ❯ look\n  picture  image/png 640×480 {size()}\n" in out.getvalue()


def test_a_picture_is_found_by_its_name_and_never_by_its_data(lived: Lived) -> None:
    (found,) = search_sessions(lived.folder, "PLOT.png")
    assert "plot.png" in found.excerpt
    assert not list(search_sessions(lived.folder, address(PLOT)[30:60]))


def key_in(data: bytes) -> bytes:
    """A picture whose base64 holds what looks like a key, as a large one does by chance."""
    wanted = b"/AIza" + b"Sy" * 17 + b"A/AAA"
    import base64

    return data + b"\0" * (-len(data) % 3) + base64.b64decode(wanted + b"=" * (-len(wanted) % 4))


@pytest.mark.parametrize(("mime", "kind"), KINDS.items())
def test_what_looks_like_a_key_in_a_picture_is_left_alone(mime: str, kind: str) -> None:
    url = address(key_in(picture(kind)), mime)
    masker = Masker({"SOME_TOKEN": url[60:76]})
    assert masker._covered(url) != url  # as any other text it would be covered
    assert masker(url) is url


@pytest.mark.parametrize(
    "text",
    [
        "data:image/png;base64,hello my key is sk-abcdefghij0123456789XYZ",
        address(picture()) + " sk-abcdefghij0123456789XYZ",
        address(b"no picture at all sk-abcdefghij0123456789XYZ" * 4).replace(
            "bm8g", "/AIza" + "Sy" * 17 + "A/"
        ),
    ],
)
def test_a_text_that_only_begins_like_a_picture_is_covered(text: str) -> None:
    assert not is_picture(text)
    assert "[masked key]" in Masker({})(text)


@given(st.text(max_size=200))
def test_no_text_is_taken_for_a_picture(text: str) -> None:
    for begin in ("", "data:image/png;base64,", "data:image/"):
        assert not is_picture(begin + text)


def test_five_megabytes_are_looked_through_once_and_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    url = address(picture() + os.urandom(5_000_000))
    masker = Masker({"A_KEY": "0123456789abcdef"})
    monkeypatch.setattr(masker, "_covered", lambda text: pytest.fail("patterns were tried"))
    assert masker(url) is url
