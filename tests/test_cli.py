"""The command as a person runs it: in processes of its own."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from click.shell_completion import ShellComplete

from workbench import Agent, ConfigError
from workbench.cli import main
from workbench.config import user_folder
from workbench.registry import Grant, GrantScope
from workbench.toolbox.grants_file import save_grants

AGENT = """
from workbench import Agent, StopTurn, before_tools

def greet(name: str) -> str:
    '''Greet somebody.'''
    return f"hello {name}"

agent = Agent("greeter", tools=[greet], model="offline")
other = Agent("other", tools=[greet], model="offline", on_events=[before_tools(lambda agent: stop())])

def stop():
    raise StopTurn("enough")
"""


def workbench(*arguments: str, folder: Path, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "workbench.cli", *arguments],
        cwd=folder,
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_package_can_be_run_as_a_module(own_folder: Path) -> None:
    command = [sys.executable, "-m", "workbench", "--help"]
    run = subprocess.run(command, cwd=own_folder, capture_output=True, text=True, timeout=120, check=True)
    assert run.stdout == workbench("--help", folder=own_folder).stdout.replace("workbench.cli", "workbench")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("session",), "there is no session\nDid you mean sessions?"),
        (("tool/",), "there is no tool/\nDid you mean tools?"),
        (("agnt.py:helper",), "there is no agnt.py:helper\nDid you mean agent.py?"),
        (("--trust", "carefull", "tools"), "there is no policy carefull\nDid you mean careful?"),
        (("run", "hi", "tool/"), "there is no tool/\nDid you mean tools?"),
        (("runn", "hi"), "there is no runn\nDid you mean run?"),
        (("tool/", "hi"), "there is no tool/\nDid you mean tools?"),
        (("--tools", "tolls"), "there is no tolls\nDid you mean tools?"),
        (("--mcp", "agnt.py"), "there is no agnt.py\nDid you mean agent.py?"),
        (("--model", "offline", "run"), "there is no run\nA command comes first: workbench run …"),
        (("--modle", "offline"), "there is no option --modle\nDid you mean --model?"),
        (("run", "hi", "--theme", "paper"), "there is no option --theme\nIt is one of workbench open."),
    ],
)
def test_a_slip_on_the_command_line_is_told_before_anything_opens(
    own_folder: Path, arguments: tuple[str, ...], said: str
) -> None:
    (own_folder / "tools").mkdir()
    (own_folder / "agent.py").write_text(AGENT)
    run = workbench(*arguments, folder=own_folder)
    assert (run.returncode, run.stderr) == (2, f"workbench: {said}\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run",), "workbench: PROMPT is missing\nSee "),
        (
            ("run", "hi", "--approve", "maybe"),
            "workbench: invalid value for '--approve': 'maybe' is not one of",
        ),
        (
            ("run", "add", "two", "numbers"),
            "workbench: there is no two\nTARGET is a folder or file of tools,",
        ),
        (("run", "hi", "--model"), " run --help."),
        (("word " * 60,), f"workbench: cannot open {'word ' * 60}: File name too long\nTARGET is a folder"),
        (("run", "hi", "--tools", "x" * 300), f"workbench: cannot open {'x' * 300}: File name too long"),
        (("sessions", "here"), "workbench: got unexpected extra argument (here)\nSee "),
        (("export", "nope"), "workbench: there are no sessions in "),
        (("--resume", "nope"), "workbench: there are no sessions in "),
        (("run", "hi", "--resume", "last"), "workbench: there are no sessions in "),
        (
            ("run", "hi", "--model", "replay:nope"),
            "workbench: cannot read nope: No such file or directory\nBehind",
        ),
        (("--model", "replay:nope"), "workbench: cannot read nope: No such file or directory\nBehind"),
        (("run", "hi", "--model", "replay:some.txt"), "workbench: no model has answered in some.txt\nBehind"),
    ],
)
def test_whatever_is_wrong_with_the_command_line_is_told_in_one_way_and_ends_with_two(
    own_folder: Path, arguments: tuple[str, ...], said: str
) -> None:
    (own_folder / "some.txt").write_text("no session\n")
    run = workbench(*arguments, folder=own_folder)
    assert (run.returncode, run.stdout) == (2, "")
    assert said in run.stderr
    assert run.stderr.startswith("workbench: ")
    assert "Usage:" not in run.stderr


def completed(*words: str) -> list[str]:
    """What a shell offers for the last word."""
    *before, last = words
    found = ShellComplete(main, {}, "workbench", "_WORKBENCH_COMPLETE").get_completions(before, last)
    return [each.value if each.type == "plain" else each.type for each in found]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("",), ["file", "export", "open", "run", "sessions", "trust"]),
        (("ru",), ["file", "run"]),
        (("--th",), ["--theme"]),
        (("tools", "--r"), ["--resume"]),
        (("run", "hi", "to"), ["file"]),
        (("run", "hi", "--approve", ""), ["ask", "all", "none"]),
        (("--mcp", "ser"), ["file"]),
    ],
)
def test_a_shell_completes_commands_options_and_files(words: tuple[str, ...], offered: list[str]) -> None:
    assert completed(*words) == offered


def test_the_help_says_of_each_command_what_it_takes_and_cuts_no_sentence(own_folder: Path) -> None:
    said = workbench("--help", folder=own_folder).stdout
    for command in ("[TARGET]", *(name for name in main.commands if name != "open")):
        assert f"  workbench {command} " in said
    assert "..." not in said.replace("[ARGS]...", "")


def test_the_end_of_the_input_is_told_where_a_yes_is_asked_for(own_folder: Path) -> None:
    (own_folder / ".env").write_text("SOME_KEY=x\n")
    run = workbench("trust", folder=own_folder)
    assert run.returncode == 1
    assert "workbench: the input ended before an answer" in run.stderr


def test_what_trust_says_goes_to_a_stdout_that_takes_it_or_the_reason_is_told(own_folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "workbench.cli", "trust"],
            cwd=own_folder,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert run.returncode == 1
    assert run.stderr == "workbench: cannot write to stdout: No space left on device\n"


@pytest.mark.parametrize("arguments", [(), ("run", "hi"), ("sessions",), ("trust",), ("export", "last")])
def test_a_folder_that_is_gone_is_told(own_folder: Path, arguments: tuple[str, ...]) -> None:
    command = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    run = subprocess.run(
        ["/bin/sh", "-c", command, "sh", sys.executable, "-m", "workbench.cli", *arguments],
        cwd=own_folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 1
    assert run.stderr == "workbench: this folder is not there any more\nGo to one that is.\n"


RAISING = """
from workbench import Agent, before_llm

