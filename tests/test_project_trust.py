"""A project's files decide nothing that the user did not say yes to, and tighten as they like."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
import yaml

from workbench import project_review
from workbench.compose import build_agent, make_llm
from workbench.config import load_config, load_settings, user_folder
from workbench.errors import ConfigError
from workbench.project_review import ProjectReview
from workbench.project_trust import ProjectTrust
from workbench.registry import Grant, GrantScope
from workbench.tightening import tightened
from workbench.toolbox.grants_file import grants_path, save_grants


@pytest.fixture(autouse=True)
def _nothing_said_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_review, "_told", set())


def configure(folder: Path, **settings: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(settings))
    return path


def in_project(folder: Path, **settings: Any) -> Path:
    return configure(folder / ".workbench", **settings)


# tightening


@pytest.mark.parametrize(
    ("own", "theirs"),
    [
        ({}, {"theme": "paper"}),
        ({}, {"model": "offline"}),
        ({"model": "openai/x"}, {"model": "openai/x"}),
        ({}, {"approval": "strict"}),
        ({}, {"approval": "careful"}),
        ({"approval": "open"}, {"approval": "careful"}),
        ({"approval": "/my/policy.yaml"}, {"approval": "/my/policy.yaml"}),
        ({}, {"max_cost": 1.0, "max_turn_tokens": 5}),
        ({"max_cost": 2.0}, {"max_cost": 1.0}),
        ({}, {"parameters": {"temperature": 0, "max_tokens": 9}}),
    ],
)
def test_what_tightens_or_shapes_takes_effect_at_once(own: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert tightened(own, theirs) == (theirs, {})


@pytest.mark.parametrize(
    ("own", "theirs"),
    [
        ({}, {"approval": "open"}),
        ({}, {"approval": "policy.yaml"}),
        ({"approval": "strict"}, {"approval": "careful"}),
        ({"approval": "/my/policy.yaml"}, {"approval": "careful"}),
        ({"approval": "/my/policy.yaml"}, {"approval": "strict"}),
        ({}, {"model": "huggingface/https://example.org"}),
        ({"max_cost": 1.0}, {"max_cost": 2.0}),
        ({"max_cost": 1.0}, {"max_cost": None}),
    ],
)
def test_what_loosens_waits_for_a_yes(own: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert tightened(own, theirs) == ({}, theirs)


@pytest.mark.parametrize(
    "name", ["base_url", "api_base", "api_key", "extra_headers", "custom_llm_provider", "anything_new"]
)
def test_parameters_that_may_say_where_a_request_goes_wait_for_a_yes(name: str) -> None:
    accepted, waiting = tightened({}, {"parameters": {name: "x", "temperature": 0}})
    assert accepted == {"parameters": {"temperature": 0}}
    assert waiting == {f"parameters.{name}": "x"}


# the settings of a folder


def test_after_a_yes_everything_takes_effect_until_the_content_changes(own_folder: Path) -> None:
    path = in_project(own_folder, approval="open", model="openai/x", parameters={"base_url": "http://h/v1"})
    before = load_config(own_folder)
    assert (before.approval, before.model, before.parameters) == ("careful", "offline", {})
    ProjectReview(own_folder).say_yes()
    trusted = load_settings(own_folder)
    assert trusted.waiting == {}
    assert (trusted.config.approval, trusted.config.model) == ("open", "openai/x")
    assert trusted.config.parameters == {"base_url": "http://h/v1"}
    path.write_text(path.read_text() + "# changed\n")
    assert load_config(own_folder) == before


def test_a_yes_is_for_one_folder(own_folder: Path) -> None:
    for name in ("one", "two"):
        in_project(own_folder / name, approval="open")
    ProjectReview(own_folder / "one").say_yes()
    assert load_config(own_folder / "one").approval == "open"
    assert load_config(own_folder / "two").approval == "careful"


def test_a_project_cannot_take_away_the_address_that_the_user_set(own_folder: Path) -> None:
    configure(user_folder(), parameters={"base_url": "http://mine/v1", "seed": 1})
    in_project(own_folder, parameters={"temperature": 0, "base_url": None})
    assert load_config(own_folder).parameters == {"base_url": "http://mine/v1", "seed": 1, "temperature": 0}


def test_a_policy_file_of_a_project_is_part_of_what_the_yes_is_about(own_folder: Path) -> None:
    in_project(own_folder, approval="policy.yaml")
    policy = own_folder / "policy.yaml"
    policy.write_text("rules:\n- allow: 'shell.*'\n  arguments: {command: 'git *'}\n")
    review = ProjectReview(own_folder)
    assert "allow: shell.*, command=git *" in review.text
    review.say_yes()
    assert load_config(own_folder).approval == "policy.yaml"
    policy.write_text("default: allow\n")
    assert load_config(own_folder).approval == "careful"
    assert "default: allow" in ProjectReview(own_folder).text


def test_a_policy_file_of_the_user_lies_beside_the_users_settings(own_folder: Path) -> None:
    configure(user_folder(), approval="mine.yaml")
    assert load_config(own_folder).approval == str(user_folder() / "mine.yaml")


def test_a_yes_is_never_about_more_than_was_shown(own_folder: Path) -> None:
    path = in_project(own_folder, approval="strict", theme="paper", max_cost=1.0, model="openai/x")
    review = ProjectReview(own_folder)
    configure(path.parent, approval="open")
    review.say_yes()
    assert load_config(own_folder).approval == "careful"


def test_what_is_shown_hides_keys_and_cannot_act_on_the_terminal(own_folder: Path) -> None:
    in_project(
        own_folder,
        parameters={"api_key": "sk-abcdefgh12345678", "x\x1b[2J": "y\x1b]0;t\x07", "extra_body": {"a": [1]}},
    )
    text = ProjectReview(own_folder).text
    assert "api_key: (hidden)" in text
    assert "extra_body: (dict)" in text
    assert "\x1b" not in text + ProjectReview(own_folder).line


def test_damaged_files_without_a_yes_are_shown_and_stop_nobody(own_folder: Path) -> None:
    in_project(own_folder, approval="policy.yaml")
    (own_folder / "policy.yaml").write_text("default: perhaps\n")
    (own_folder / ".workbench" / "grants.yaml").write_text("grants: yes")
    (own_folder / ".env").write_bytes(b"A=\xff")
    assert ProjectReview(own_folder).text.count("(cannot be used: ") == 3
    build_agent(None, problem=lambda *words: None).close()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("[1, 2]", "expected folders"), ("[2020-13-45]", "cannot be read"), ("[" * 5_000, "cannot be read")],
)
def test_a_damaged_list_of_trusted_folders_is_named_and_trusts_nothing(
    own_folder: Path, text: str, complaint: str
) -> None:
    in_project(own_folder, approval="open")
    user_folder().mkdir(parents=True)
    (user_folder() / "trusted.yaml").write_text(text)
    with pytest.raises(ConfigError, match=rf"trusted\.yaml: {complaint}"):
        load_config(own_folder)


@pytest.mark.parametrize("text", ["model: 2020-13-45", "model: " + "[" * 5_000])
def test_settings_that_cannot_be_read_are_named(own_folder: Path, text: str) -> None:
    folder = own_folder / ".workbench"
    folder.mkdir()
    (folder / "config.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"config\.yaml: cannot be read"):
        load_config(own_folder)


def test_the_list_of_trusted_folders_is_private(own_folder: Path) -> None:
    in_project(own_folder, approval="open")
    ProjectReview(own_folder).say_yes()
    assert (user_folder() / "trusted.yaml").stat().st_mode & 0o777 == 0o600


def test_a_file_that_we_write_keeps_its_yes_and_gains_none(own_folder: Path) -> None:
    trust = ProjectTrust(own_folder, user_folder())
    path = own_folder / "a.yaml"
    with trust.keeping(path):
        path.write_text("new")
    assert trust.covers(path)
    with trust.keeping(path):
        path.write_text("newer")
    assert trust.covers(path)
    path.write_text("somebody else's")
    with trust.keeping(path):
        path.write_text("ours, on top of somebody else's")
    assert not trust.covers(path)


def test_what_cannot_be_read_has_no_yes(own_folder: Path) -> None:
    (own_folder / "folder.yaml").mkdir()
    trust = ProjectTrust(own_folder, user_folder())
    trust.say_yes(trust.digests([own_folder / "folder.yaml"]))
    assert not trust.covers(own_folder / "folder.yaml")


# what is said


def test_an_agent_is_built_without_what_waits_and_one_line_says_so(own_folder: Path) -> None:
    in_project(own_folder, approval="open", parameters={"base_url": "http://h/v1"})
    save_grants(grants_path(own_folder), [Grant("*", {}, GrantScope.PROJECT)])
    said: list[tuple[str, str, str]] = []
    agent = build_agent(None, problem=lambda *words: said.append(words))
    waiting = "approval, parameters.base_url, .workbench/grants.yaml"
    line = f"workbench trust loads it (waiting for your yes: {waiting})"
    assert said == [("project setup", line, "")]
    assert agent.tools.grants == ()
    assert agent.trust == "careful"
    agent.close()


def test_a_script_hears_once_that_an_address_is_left_out(
    own_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    in_project(own_folder, approval="open", parameters={"base_url": "http://h/v1"})
    for _ in range(3):
        make_llm("offline")
    (record,) = [each for each in caplog.records if each.levelno == logging.WARNING]
    assert "waiting for your yes: parameters.base_url" in record.getMessage()


def test_without_anybody_to_tell_the_line_is_logged_once(
    own_folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    in_project(own_folder, approval="open")
    for _ in range(2):
        build_agent(None).close()
    (record,) = [each for each in caplog.records if each.levelno == logging.WARNING]
    assert record.getMessage() == (
        "project setup was not loaded: workbench trust loads it (waiting for your yes: approval)"
    )
