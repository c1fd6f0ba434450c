"""The one path of a call: order of checks, runners, statistics, errors."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading
from typing import Any

import pytest

from workbench.errors import StopTurn, ToolArgumentsError, ToolDisabledError, ToolNotFoundError
from workbench.registry import BoundCall, ChangeEvent, PermissionPolicy, ToolMetadata, ToolRegistry
from workbench.registry.statistics import RECENT_RUNS, WRONG_CALLS, StatisticsBook


def half(n: int) -> float:
    return 10 / n


def test_a_tools_exception_reaches_the_caller_as_it_is_and_is_told() -> None:
    registry = ToolRegistry()
    events: list[ChangeEvent] = []
    registry.register(half)
    registry.on_change(events.append)
    with pytest.raises(ZeroDivisionError) as caught:
        registry.call("half", {"n": 0}, call_id="c7")
    (event,) = events
    assert event.event_type.value == "tool_error"
    assert event.tool_name == "half"
    assert event.reason == "division by zero"
    assert event.metadata["exception_type"] == "ZeroDivisionError"
    assert event.metadata["exception"] is caught.value
    assert event.metadata["call_id"] == "c7"


def test_statistics_count_what_happened() -> None:
    registry = ToolRegistry()
    registry.register(half)
    registry.call("half", {"n": 1})
    registry.call("half", {"n": 2})
    with pytest.raises(ZeroDivisionError):
        registry.call("half", {"n": 0})
    with pytest.raises(ToolArgumentsError):
        registry.call("half", {"n": "x"})
    counts = registry.statistics("half")
    assert (counts.calls, counts.errors, counts.validation_failures, counts.denied) == (3, 1, 1, 0)
    assert 0 < counts.shortest_ms <= counts.mean_ms <= counts.longest_ms <= counts.total_ms
    registry.unregister("half")
    assert registry.statistics("half") == counts
    assert registry.statistics("unknown").calls == 0


def test_the_time_that_most_runs_kept_within_is_of_the_last_runs() -> None:
    book = StatisticsBook()
    for duration in range(1, 101):
        book.ran("slow", float(duration), failed=False)
    assert book.of("slow").p95_ms == 95.0
    for _ in range(RECENT_RUNS):
        book.ran("slow", 3.0, failed=False)
    counts = book.of("slow")
    assert (counts.p95_ms, counts.longest_ms, counts.calls) == (3.0, 100.0, 100 + RECENT_RUNS)
    assert len(counts.recent_ms) == RECENT_RUNS
    assert book.of("idle").p95_ms == 0.0


def test_the_last_wrong_calls_are_kept_with_what_was_given_and_what_was_said() -> None:
    registry = ToolRegistry()
    registry.register(half)
    messages = []
    for given in ({"n": "x"}, '{"m": 1}', "{broken", [1], {"n": {1}}, b"\xff"):
        with pytest.raises(ToolArgumentsError) as caught:
            registry.call("half", given)  # type: ignore[arg-type]  # what is tested
        messages.append(str(caught.value))
    wrong = registry.statistics("half").wrong_calls
    assert [each.error for each in wrong] == messages
    assert [each.arguments for each in wrong] == [
        '{"n": "x"}',
        '{"m": 1}',
        "{broken",
        "[1]",
        '{"n": "{1}"}',
        "\\xff",
    ]
    for number in range(WRONG_CALLS):
        with pytest.raises(ToolArgumentsError):
            registry.call("half", {"n": f"x{number}" + "y" * 50_000 * (number == 3)})
    wrong = registry.statistics("half").wrong_calls
    assert len(wrong) == WRONG_CALLS
    assert registry.statistics("half").validation_failures == 6 + WRONG_CALLS
    assert wrong[-1].arguments == f'{{"n": "x{WRONG_CALLS - 1}"}}'
    assert wrong[3].arguments.endswith("… (50,011 characters)")


@pytest.mark.parametrize(
    "leaving", [StopTurn("stop"), KeyboardInterrupt(), SystemExit(1), asyncio.CancelledError()]
)
def test_a_stop_or_an_interrupt_is_no_error_of_the_tool(leaving: BaseException) -> None:
    registry = ToolRegistry()
    events: list[ChangeEvent] = []

    def leaves() -> None:
        raise leaving

    registry.register(leaves)
    registry.on_change(events.append)
    with pytest.raises(type(leaving)):
        registry.call("leaves", {})
    assert events == []
    assert registry.statistics("leaves").errors == 0


def test_a_runner_gets_the_bound_call_with_real_values_and_its_value_is_the_result() -> None:
    registry = ToolRegistry()
    registry.register(half)
    got: list[BoundCall] = []

    def runner(bound: BoundCall) -> Any:
        got.append(bound)
        return ["mine", bound.run()]

    assert registry.call("half", {"n": "5"}, runner=runner) == ["mine", 2.0]
    assert got[0].arguments == {"n": 5}
    assert got[0].tool is registry.get("half")


def test_nothing_runs_before_every_check_has_passed() -> None:
    registry = ToolRegistry()
    registry.register(half)
    ran: list[BoundCall] = []
    with pytest.raises(ToolNotFoundError):
        registry.call("nope", {}, runner=ran.append)
    with pytest.raises(ToolArgumentsError):
        registry.call("half", {}, runner=ran.append)
    registry.disable("half", "broken")
    with pytest.raises(ToolDisabledError, match="half is switched off: broken"):
        registry.call("half", {"n": 1}, runner=ran.append)
    assert ran == []


def test_a_disabled_tool_is_not_advertised_and_comes_back() -> None:
    registry = ToolRegistry()
    registry.register(half)
    registry.register(len)
    registry.disable("half")
    assert [each["function"]["name"] for each in registry.schemas()] == ["len"]
    registry.enable("half")
    assert [each["function"]["name"] for each in registry.schemas()] == ["half", "len"]


def test_the_list_of_schemas_is_the_callers_own_and_its_entries_are_made_once() -> None:
    registry = ToolRegistry()
    registry.register(half)
    first = registry.schemas()
    first.clear()
    assert registry.schemas()[0] is registry.schemas()[0] is registry.resolve("half").schema


async def test_a_plain_tool_does_not_hold_up_the_loop_unless_it_asks_for_the_callers_thread() -> None:
    registry = ToolRegistry()
    registry.register(lambda: threading.get_ident(), name="elsewhere")
    registry.register(lambda: threading.get_ident(), name="here", metadata=ToolMetadata(caller_thread=True))
    assert await registry.acall("elsewhere", {}) != threading.get_ident()
    assert await registry.acall("here", {}) == threading.get_ident()


async def test_an_async_runner_is_awaited() -> None:
    registry = ToolRegistry()
    registry.register(half)

    async def runner(bound: BoundCall) -> Any:
        await asyncio.sleep(0)
        return bound.run()

    assert await registry.acall("half", {"n": 5}, runner=runner) == 2.0
    with pytest.raises(ZeroDivisionError):
        await registry.acall("half", {"n": 0}, runner=runner)
    assert registry.statistics("half").errors == 1


async def test_an_async_tool_called_beside_a_running_loop_keeps_context_and_exception() -> None:
    registry = ToolRegistry()
    who = contextvars.ContextVar("who", default="nobody")

    async def tell(fail: bool) -> str:
        if fail:
            raise ZeroDivisionError("as it is")
        return who.get()

    registry.register(tell)
    who.set("me")
    assert registry.call("tell", {"fail": False}) == "me"
    with pytest.raises(ZeroDivisionError, match="as it is"):
        registry.call("tell", {"fail": True})


def test_the_dotted_and_the_safe_name_both_do_everywhere() -> None:
    registry = ToolRegistry(PermissionPolicy.open())
    registry.register(half, namespace="math.deep")
    for name in ("math.deep.half", "math-deep-half"):
        assert registry.call(name, {"n": 5}) == 2.0
        assert registry.disable(name, "x")
        assert not registry.is_enabled(name)
        assert registry.get_disable_reason(name) == "x"
        assert registry.enable(name)
        assert name in registry
        assert registry.statistics(name).calls > 0
        assert registry.evaluate(name, {}).result.value == "allow"


def test_importing_the_package_does_not_load_pydantic() -> None:
    code = (
        "import sys, workbench.registry as r; r.ToolRegistry(r.PermissionPolicy.careful());"
        "print([m for m in ('pydantic', 'pydantic_core', 'docstring_parser', 'yaml') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_model_may_drop_a_namespace_that_nothing_else_needs() -> None:
    registry = ToolRegistry()

    def add(a: int, b: int) -> int:
        return a + b

    registry.register(add, namespace="arithmetic")
    assert registry.call("add", {"a": 2, "b": 3}) == 5
    assert registry.get("add") is None
    assert "add" not in registry
    with pytest.raises(ToolNotFoundError, match="mean arithmetic"):
        registry.disable("add")
    registry.register(add, namespace="money")
    with pytest.raises(ToolNotFoundError, match=r"mean arithmetic\.add or money\.add\?"):
        registry.call("add", {"a": 2, "b": 3})


def test_an_error_without_a_text_reaches_the_caller_as_it_is() -> None:
    class SilentError(Exception):
        def __str__(self) -> str:
            raise LookupError("no words")

    def fail() -> None:
        raise SilentError

    registry = ToolRegistry()
    events: list[ChangeEvent] = []
    registry.register(fail)
    registry.on_change(events.append)
    with pytest.raises(SilentError):
        registry.call("fail", {})
    assert events[0].reason == "(its text cannot be shown: LookupError)"
    assert registry.statistics("fail").errors == 1


def test_json_text_is_forgiven_what_models_are_known_to_send() -> None:
    registry = ToolRegistry()
    registry.register(half)
    assert registry.call("half", '{}{"n": 5}') == 2.0
    assert registry.call("half", '"{\\"n\\": 5}"') == 2.0
    raw: Any = b'{"n": 5}'
    assert registry.call("half", raw) == 2.0
    with pytest.raises(ToolArgumentsError, match="not valid JSON"):
        registry.call("half", raw.replace(b"5", b"\xff"))
    with pytest.raises(ToolArgumentsError, match="nested too deeply"):
        registry.call("half", '{"n": ' + "[" * 100_000)
