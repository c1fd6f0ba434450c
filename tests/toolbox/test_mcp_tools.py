"""Results and tools of MCP servers become values and tools of ours, with nothing lost or said twice."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from mcp import types

from tests.pictures import address, picture
from workbench.engine.pictured import MOST_IMAGES, Pictured
from workbench.errors import ToolServerError
from workbench.registry import Tool, ToolRegistry, ToolTag
from workbench.toolbox.mcp_tools import tool_from, value_of


def result(*texts: str, structured: Any = None, error: bool = False) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=text) for text in texts]
    return types.CallToolResult(content=content, structured_content=structured, is_error=error)


def listed(**facts: Any) -> Tool:
    facts = {"name": "one", "input_schema": {"type": "object"}, **facts}
    return tool_from(types.Tool(**facts), "server", lambda **arguments: arguments)


@pytest.mark.parametrize(
    ("given", "value"),
    [
        (result("a", "b"), "a\nb"),
        (result(), ""),
        (result(structured={"x": 1}), {"x": 1}),
        (result('{"x": 1}', structured={"x": 1}), {"x": 1}),
        (result("5", structured={"result": 5}), 5),
        (result("five", structured={"result": "five"}), "five"),
        (result("a", "b", structured={"result": ["a", "b"]}), ["a", "b"]),
        (result("It is warm", structured={"degrees": 30}), 'It is warm\n{\n  "degrees": 30\n}'),
    ],
)
def test_a_result_is_its_text_or_its_structure_or_both(given: types.CallToolResult, value: Any) -> None:
    assert value_of(given) == value


def test_what_is_not_text_is_named() -> None:
    image = types.ImageContent(type="image", data="A" * 4000, mime_type="image/png")
    link = types.ResourceLink(type="resource_link", name="notes", uri="file:///n.txt")
    held = types.EmbeddedResource(
        type="resource", resource=types.TextResourceContents(uri="file:///n.txt", text="inside")
    )
    told = value_of(types.CallToolResult(content=[image, link, held]))
    assert told == "[image image/png, about 3,000 bytes]\n[resource notes: file:///n.txt]\ninside"


def test_a_picture_that_a_model_can_look_at_is_there_beside_its_text() -> None:
    text = types.TextContent(type="text", text="a plot")
    image = types.ImageContent(
        type="image", data=base64.b64encode(picture()).decode(), mime_type="image/jpeg"
    )
    told = value_of(types.CallToolResult(content=[text, image], structured_content={"bars": 5}))
    assert isinstance(told, Pictured)
    assert told.told == 'a plot\n{\n  "bars": 5\n}'
    assert told == f"{told.told}\n[image image/jpeg, about {len(image.data) * 3 // 4:,} bytes]"
    assert [each.url for each in told.images] == [address(picture())]
    alone = value_of(types.CallToolResult(content=[image]))
    assert alone.told == "It returned a picture:"
    with pytest.raises(ToolServerError, match="a plot"):
        value_of(types.CallToolResult(content=[text, image], is_error=True))


def test_more_pictures_than_are_sent_are_named_one_by_one() -> None:
    image = types.ImageContent(type="image", data=base64.b64encode(picture()).decode(), mime_type="image/png")
    told = value_of(types.CallToolResult(content=[image] * (MOST_IMAGES + 1)))
    assert type(told) is str
    assert told.count("[image image/png, about ") == MOST_IMAGES + 1
    assert isinstance(value_of(types.CallToolResult(content=[image] * MOST_IMAGES)), Pictured)


def test_an_error_is_raised_with_whatever_it_says() -> None:
    with pytest.raises(ToolServerError, match="out of milk"):
        value_of(result("out of milk", error=True))
    with pytest.raises(ToolServerError, match='"code": 7'):
        value_of(result(structured={"code": 7}, error=True))
    with pytest.raises(ToolServerError, match="did not say why"):
        value_of(result(error=True))


def test_a_tool_keeps_its_schema_and_its_hints_become_tags() -> None:
    schema = {"type": "object", "properties": {"x": True, "self": {"type": "string"}}, "required": ["x"]}
    hints = types.ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True)
    tool = listed(input_schema=schema, annotations=hints, title="One")
    assert (tool.name, tool.description) == ("server.one", "One")
    assert tool.parameters == {**schema, "properties": {"x": {}, "self": {"type": "string"}}}
    assert tool.metadata.tags == {ToolTag.DESTRUCTIVE, ToolTag.NETWORK}
    registry = ToolRegistry()
    registry.register(tool)
    assert registry.call("server.one", {"x": [1], "self": "me"}) == {"x": [1], "self": "me"}


def test_a_tool_that_only_reads_is_never_tagged_destructive() -> None:
    hints = types.ToolAnnotations(read_only_hint=True, destructive_hint=True)
    assert listed(annotations=hints).metadata.tags == {ToolTag.READ_ONLY}
    assert listed().metadata.tags == frozenset()
