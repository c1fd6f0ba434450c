"""Change events: one for each change, in one order, whoever listens and whoever causes them."""

from __future__ import annotations

import asyncio
import itertools
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import ToolDisabledError, ToolRegistrationError
from workbench.registry import (
    ChangeEvent,
    ChangeEventType,
    Grant,
    PermissionPolicy,
    Tool,
    ToolMetadata,
    ToolRegistry,
    ToolTag,
)
from workbench.registry.emitter import Emitter


def make(name: str = "noop", namespace: str | None = None, tags: Any = ()) -> Tool:
    return Tool.from_callable(lambda: None, name=name, namespace=namespace, metadata=ToolMetadata(tags=tags))


def listening() -> tuple[ToolRegistry, list[ChangeEvent]]:
    registry = ToolRegistry()
    events: list[ChangeEvent] = []
    registry.on_change(events.append)
    return registry, events


def brief(events: list[ChangeEvent]) -> list[tuple[str, str | None]]:
    return [(each.event_type.value, each.tool_name) for each in events]


def test_each_change_is_told_once_and_what_changes_nothing_is_not_told() -> None:
    registry, events = listening()
    registry.register(make())
    assert registry.enable("noop") is False
    assert registry.disable("noop", "why") is True
    assert registry.disable("noop", "why") is False
    assert registry.disable("noop") is False
    assert registry.disable("noop", "other") is True
    assert registry.enable("noop") is True
    assert registry.update_metadata("noop", timeout=None) is False
    assert registry.update_metadata("noop", timeout=2.0) is True
    registry.policy = PermissionPolicy.open()
    registry.policy = PermissionPolicy.strict()
    registry.unregister("noop")
    assert brief(events) == [
        ("register", "noop"),
        ("disable", "noop"),
        ("disable", "noop"),
        ("enable", "noop"),
        ("metadata_update", "noop"),
        ("metadata_update", None),
        ("unregister", "noop"),
    ]
    assert [each.metadata["seq"] for each in events] == list(range(1, 8))
    assert [each.metadata["time"] for each in events] == sorted(each.metadata["time"] for each in events)


def test_a_failed_registration_is_not_told() -> None:
    registry, events = listening()
    registry.register(make())
    with pytest.raises(ToolRegistrationError):
        registry.register(make())
    assert len(events) == 1


def test_a_metadata_update_names_the_fields_with_old_and_new() -> None:
    registry, events = listening()
    registry.register(make())
    registry.update_metadata("noop", tags={ToolTag.SLOW}, timeout=2.0)
    assert events[-1].metadata["fields"] == ["tags", "timeout"]
    assert events[-1].metadata["changes"]["timeout"] == {"old": None, "new": 2.0}


def test_a_group_change_is_told_tool_by_tool_for_those_that_changed() -> None:
    registry, events = listening()
    for name, namespace, tags in (
        ("a", "files", {"slow"}),
        ("b", "files.deep", ()),
        ("c", "filesystem", {"slow"}),
        ("d", None, ()),
    ):
        registry.register(make(name, namespace, tags))
    registry.disable("files.a", "mine")
    events.clear()
    assert registry.disable_group("files", reason="group") == ["files.deep.b"]
    assert registry.get_disable_reason("files.a") == "mine"
    assert registry.disable_group(tag="slow") == ["filesystem.c"]
    assert registry.enable_group() == ["files.a", "files.deep.b", "filesystem.c"]
    assert registry.enable_group() == []
    assert brief(events) == [
        ("disable", "files.deep.b"),
        ("disable", "filesystem.c"),
        ("enable", "files.a"),
        ("enable", "files.deep.b"),
        ("enable", "filesystem.c"),
    ]


def test_register_is_told_before_the_disable_of_a_hook() -> None:
    registry, events = listening()
    registry.add_post_register_hook(lambda name, tool, registry: f"no {name}")
    registry.register(make("a"))
    assert brief(events) == [("register", "a"), ("disable", "a")]
    assert events[1].reason == "no a"


