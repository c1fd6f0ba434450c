"""``workbench run`` with a model behind real HTTP: real litellm, a server that misbehaves on command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from tests.providers.loopback import Loopback, call, calls, error, text
from workbench.cli import main
from workbench.config import user_folder
from workbench.project_review import ProjectReview

TWO_CALLS = calls(
    [call(0, "call_a", "arithmetic-add", '{"a": 2,'), call(1, "call_b", "arithmetic-multiply", "")],
    [call(0, arguments=' "b": 3}'), call(1, arguments='{"a": 4, "b": 5}')],
    said="Both at once.",
)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """The server, and a person whose settings ask it."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with Loopback() as loopback:
        configure(loopback.base_url)
        yield loopback


def configure(base_url: str, **more: object) -> None:
    user_folder().mkdir(parents=True, exist_ok=True)
    settings = {"model": "openai/some-model", "parameters": {"base_url": base_url}, **more}
    (user_folder() / "config.yaml").write_text(yaml.safe_dump(settings))


@dataclass(frozen=True)
class Done:
    """What the command printed, and its exit code."""

    exit_code: int
    stdout: str
    stderr: str


Run = Callable[..., Done]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """The command in this process, whose model host has its library loaded already."""

    def invoke(*arguments: str) -> Done:
        result = CliRunner().invoke(main, ["run", *arguments])
        # during a turn what is printed goes to the process's own stderr
        return Done(result.exit_code, result.stdout, result.stderr + capfd.readouterr().err)

    return invoke


def test_a_process_of_its_own_reads_the_key_from_env_and_prints_the_answer_alone(
    server: Loopback, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    (own_folder / ".env").write_text("OPENAI_API_KEY=sk-from-the-file\n")
    ProjectReview(own_folder).say_yes()
    server.script(TWO_CALLS, text("They are ", "5 and 20."))
    done = subprocess.run(
        [sys.executable, "-m", "workbench.cli", "run", "2 + 3 and 4 * 5?"],
        cwd=own_folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "They are 5 and 20.\n"
    assert done.returncode == 0
    assert "✓ arithmetic.add" in done.stderr
    assert "✓ arithmetic.multiply" in done.stderr
    assert {request.headers["authorization"] for request in server.requests} == {"Bearer sk-from-the-file"}
    assert [message["role"] for message in server.requests[1].body["messages"]] == [
        "system", "user", "assistant", "tool", "tool",
    ]  # fmt: skip
    kept = [path for path in (own_folder / ".workbench").rglob("*") if path.is_file()]
    assert len(kept) > 1
    assert not any("sk-from-the-file" in text for text in (done.stderr, *(p.read_text() for p in kept)))


def test_two_calls_run_and_the_answer_is_printed(server: Loopback, run: Run) -> None:
    server.script(TWO_CALLS, text("They are ", "5 and 20."))
    done = run("2 + 3 and 4 * 5?")
    assert done.exit_code == 0
    assert done.stdout == "They are 5 and 20.\n"
    assert "cost unknown" in done.stderr


def test_a_refused_connection_says_where(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with Loopback() as gone:
        base_url = gone.base_url
    configure(base_url)
    done = run("hello")
    assert done.exit_code == 1
    assert f"Cannot reach {base_url}" in done.stderr
    assert f"Is the server running at {base_url}?" in done.stderr
    assert done.stdout == ""


def test_a_missing_key_names_the_variable_also_when_quiet(
    server: Loopback, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    server.script(error(401, "who are you?"))
    done = run("hello", "--quiet")
    assert done.exit_code == 1
    assert "There is no key for openai/some-model." in done.stderr
    assert "Set OPENAI_API_KEY in the environment or in .env" in done.stderr


def test_an_unknown_model_says_so(server: Loopback, run: Run) -> None:
    server.script(error(404, "The model `some-model` does not exist", code="model_not_found"))
    done = run("hello")
    assert done.exit_code == 1
    assert "There is no model openai/some-model" in done.stderr
    assert f"Check which models the server at {server.base_url} has." in done.stderr


def test_a_rate_limit_is_waited_out_and_said(server: Loopback, run: Run) -> None:
    server.script(error(429, "slow down", headers={"Retry-After": "1"}), text("Now."))
    done = run("hello")
    assert done.stdout == "Now.\n"
    assert "rate limited, trying again in 1 s" in done.stderr


def test_a_ceiling_of_the_configuration_stops_the_turn_and_the_exit_code_says_so(
    server: Loopback, run: Run
) -> None:
    configure(server.base_url, max_turn_tokens=10, max_cost=0.5)
    server.script(TWO_CALLS, text("never"))
    done = run("2 + 3 and 4 * 5?")
    assert done.exit_code == 4
    assert "The ceiling of 10 tokens for one turn is reached: 18 so far." in done.stdout
    assert "The price of openai/some-model is not known" in done.stderr
    assert len(server.requests) == 1


def test_the_model_of_the_command_line_answers_for_an_agent_of_a_file(
    server: Loopback, own_folder: Path, run: Run
) -> None:
    (own_folder / "mine.py").write_text(
        "from workbench import Agent\nagent = Agent('mine', [], model='offline', quiet=True)\n"
    )
    server.script(text("From the server."))
    done = run("hello", "mine.py", "--model", "openai/other")
    assert done.stdout == "From the server.\n"
    assert server.requests[0].body["model"] == "other"


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ("max_cost: free", "max_cost: expected an amount of dollars above 0, got 'free'"),
        ("max_turn_tokens: 1.5", "max_turn_tokens: expected a whole number of tokens above 0, got 1.5"),
        ("parameters: {temperature: hot}", "parameters: temperature: expected a number from 0 to 2"),
        ("parameters: [1]", "parameters: expected a mapping, got [1]"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_with_what_could(settings: str, complaint: str, run: Run) -> None:
    user_folder().mkdir(parents=True)
    (user_folder() / "config.yaml").write_text(settings)
    done = run("hello")
    assert done.exit_code == 2
    assert f"config.yaml: {complaint}" in done.stderr