def deeper():
    return {}["gone"]

@before_llm
def bad(agent):
    deeper()

agent = Agent("raising", model="offline", on_events=[bad])
unlogged = Agent("unlogged", model="offline", on_events=[bad], log=False)
"""


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_a_hook_that_raises_is_told_by_its_own_frames_and_the_log_has_all_of_it(
    own_folder: Path, quiet: tuple[str, ...]
) -> None:
    (own_folder / "mine.py").write_text(RAISING)
    run = workbench("run", "hi", "mine.py:agent", *quiet, folder=own_folder)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.endswith(
        "workbench: KeyError: 'gone' in the before_llm handler bad (mine.py:5)\n"
        "  mine.py:9 in bad   deeper()\n"
        '  mine.py:5 in deeper   return {}["gone"]\n'
        "The whole traceback is in .workbench/logs/raising.log\n"
    )
    assert "Traceback" not in run.stderr
    log = (own_folder / ".workbench" / "logs" / "raising.log").read_text()
    for part in (
        "Traceback (most recent call last):",
        'mine.py", line 5, in deeper',
        "before_llm handler bad",
    ):
        assert part in log


def test_what_a_hook_raised_is_told_whole_where_no_log_keeps_it(own_folder: Path) -> None:
    (own_folder / "mine.py").write_text(RAISING)
    run = workbench("run", "hi", "mine.py:unlogged", folder=own_folder)
    assert run.returncode == 1
    assert "Traceback (most recent call last):" in run.stderr


@pytest.mark.parametrize("target", ["broken.py", "broken", "around.py"])
def test_a_target_that_is_no_python_is_told_with_its_line_and_a_mark_below_the_place(
    own_folder: Path, target: str
) -> None:
    (own_folder / "broken.py").write_text("def fine():\n    pass\n\ndef broken(:\n    pass\n")
    (own_folder / "around.py").write_text("import broken\n")
    run = workbench("run", "hi", target, folder=own_folder)
    assert run.returncode == 2
    assert run.stderr.startswith(
        f"workbench: cannot import {own_folder / 'broken.py'}:4: SyntaxError: invalid syntax\n"
        "    def broken(:\n               ^\n"
    )


def test_a_line_that_cannot_be_shown_is_left_out(own_folder: Path) -> None:
    (own_folder / "broken.py").write_text("a = 1\0\n")
    run = workbench("run", "hi", "broken.py", folder=own_folder)
    assert run.returncode == 2
    first, _hint = run.stderr.splitlines()
    assert "SyntaxError" in first


def test_a_very_long_line_is_cut_around_its_caret(own_folder: Path) -> None:
    (own_folder / "broken.py").write_text(f"a = '{'x' * 300}' ]\n")
    run = workbench("run", "hi", "broken.py", folder=own_folder)
    assert run.returncode == 2
    first, line, caret, _hint = run.stderr.splitlines()
    assert "SyntaxError" in first
    assert len(line) < 80
    assert line[caret.index("^")] == "]"


def test_a_folder_with_a_colon_in_its_name_is_no_slip(own_folder: Path) -> None:
    (own_folder / "a:b").mkdir()
    (own_folder / "a:b" / "tools.py").write_text('def hi() -> str:\n    """Greet."""\n    return "hello"\n')
    run = workbench("run", "hi()", "a:b", "--approve", "all", folder=own_folder)
    assert (run.returncode, "hello" in run.stdout) == (0, True)


def test_one_turn_prints_the_answer_alone_on_stdout(own_folder: Path) -> None:
    run = workbench("run", "add(a=2, b=3)", folder=own_folder)
    assert run.returncode == 0
    assert "5" in run.stdout
    assert "✓ arithmetic.add" in run.stderr
    assert "✓" not in run.stdout
    assert list((own_folder / ".workbench" / "sessions").glob("assistant_*.yaml"))
    assert (own_folder / ".workbench" / "logs" / "assistant.log").exists()


@pytest.mark.parametrize(("mode", "written"), [("all", True), ("none", False)])
def test_approve_decides_about_calls_that_ask(own_folder: Path, mode: str, written: bool) -> None:
    run = workbench("run", 'write_file(path="a.txt", text="x")', "--approve", mode, folder=own_folder)
    assert run.returncode == 0
    assert (own_folder / "a.txt").exists() is written
    assert ("nobody is there" in run.stdout) is not written
    assert ("--approve all runs them" in run.stderr) is not written


def test_approve_ask_reads_the_answers_from_the_terminal(own_folder: Path) -> None:
    prompt = 'write_file(path="a.txt", text="x") write_file(path="b.txt", text="x")'
    run = workbench("run", prompt, "--approve", "ask", folder=own_folder, given="y\nnot that one\n")
    assert run.returncode == 0
    assert (own_folder / "a.txt").exists()
    assert not (own_folder / "b.txt").exists()
    assert "Rejected by the user: not that one" in run.stdout


def test_the_end_of_the_input_approves_nothing(own_folder: Path) -> None:
    run = workbench("run", 'write_file(path="a.txt", text="x")', "--approve", "ask", folder=own_folder)
    assert not (own_folder / "a.txt").exists()
    assert "the input ended" in run.stdout


def test_a_prompt_can_come_from_stdin(own_folder: Path) -> None:
    run = workbench("run", "-", folder=own_folder, given="add(a=20, b=3)")
    assert "23" in run.stdout


def test_an_agent_in_a_file_is_found_and_speaks(own_folder: Path) -> None:
    (own_folder / "mine.py").write_text(AGENT)
    run = workbench("run", "greet(name='you')", "mine.py:agent", folder=own_folder)
    assert "hello you" in run.stdout or "asks" in run.stdout or "nobody is there" in run.stdout
    assert "greeter ❯" in run.stderr


def test_a_turn_that_a_hook_stops_ends_with_four(own_folder: Path) -> None:
    (own_folder / "mine.py").write_text(AGENT)
    run = workbench("run", "greet(name='you')", "mine.py:other", folder=own_folder)
    assert run.returncode == 4
    assert "Enough" in run.stdout


def test_a_file_with_several_agents_lists_them(own_folder: Path) -> None:
    (own_folder / "mine.py").write_text(AGENT)
    run = workbench("run", "hi", "mine.py", folder=own_folder)
    assert run.returncode == 2
    assert "mine.py:agent" in run.stderr
    assert "Traceback" not in run.stderr


def test_the_iteration_limit_ends_with_three(own_folder: Path) -> None:
    run = workbench("run", "add(a=2, b=3)", "--max-iterations", "1", folder=own_folder)
    assert run.returncode == 3
    assert "Task incomplete" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("run", "hi", "nowhere.py"), "nowhere.py"),
        (("run", "hi", "--trust", "nowhere.yaml"), "nowhere.yaml"),
        (("run", "hi", "--tools", "nowhere"), "nowhere"),
        (("--theme", "nosuch"), "Themes are contrast, contrast-light, fjord"),
        (("--theme", "grafite"), "Themes are contrast, contrast-light, fjord, graphite"),
    ],
)
def test_what_cannot_be_found_is_said_plainly(
    own_folder: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    run = workbench(*arguments, folder=own_folder)
    assert run.returncode == 2
    assert complaint in run.stderr
    assert "Traceback" not in run.stderr


def test_a_wrong_option_ends_with_two(own_folder: Path) -> None:
    assert workbench("run", "hi", "--approve", "maybe", folder=own_folder).returncode == 2


def test_a_tool_file_that_does_not_load_is_named_and_the_others_work(own_folder: Path) -> None:
    tools = own_folder / "tools"
    tools.mkdir()
    (tools / "good.py").write_text("def twice(n: int) -> int:\n    '''Double.'''\n    return 2 * n\n")
    (tools / "bad.py").write_text("def broken(:\n")
    run = workbench("run", "twice(n=4)", "tools", "--approve", "all", folder=own_folder)
    assert "8" in run.stdout
    assert "bad.py was not loaded: line 1: SyntaxError" in run.stderr


WRITE_A = 'write_file(path="a.txt", text="x")'


def test_the_settings_of_the_user_are_used(own_folder: Path) -> None:
    user_folder().mkdir(parents=True)
    (user_folder() / "config.yaml").write_text("approval: open\n")
    run = workbench("run", WRITE_A, folder=own_folder)
    assert (own_folder / "a.txt").exists()
    assert "workbench trust" not in run.stderr


def test_the_settings_of_a_project_open_nothing_until_the_user_said_yes(own_folder: Path) -> None:
    settings = own_folder / ".workbench"
    settings.mkdir()
    (settings / "config.yaml").write_text("approval: open\n")
    save_grants(settings / "grants.yaml", [Grant("files.*", {}, GrantScope.PROJECT)])
    (own_folder / ".env").write_text("SOME_KEY=x\n")
    run = workbench("run", WRITE_A, folder=own_folder)
    assert not (own_folder / "a.txt").exists()
    (line,) = [each for each in run.stderr.splitlines() if "workbench trust" in each]
    assert line == (
        "workbench: project setup was not loaded: workbench trust loads it "
        "(waiting for your yes: approval, .workbench/grants.yaml, .env)"
    )
    assert workbench("trust", folder=own_folder, given="n\n").returncode == 1
    assert workbench("trust", folder=own_folder).returncode == 1
    workbench("run", WRITE_A, folder=own_folder)
    assert not (own_folder / "a.txt").exists()
    asked = workbench("trust", folder=own_folder, given="y\n")
    assert asked.returncode == 0
    for effect in ("approval: open", "never asks for files.*", "sets SOME_KEY"):
        assert effect in asked.stdout
    run = workbench("run", WRITE_A, folder=own_folder)
    assert (own_folder / "a.txt").exists()
    assert "workbench trust" not in run.stderr


def test_trust_without_a_question_holds_for_one_folder_until_a_file_changes(own_folder: Path) -> None:
    project = own_folder / "project"
    (project / ".workbench").mkdir(parents=True)
    config = project / ".workbench" / "config.yaml"
    config.write_text("approval: open\n")
    assert workbench("trust", "project", "--yes", folder=own_folder).returncode == 0
    assert "Nothing in this folder waits" in workbench("trust", folder=project).stdout
    config.write_text("approval: open\n# another remark\n")
    run = workbench("run", WRITE_A, folder=project)
    assert "waiting for your yes: approval" in run.stderr
    assert not (project / "a.txt").exists()


def test_a_yes_is_listed_and_taken_back(own_folder: Path) -> None:
    assert workbench("trust", "--list", folder=own_folder).stdout == "Nothing has your yes.\n"
    assert "has your yes" in workbench("trust", "--revoke", folder=own_folder).stdout
    for name in ("one", "two"):
        (own_folder / name / ".workbench").mkdir(parents=True)
        (own_folder / name / ".workbench" / "config.yaml").write_text("approval: open\n")
        (own_folder / name / ".env").write_text("SOME_KEY=x\n")
        assert workbench("trust", name, "--yes", folder=own_folder).returncode == 0
    (own_folder / "two" / ".env").write_text("SOME_KEY=y\n")
    files = "  .env\n  .workbench/config.yaml\n"
    stale = "  .env  (changed since: it waits for your yes)\n  .workbench/config.yaml\n"
    listed = workbench("trust", "--list", folder=own_folder)
    assert listed.stdout == f"{own_folder / 'one'}\n{files}{own_folder / 'two'}\n{stale}"
    assert workbench("trust", "--list", "one", folder=own_folder).stdout == f"{own_folder / 'one'}\n{files}"

    refused = workbench("trust", "--revoke", "one", folder=own_folder, given="n\n")
    assert (refused.returncode, ".env" in refused.stdout) == (1, True)
    assert workbench("trust", "--list", "one", folder=own_folder).stdout.endswith(files)
    assert workbench("trust", "--revoke", "one", folder=own_folder, given="y\n").returncode == 0

    assert workbench("trust", "--list", folder=own_folder).stdout == f"{own_folder / 'two'}\n{stale}"
    run = workbench("run", WRITE_A, folder=own_folder / "one")
    assert "waiting for your yes: approval, .env" in run.stderr
    assert not (own_folder / "one" / "a.txt").exists()


def test_a_yes_to_a_folder_that_is_gone_can_be_taken_back(own_folder: Path) -> None:
    (own_folder / "gone" / ".workbench").mkdir(parents=True)
    (own_folder / "gone" / ".env").write_text("SOME_KEY=x\n")
    workbench("trust", "gone", "--yes", folder=own_folder)
    shutil.rmtree(own_folder / "gone")
    assert ".env  (not there any more" in workbench("trust", "--list", folder=own_folder).stdout
    assert workbench("trust", "--revoke", "gone", "--yes", folder=own_folder).returncode == 0
    assert workbench("trust", "--list", folder=own_folder).stdout == "Nothing has your yes.\n"
    nowhere = workbench("trust", "gone", folder=own_folder)
    assert (nowhere.returncode, nowhere.stderr) == (2, "workbench: there is no folder gone\n")


def test_the_settings_of_the_project_are_checked(own_folder: Path) -> None:
    settings = own_folder / ".workbench"
    settings.mkdir()
    (settings / "config.yaml").write_text("colour: red\n")
    run = workbench("run", "hi", folder=own_folder)
    assert run.returncode == 2
    assert "colour: not a setting" in run.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model: offline\na: [\n", ":3: not valid YAML: expected the node content, but found '<stream end>'"),
        (
            "model: \x01\n",
            ": cannot be read: unacceptable character #x0001: special characters are not allowed",
        ),
        ("model: 2026-13-45\n", ": cannot be read: month must be in 1..12"),
    ],
)
def test_settings_that_cannot_be_read_are_told_in_a_line_with_the_place(
    own_folder: Path, text: str, said: str
) -> None:
    path = own_folder / ".workbench" / "config.yaml"
    path.parent.mkdir()
    path.write_text(text)
    run = workbench("run", "hi", folder=own_folder)
    assert run.returncode == 2
    assert run.stderr.startswith(f"workbench: {path}{said}")
    assert run.stderr.endswith("Mend or remove the file.\n")


LOUD = """
def loud() -> str:
    '''Say something that acts on a terminal.'''
    print("printed by the tool")
    return "\\x1b[2J\\x1b]0;TITLE\\x07done"