def test_a_tool_cannot_be_called_before_its_hooks_have_seen_it() -> None:
    registry = ToolRegistry()
    refused: list[BaseException] = []

    def hook(name: str, tool: Tool, registry: ToolRegistry) -> str | None:
        assert registry.get(name) is tool
        assert registry.schemas() == []
        with pytest.raises(ToolDisabledError) as caught:
            registry.call(name, {})
        refused.append(caught.value)
        return None

    registry.add_post_register_hook(hook)
    registry.register(make())
    assert len(refused) == 1
    assert len(registry.schemas()) == 1
    registry.call("noop", {})


@pytest.mark.parametrize("raised", [ValueError("broken hook"), SystemExit("broken hook")])
def test_a_failing_hook_is_logged_and_the_next_still_decides(
    raised: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    registry = ToolRegistry()

    def broken(name: str, tool: Tool, registry: ToolRegistry) -> str | None:
        raise raised

    registry.add_post_register_hook(broken)
    registry.add_post_register_hook(lambda name, tool, registry: "")
    registry.add_post_register_hook(lambda name, tool, registry: "first reason")
    registry.add_post_register_hook(lambda name, tool, registry: "second reason")
    with caplog.at_level(logging.ERROR):
        registry.register(make())
    assert registry.get_disable_reason("noop") == "first reason"
    assert "broken hook" in caplog.text


def test_a_hook_that_is_interrupted_leaves_the_tool_off() -> None:
    registry = ToolRegistry()

    def interrupted(name: str, tool: Tool, registry: ToolRegistry) -> str | None:
        raise KeyboardInterrupt

    registry.add_post_register_hook(interrupted)
    with pytest.raises(KeyboardInterrupt):
        registry.register(make())
    assert registry.is_enabled("noop") is False
    assert registry.schemas() == []


def test_events_that_a_callback_causes_come_after_it_for_everybody() -> None:
    registry = ToolRegistry()
    first: list[ChangeEvent] = []
    second: list[ChangeEvent] = []

    def reacts(event: ChangeEvent) -> None:
        first.append(event)
        if event.event_type is ChangeEventType.REGISTER:
            assert event.tool_name is not None
            registry.disable(event.tool_name, "on sight")
            assert registry.is_enabled(event.tool_name) is False

    registry.on_change(reacts)
    registry.on_change(second.append)
    registry.register(make("a"))
    assert brief(first) == brief(second) == [("register", "a"), ("disable", "a")]


def test_subscribing_and_leaving_take_effect_at_once_even_inside_a_callback() -> None:
    registry = ToolRegistry()
    late: list[ChangeEvent] = []
    leaver: list[ChangeEvent] = []

    def joins(event: ChangeEvent) -> None:
        if event.event_type is ChangeEventType.REGISTER:
            registry.on_change(late.append)
            leave()

    registry.on_change(joins)
    leave = registry.on_change(leaver.append)
    registry.register(make())
    registry.disable("noop")
    assert brief(late) == [("disable", "noop")]
    assert leaver == []
    assert leave() is False


@pytest.mark.parametrize(
    "only",
    [
        ChangeEventType.DISABLE,
        "disable",
        ["disable"],
        {ChangeEventType.DISABLE, ChangeEventType.REFRESH},
        lambda event: event.event_type is ChangeEventType.DISABLE,
    ],
)
def test_a_filter_lets_through_what_it_names(only: Any) -> None:
    registry = ToolRegistry()
    events: list[ChangeEvent] = []
    registry.on_change(events.append, only=only)
    registry.register(make())
    registry.disable("noop")
    assert brief(events) == [("disable", "noop")]


def test_what_cannot_be_called_or_is_no_type_is_refused_at_once() -> None:
    registry = ToolRegistry()
    nonsense: Any = 3
    with pytest.raises(TypeError, match="must be callable"):
        registry.on_change(nonsense)
    with pytest.raises(TypeError, match="must be callable"):
        registry.add_post_register_hook(nonsense)
    with pytest.raises(TypeError, match="must be a PermissionPolicy"):
        registry.policy = nonsense
    with pytest.raises(ValueError, match="registered"):
        registry.on_change(print, only=["registered"])  # type: ignore[list-item]  # what is tested


def test_an_async_callback_is_awaited_where_no_loop_runs() -> None:
    registry = ToolRegistry()
    events: list[ChangeEvent] = []

    async def later(event: ChangeEvent) -> None:
        await asyncio.sleep(0)
        events.append(event)

    registry.on_change(later)  # type: ignore[arg-type, unused-ignore]  # an async callback is welcome
    registry.register(make())
    assert brief(events) == [("register", "noop")]


async def test_an_async_callback_runs_on_its_own_loop_in_order_and_its_faults_are_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    registry = ToolRegistry()
    home = asyncio.get_running_loop()
    seen: asyncio.Queue[ChangeEvent] = asyncio.Queue()

    async def later(event: ChangeEvent) -> None:
        assert asyncio.get_running_loop() is home
        if event.event_type is ChangeEventType.DISABLE:
            await asyncio.sleep(0.01)  # the one behind it must not overtake
        await seen.put(event)
        raise ValueError("async fault")

    registry.on_change(later)
    with caplog.at_level(logging.ERROR):
        async with asyncio.timeout(60):
            await asyncio.to_thread(registry.register, make())
            got = [await seen.get()]
            registry.disable("noop")
            registry.enable("noop")
            got += [await seen.get(), await seen.get()]
            while caplog.text.count("async fault") < 3:
                await asyncio.sleep(0)
    assert brief(got) == [("register", "noop"), ("disable", "noop"), ("enable", "noop")]


def test_every_callback_runs_on_the_thread_that_made_the_change() -> None:
    registry = ToolRegistry()
    threads: list[tuple[str | None, int]] = []
    barrier = threading.Barrier(4)

    def note(event: ChangeEvent) -> None:
        while len(registry) < 4:  # until every thread has an event to deliver
            threading.Event().wait(0.001)
        threads.append((event.tool_name, threading.get_ident()))

    registry.on_change(note)

    def work(number: int) -> tuple[str, int]:
        barrier.wait(60)
        registry.register(make(f"t{number}"))
        return f"t{number}", threading.get_ident()

    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(work, range(4)))
    assert sorted(made) == sorted(threads)


