"""What is advertised can be called: types, defaults and kinds of parameters."""

from __future__ import annotations

import enum
import json
import typing
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, Optional, Union

import pydantic
import pytest
import typing_extensions
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field
from pydantic_core import to_jsonable_python

from workbench.errors import ToolArgumentsError, ToolRegistrationError
from workbench.registry import Tool, ToolRegistry


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: int = 0


class Movie(typing.TypedDict):
    name: str
    year: typing.NotRequired[int]


class Song(typing_extensions.TypedDict, total=False):
    title: str


class Person(pydantic.BaseModel):
    """A person."""

    title: str
    home: Point


class Node(pydantic.BaseModel):
    value: int
    children: list[Node] = []


CASES: list[tuple[Any, Any]] = [
    (int, 3),
    (float, 1.5),
    (bool, True),
    (str, "x"),
    (bytes, b"x"),
    (Colour, Colour.BLUE),
    (Point, Point(1, 2)),
    (Movie, {"name": "m", "year": 1}),
    (list[Movie], [{"name": "m"}]),
    (Movie | None, None),
    (Song, {"title": "t"}),
    (Person, Person(title="Dr", home=Point(1))),
    (Node, Node(value=1, children=[Node(value=2)])),
    (datetime, datetime(2024, 1, 2, 3, 4, 5)),  # noqa: DTZ001 - a tool may want a naive one
    (date, date(2024, 1, 2)),
    (Path, Path("a/b")),
    (uuid.UUID, uuid.UUID(int=7)),
    (Decimal, Decimal("1.25")),
    (Literal["a", "b"], "b"),
    (Optional[int], None),  # noqa: UP045 - both spellings must work
    (Union[int, str], "x"),  # noqa: UP007 - both spellings must work
    (int | list[str], ["a"]),
    (dict[str, list[int]], {"a": [1]}),
    (tuple[int, str], (1, "a")),
    (set[int], {1, 2}),
    (Annotated[int, Field(gt=2, description="big")], 3),
    (Any, {"any": ["thing", None]}),
    (None, None),
]


def tool_taking(hint: Any) -> tuple[Tool, list[Any]]:
    seen: list[Any] = []

    def take(value: Any) -> None:
        seen.append(value)

    take.__annotations__["value"] = hint
    return Tool.from_callable(take, name="take"), seen


def registry_of(hint: Any) -> ToolRegistry:
    def echo(value: Any) -> Any:
        return value

    echo.__annotations__["value"] = hint
    registry = ToolRegistry()
    registry.register(echo)
    return registry


@pytest.mark.parametrize(("hint", "value"), CASES, ids=lambda each: str(each)[:30])
def test_a_value_sent_as_json_arrives_as_it_was(hint: Any, value: Any) -> None:
    tool, seen = tool_taking(hint)
    sent = json.loads(json.dumps(to_jsonable_python({"value": value})))
    tool.bind(sent).run()
    assert seen == [value]
    assert type(seen[0]) is type(value)
    assert tool.parameters["type"] == "object"
    assert tool.parameters["additionalProperties"] is False


# Generic types made at run time, which a type checker cannot follow.
LIST: Any = list
DICT: Any = dict
TUPLE: Any = tuple
OPTIONAL: Any = Optional

HINTS = st.recursive(
    st.sampled_from(
        [
            (int, st.integers()),
            (str, st.text()),
            (bool, st.booleans()),
            (float, st.floats(allow_nan=False, allow_infinity=False)),
            (Colour, st.sampled_from(Colour)),
            (Path, st.sampled_from([Path("a"), Path("/b/c")])),
            (uuid.UUID, st.uuids()),
            (date, st.dates()),
            (Point, st.builds(Point, st.integers(), st.integers())),
            (Literal["a", 1], st.sampled_from(["a", 1])),
            (Literal[Colour.RED, "any"], st.sampled_from([Colour.RED, "any"])),
            (datetime, st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-5))]))),
            (timedelta, st.timedeltas()),
            (time, st.times()),
            (Decimal, st.decimals(allow_nan=False, allow_infinity=False)),
            (bytes, st.text().map(str.encode)),
            (set[int], st.sets(st.integers())),
            (frozenset[str], st.frozensets(st.text())),
            (Movie, st.builds(lambda name, year: {"name": name, "year": year}, st.text(), st.integers())),
            (Person, st.builds(Person, title=st.text(), home=st.builds(Point, st.integers()))),
            (Node, st.builds(Node, value=st.integers(), children=st.just([Node(value=1)]))),
        ]
    ),
    lambda inner: st.one_of(
        inner.map(lambda pair: (LIST[pair[0]], st.lists(pair[1], max_size=3))),
        inner.map(lambda pair: (DICT[str, pair[0]], st.dictionaries(st.text(), pair[1], max_size=3))),
        inner.map(lambda pair: (OPTIONAL[pair[0]], st.none() | pair[1])),
        st.tuples(inner, inner).map(
            lambda two: (TUPLE[two[0][0], two[1][0]], st.tuples(two[0][1], two[1][1]))
        ),
    ),
    max_leaves=4,
)


