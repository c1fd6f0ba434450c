"""Policies from YAML say where they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.toolbox.conftest import Write
from workbench.errors import ConfigError
from workbench.registry import PermissionResult, ToolRegistry, tool
from workbench.toolbox.policy_file import load_policy

POLICY = """\
default: deny
default_reason: not on the list
rules:
  - deny: "*"
    arguments: {path: "/etc/*"}
    reason: system files
  - allow: "*"
    tags: [read_only]
  - ask: write
"""


def test_a_policy_file_decides_as_it_says(write: Write) -> None:
    @tool(tags={"read_only"})
    def read(path: str) -> str:
        return path

    def write_it(path: str) -> str:
        return path

    registry = ToolRegistry(load_policy(write("policy.yaml", POLICY)))
    registry.register(read)
    registry.register(write_it, name="write")
    registry.register(write_it, name="other")
    assert registry.evaluate("read", {"path": "x"}).result is PermissionResult.ALLOW
    denied = registry.evaluate("read", {"path": "/etc/passwd"})
    assert (denied.result, denied.reason) == (PermissionResult.DENY, "system files")
    assert registry.evaluate("write", {"path": "x"}).result is PermissionResult.ASK
    other = registry.evaluate("other", {"path": "x"})
    assert (other.result, other.reason) == (PermissionResult.DENY, "not on the list")


def test_without_a_word_on_it_the_default_asks(write: Write) -> None:
    assert load_policy(write("policy.yaml", "rules: []\n")).default is PermissionResult.ASK
    assert load_policy(write("policy.yaml", "rules:\n")).rules == ()


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("rules:\n  - deny: x\n  - alow: y\n", ":3:", "alow"),
        ("rules:\n  - deny: x\n    arguments: nope\n", ":3:", "arguments"),
        ("rules:\n  - deny: x\n    argumnts: {}\n", ":3:", "unknown key argumnts"),
        ("rules:\n  - deny: x\n    arguments:\n      a: '*'\n      b: 1\n", ":5:", "the pattern of b"),
        ("rules:\n  - tags: 5\n    deny: x\n", ":2:", "tags must be a list of texts"),
        ("default: ask\nrules: []\ndefault: allow\n", ":3:", "default stands here a second time"),
        ("rules:\n  - deny: x\n    deny: y\n", ":3:", "deny stands here a second time"),
        ("rules: &a [*a]\n", ":1:", "a rule must be a mapping"),
        ("rules:\n  - deny: x\n    arguments: &a {b: *a}\n", ":3:", "the pattern of b"),
        ("default: maybe\n", ":1:", "must be allow, ask or deny"),
        ("default: ask\nruels: []\n", ":2:", "a policy has no ruels"),
        ("rules: yes\n", ":1:", "must be a list"),
        ("rules:\n  - [deny\n", ":3:", "expected"),
        ("- deny: x\n", ":1:", "is a mapping"),
        ("rules:\n  - !!python/name:os.system x\n", ":1:", "could not determine a constructor"),
        ("", "policy.yaml", "is empty"),
    ],
)
def test_a_mistake_names_file_and_line(write: Write, text: str, where: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        load_policy(write("policy.yaml", text))
    assert f"policy.yaml{where}" in str(raised.value) or where in str(raised.value)
    assert message in str(raised.value)


def test_a_missing_policy_is_an_error_and_not_an_open_door(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read the policy"):
        load_policy(tmp_path / "none.yaml")


UNREADABLE = {
    "a date that no calendar has": "a: 2025-13-45\n",
    "lists without end": "a: " + "[" * 20_000,
    "a number without end": "a: " + "1" * 5_000,
    "a time that is none": "a: !!timestamp x\n",
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_value_that_cannot_be_read_is_an_error_that_names_the_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "unreadable.yaml"
    path.write_text(UNREADABLE[kind])
    with pytest.raises(ConfigError, match=r"unreadable\.yaml"):
        load_policy(path)


def test_a_rule_knows_the_file_and_the_line_that_it_is_written_in(write: Write) -> None:
    path = write("policy.yaml", POLICY)
    places = [rule.place for rule in load_policy(path).rules]
    assert places == [f"{path}:4", f"{path}:7", f"{path}:9"]
    assert load_policy(path).rules[2].spelled == f"ask write ({path}:9)"
