"""What can be registered, under which name, and what is refused."""

from __future__ import annotations

import asyncio
import functools
import re
import sys
import types
from collections.abc import AsyncIterator, Iterator
from typing import Any
from unittest import mock

import pytest
from pydantic import TypeAdapter

from workbench.errors import ToolNotFoundError, ToolRegistrationError
from workbench.registry import Tool, ToolMetadata, ToolRegistry, ToolTag, tool


def add(a: int, b: int = 1) -> int:
    """Add two numbers.

    Args:
        a: The first.
        b: The second.
    """
    return a + b


class Calculator:
    """Counts."""

    def __init__(self) -> None:
        self.total = 0

    @property
    def broken(self) -> int:
        raise RuntimeError("a property must not be touched")

    def plus(self, n: int) -> int:
        """Add to the total."""
        self.total += n
        return self.total

    @staticmethod
    def double(n: int) -> int:
        return 2 * n

    @classmethod
    def kind(cls) -> str:
        return cls.__name__

    def _hidden(self) -> None: ...


class Greeter:
    """Greets."""

    def __call__(self, name: str) -> str:
        """Say hello."""
        return f"hello {name}"


def names(registry: ToolRegistry) -> list[str]:
    return [each.name for each in registry]


def test_a_function_becomes_a_tool_with_its_schema() -> None:
    registry = ToolRegistry()
    registry.register(add)
    assert registry.schemas() == [
        {
            "type": "function",
            "function": {
                "name": "add",
                "description": "Add two numbers.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "a": {"type": "integer", "description": "The first."},
                        "b": {"type": "integer", "description": "The second.", "default": 1},
                    },
                    "required": ["a"],
                    "additionalProperties": False,
                },
            },
        }
    ]
    assert registry.call("add", {"a": 2}) == 3


def test_register_is_a_decorator_with_and_without_arguments() -> None:
    registry = ToolRegistry()

    @registry.register
    def one() -> int:
        return 1

    @registry.register(name="deux", namespace="fr", metadata=ToolMetadata(timeout=3))
    def two() -> int:
        return 2

    assert (one(), two()) == (1, 2)
    assert names(registry) == ["one", "fr.deux"]
    assert registry.resolve("fr.deux").metadata.timeout == 3


def test_unknown_keywords_are_an_error() -> None:
    with pytest.raises(TypeError):
        ToolRegistry().register(add, meta=1)  # type: ignore[call-overload]  # the point of the test


def test_an_instance_gives_its_public_methods_and_keeps_its_state() -> None:
    registry = ToolRegistry()
    registry.register(Calculator())
    assert sorted(names(registry)) == ["calculator.double", "calculator.kind", "calculator.plus"]
    registry.call("calculator.plus", {"n": 2})
    assert registry.call("calculator.plus", {"n": 3}) == 5
    assert registry.call("calculator-kind", {}) == "Calculator"


def test_a_class_gives_its_static_and_class_methods() -> None:
    registry = ToolRegistry()
    registry.register(Calculator)
    assert sorted(names(registry)) == ["calculator.double", "calculator.kind"]


def test_a_bound_method_a_partial_and_a_callable_object_are_one_tool_each() -> None:
    registry = ToolRegistry()
    registry.register(Calculator().plus)
    registry.register(functools.partial(add, b=40), name="add_forty")
    registry.register(Greeter())
    assert names(registry) == ["plus", "add_forty", "greeter"]
    assert registry.call("add_forty", {"a": 2}) == 42
    assert "b" not in registry.resolve("add_forty").parameters["properties"]
    assert registry.call("greeter", {"name": "you"}) == "hello you"
    assert registry.resolve("greeter").description == "Say hello."


def module_of(source: str, name: str = "package.some_module") -> types.ModuleType:
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(source, f"{name}.py", "exec"), module.__dict__)
    return module


@pytest.fixture
def _forget_modules() -> Iterator[None]:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.usefixtures("_forget_modules")
def test_a_module_gives_its_own_public_functions_under_its_last_name() -> None:
    registry = ToolRegistry()
    registry.register(
        module_of("from json import dumps\ndef read(path: str) -> str: return path\ndef _own() -> None: ...")
    )
    assert names(registry) == ["some_module.read"]


@pytest.mark.usefixtures("_forget_modules")
def test_a_module_may_list_its_tools_and_name_its_namespace() -> None:
    source = """
__namespace__ = "a.b"
__all__ = ["two"]
def one() -> int: return 1
def two() -> int: return 2
"""
    registry = ToolRegistry()
    registry.register(module_of(source))
    assert names(registry) == ["a.b.two"]
    registry.register(module_of(source), namespace="other")
    assert names(registry) == ["a.b.two", "other.two"]


