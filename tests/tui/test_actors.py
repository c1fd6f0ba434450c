"""Who switched a tool, told by the registry's changes alone; what the panel is told of a tool."""

from __future__ import annotations

from tests.tui.driving import Driven, driven
from tests.tui.test_breakpoints import on_tool
from workbench.registry import Grant, GrantScope, ToolRegistry
from workbench.registry.acting import acting, actor
from workbench.tui.actors import Actors
from workbench.tui.facts import tool_row


def probe(text: str) -> str:
    """Probe."""
    return text


def test_the_one_who_acts_is_known_inside_a_change_callback() -> None:
    registry, seen = ToolRegistry(), []
    registry.register(probe)
    registry.on_change(lambda change: seen.append(actor()))
    with acting("user"):
        registry.disable("probe")
    registry.enable("probe")
    assert seen == ["user", ""]


def test_a_switch_is_by_the_actor_or_by_policy_or_by_code() -> None:
    registry, actors = ToolRegistry(), Actors()
    seen: list[tuple[str, str]] = []
    registry.on_change(lambda change: seen.append((change.event_type.value, actors.of(change))))
    registry.add_post_register_hook(lambda name, tool, registry: "held back")
    registry.register(probe)
    registry.enable("probe")
    registry.disable("probe")
    with acting("reload"):
        registry.enable("probe")
    assert seen == [
        ("register", ""),
        ("disable", "policy"),
        ("enable", "code"),
        ("disable", "code"),
        ("enable", "reload"),
    ]


def test_a_row_tells_what_the_schema_leaves_open_and_which_grants_cover_the_tool() -> None:
    registry = ToolRegistry()
    registry.register(probe, namespace="files")
    grant = Grant("files.*", {}, GrantScope.SESSION)
    registry.grant(grant)
    registry.grant(Grant("web.*", {}, GrantScope.SESSION))
    row = tool_row(registry, registry.resolve("files.probe"))
    assert [each.id for each in row.grants] == [grant.id]
    assert any("text" in finding for finding in row.findings)


async def mark(it: Driven, text: str) -> None:
    await it.until(lambda: text in it.shown(it.app.main.trace))


async def test_the_trace_says_who_switched_a_tool() -> None:
    async with driven() as it:
        await it.turn("add(a=1, b=2)")
        await on_tool(it, "add")
        await it.press("space")
        await mark(it, "□ arithmetic.add off  by you")
        it.agent.tools.disable("arithmetic.mean", "maintenance")
        await mark(it, "□ arithmetic.mean off  by code: maintenance")


async def test_a_grant_can_be_taken_back_in_the_row_of_a_tool() -> None:
    async with driven() as it:
        grant = Grant("arithmetic.add", {"a": "1"}, GrantScope.SESSION)
        it.agent.tools.grant(grant)
        await on_tool(it, "add")
        await it.press("right")
        await it.until(lambda: "until you quit  a=1" in it.shown(it.app.main.tools))
        rows = it.app.main.tools.focus_target
        index = next(at for at, row in enumerate(rows.rows) if getattr(row, "label", "") == "grant")
        await it.act(lambda: rows.go_to(index))
        await it.press("x")
        await it.until(lambda: not it.agent.tools.grants)
        await it.until(lambda: "until you quit" not in it.shown(it.app.main.tools))