@settings(deadline=None)
@given(HINTS, st.data())
def test_any_value_of_any_hint_comes_back_after_the_trip_through_json(
    pair: tuple[Any, st.SearchStrategy[Any]], data: st.DataObject
) -> None:
    hint, values = pair
    value = data.draw(values)
    tool, seen = tool_taking(hint)
    tool.bind(json.loads(json.dumps(to_jsonable_python({"value": value})))).run()
    assert seen == [value]


def keys_named(node: Any, key: str) -> list[Any]:
    """Values of a keyword of schemas, wherever it stands; names of properties do not count."""
    found: list[Any] = []
    if isinstance(node, dict):
        found += [node[key]] if key in node else []
        for name, value in node.items():
            inner = list(value.values()) if name in ("properties", "$defs") else [value]
            found += [hit for each in inner for hit in keys_named(each, key)]
    elif isinstance(node, list):
        found += [hit for each in node for hit in keys_named(each, key)]
    return found


class Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True)
    when: date
    tags: set[int]


@dataclass
class Basket:
    numbers: Iterable[int]
    colour: Literal[Colour.RED, "any"]


@pytest.mark.parametrize(
    ("hint", "sent", "got"),
    [
        (Strict, {"when": "2020-01-02", "tags": [1]}, Strict(when=date(2020, 1, 2), tags={1})),
        (Annotated[date, Field(strict=True)], "2020-01-02", date(2020, 1, 2)),
        (Literal[Colour.RED], "red", Colour.RED),
        (list[Literal[Colour.RED, "any"]], ["red", "any"], [Colour.RED, "any"]),
        (Iterable[int], ["1", 2], [1, 2]),
        (Basket, {"numbers": ["1"], "colour": "red"}, Basket([1], Colour.RED)),
    ],
)
def test_what_is_advertised_is_taken_where_pydantic_alone_would_not(hint: Any, sent: Any, got: Any) -> None:
    registry = registry_of(hint)
    assert registry.call("echo", {"value": sent}) == got
    with pytest.raises(ToolArgumentsError, match="Expected: value"):
        registry.call("echo", {"value": [{"neither": "nor"}]})


def test_the_items_of_an_iterable_are_checked_before_the_call() -> None:
    with pytest.raises(ToolArgumentsError, match=r"value\[1\]: expected an integer, got 'x'"):
        registry_of(Iterable[int]).call("echo", {"value": [1, "x"]})
    with pytest.raises(ToolArgumentsError, match=r"value.numbers\[0\]: expected an integer, got 'x'"):
        registry_of(Basket).call("echo", {"value": {"numbers": ["x"], "colour": "any"}})


def test_a_class_as_an_argument_is_refused() -> None:
    with pytest.raises(ToolRegistrationError, match=r"parameter 'value'.*a class has no JSON form"):
        registry_of(type[Point])


def test_schemas_have_no_titles_and_simple_references_are_written_out() -> None:
    def meet(person: Person, node: Node, title: str = "x") -> None: ...

    parameters = Tool.from_callable(meet, name="meet").parameters
    assert keys_named(parameters, "title") == []
    assert parameters["properties"]["title"] == {"type": "string", "default": "x"}
    assert set(parameters["properties"]["person"]["properties"]) == {"title", "home"}
    assert list(parameters["$defs"]) == ["Node"]
    assert set(keys_named(parameters, "$ref")) == {"#/$defs/Node"}


def test_a_description_comes_from_the_annotation_before_the_docstring() -> None:
    def search(
        a: Annotated[str, Field(description="from Field")],
        b: Annotated[int, "from a text"],
        c: Annotated[int, typing_extensions.Doc("from Doc")],
        d: Colour,
    ) -> None:
        """Search.

        More about it.

        :param a: from the docstring
        :param d: which colour
        """

    tool = Tool.from_callable(search, name="search")
    described = {name: each["description"] for name, each in tool.parameters["properties"].items()}
    assert described == {"a": "from Field", "b": "from a text", "c": "from Doc", "d": "which colour"}
    assert tool.description == "Search.\n\nMore about it."