def test_a_callback_that_waits_for_another_threads_change_does_not_lock_up() -> None:
    emitter = Emitter(patience=0.01)
    told: list[tuple[str | None, int]] = []

    def waits(event: ChangeEvent) -> None:
        told.append((event.tool_name, threading.get_ident()))
        if event.tool_name == "outer":
            other = threading.Thread(target=publish, args=("inner",))
            other.start()
            other.join(60)
            assert not other.is_alive()

    def publish(name: str) -> None:
        emitter.publish(ChangeEventType.REGISTER, name)
        emitter.deliver()

    emitter.subscribe(waits, None)
    publish("outer")
    assert [name for name, _ in told] == ["outer", "inner"]


def test_an_interrupted_callback_does_not_stop_later_events() -> None:
    registry, events = listening()

    def interrupts(event: ChangeEvent) -> None:
        if event.event_type is ChangeEventType.REGISTER:
            raise KeyboardInterrupt

    registry.on_change(interrupts)
    with pytest.raises(KeyboardInterrupt):
        registry.register(make())
    registry.disable("noop")
    assert brief(events) == [("register", "noop"), ("disable", "noop")]


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["register", "unregister", "enable", "disable", "tag", "group", "grant"]),
        st.integers(0, 3),
    ),
    max_size=30,
)