def test_a_mark_carries_metadata_and_names_and_leaves_the_function_alone() -> None:
    @tool(tags={"network", "mine"}, timeout=5, name="fetch", namespace="web", parallel_safe=True)
    def get_it(url: str) -> str:
        return url

    registry = ToolRegistry()
    registry.register(get_it, metadata=ToolMetadata(tags={ToolTag.SLOW}, timeout=9))
    made = registry.resolve("web.fetch")
    assert get_it("x") == "x"
    assert made.metadata.tags == {ToolTag.NETWORK, ToolTag.SLOW, "mine"}
    assert made.metadata.timeout == 9
    assert made.metadata.parallel_safe


async def test_an_async_function_is_awaited_from_everywhere() -> None:
    registry = ToolRegistry()

    @registry.register
    async def later(n: int) -> int:
        await asyncio.sleep(0)
        return n + 1

    assert registry.resolve("later").is_async
    assert await registry.acall("later", {"n": 1}) == 2
    assert registry.call("later", {"n": 1}) == 2
    assert await asyncio.to_thread(registry.call, "later", {"n": 1}) == 2


def test_a_taken_name_is_refused_and_the_first_tool_stays() -> None:
    registry = ToolRegistry()
    registry.register(add)
    with pytest.raises(ToolRegistrationError, match="registered already"):
        registry.register(len, name="add")
    assert registry.resolve("add").func is add


def test_two_names_that_are_one_for_a_provider_are_refused() -> None:
    registry = ToolRegistry()
    registry.register(add, namespace="a", name="b")
    with pytest.raises(ToolRegistrationError, match="both 'a-b' for a provider"):
        registry.register(add, name="a-b")


def test_a_group_is_registered_whole_or_not_at_all() -> None:
    registry = ToolRegistry()
    registry.register(add, name="calculator.plus")
    with pytest.raises(ToolRegistrationError):
        registry.register(Calculator())
    assert names(registry) == ["calculator.plus"]


@pytest.mark.parametrize("name", ["größe", "工具", "工事", "x" * 200, "1st", "a b", "é.ü", "-dash"])
def test_every_name_has_a_form_that_providers_accept(name: str) -> None:
    registry = ToolRegistry()
    registry.register(add, name=name)
    (made,) = registry
    assert re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}", made.safe_name)
    assert registry.get(made.safe_name) is made
    assert made.name in registry


def test_long_names_and_other_scripts_stay_apart() -> None:
    registry = ToolRegistry()
    for name in ("x" * 99 + "a", "x" * 99 + "b", "工具", "工事"):
        registry.register(add, name=name)
    assert len({each.safe_name for each in registry}) == 4


class Opaque:
    pass


def sends_opaque(thing: Opaque) -> None: ...


def missing_type(thing: NoSuchType) -> None: ...  # type: ignore[name-defined]  # noqa: F821 - the point of the test


def yields() -> Iterator[int]:
    yield 1


async def yields_async() -> AsyncIterator[int]:
    yield 1


@pytest.mark.parametrize(
    ("obj", "says"),
    [
        (sends_opaque, "parameter 'thing': Opaque cannot be sent by a model"),
        (missing_type, "NoSuchType"),
        (yields, "yields its results"),
        (yields_async, "yields its results"),
        (lambda: 1, "lambda"),
        (Calculator.plus, "method without its instance"),
        (Opaque, "no public static or class method"),
        (Opaque(), "no public method"),
        (3, "no public method"),
    ],
)
def test_what_cannot_be_a_tool_is_refused_in_words(obj: Any, says: str) -> None:
    registry = ToolRegistry()
    with pytest.raises(ToolRegistrationError, match=says) as caught:
        registry.register(obj)
    assert "pydantic.dev" not in str(caught.value)
    assert len(registry) == 0


@pytest.mark.parametrize("name", ["", ".", "a..b", "a\x07b", " "])
def test_names_that_nobody_could_read_are_refused(name: str) -> None:
    with pytest.raises(ToolRegistrationError):
        ToolRegistry().register(add, name=name)


def test_a_missing_tool_is_answered_with_near_names() -> None:
    registry = ToolRegistry()
    registry.register(add, namespace="math")
    with pytest.raises(ToolNotFoundError, match=r"Did you mean math\.add\?"):
        registry.call("ad", {})
    assert registry.get("ad") is None
    assert "ad" not in registry


def test_a_tool_from_a_schema_checks_names_and_presence() -> None:
    registry = ToolRegistry()
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    registry.register(
        Tool.from_schema(lambda **given: given, name="find", namespace="srv", parameters=schema)
    )
    assert registry.call("srv.find", {"q": "x", "more": 1}) == {"q": "x", "more": 1}
    with pytest.raises(ValueError, match=r"q: missing. Expected: q \(string, required\)"):
        registry.call("srv.find", {})


