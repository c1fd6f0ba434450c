"""Which tools a rule of a policy is about, and what is said of one that is about none."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.errors import ToolDeniedError
from workbench.registry import PermissionPolicy, PermissionResult, Tool, ToolRegistry
from workbench.registry.idle_rules import idle_rules

ALLOW, ASK, DENY = PermissionResult.ALLOW, PermissionResult.ASK, PermissionResult.DENY


def write_file(path: str, text: str = "") -> str:
    """Write."""
    return path


def registry_with(*rules: dict[str, Any], default: PermissionResult = ASK) -> ToolRegistry:
    registry = ToolRegistry(PermissionPolicy.from_rules(rules, default=default))
    registry.register(write_file, namespace="files")
    foreign = Tool.from_schema(write_file, name="write_file", namespace="server", parameters=True)
    registry.register(foreign)
    return registry


def result(registry: ToolRegistry, name: str) -> PermissionResult:
    return registry.evaluate(name, {"path": "n.txt"}).result


@pytest.mark.parametrize("pattern", ["write_file", "write_*", "*_file", "[vw]rite_file"])
def test_a_rule_that_denies_or_asks_is_about_the_last_part_of_a_name_too(pattern: str) -> None:
    for said, meant in (("deny", DENY), ("ask", ASK)):
        registry = registry_with({said: pattern, "arguments": {"path": "n.*"}}, default=ALLOW)
        assert result(registry, "files.write_file") is meant
        assert result(registry, "server.write_file") is meant


def test_a_rule_that_allows_by_a_last_part_does_not_open_the_tool_of_a_server() -> None:
    registry = registry_with({"allow": "write_file"})
    assert result(registry, "files.write_file") is ALLOW
    assert result(registry, "server.write_file") is ASK
    assert result(registry_with({"allow": "server.write_file"}), "server.write_file") is ALLOW
    assert result(registry_with({"allow": "server-write_file"}), "server.write_file") is ALLOW


@pytest.mark.parametrize("pattern", ["other.write_file", "file", "files", "write"])
def test_another_namespace_or_half_a_name_is_another_tool(pattern: str) -> None:
    registry = registry_with({"deny": pattern}, default=ALLOW)
    assert result(registry, "files.write_file") is ALLOW


def test_a_denial_says_which_rule_denies_and_offers_no_question() -> None:
    registry = registry_with({"deny": "write_file", "arguments": {"path": "n.*"}}, default=ALLOW)
    with pytest.raises(ToolDeniedError, match=r"deny write_file with path: n\.\*$") as caught:
        registry.call("files.write_file", {"path": "n.txt"}, approved=True)
    assert "when asked" not in caught.value.hint
    registry = registry_with(default=DENY)
    with pytest.raises(ToolDeniedError) as caught:
        registry.call("files.write_file", {"path": "n.txt"}, approved=True)
    assert "when asked" not in caught.value.hint


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"deny": "write_fil"}, "deny write_fil: no tool has that name; near it: files.write_file"),
        ({"deny": "zzz"}, "deny zzz: no tool has that name"),
        ({"allow": "elsewhere.write_file"}, "allow elsewhere.write_file: no tool has that name"),
        (
            {"deny": "files.write_file", "arguments": {"pth": "*"}},
            "deny files.write_file with pth: *: files.write_file has no argument pth; near it: path",
        ),
    ],
)
def test_a_rule_that_covers_no_tool_is_told_with_what_is_near(rule: dict[str, Any], said: str) -> None:
    registry = registry_with(rule)
    (told,) = idle_rules(registry.policy, registry)
    assert told.startswith(said)


@pytest.mark.parametrize(
    "rule",
    [
        {"deny": "write_file"},
        {"deny": "*"},
        {"allow": "files.*", "arguments": {"path": "a"}},
        {"deny": "server.write_file", "arguments": {"whatever": "a"}},
    ],
)
def test_a_rule_that_covers_a_tool_is_not_told(rule: dict[str, Any]) -> None:
    registry = registry_with(rule)
    assert idle_rules(registry.policy, registry) == ()
    assert idle_rules(PermissionPolicy.careful(), ToolRegistry()) == ()
