"""Files named with @: what is sent is the message and their texts, and the conversation shows just that."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tui.driving import Driven, driven
from workbench.tui.attachments import MOST_BYTES, Attachment, split, with_attachments
from workbench.tui.transcript.user_message import UserMessage

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60)


def test_what_a_folded_paste_names_is_not_attached(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "a.txt").write_text("wanted")
    sent = with_attachments("see @a.txt\nlong @secret.txt", tmp_path, "see @a.txt\n[pasted 20 lines]").text
    assert "[attached a.txt" in sent
    assert "[attached secret.txt" not in sent


def user_text(it: Driven) -> str:
    session = it.agent.current_session
    assert session is not None
    return str([m["content"] for m in session["messages"] if m["role"] == "user"][-1])


def test_a_named_file_stands_behind_the_message_with_its_size(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    assert with_attachments("read @a.txt, please", tmp_path).text == (
        "read @a.txt, please\n\n[attached a.txt: 8 characters]\none\ntwo\n\n[end of a.txt]"
    )


def test_a_word_that_names_no_file_stays_what_it_is(tmp_path: Path) -> None:
    text = "@property and me@example.org and @nobody/here and @a\x00b"
    assert with_attachments(text, tmp_path).text == text


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("big.txt", b"x" * (MOST_BYTES + 1), "too big, 200.0 kB"),
        ("zip.bin", b"PK\x00\x00", "binary, 4 bytes"),
        ("latin.txt", b"caf\xe9", "no UTF-8 text, 4 bytes"),
    ],
)
def test_a_file_that_cannot_be_attached_says_why(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    assert with_attachments(f"@{name}", tmp_path).text == f"@{name}\n\n[not attached {name}: {said}]"


def test_a_folder_and_a_pipe_are_not_attached_and_nobody_waits_for_the_pipe(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    os.mkfifo(tmp_path / "pipe")
    text = with_attachments("@src @pipe", tmp_path).text
    assert text.endswith("[not attached src: a folder]\n[not attached pipe: no plain file]")


def test_the_files_of_one_message_have_a_limit_together(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.txt").write_text("x" * 190_000)
    text = with_attachments("@0.txt @1.txt @2.txt @3.txt", tmp_path).text
    assert [bool(each.refused) for each in split(text)[1]] == [False, False, False, True]


@given(
    st.lists(st.tuples(st.sampled_from(["a.txt", "b c.txt", "x]: 3 characters]"]), TEXTS), max_size=3), TEXTS
)
def test_what_was_put_together_is_taken_apart_again(files: list[tuple[str, str]], message: str) -> None:
    attached = [Attachment(path, text) for path, text in files] + [Attachment("z", refused="a folder")]
    prompt = message + "\n\n" + "\n".join(map(str, attached))
    found, parts = split(prompt)
    assert found + "\n\n" + "\n".join(map(str, parts)) == prompt
    if "[" not in message:
        assert (found, parts) == (message, attached)


@given(TEXTS)
def test_a_message_without_attachments_is_taken_as_it_is(message: str) -> None:
    assert split(message) == (message, [])


def test_a_text_that_only_looks_like_an_attachment_is_text() -> None:
    text = "look:\n\n[attached a.txt: 900 characters]\nshort\n[end of a.txt]"
    assert split(text) == (text, [])


def test_a_message_copies_whole_although_it_is_folded() -> None:
    text = "\n".join(map(str, range(100)))
    block = UserMessage(text)
    block.layout(60)
    assert block.height < 20
    assert block.source() == text
    block.toggle()
    block.layout(60)
    assert block.height > 100


async def test_the_conversation_shows_the_attachment_folded_and_unfolds_it(own_folder: Path) -> None:
    (own_folder / "stations.txt").write_text("Lima\nOsaka [b]\n\x1b[2J")
    async with driven() as it:
        await it.turn("read @stations.txt")
        conversation = it.app.main.conversation
        await it.focus("conversation")
        await it.press("home")
        await it.until(lambda: "❯ read @stations.txt" in it.shown(conversation))
        shown = it.shown(conversation)
        assert "▸ stations.txt  19 characters attached" in shown
        assert "Osaka" not in shown
        assert "Lima\nOsaka [b]\n\x1b[2J" in user_text(it)
        line = next(at for at, text in enumerate(shown.splitlines()) if "▸ stations" in text)
        await it.pilot.click(conversation, offset=(6, line))
        await it.until(lambda: "Osaka [b]" in it.shown(conversation))
        assert "\\e[2J" in it.shown(conversation)


async def test_a_queued_message_reads_its_file_when_its_turn_begins(own_folder: Path) -> None:
    (own_folder / "a.txt").write_text("before")
    async with driven() as it:
        await it.send('write_file(path="a.txt", text="after")')
        await it.asked()
        await it.act(lambda: it.app.outbox.send("what is in @a.txt"))
        await it.press("y", "enter")
        await it.until(lambda: it.idle and "what is in" in user_text(it))
        assert "\nafter\n[end of a.txt]" in user_text(it)


async def test_a_file_that_is_not_attached_says_so_in_the_conversation(own_folder: Path) -> None:
    (own_folder / "zip.bin").write_bytes(b"PK\x00")
    async with driven() as it:
        await it.turn("see @zip.bin")
        await it.focus("conversation")
        await it.press("home")
        await it.until(lambda: "– zip.bin  not attached: binary, 3 bytes" in it.shown())
