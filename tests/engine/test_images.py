"""Pictures beside a prompt: read and checked before anything happens, sent as parts, named in the trace."""

from __future__ import annotations

import asyncio
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Pillow

from tests.engine.strict_llm import StrictLLM
from tests.pictures import KINDS, address, picture
from workbench.engine.agent import Agent
from workbench.engine.begun import BegunTurn
from workbench.engine.content import told
from workbench.engine.image_header import header_of
from workbench.engine.images import MOST_BYTES, ImageFacts, facts_of, load_image, load_images
from workbench.engine.transcript import repair_messages, validate_messages
from workbench.engine.watched import watch
from workbench.errors import ConfigError, ProviderError


def agent(*answers: Any) -> Agent:
    return Agent("painter", llm=StrictLLM(*answers))


def messages(of: Agent) -> list[dict[str, Any]]:
    assert of.current_session is not None
    found: list[dict[str, Any]] = of.current_session["messages"]
    return found


def user(of: Agent) -> dict[str, Any]:
    return next(message for message in reversed(messages(of)) if message["role"] == "user")


@pytest.mark.parametrize(("mime", "kind"), KINDS.items())
def test_a_picture_is_known_by_its_bytes_and_not_by_its_name(tmp_path: Path, mime: str, kind: str) -> None:
    path = tmp_path / "wrong.txt"
    path.write_bytes(picture(kind, 61, 47))
    image = load_image(path)
    assert image.url == address(path.read_bytes(), mime)
    assert image.facts == ImageFacts("wrong.txt", mime, 61, 47, path.stat().st_size)
    assert facts_of(image.url) == ImageFacts("picture", mime, 61, 47, path.stat().st_size)


@pytest.mark.parametrize("options", [{"lossless": True}, {"lossless": False}, {"alpha": True}])
def test_every_kind_of_webp_tells_its_size(options: dict[str, bool]) -> None:
    out = io.BytesIO()
    mode = "RGBA" if options.pop("alpha", False) else "RGB"
    Pillow.new(mode, (300, 17), (9, 9, 9, 40)[: len(mode)]).save(out, "WEBP", **options)
    assert header_of(out.getvalue()) == ("image/webp", 300, 17)


def test_the_size_of_a_jpeg_is_found_behind_a_large_profile() -> None:
    out = io.BytesIO()
    Pillow.new("RGB", (33, 44)).save(out, "JPEG", icc_profile=b"x" * 150_000, progressive=True)
    assert facts_of(address(out.getvalue(), "image/jpeg")).parts[:2] == ("image/jpeg", "33×44")


@given(st.sampled_from(list(KINDS.values())), st.binary(max_size=80), st.integers(0, 200))
def test_any_bytes_have_a_header_or_none(kind: str, noise: bytes, cut: int) -> None:
    for data in (noise, picture(kind)[:cut] + noise):
        header = header_of(data)
        assert header is None or header.mime in KINDS


def test_a_path_bytes_an_address_and_one_alone_are_taken(tmp_path: Path) -> None:
    data = picture()
    path = tmp_path / "a b.png"
    path.write_bytes(data)
    loaded = load_images([path, str(path), data, bytearray(data), address(data, "image/jpeg")])
    assert {image.url for image in loaded} == {address(data)}
    assert load_images(str(path)) == loaded[:1]
    (far,) = load_images("https://me:secret@example.org/x/plot.png?sig=1")
    assert far.url.endswith("?sig=1")
    assert (far.facts.name, str(far.facts)) == ("plot.png", "picture at example.org")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("gone.png", "there is no picture gone.png"),
        (".", ". is no file"),
        ("note.txt", "note.txt is no picture that models take"),
        ("empty.png", "empty.png is empty"),
        ("cut.png", "cut.png begins as image/png, but its size cannot be read"),
        ("huge.png", "huge.png has 20.0 MB, more than the 20.0 MB"),
        ("pipe", "pipe is no file"),
        ("a\0b.png", "cannot be read"),
        (b"", "picture is empty"),
        (b"BM" + b"x" * 60, "picture is no picture that models take"),
        ("http://example.org/a.png", "plain http"),
        ("data:text/plain,hi", "this is no picture: data:text/plain,hi"),
        ("data:image/png;base64,???", "is not base64"),
        (address(b"<svg/>"), "is no picture that models take"),
        (12, "a picture is a path, bytes or an address, not int"),
    ],
)
def test_what_cannot_be_sent_is_refused_and_nothing_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Any, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "note.txt").write_text("hello")
    (tmp_path / "empty.png").touch()
    (tmp_path / "cut.png").write_bytes(picture()[:12])
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "huge.png").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    asked = agent("first")
    asked.input("hello")
    before = json.dumps(asked.current_session, default=str)
    with pytest.raises(ConfigError) as caught:
        asked.input("look", images=[picture(), source])
    assert said in str(caught.value)
    assert json.dumps(asked.current_session, default=str) == before
    asked.input("still works")