def test_parameters_may_have_any_name() -> None:
    def odd(self: int, model_config: str, schema: str, json: str, _under: int, copy: bool = True) -> Any:
        return self, model_config, schema, json, _under, copy

    tool = Tool.from_callable(odd, name="odd")
    sent = {"self": "1", "model_config": "a", "schema": "b", "json": "c", "_under": 2}
    assert tool.bind(sent).run() == (1, "a", "b", "c", 2, True)
    assert tool.parameters["required"] == ["self", "model_config", "schema", "json", "_under"]


def kinds(a: int, b: int = 2, /, c: int = 3, *rest: int, d: int = 4, **more: str) -> Any:
    return a, b, c, rest, d, more


@pytest.mark.parametrize(
    ("sent", "got"),
    [
        ({"a": 1}, (1, 2, 3, (), 4, {})),
        ({"a": 1, "c": 9}, (1, 2, 9, (), 4, {})),
        ({"a": 1, "rest": ["7", 8]}, (1, 2, 3, (7, 8), 4, {})),
        ({"a": 1, "b": 5, "rest": [], "d": 0, "more": {"x": "y"}}, (1, 5, 3, (), 0, {"x": "y"})),
    ],
)
def test_each_kind_of_parameter_is_passed_its_own_way(sent: dict[str, Any], got: Any) -> None:
    assert Tool.from_callable(kinds, name="kinds").bind(sent).run() == got


def test_a_free_keyword_cannot_stand_for_a_parameter() -> None:
    with pytest.raises(ToolArgumentsError, match="c is not a free name"):
        Tool.from_callable(kinds, name="kinds").bind({"a": 1, "more": {"c": "1"}})


def test_positional_only_parameters_keep_their_places() -> None:
    def places(a: int = 1, b: int = 2, c: int = 3, /) -> Any:
        return a, b, c

    assert Tool.from_callable(places, name="places").bind({"c": 9}).run() == (1, 2, 9)


def test_a_default_of_none_may_be_sent_as_null() -> None:
    def maybe(n: int = None) -> int | None:  # type: ignore[assignment]  # noqa: RUF013 - people write this
        return n

    tool = Tool.from_callable(maybe, name="maybe")
    assert tool.bind({"n": None}).run() is None
    assert tool.bind({"n": "4"}).run() == 4


def test_a_field_as_default_value_is_never_passed_on() -> None:
    def bounded(n: int = Field(5, ge=1), m: int = Field(ge=2)) -> Any:
        return n, m

    tool = Tool.from_callable(bounded, name="bounded")
    assert tool.bind({"m": 3}).run() == (5, 3)
    assert tool.parameters["required"] == ["m"]


def test_types_of_an_enclosing_function_are_found() -> None:
    class Local(enum.Enum):
        A = "a"

    def use(value: Local) -> Local:
        return value

    registry = ToolRegistry()
    registry.register(use)
    assert registry.call("use", {"value": "a"}) is Local.A


def test_decorated_functions_keep_their_signature() -> None:
    import functools

    def shout(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> str:
            return str(function(*args, **kwargs)).upper()

        return wrapper

    @shout
    def greet(name: str) -> str:
        return f"hi {name}"

    tool = Tool.from_callable(greet, name="greet")
    assert list(tool.parameters["properties"]) == ["name"]
    assert tool.bind({"name": "you"}).run() == "HI YOU"


def test_a_default_without_a_json_form_is_used_and_not_advertised() -> None:
    marker = object()

    def keep(thing: Any = marker) -> bool:
        return thing is marker

    tool = Tool.from_callable(keep, name="keep")
    assert tool.parameters["properties"] == {"thing": {}}
    assert tool.bind({}).run() is True


def test_two_bad_parameters_are_refused_by_naming_the_first() -> None:
    class Handle:
        pass

    def use(n: int, one: Handle, two: Handle) -> None: ...

    with pytest.raises(ToolRegistrationError, match="use: parameter 'one': Handle"):
        ToolRegistry().register(use)


def test_a_default_that_json_has_no_number_for_is_used_and_not_advertised() -> None:
    def wait(seconds: float = float("inf"), share: float = float("nan")) -> str:
        return f"{seconds} {share}"

    registry = ToolRegistry()
    registry.register(wait)
    json.dumps(registry.schemas(), allow_nan=False)
    assert registry.resolve("wait").parameters["properties"] == {
        "seconds": {"type": "number"},
        "share": {"type": "number"},
    }
    assert registry.call("wait", {}) == "inf nan"


def test_a_docstring_that_utf_8_cannot_carry_is_sent_with_replacements() -> None:
    def show(what: str) -> str:
        return what

    show.__doc__ = "Show \ud800.\n\nArgs:\n    what: Some \udfff."
    registry = ToolRegistry()
    registry.register(show)
    json.dumps(registry.schemas(), ensure_ascii=False).encode()
