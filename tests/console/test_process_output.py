"""What a process and its children write is passed on, and kept with the call that wrote it."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench import ProcessOutput

SCRIPT = """
import ctypes, logging, os, subprocess, sys, threading
from workbench import Agent, LLMResponse, ProcessOutput, ToolCall

class Model:
    def complete(self, messages, tools=None):
        called = any(message["role"] == "tool" for message in messages)
        return LLMResponse("done") if called else LLMResponse(tool_calls=[ToolCall("noisy")])

def noisy() -> str:
    print("python")
    os.write(1, b"descriptor\\n")
    subprocess.run(["sh", "-c", "echo child; echo complaint >&2"], check=True)
    ctypes.CDLL(None).puts(b"from C")
    ctypes.CDLL(None).fflush(None)
    logging.getLogger("a_tool").warning("logged")
    thread = threading.Thread(target=os.system, args=("echo child of a thread",))
    thread.start()
    thread.join()
    return "ok"

agent = Agent("script", [noisy], llm=Model(), quiet=True, log=False)
with ProcessOutput({options}) as agent.output:
    print("before")
    answer = agent.input("go")
    os.write(1, b"between\\n")
print(answer)
print(repr(agent.current_session["trace"][2]["output"]))
"""


def script(folder: Path, options: str = "") -> subprocess.CompletedProcess[str]:
    source = SCRIPT.replace("{options}", options)
    return subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True, cwd=folder, timeout=60
    )


WRITTEN = ["python", "descriptor", "child", "complaint", "from C", "logged", "child of a thread"]


def test_children_and_c_code_are_kept_with_the_call_and_still_printed(tmp_path: Path) -> None:
    done = script(tmp_path)
    *printed, kept = done.stdout.splitlines()
    assert sorted(printed) == sorted(
        ["before", *(line for line in WRITTEN if line not in ("complaint", "logged")), "between", "done"]
    )
    assert printed[0] == "before"
    assert printed[-2:] == ["between", "done"]
    assert sorted(done.stderr.splitlines()) == ["complaint", "logged"]
    assert sorted(ast.literal_eval(kept).splitlines()) == sorted(WRITTEN)


def test_all_of_it_can_go_to_stderr_in_the_order_in_which_it_came(tmp_path: Path) -> None:
    done = script(tmp_path, "stdout_to=2")
    answer, kept = done.stdout.splitlines()
    assert answer == "done"
    assert done.stderr.splitlines() == ["before", *WRITTEN, "between"]
    assert ast.literal_eval(kept).splitlines() == WRITTEN


def test_leaving_puts_everything_back(capfd: pytest.CaptureFixture[str]) -> None:
    def standing() -> list[object]:
        open_now = sorted(os.listdir("/dev/fd"))
        return [sys.stdout, sys.stderr, os.fstat(1).st_ino, os.fstat(2).st_ino, open_now]

    before = standing()
    with ProcessOutput() as output, output.bracket("call") as captured:
        os.write(2, b"inside\n")
    assert captured.text == "inside\n"
    assert standing() == before
    os.write(1, b"outside\n")
    assert capfd.readouterr() == ("outside\n", "inside\n")


def test_the_command_line_keeps_what_children_of_a_tool_write_off_its_answer(tmp_path: Path) -> None:
    (tmp_path / "noisy.py").write_text(
        "import subprocess\n\n\ndef shout() -> str:\n"
        "    subprocess.run(['echo', 'from a child'], check=True)\n    return 'ok'\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "workbench.cli", "run", "shout()", "noisy.py", "--approve", "all"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        timeout=60,
    )
    assert "from a child" not in done.stdout
    assert "from a child\n" in done.stderr
    (session,) = (tmp_path / ".workbench" / "sessions").iterdir()
    assert r"\"output\": \"from a child\\n\"" in session.read_text()
