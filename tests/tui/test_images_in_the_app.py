"""Pictures in the app: named with @, pasted as paths, shown as a line, drawn in the inspector."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual import events as textual_events

from tests.pictures import address, picture
from tests.tui.driving import Driven, driven
from workbench.engine.images import MOST_BYTES, ImageFacts
from workbench.engine.request_log import Sent
from workbench.storage.session_file import SessionRecord, Turns, read_session
from workbench.storage.session_format import TurnRecord
from workbench.tui.attachments import with_attachments
from workbench.tui.branches import Pair, compare
from workbench.tui.events import TurnStarted
from workbench.tui.inspector_about import sent_lines
from workbench.tui.inspector_pictures import sent_pictures
from workbench.tui.pasted_paths import may_be_image, mention_of_pasted
from workbench.tui.retelling import retell
from workbench.tui.screens.inspector import InspectorScreen
from workbench.tui.screens.what_if import WhatIfScreen
from workbench.tui.transcript.user_message import UserMessage

PLOT = picture("PNG", 640, 480)
SIZE = f"{len(PLOT) / 1000:.0f} kB"
LINE = f"▣ plot.png  image/png 640×480 {SIZE}"


def contents(it: Driven) -> list[Any]:
    session = it.agent.current_session
    assert session is not None
    return [message["content"] for message in session["messages"] if message["role"] == "user"]


def urls(content: Any) -> list[str]:
    assert isinstance(content, list)
    return [part["image_url"]["url"] for part in content if part["type"] == "image_url"]


# what a message names


def test_a_picture_goes_beside_the_message_and_a_text_behind_it(tmp_path: Path) -> None:
    (tmp_path / "plot.png").write_bytes(PLOT)
    (tmp_path / "photo.txt").write_bytes(picture("JPEG"))
    (tmp_path / "a.txt").write_text("one")
    message = with_attachments("see @plot.png, @a.txt and @photo.txt @plot.png", tmp_path)
    assert [image.url for image in message.images] == [
        address(PLOT), address(picture("JPEG"), "image/jpeg"),
    ]  # fmt: skip
    assert [image.facts.name for image in message.images] == ["plot.png", "photo.txt"]
    assert message.text.endswith("@plot.png\n\n[attached a.txt: 3 characters]\none\n[end of a.txt]")


def test_a_picture_that_cannot_be_sent_says_why(tmp_path: Path) -> None:
    (tmp_path / "cut.png").write_bytes(PLOT[:20])
    with (tmp_path / "huge.png").open("wb") as file:
        file.write(PLOT)
        file.truncate(MOST_BYTES + 1)
    message = with_attachments("@cut.png @huge.png", tmp_path)
    assert message.images == ()
    assert "[not attached cut.png: a picture that is damaged or cut off]" in message.text
    assert "[not attached huge.png: too big for a picture, 20.0 MB]" in message.text


def test_what_is_no_text_and_no_picture_that_models_take_is_refused_as_before(tmp_path: Path) -> None:
    (tmp_path / "old.bmp").write_bytes(b"BM\0\0")
    assert with_attachments("@old.bmp", tmp_path) == (
        "@old.bmp\n\n[not attached old.bmp: binary, 4 bytes]",
        (),
    )


# a message in the conversation


def test_a_message_shows_a_line_for_each_picture_and_copies_it() -> None:
    facts = (ImageFacts("a\x1b[2J.png", "image/png", 3, 4, 5), ImageFacts("b.gif", "image/gif"))
    block = UserMessage("look", "[Tools changed]", facts)
    block.layout(60)
    lines = [line.text for line in block.lines]
    assert lines == ["look", r"▣ a\e[2J.png  image/png 3×4 5 bytes", "▣ b.gif  image/gif", "[Tools changed]"]
    assert block.source() == "\n".join([lines[0], *(line.removeprefix("▣ ") for line in lines[1:])])


async def test_a_picture_is_sent_and_the_conversation_shows_its_line(own_folder: Path) -> None:
    (own_folder / "plot.png").write_bytes(PLOT)
    async with driven() as it:
        await it.turn("what is on @plot.png ?")
        assert urls(contents(it)[0]) == [address(PLOT)]
        await it.focus("conversation")
        await it.press("home")
        await it.until(lambda: LINE in it.shown(it.app.main.conversation))
        shown = it.shown(it.app.main.conversation)
        assert shown.index("❯ what is on @plot.png ?") < shown.index(LINE)
        assert "I got 1 image" in shown
        assert "base64" not in shown


async def test_tools_that_were_switched_are_told_behind_the_words_and_the_picture_stays(
    own_folder: Path,
) -> None:
    (own_folder / "plot.png").write_bytes(PLOT)
    async with driven() as it:
        await it.turn("hello")
        it.agent.tools.disable("arithmetic.add")
        await it.turn("see @plot.png")
        text, image = contents(it)[-1]
        assert text["text"].startswith("see @plot.png\n\n[Tools changed: ")
        assert image["image_url"]["url"] == address(PLOT)
        await it.turn("go on")


async def test_a_session_is_told_again_with_its_pictures(own_folder: Path) -> None:
    (own_folder / "plot.png").write_bytes(PLOT)
    async with driven() as it:
        await it.turn("see @plot.png")
        (path,) = (own_folder / ".workbench" / "sessions").glob("*.yaml")
        record = read_session(path)
        told = next(event for event in retell("painter", record) if isinstance(event, TurnStarted))
        assert (told.prompt, told.note) == ("see @plot.png", "")
        assert told.images == (ImageFacts("plot.png", "image/png", 640, 480, len(PLOT)),)
        await it.send("/fork")
        await it.until(lambda: "A fork goes on from here" in it.shown())
        await it.focus("conversation")
        await it.press("home")
        await it.until(lambda: LINE in it.shown(it.app.main.conversation))
        await it.turn("and now")
        assert urls(contents(it)[0]) == [address(PLOT)]


def record_with(image: ImageFacts) -> SessionRecord:
    entry = {"type": "user_input", "turn": 1, "prompt": "look", "timestamp": 1.0, "images": [image.record()]}
    return SessionRecord(Path("a.yaml"), "a", "offline", None, Turns([TurnRecord("look", trace=(entry,))]))


def test_sessions_that_differ_in_a_picture_alone_differ() -> None:
    one, other = (record_with(ImageFacts("plot.png", "image/png", 640, 480, size)) for size in (1_000, 2_000))
    assert [row.same for row in compare(one, other) if isinstance(row, Pair)] == [False]
    assert [row.same for row in compare(one, one) if isinstance(row, Pair)] == [True]


# pasted paths


@pytest.mark.parametrize(
    ("pasted", "mention"),
    [
        ("{root}/plot.png", "@plot.png "),
        ("{root}/plot.png ", "@plot.png "),
        ("plot.png", "@plot.png "),
        ("'{root}/my plot.png'", '@"my plot.png" '),
        ('"{root}/my plot.png"', '@"my plot.png" '),
        ("{root}/my\\ plot.png", '@"my plot.png" '),
        ("{root}/my plot.png", '@"my plot.png" '),
        ("file://{root}/my%20plot.png", '@"my plot.png" '),
        ("{root}/gone.png", None),
        ("{root}/text.png", None),
        ("{root}/folder.png", None),
        ("a\0.png", None),
        ("'unclosed.png", None),
        ("file://[no address.png", None),
    ],
)
def test_a_pasted_path_of_a_picture_is_read_as_terminals_write_it(
    tmp_path: Path, pasted: str, mention: str | None
) -> None:
    for name in ("plot.png", "my plot.png"):
        (tmp_path / name).write_bytes(PLOT)
    (tmp_path / "text.png").write_text("no picture")
    (tmp_path / "folder.png").mkdir()
    text = pasted.format(root=tmp_path)
    assert may_be_image(text)
    assert mention_of_pasted(text, tmp_path) == mention


@pytest.mark.parametrize("pasted", ["", "plot", "a.png\nb.png", "x" * 5_000 + ".png", "see a.png for more"])
def test_another_text_is_not_taken_for_the_path_of_a_picture(pasted: str) -> None:
    assert not may_be_image(pasted)


async def paste(it: Driven, text: str) -> None:
    it.app.post_message(textual_events.Paste(text))
    await it.pilot.pause()


async def test_a_pasted_path_becomes_a_named_file_and_is_sent(
    own_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    far = tmp_path_factory.mktemp("far") / "my plot.png"
    far.write_bytes(PLOT)
    async with driven() as it:
        await it.focus("prompt")
        await it.write("see")
        await paste(it, f"'{far}'")
        area = it.app.main.prompt.area
        await it.until(lambda: area.text == f'see @"{far}" ')
        await it.write("please")
        await it.press("enter")
        await it.until(lambda: it.idle and it.agent.current_session is not None)
        assert urls(contents(it)[0]) == [address(PLOT)]


async def test_a_pasted_path_of_anything_else_stays_as_it_is(own_folder: Path) -> None:
    (own_folder / "text.png").write_text("no picture")
    async with driven() as it:
        await it.focus("prompt")
        await paste(it, "text.png")
        assert it.app.desks.prompts._lister.settle(5)
        await it.pilot.pause()
        assert it.app.main.prompt.area.text == "text.png"


async def test_a_text_that_was_changed_meanwhile_is_left_alone(own_folder: Path) -> None:
    async with driven() as it:
        await it.focus("prompt")
        area = it.app.main.prompt.area
        area.insert("other words")
        area.name_file(area.PastedPath("plot.png", (0, 0)), "@plot.png ")
        area.name_file(area.PastedPath("plot.png", (7, 0)), "@plot.png ")
        assert area.text == "other words"


# the inspector


def sent() -> Sent:
    parts = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": address(PLOT)}}]
    far = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    messages = ({"role": "user", "content": parts}, {"role": "user", "content": [far]})
    return Sent(messages, {}, 0, 0)


def as_text(lines: Any) -> str:
    return "\n".join("".join(text for text, _ in line) for line in lines)


def test_the_messages_as_sent_name_the_pictures() -> None:
    shown = as_text(sent_lines(sent(), 80))
    assert f"look\n       [image/png, 640×480, {SIZE}]" in shown
    assert "[picture at example.org]" in shown
    assert "base64" not in shown


def test_the_pictures_that_were_sent_are_drawn_below_the_heads_of_their_messages() -> None:
    shown = as_text(sent_pictures(sent(), 60))
    assert f"  1  user  image/png, 640×480, {SIZE}" in shown
    assert "▀" * 20 in shown
    assert "The provider fetches it" in shown


async def test_the_inspector_shows_what_was_sent_with_its_pictures(own_folder: Path) -> None:
    (own_folder / "plot.png").write_bytes(PLOT)
    async with driven() as it:
        await it.turn("see @plot.png")
        await it.focus("trace")
        await it.press("end", "enter")
        await it.until(lambda: isinstance(it.app.screen, InspectorScreen))
        screen = it.app.screen
        assert isinstance(screen, InspectorScreen)
        while screen.page != "Messages":
            await it.press("right")
        assert f"[image/png, 640×480, {SIZE}]" in it.shown()
        await it.press("y")
        assert f"data:image/png;base64,… (image/png, 640×480, {SIZE})" in it.app.clipboard
        assert address(PLOT) not in it.app.clipboard
        await it.press("f")
        await it.until(lambda: "▀" * 20 in it.shown())
        await it.press("f")
        await it.until(lambda: "image_url" in it.shown() or "content" in it.shown())


async def test_what_if_a_call_had_given_something_else_is_asked_with_the_picture(own_folder: Path) -> None:
    (own_folder / "plot.png").write_bytes(PLOT)
    async with driven() as it:
        await it.turn("add(a=2, b=3) beside @plot.png")
        await it.focus("trace")
        await it.press("end", "up", "up")
        await it.press("w")
        await it.until(lambda: isinstance(it.app.screen, WhatIfScreen))
        await it.press("1", "ctrl+s")
        await it.until(lambda: it.idle and "What if" in it.shown())
        (content,) = contents(it)
        assert urls(content) == [address(PLOT)]
        (entry,) = [entry for entry in it.trace if entry["type"] == "user_input"]
        assert entry["images"][0]["name"] == "plot.png"
