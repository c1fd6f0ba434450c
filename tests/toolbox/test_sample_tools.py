"""The sample tools load, are asked about as they should be, and do what they say."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import ToolArgumentsError, ToolDisabledError
from workbench.registry import PermissionPolicy, ToolRegistry
from workbench.toolbox.loader import load_tools

SAMPLES = Path(__file__).parents[2] / "sample_tools"


@pytest.fixture
def registry(own_folder: Path) -> ToolRegistry:
    registry = ToolRegistry()
    assert load_tools(SAMPLES, registry).failures == []
    return registry


def test_all_sample_tools_are_there_under_unique_last_names(registry: ToolRegistry) -> None:
    assert sorted(tool.name for tool in registry) == [
        "arithmetic.add",
        "arithmetic.divide",
        "arithmetic.mean",
        "arithmetic.multiply",
        "files.delete_file",
        "files.list_files",
        "files.read_file",
        "files.search_files",
        "files.write_file",
        "flaky.always_fails",
        "flaky.look_up_weather",
        "slow.slow_countdown",
        "text.count_words",
        "text.replace",
        "text.slugify",
        "travel.quote_journey",
        "waiting.wait_and_echo",
    ]
    assert max(Counter(tool.name.rpartition(".")[2] for tool in registry).values()) == 1


def test_every_tool_and_every_parameter_is_described(registry: ToolRegistry) -> None:
    for tool in registry:
        assert tool.description
    described = [
        tool for tool in registry if tool.namespace in {"files", "slow", "flaky", "waiting", "travel"}
    ]
    for tool in described:
        for name, schema in tool.parameters["properties"].items():
            assert schema.get("description"), f"{tool.name}: {name}"


def test_what_reads_runs_what_writes_asks_and_what_destroys_is_off(registry: ToolRegistry) -> None:
    registry.policy = PermissionPolicy.careful()
    asked = {tool.name: registry.evaluate(tool, {}).reason for tool in registry if _asks(registry, tool)}
    assert asked == {"files.delete_file": "destructive", "files.write_file": "writes"}
    assert [tool.name for tool in registry if not registry.is_enabled(tool.name)] == ["files.delete_file"]
    assert registry.get_disable_reason("files.delete_file") == "tagged destructive"
    with pytest.raises(ToolDisabledError, match="tagged destructive"):
        registry.call("files.delete_file", {"path": "x"})


def _asks(registry: ToolRegistry, tool: Any) -> bool:
    return registry.evaluate(tool, {}).result.value == "ask"


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("arithmetic.add", {"a": 2, "b": 3}, 5),
        ("arithmetic.multiply", {"a": 2, "b": 3}, 6),
        ("arithmetic.divide", {"dividend": 6, "divisor": 3}, 2.0),
        ("arithmetic.mean", {"numbers": [1, 2, 3]}, 2.0),
        ("text.count_words", {"text": "one two\nthree"}, {"lines": 2, "words": 3, "characters": 13}),
        ("text.slugify", {"text": "Ein schöner Tag!"}, "ein-schoner-tag"),
        ("text.replace", {"text": "aXbx", "old": "x", "new": r"\1", "ignore_case": True}, r"a\1b\1"),
        ("flaky.look_up_weather", {"city": "Lima"}, "19 °C"),
        ("waiting.wait_and_echo", {"text": "hi", "seconds": 0}, "hi"),
    ],
)
def test_tools_give_their_results(
    registry: ToolRegistry, name: str, arguments: dict[str, Any], result: object
) -> None:
    answer = registry.call(name, arguments)
    assert answer == result
    assert type(answer) is type(result)


def test_a_journey_is_given_as_nested_json(registry: ToolRegistry) -> None:
    journey = {
        "start": "Oslo",
        "goal": "Bergen",
        "day": "2026-06-01",
        "comfort": "quiet",
        "travellers": [{"name": "Kari", "age": 40, "bicycles": 1}, {"name": "Ola", "age": 9}],
    }
    answer = registry.call("travel.quote_journey", {"journey": journey, "currency": "EUR"})
    assert answer == "Oslo to Bergen on Monday 01 June: 48 EUR"
    with pytest.raises(ToolArgumentsError, match="currency"):
        registry.call("travel.quote_journey", {"journey": journey, "currency": "DM"})


def test_files_can_be_written_read_listed_found_and_deleted(registry: ToolRegistry, own_folder: Path) -> None:
    registry.enable("files.delete_file")
    registry.call("files.write_file", {"path": "notes/a.txt", "text": "first\nsecond line\n"})
    assert (own_folder / "notes/a.txt").read_text() == "first\nsecond line\n"
    assert registry.call("files.read_file", {"path": "notes/a.txt"}) == "first\nsecond line\n"
    assert registry.call("files.list_files", {}) == ["notes/"]
    assert registry.call("files.list_files", {"pattern": "**/*.txt"}) == ["notes/a.txt"]
    assert registry.call("files.search_files", {"text": "second"}) == ["notes/a.txt:2: second line"]
    registry.call("files.delete_file", {"path": "notes/a.txt"})
    assert registry.call("files.list_files", {"folder": "notes"}) == []


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "link/secret.txt", "a/../../secret.txt"])
@pytest.mark.parametrize("name", ["read_file", "write_file", "delete_file", "list_files", "search_files"])
def test_no_file_tool_leaves_the_folder(
    registry: ToolRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, path: str
) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (inside / "link").symlink_to(tmp_path)
    monkeypatch.chdir(inside)
    registry.enable("files.delete_file")
    arguments = {
        "write_file": {"path": path, "text": "x"},
        "list_files": {"folder": path},
        "search_files": {"text": "secret", "folder": path},
    }.get(name, {"path": path})
    with pytest.raises(PermissionError, match="is outside of"):
        registry.call(f"files.{name}", arguments)
    assert (tmp_path / "secret.txt").read_text() == "secret"


def test_listing_and_searching_do_not_follow_links_out(
    registry: ToolRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (inside / "link.txt").symlink_to(tmp_path / "secret.txt")
    (inside / "folder").symlink_to(tmp_path)
    monkeypatch.chdir(inside)
    with pytest.raises(PermissionError, match="is outside of"):
        registry.call("files.list_files", {"pattern": "../*"})
    assert registry.call("files.list_files", {}) == []
    assert registry.call("files.search_files", {"text": "secret"}) == []


def test_a_wrong_path_is_answered_with_what_is_there(registry: ToolRegistry, own_folder: Path) -> None:
    (own_folder / "right.txt").write_text("")
    with pytest.raises(FileNotFoundError, match=r"its folder has: right\.txt"):
        registry.call("files.read_file", {"path": "wrong.txt"})
    with pytest.raises(IsADirectoryError, match="list_files"):
        registry.call("files.read_file", {"path": "."})


def test_file_changes_can_be_previewed_without_happening(registry: ToolRegistry, own_folder: Path) -> None:
    (own_folder / "a.txt").write_text("old")
    previews = {}
    for name, arguments in (
        ("write_file", {"path": "a.txt", "text": "new"}),
        ("delete_file", {"path": "a.txt"}),
    ):
        tool = registry.resolve(f"files.{name}")
        assert tool.metadata.preview is not None
        previews[name] = tool.metadata.preview(**tool.bind(arguments).arguments)
    assert previews == {"write_file": ("a.txt", "old", "new"), "delete_file": ("a.txt", "old", "")}
    assert (own_folder / "a.txt").read_text() == "old"


def test_errors_say_what_would_be_right(registry: ToolRegistry) -> None:
    with pytest.raises(LookupError, match="known cities: berlin, lima"):
        registry.call("flaky.look_up_weather", {"city": "Atlantis"})
    with pytest.raises(RuntimeError, match="calling again will not help"):
        registry.call("flaky.always_fails", {})
    with pytest.raises(ValueError, match="another divisor"):
        registry.call("arithmetic.divide", {"dividend": 1, "divisor": 0})


def test_the_countdown_prints_while_it_runs(
    registry: ToolRegistry, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    assert registry.call("slow.slow_countdown", {"seconds": 3}) == "lift-off"
    assert capsys.readouterr().out == "3 …\n2 …\n1 …\n"
    assert waited == [1, 1, 1]