def test_true_and_false_are_read_wherever_a_schema_may_stand() -> None:
    schema = {
        "properties": {"any": True, "none": False, "many": {"type": "array", "items": True, "anyOf": [True]}},
        "required": ["any"],
        "additionalProperties": False,
    }
    made = Tool.from_schema(lambda **given: given, name="find", parameters=schema)
    assert made.parameters["properties"] == {
        "any": {},
        "none": {"not": {}},
        "many": {"type": "array", "items": {}, "anyOf": [{}]},
    }
    assert made.parameters["additionalProperties"] is False
    with pytest.raises(ValueError, match=r"Expected: any \(anything, required\), none \(nothing, optional\)"):
        made.bind({})
    assert made.bind({"any": 3}).arguments == {"any": 3}
    assert schema["properties"]["any"] is True  # type: ignore[index]  # the caller's own is left alone


def test_a_schema_that_allows_everything_is_one_of_an_object() -> None:
    made = Tool.from_schema(lambda **given: given, name="find", parameters=True)
    assert made.parameters == {"type": "object", "properties": {}}
    assert made.bind({"x": 1}).run() == {"x": 1}


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"type": "string"},
        {"type": ["object", "null"]},
        {"properties": []},
        {"required": "q"},
        {"not": True},
    ],
)
def test_a_schema_that_no_object_fits_is_refused(schema: Any) -> None:
    with pytest.raises(ToolRegistrationError, match="must be described as an object"):
        Tool.from_schema(print, name="find", parameters=schema)


def test_nothing_where_a_list_or_mapping_belongs_counts_as_an_empty_one() -> None:
    made = Tool.from_schema(print, name="find", parameters={"properties": None, "required": None})
    assert made.parameters == {"type": "object", "properties": {}}


def test_a_tool_knows_its_source_and_code() -> None:
    registry = ToolRegistry()
    registry.register(add)
    metadata = registry.resolve("add").metadata
    assert metadata.source_file == __file__
    assert metadata.source_line == add.__code__.co_firstlineno
    assert re.fullmatch("[0-9a-f]{12}", metadata.code_hash or "")
    assert registry.resolve("add").schema_tokens > 20


@pytest.mark.parametrize(
    "wrong",
    [
        *({"tags": "read_only"}, {"tags": {" "}}, {"preview": 3}),
        *({"timeout": 0}, {"timeout": "5"}, {"timeout": float("inf")}, {"timeout": float("nan")}),
        *({"max_result": 0}, {"max_result": 2.5}),
    ],
)
def test_metadata_that_can_only_be_a_mistake_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        ToolMetadata(**wrong)


def test_metadata_that_is_none_is_refused() -> None:
    with pytest.raises(ToolRegistrationError, match="must be a ToolMetadata"):
        ToolRegistry().register(add, metadata={"tags": {"slow"}})  # type: ignore[call-overload]  # what is tested


def test_the_mark_needs_no_brackets() -> None:
    @tool
    def plain(x: int) -> int:
        return x + 1

    registry = ToolRegistry()
    registry.register(plain)
    assert plain(1) == 2
    assert registry.call("plain", {"x": 1}) == 2
    assert registry.resolve("plain").metadata.tags == frozenset()


def test_the_schema_of_a_tool_is_made_once() -> None:
    def add(a: int, b: ToolTag = ToolTag.SLOW) -> int:
        """Add."""
        return a

    original = TypeAdapter.json_schema
    with mock.patch.object(TypeAdapter, "json_schema", autospec=True, side_effect=original) as made:
        registry = ToolRegistry()
        registry.register(add)
        first = registry.resolve("add").schema
        registry.update_metadata("add", timeout=3)
        assert registry.resolve("add").schema is first
        assert registry.schemas() == [first]
    assert made.call_count == 1


class Cached:
    """Remembers what it gave."""

    @functools.lru_cache  # noqa: B019  # what is cached is what is tested
    def double(self, number: int) -> int:
        """Twice the number."""
        return 2 * number

    @staticmethod
    @functools.cache
    def half(number: int) -> float:
        """Half of the number."""
        return number / 2


def test_cached_methods_are_tools_of_an_instance() -> None:
    registry = ToolRegistry()
    registry.register(Cached())
    assert registry.call("cached.double", {"number": 4}) == 8
    assert registry.call("cached.half", {"number": 4}) == 2
    schemas = {each["function"]["name"]: each["function"] for each in registry.schemas()}
    assert schemas["cached-double"]["description"] == "Twice the number."
    assert list(schemas["cached-double"]["parameters"]["properties"]) == ["number"]