def apply(registry: ToolRegistry, operation: str, number: int) -> None:
    name = f"t{number}"
    if operation == "register":
        if name not in registry:
            registry.register(make(name))
    elif operation == "group":
        (registry.disable_group if number % 2 else registry.enable_group)()
    elif operation == "grant":
        registry.grant(Grant(name))
    elif name in registry:
        actions: dict[str, Callable[[], object]] = {
            "unregister": lambda: registry.unregister(name),
            "enable": lambda: registry.enable(name),
            "disable": lambda: registry.disable(name, f"reason {number}"),
            "tag": lambda: registry.update_metadata(name, tags={f"tag{number}"}),
        }
        actions[operation]()


@settings(deadline=None)
@given(OPERATIONS, st.booleans())
def test_the_events_alone_tell_the_whole_state(operations: list[tuple[str, int]], reacts: bool) -> None:
    registry = ToolRegistry()
    on: dict[str, bool] = {}
    orders: list[list[int]] = [[], []]

    def follow(event: ChangeEvent) -> None:
        orders[0].append(event.metadata["seq"])
        name = event.tool_name or ""
        if event.event_type is ChangeEventType.REGISTER:
            assert name not in on
            on[name] = True
        elif event.event_type is ChangeEventType.UNREGISTER:
            del on[name]
        elif event.event_type in (ChangeEventType.ENABLE, ChangeEventType.DISABLE):
            assert on[name] is (event.event_type is ChangeEventType.DISABLE)
            on[name] = event.event_type is ChangeEventType.ENABLE
        if reacts and event.event_type is ChangeEventType.REGISTER and name == "t0":
            registry.disable("t0", "reason 0")

    registry.on_change(follow)
    registry.on_change(lambda event: orders[1].append(event.metadata["seq"]))
    for operation, number in operations:
        apply(registry, operation, number)
    assert on == {tool.name: registry.is_enabled(tool.name) for tool in registry}
    assert orders[0] == orders[1] == list(range(1, len(orders[0]) + 1))


def test_eight_threads_register_toggle_read_call_and_refresh_without_a_half_state() -> None:
    registry = ToolRegistry()
    orders: list[list[int]] = [[], []]
    registry.on_change(lambda event: orders[0].append(event.metadata["seq"]))
    registry.on_change(lambda event: orders[1].append(event.metadata["seq"]))
    registry.register(lambda: "ok", name="steady")
    barrier = threading.Barrier(8)
    rounds = 60

    def own_tools(number: int) -> None:
        for turn in range(rounds):
            name = f"w{number}.{turn}"
            registry.register(make(name))
            assert registry.get(name) is not None
            registry.disable(name)
            assert not registry.is_enabled(name)
            registry.unregister(name)
            assert name not in registry

    def shared_toggles(_: int) -> None:
        for _turn in range(rounds):
            registry.disable_group("none")
            registry.update_metadata("steady", tags={"a"})
            registry.update_metadata("steady", tags={"b"})

    def reads(_: int) -> None:
        for _turn in range(rounds * 4):
            state = {each.name: each for each in registry}
            assert state["steady"].metadata.tags in ({"a"}, {"b"}, set())
            assert "steady" in [each["function"]["name"] for each in registry.schemas()]
            assert registry.call("steady", {}) == "ok"

    def refreshes(_: int) -> None:
        for turn in range(rounds):
            registry.refresh("steady", [lambda: "ok", lambda: "o" + "k"][turn % 2], force=True)

    work = [own_tools, own_tools, own_tools, shared_toggles, shared_toggles, reads, reads, refreshes]

    def run(number: int) -> None:
        barrier.wait(30)
        work[number](number)

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(run, number) for number in range(8)]:
            done.result(60)
    assert [each.name for each in registry] == ["steady"]
    assert orders[0] == orders[1]
    assert all(before < after for before, after in itertools.pairwise(orders[0]))
    assert registry.statistics("steady").calls == 2 * rounds * 4
