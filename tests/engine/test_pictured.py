"""A picture that a tool returns reaches the model as one; its result is the text that it always was."""

from __future__ import annotations

import base64
import copy
import json
from typing import Any

import pytest
from PIL import Image as Pillow

from tests.engine.strict_llm import StrictLLM, call, calls
from tests.pictures import address, picture
from workbench.engine.agent import Agent
from workbench.engine.pictured import Pictured, result_text
from workbench.engine.results import to_text

DATA = picture()


def plot() -> bytes:
    """Draw."""
    return DATA


def drawing() -> Any:
    """Draw with Pillow."""
    return Pillow.new("RGB", (7, 5), (200, 10, 10))


async def later() -> bytes:
    """Draw, in time."""
    return DATA


def album() -> list[Any]:
    """Draw two."""
    return ["before", DATA, "after", bytearray(picture("GIF"))]


class Lived:
    def __init__(self, *tools: Any, name: str = "", **options: Any) -> None:
        self.model = StrictLLM(calls(call(name or tools[0].__name__)), "fine")
        self.agent = Agent("painter", list(tools), llm=self.model, **options)
        assert self.agent.input("draw") == "fine"
        session = self.agent.current_session
        assert session is not None
        self.entry = next(entry for entry in session["trace"] if entry["type"] == "tool_execution")
        self.content = next(m["content"] for m in session["messages"] if m["role"] == "tool")


@pytest.mark.parametrize("tool", [plot, later])
def test_bytes_that_are_a_picture_reach_the_model_as_one(tool: Any) -> None:
    lived = Lived(tool)
    assert lived.content == [
        {"type": "text", "text": "It returned a picture:"},
        {"type": "image_url", "image_url": {"url": address(DATA)}},
    ]
    assert lived.entry["result"] == to_text(DATA)
    assert type(lived.entry["result"]) is str
    assert lived.model.requests[1][-1]["content"] == lived.content


def test_what_shows_itself_as_png_is_a_picture() -> None:
    lived = Lived(drawing)
    assert lived.content[1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert json.loads(lived.entry["result"]).startswith("base64:iVBORw0KGgo")


def test_the_pictures_in_a_list_go_behind_its_texts() -> None:
    lived = Lived(album)
    assert [part["type"] for part in lived.content] == ["text", "image_url", "image_url"]
    assert lived.content[0]["text"] == "before\nafter"
    assert json.loads(lived.entry["result"]) == json.loads(to_text(album()))


@pytest.mark.parametrize(
    "value",
    [
        b"hello",
        b"\xff\xfe\x00",
        DATA[:20],
        b"BM" + b"\0" * 40,
        "base64:xx",
        {"image": DATA},
        [1, 2],
        (),
        None,
    ],
)
def test_everything_else_is_the_text_that_it_was(value: Any) -> None:
    text = result_text(value)
    assert type(text) is str
    assert text == to_text(value)


def test_a_value_whose_picture_fails_is_a_text() -> None:
    class Odd:
        def _repr_png_(self) -> bytes:
            raise RuntimeError("no")

        def __str__(self) -> str:
            return "odd"

    class Shy:
        def _repr_png_(self) -> None:
            return None

        def __str__(self) -> str:
            return "shy"

    assert result_text(Odd()) == to_text(Odd())
    assert result_text([Odd(), Shy()]) == to_text([Odd(), Shy()])
    assert result_text(Shy()) == to_text(Shy())


def test_a_long_list_of_pictures_is_a_text() -> None:
    assert type(result_text([DATA] * 21)) is str
    assert isinstance(result_text([DATA] * 20), Pictured)


def test_a_copy_of_a_pictured_text_has_its_pictures() -> None:
    text = result_text(DATA)
    copied = copy.deepcopy(text)
    assert isinstance(copied, Pictured)
    assert isinstance(text, Pictured)
    assert (copied, copied.told, copied.images) == (text, text.told, text.images)


def test_calls_by_hand_and_the_next_turns_go_on() -> None:
    lived = Lived(plot)
    entry = lived.agent.run_tool("plot", {})
    assert entry["result"] == to_text(DATA)
    lived.agent.input("and now?")
    assert lived.model.refusals == []


class Shown:
    def __init__(self, png: Any) -> None:
        self.png = png

    def __str__(self) -> str:
        return "a figure"

    def _repr_png_(self) -> Any:
        return self.png


@pytest.mark.parametrize("png", [base64.b64encode(DATA).decode(), (DATA, {"width": 9})])
def test_what_shows_itself_as_base64_or_with_facts_beside_is_a_picture_too(png: Any) -> None:
    text = result_text(Shown(png))
    assert isinstance(text, Pictured)
    assert [image.url for image in text.images] == [address(DATA)]


@pytest.mark.parametrize("png", [None, "no base64 …", "aGVsbG8=", b"no picture", 7])
def test_what_shows_itself_as_no_picture_stays_the_text_that_it_is(png: Any) -> None:
    text = result_text(Shown(png))
    assert type(text) is str
    assert text == to_text(Shown(png))
    assert "a figure" in text