"""


def test_what_a_tool_prints_is_not_the_answer(own_folder: Path) -> None:
    (own_folder / "tools.py").write_text(LOUD)
    run = workbench("run", "loud()", "tools.py", "--approve", "all", folder=own_folder)
    assert "printed by the tool" in run.stderr
    assert "printed by the tool" not in run.stdout


def test_an_answer_cannot_act_on_the_terminal(own_folder: Path) -> None:
    (own_folder / "tools.py").write_text(LOUD)
    command = [sys.executable, "-m", "workbench.cli", "run", "loud()", "tools.py", "--approve", "all"]
    leader, follower = pty.openpty()
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": follower, "stderr": follower}
    with subprocess.Popen(command, cwd=own_folder, **pipes) as run:
        os.close(follower)
        seen = b""
        while chunk := _read(leader):
            seen += chunk
        assert run.wait(60) == 0
    os.close(leader)
    assert b"\\e[2J" in seen
    assert b"\x1b[2J" not in seen
    assert b"\x1b]0;" not in seen


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 65_536)
    except OSError:  # the other end is closed
        return b""


def test_an_object_given_as_a_model_is_told_where_it_belongs() -> None:
    with pytest.raises(ConfigError) as caught:
        Agent("tester", model=cast("str", object()))
    assert "llm=" in caught.value.hint


def test_a_rule_by_short_name_denies_and_one_for_no_tool_is_told(own_folder: Path) -> None:
    rules = 'rules:\n  - deny: write_file\n    arguments: {path: "n.*"}\n  - deny: wrte_file\n'
    (own_folder / "pol.yaml").write_text(rules)
    call = 'write_file(path="n.txt", text="1")'
    run = workbench("run", call, "--trust", "pol.yaml", "--approve", "all", folder=own_folder)
    assert not (own_folder / "n.txt").exists()
    assert "deny write_file with path: n.* (pol.yaml:2)" in run.stdout
    assert "answer yes when asked" not in run.stderr
    idle = "a rule of the policy covers nothing: deny wrte_file (pol.yaml:4): no tool has that name"
    assert f"workbench: {idle}; near it: files.write_file" in run.stderr


def test_a_folder_without_tools_is_told(own_folder: Path) -> None:
    (own_folder / "empty").mkdir()
    run = workbench("run", "hello", "empty", folder=own_folder)
    assert f"workbench: there are no tools in {own_folder / 'empty'}" in run.stderr
    assert "covers nothing" not in run.stderr
    run = workbench("run", "hello", "--tools", "empty", "--quiet", folder=own_folder)
    assert (run.returncode, run.stderr) == (0, "")


def test_a_turn_without_a_screen_has_the_tools_of_mcp_servers(own_folder: Path) -> None:
    server = Path(__file__).parent / "toolbox" / "mcp_sample_server.py"
    entry = {"command": sys.executable, "args": [str(server)]}
    (own_folder / "servers.json").write_text(json.dumps({"mcpServers": {"sample": entry}}))
    run = workbench("run", "sample.add(a=2, b=3)", "--mcp", "servers.json", folder=own_folder)
    assert run.returncode == 0, run.stderr
    assert "✓ sample.add" in run.stderr
    assert "5" in run.stdout


def test_an_mcp_server_that_does_not_start_is_a_wrong_command_line(own_folder: Path) -> None:
    entry = {"command": sys.executable, "args": ["-c", "import sys; sys.exit('no DATABASE_URL')"]}
    (own_folder / "servers.json").write_text(json.dumps({"mcpServers": {"broken": entry}}))
    run = workbench("run", "hello", "--mcp", "servers.json", folder=own_folder)
    assert run.returncode == 2
    assert run.stdout == ""
    assert "workbench: the MCP server broken did not start: " in run.stderr
    assert "no DATABASE_URL" in run.stderr
    assert "servers.json" in run.stderr
