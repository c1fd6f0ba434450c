"""The usual mcpServers file is read as it is, and what is wrong in it is named by its key."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.toolbox.conftest import Write
from workbench.errors import ConfigError
from workbench.toolbox.mcp_config import McpServerConfig, load_mcp_config, load_mcp_configs

JSON = """
{
\t"mcpServers": {
\t\t"files": {"command": "npx", "args": ["-y", "server", 7],
\t\t\t"env": {"ROOT": "/tmp", "N": 1}, "alwaysAllow": ["x"]},
\t\t"web": {"type": "http", "url": "https://example.test/mcp",
\t\t\t"headers": {"Authorization": "Bearer ${TOKEN_OF_TEST}"}},
\t\t"off": {"command": "x", "cwd": "${HERE_OF_TEST:-/srv}", "disabled": true}
\t},
\t"other": 1
}
"""

YAML = """
mcpServers:
  files: {command: npx, args: [-y, server]}
  web: {url: "https://example.test/mcp", type: streamable-http}
"""


def test_a_json_file_with_tabs_variables_and_keys_of_other_programs_is_read(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN_OF_TEST", "t1")
    monkeypatch.delenv("HERE_OF_TEST", raising=False)
    assert load_mcp_config(write("mcp.json", JSON)) == (
        McpServerConfig("files", "npx", ("-y", "server", "7"), {"ROOT": "/tmp", "N": "1"}),
        McpServerConfig("web", url="https://example.test/mcp", headers={"Authorization": "Bearer t1"}),
        McpServerConfig("off", disabled=True),
    )


def test_a_yaml_file_is_read_too(write: Write) -> None:
    assert load_mcp_config(write("mcp.yaml", YAML)) == (
        McpServerConfig("files", "npx", ("-y", "server")),
        McpServerConfig("web", url="https://example.test/mcp"),
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[]", "mcpServers is missing"),
        ("mcpServers: {a: 1}", "mcpServers.a must be a mapping"),
        ("mcpServers: {a: {}}", "mcpServers.a needs either command"),
        ("mcpServers: {a: {command: x, url: y}}", "mcpServers.a needs either command"),
        ("mcpServers: {a: {command: [x]}}", "mcpServers.a.command must be a text"),
        ("mcpServers: {a: {command: x, args: y}}", "mcpServers.a.args must be a list"),
        ("mcpServers: {a: {command: x, args: [[]]}}", r"mcpServers.a.args\[0\] must be a text"),
        ("mcpServers: {a: {command: x, env: {K: true}}}", "mcpServers.a.env.K must be a text"),
        (
            "mcpServers: {a: {command: '${NO_SUCH_VARIABLE}'}}",
            "mcpServers.a.command the environment variable",
        ),
        ("mcpServers: {a: {url: x, type: sse}}", "mcpServers.a.type sse"),
        ("mcpServers: {a: {url: x, type: stdio}}", "mcpServers.a.type stdio needs command"),
        ("mcpServers: {a: {command: x, type: carrier-pigeon}}", "must be stdio or http"),
        ("mcpServers: {a: {command: x, disabled: 1}}", "mcpServers.a.disabled must be true or false"),
        ("mcpServers: {a..b: {command: x}}", "mcpServers.a..b is not a name"),
        ("x:\n  - [", r"mcp.yaml:2: "),
    ],
)
def test_what_is_wrong_is_told_with_its_key(write: Write, text: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told) as raised:
        load_mcp_config(write("mcp.yaml", text))
    assert "mcp.yaml" in str(raised.value)


def test_what_a_disabled_server_says_does_not_matter(write: Write) -> None:
    path = write(
        "mcp.json",
        """{"mcpServers": {
            "old": {"type": "sse", "url": "http://x", "disabled": true},
            "away": {"command": "${NOT_SET}/run", "env": {"KEY": "${NOR_THIS}"}, "disabled": true},
            "here": {"command": "run"}}}""",
    )
    old, away, here = load_mcp_config(path)
    assert (old.disabled, away.disabled, here.disabled) == (True, True, False)
    assert here.command == "run"


def test_broken_json_is_told_with_its_line_and_a_missing_file_with_its_name(
    write: Write, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=r"mcp\.json:2: "):
        load_mcp_config(write("mcp.json", '{"mcpServers":\n}'))
    with pytest.raises(ConfigError, match=r"cannot read .*gone\.json: No such file"):
        load_mcp_config(tmp_path / "gone.json")


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
        load_mcp_config(path)


def test_two_files_with_a_server_of_one_name_are_refused_and_both_are_named(write: Write) -> None:
    one, two = write("one.json", '{"mcpServers": {"files": {"command": "x"}}}'), write("two.yaml", YAML)
    with pytest.raises(ConfigError, match="'files'") as caught:
        load_mcp_configs([one, two])
    assert str(one) in str(caught.value)
    assert str(two) in str(caught.value)


def test_the_same_file_given_twice_is_read_once(write: Write) -> None:
    path = write("mcp.yaml", YAML)
    assert [config.name for config, _ in load_mcp_configs([path, path])] == ["files", "web"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("mcp.json", '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', "a stands twice"),
        ("mcp.yaml", "mcpServers:\n  a: {command: x}\n  a: {command: y}\n", ":3: a stands here a second"),
    ],
)
def test_a_server_that_stands_twice_in_a_file_is_refused(
    write: Write, name: str, text: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        load_mcp_config(write(name, text))