def test_the_message_has_the_text_and_then_each_picture_and_the_trace_names_them(tmp_path: Path) -> None:
    path = tmp_path / "plot.png"
    path.write_bytes(picture())
    seen = agent()
    seen.input("what is this?", images=[path, picture("GIF", 9, 8)])
    assert user(seen) == {
        "role": "user",
        "content": [
            {"type": "text", "text": "what is this?"},
            {"type": "image_url", "image_url": {"url": address(picture())}},
            {"type": "image_url", "image_url": {"url": address(picture("GIF", 9, 8), "image/gif")}},
        ],
    }
    session = seen.current_session
    assert session is not None
    entry = session["trace"][0]
    assert {key: entry[key] for key in ("type", "turn", "prompt")} == {
        "type": "user_input", "turn": 1, "prompt": "what is this?",
    }  # fmt: skip
    size = path.stat().st_size
    assert entry["images"][0] == {
        "name": "plot.png", "mime": "image/png", "width": 64, "height": 48, "bytes": size,
    }  # fmt: skip
    assert "base64" not in json.dumps(session["trace"], default=str)
    assert session["user_prompt"] == "what is this?"


def test_a_prompt_without_pictures_stays_a_plain_text() -> None:
    seen = agent()
    seen.input("hello")
    assert user(seen)["content"] == "hello"
    session = seen.current_session
    assert session is not None
    assert set(session["trace"][0]) - {"hooks_ms"} == {"type", "turn", "prompt", "timestamp"}


def test_a_picture_without_a_word_is_sent_alone() -> None:
    seen = agent()
    seen.input("", images=picture())
    assert [part["type"] for part in user(seen)["content"]] == ["image_url"]


async def test_async_code_sends_pictures_too() -> None:
    seen = agent()
    await asyncio.wait_for(seen.ainput("look", images=[picture()]), 10)
    assert len(user(seen)["content"]) == 2
    with pytest.raises(ConfigError):
        await seen.ainput("look", images=["gone.png"])


def test_a_turn_that_goes_on_from_a_record_has_its_pictures() -> None:
    seen = agent()
    seen.resume_turn("look", BegunTurn(()), images=[picture()])
    assert user(seen)["content"][1]["image_url"]["url"] == address(picture())


def test_a_change_inside_a_message_with_a_picture_is_noticed_and_mended() -> None:
    seen = agent("a", "b")
    seen.input("look", images=[picture()])
    user(seen)["content"][0]["text"] = object()
    seen.input("go on")
    validate_messages(messages(seen))
    mended = next(message for message in messages(seen) if message["role"] == "user")["content"]
    assert "base64" not in mended
    assert "[image/png, 64×48, " in mended


def test_a_sound_list_with_pictures_is_left_as_it_is() -> None:
    content = [{"type": "image_url", "image_url": {"url": address(picture())}}]
    assert repair_messages([{"role": "user", "content": content}]) == []


def test_older_pictures_are_named_in_a_summary_and_kept_in_the_turns_that_stay() -> None:
    class Summing(StrictLLM):
        def summarise(self, old: list[dict[str, Any]]) -> str:
            from workbench.engine.compaction import digest

            return digest(old)

    seen = Agent("painter", llm=Summing())
    seen.input("look at this", images=[picture("PNG", 640, 480)])
    seen.input("and this", images=[picture()])
    before = messages(seen)
    entry = seen.compact(keep_turns=1)
    assert "User: look at this" in entry["summary"]
    assert "[image/png, 640×480, " in entry["summary"]
    assert "base64" not in entry["summary"]
    assert messages(seen)[-2:] == before[-2:]
    taken = entry["tokens_before"] - entry["tokens_after"]
    assert 300 < taken < 1_000  # about what the picture takes, no more


def test_a_file_that_is_too_large_is_not_even_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "huge.png").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("it was read"))
    with pytest.raises(ConfigError, match="more than"):
        load_image(tmp_path / "huge.png")


def test_a_message_with_a_picture_says_itself_when_it_is_changed() -> None:
    seen = agent()
    seen.input("look", images=[picture()])
    changed: set[int] = set()
    assert watch(user(seen), changed, 7)
    user(seen)["content"][1]["image_url"]["url"] = "https://example.org/other.png"
    assert changed == {7}


def test_a_failed_turn_keeps_the_picture_and_the_next_one_works() -> None:
    seen = agent(ProviderError("no"), "fine")
    with pytest.raises(ProviderError):
        seen.input("look", images=[picture()])
    assert seen.input("again") == "fine"
    assert isinstance(messages(seen)[1]["content"], list)


@pytest.mark.parametrize("url", ["https://[::1/plot.png", "https://[bad]/plot.png"])
def test_an_address_that_is_none_is_refused_and_in_a_message_it_is_just_a_picture(url: str) -> None:
    with pytest.raises(ConfigError, match="no address") as caught:
        agent("fine").input("look", images=[url])
    assert caught.value.hint
    assert told([{"type": "image_url", "image_url": {"url": url}}]) == "[picture]"


def test_what_an_address_says_of_its_kind_cannot_act_on_a_terminal() -> None:
    assert str(facts_of("data:image/\x1b[31m;base64,AAAA")) == "image/\\e[31m, 3 bytes"
