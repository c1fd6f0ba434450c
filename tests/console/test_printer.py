"""What a script prints: calm lines, nothing that acts on the terminal, nothing parsed as markup."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from rich.console import Console

from workbench.console.lines import call_line, duration
from workbench.console.printer import ConsolePrinter
from workbench.engine import Agent, before_each_tool
from workbench.engine.llm import Delta, LLMResponse, TokenUsage, ToolCall
from workbench.errors import MissingKeyError, ToolRejected

HOSTILE = "[/dim] [a=b \\[ [red]x[/] \x1b[2J\x9b31m\u202e\0\ud800\r\x07"


class Script:
    """Answers with what it was given, in order."""

    model = "scripted"

    def __init__(self, *answers: LLMResponse | BaseException) -> None:
        self.answers = list(answers)

    def complete(self, messages: Any, tools: Any = None, *, on_delta: Any = None) -> LLMResponse:
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        on_delta(Delta("status", "rate limited, waiting 8 s"))
        on_delta(Delta("text", answer.content or ""))
        return answer


def calls(*wanted: ToolCall) -> LLMResponse:
    return LLMResponse(tool_calls=list(wanted), usage=TokenUsage(100, 20, 0, 0.01))


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def boom(text: str) -> str:
    """Fail."""
    raise ValueError(text)


def agent_with(llm: Script, *tools: Any, printer: ConsolePrinter, **options: Any) -> Agent:
    return Agent("helper", tools, llm=llm, observers=[printer], **options)


def screen(width: int = 80) -> tuple[ConsolePrinter, io.StringIO]:
    out = io.StringIO()
    return ConsolePrinter(Console(file=out, width=width, color_system=None, highlight=False)), out


def test_a_turn_prints_prompt_calls_answer_and_totals() -> None:
    printer, out = screen()
    answer = LLMResponse("It is 5.", usage=TokenUsage(10, 5, 0, 0.002))
    llm = Script(calls(ToolCall("add", {"a": 2, "b": 3})), answer)
    agent_with(llm, add, printer=printer).input("What is 2+3?")
    lines = out.getvalue().splitlines()
    assert lines[0] == "helper ❯ What is 2+3?"
    assert lines[1] == "· rate limited, waiting 8 s"
    assert re.fullmatch(r"✓ add  a=2, b=3   [\d.]+ ms", lines[2])
    assert "It is 5." in lines
    assert re.fullmatch(r"✓ success · [\d.]+ m?s · 1 call · 135 tokens · \$0\.0120", lines[-1])


def test_a_failed_call_says_why_and_a_failed_turn_says_what_to_do() -> None:
    printer, out = screen()
    error = MissingKeyError("no key", hint="Set OPENAI_API_KEY.")
    agent = agent_with(Script(calls(ToolCall("boom", {"text": "it broke"})), error), boom, printer=printer)
    with pytest.raises(MissingKeyError):
        agent.input("go")
    text = out.getvalue()
    assert "✗ boom  text='it broke'" in text
    assert "ValueError: it broke" in text
    assert "✗ MissingKeyError: no key\n  Set OPENAI_API_KEY." in text
    assert "✗ error · " in text


def test_an_interrupt_is_one_plain_line() -> None:
    printer, out = screen()
    agent = agent_with(Script(KeyboardInterrupt()), printer=printer)
    with pytest.raises(KeyboardInterrupt):
        agent.input("go")
    _, *said = out.getvalue().splitlines()
    assert [line.split(" · ")[0] for line in said if not line.startswith("· ")] == ["– interrupted"]


def test_the_last_line_counts_the_calls_that_were_rejected() -> None:
    printer, out = screen()

    @before_each_tool
    def refuse(agent: Agent) -> None:
        raise ToolRejected("not now")

    wanted = calls(ToolCall("add", {"a": 2, "b": 3}), ToolCall("add", {"a": 3, "b": 3}))
    llm = Script(wanted, LLMResponse("."))
    agent = agent_with(llm, add, printer=printer)
    agent.hooks.add(refuse)
    agent.input("go")
    assert " · 2 rejected · " in out.getvalue().splitlines()[-1]


def test_hostile_text_is_shown_and_never_obeyed() -> None:
    printer, out = screen(width=400)
    llm = Script(calls(ToolCall("boom", {"text": HOSTILE})), LLMResponse(HOSTILE))
    agent_with(llm, boom, printer=printer).input(HOSTILE)
    text = out.getvalue()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", text)
    assert text.count("[/dim] [a=b") >= 4  # prompt, arguments, reason, answer
    assert "\\e[2J" in text


def test_a_quiet_agent_prints_nothing() -> None:
    printer, out = screen()
    agent_with(Script(LLMResponse("hi")), printer=printer, quiet=True).input("x")
    assert out.getvalue() == ""


def test_the_answer_can_be_left_to_the_caller() -> None:
    printer, out = screen()
    printer = ConsolePrinter(printer.console, show_result=False)
    agent_with(Script(LLMResponse("the answer")), printer=printer).input("x")
    assert "the answer" not in out.getvalue()
    assert "✓ success" in out.getvalue()


def test_stdout_stays_the_scripts_own(capsys: pytest.CaptureFixture[str]) -> None:
    agent_with(Script(LLMResponse("hi")), printer=ConsolePrinter()).input("x")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "hi" in captured.err


@pytest.mark.parametrize("own_printer", [False, True])
def test_calls_of_an_agent_inside_a_tool_are_printed_once(own_printer: bool) -> None:
    printer, out = screen()
    inner = Agent(
        "inner",
        [add],
        llm=Script(calls(ToolCall("add", {"a": 1, "b": 1})), LLMResponse("2")),
        observers=[ConsolePrinter(printer.console)] if own_printer else [],
    )

    def delegate(task: str) -> str:
        """Let another do it."""
        return inner.input(task)

    llm = Script(calls(ToolCall("delegate", {"task": "1+1"})), LLMResponse("done"))
    agent_with(llm, delegate, printer=printer).input("go")
    assert out.getvalue().count("✓ add") == 1
    assert own_printer or "inner · ✓ add  a=1, b=1" in out.getvalue()


@pytest.mark.parametrize("width", [20, 40, 80])
def test_a_call_is_one_line_and_only_its_arguments_are_cut(width: int) -> None:
    entry = {"tool_name": "write_file", "status": "rejected", "arguments": {"text": "漢字" * 5000}}
    line = call_line(entry, width)
    assert line.cell_len <= max(width, 41)
    assert line.plain.startswith("⊘ write_file  text='")
    assert line.plain.endswith("…   rejected")


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0.04, "0.0 ms"),
        (0.96, "1 ms"),
        (640.2, "640 ms"),
        (999.6, "1.00 s"),
        (1310, "1.31 s"),
        (125_000, "2 min 5 s"),
    ],
)
def test_times_are_short(milliseconds: float, text: str) -> None:
    assert duration(milliseconds) == text
