"""What is read of a message's content, and made of it, whether it is a text or parts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.pictures import address, picture
from workbench.engine.content import (
    content_of,
    image_urls,
    images_of,
    shortened,
    text_of,
    told,
    with_more_text,
    without_images,
)
from workbench.engine.images import ImageFacts, load_images

URL = address(picture())
PART = {"type": "image_url", "image_url": {"url": URL}}
TEXT = {"type": "text", "text": "look"}
NAMED = f"[image/png, 64×48, {len(picture())} bytes]"


@pytest.mark.parametrize(
    ("content", "text", "shown"),
    [
        ("look", "look", "look"),
        ([TEXT, PART], "look", f"look\n{NAMED}"),
        ([PART, "and", TEXT], "and\nlook", f"{NAMED}\nand\nlook"),
        ([{"type": "image_url", "image_url": URL}], "", NAMED),
        ([{"type": "input_audio", "input_audio": {}}, 3, {"type": "text", "text": None}],
         "", "[input_audio]\n[something]\n[text]"),
        (None, "", ""),
        ({"text": "x"}, "", ""),
    ],
)  # fmt: skip
def test_a_content_is_read_as_text_and_for_people(content: Any, text: str, shown: str) -> None:
    assert text_of(content) == text
    assert told(content) == shown


@pytest.mark.parametrize(
    ("content", "longer"),
    [
        ("look", "look\n\nmore"),
        ([TEXT, PART], [{"type": "text", "text": "look\n\nmore"}, PART]),
        ([PART, TEXT], [PART, {"type": "text", "text": "look\n\nmore"}]),
        ([PART], [{"type": "text", "text": "more"}, PART]),
    ],
)
def test_more_text_goes_behind_the_words_and_what_was_given_stays(content: Any, longer: Any) -> None:
    before = repr(content)
    assert with_more_text(content, "more") == longer
    assert repr(content) == before


def test_without_pictures_a_content_is_a_text_if_nothing_else_is_in_it() -> None:
    def gone(facts: ImageFacts) -> str:
        return f"gone: {facts.mime}"

    assert without_images([TEXT, PART, PART], gone) == "look\n\ngone: image/png\n\ngone: image/png"
    audio = {"type": "input_audio", "input_audio": {}}
    assert without_images([PART, audio], gone) == [{"type": "text", "text": "gone: image/png"}, audio]
    assert without_images([TEXT], gone) == [TEXT]
    assert without_images("look", gone) == "look"


def test_pictures_are_taken_out_with_their_names_where_those_fit() -> None:
    images = load_images([picture(), "https://example.org/a.png"])
    content = content_of("look", images)
    assert image_urls(content) == [URL, "https://example.org/a.png"]
    names = [ImageFacts("one.png"), ImageFacts("two.png")]
    assert [image.facts.name for image in images_of(content, names)] == ["one.png", "two.png"]
    assert [image.facts.name for image in images_of(content, names[:1])] == ["picture", "a.png"]


def test_what_is_looked_at_has_no_data_of_a_picture_and_all_else() -> None:
    short = shortened([{"role": "user", "content": [TEXT, PART]}, {"data": "data:text/plain,x"}])
    assert short[0]["content"][0] == TEXT
    assert short[0]["content"][1]["image_url"]["url"] == f"data:image/png;base64,… ({NAMED[1:-1]})"
    assert short[1] == {"data": "data:text/plain,x"}
