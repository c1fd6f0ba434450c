"""A traced call as a test file: really run, before and after the tool changes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from workbench.engine.agent import Agent
from workbench.engine.llm import LLMResponse
from workbench.errors import ConfigError
from workbench.registry import ToolRegistry
from workbench.toolbox.loader import load_tools
from workbench.toolbox.pytest_writer import callee, check_savable, default_path, write_test

TOOLS = '''\
from dataclasses import dataclass
from enum import Enum
from functools import partial

from rates import RATES


class RateError(Exception):
    pass


class Unit(Enum):
    EURO = "EUR"
    DOLLAR = "USD"


@dataclass
class Money:
    amount: float
    unit: Unit


def convert(amount: float, unit: Unit) -> Money:
    """Convert."""
    return Money(amount * RATES[unit.value], unit)


def different(text: str) -> set[str]:
    """The different words."""
    return set(text.split())


def words(text: str) -> str:
    """The words."""
    return " / ".join(text.split())


def rows(count: int) -> list[dict]:
    """Rows."""
    return [{"n": n, "name": f"row {n}", "odd": n % 2 == 1, "none": None} for n in range(count)]


def broken(key: str) -> str:
    """Fail."""
    return {}[key]


def own_error(key: str) -> str:
    """Fail in its own way."""
    raise RateError(f"no {key!r}\\nin the table")


async def later(text: str) -> str:
    """Async."""
    return text.upper()


def flags(count: int) -> dict:
    """Values that Python holds to be equal to others."""
    return {"many": count > 3, "half": count / 2}


def digits(number: int) -> str:
    """A text that reads as a number."""
    return str(number)


def unannotated(given):
    """Nobody said what it takes, or gives."""
    return given


def thing() -> object:
    """No JSON."""
    return object()


class Bank:
    def balance(self, who: str) -> int:
        """Balance."""
        return len(who)


bank = Bank()


class Doubler:
    """Twice a number."""

    def __call__(self, number: int) -> int:
        return 2 * number


doubler = Doubler()


def product(left: int, right: int) -> int:
    """The product."""
    return left * right


tenfold = partial(product, 10)


def nothing(number: int) -> float:
    """No number."""
    return float("nan")


def maker():
    def hidden(a: int) -> int:
        """Hidden."""
        return a

    return hidden


made = maker()

__all__ = ["convert", "different", "words", "rows", "broken", "own_error", "later", "thing", "bank"]
__all__ += ["flags", "digits", "unannotated", "doubler", "tenfold", "nothing", "made"]
'''


class Silent:
    def complete(self, messages: Any, tools: Any = None) -> LLMResponse:
        return LLMResponse("hi")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tools = tmp_path / "my tools"
    tools.mkdir()
    (tools / "money.py").write_text(TOOLS)
    (tools / "rates.py").write_text('RATES = {"EUR": 1.0, "USD": 1.25}\n__all__ = []\n')
    return tmp_path


def agent_in(folder: Path) -> Agent:
    registry = ToolRegistry()
    assert load_tools(folder / "my tools", registry).failures == []
    return Agent("a", registry, llm=Silent(), quiet=True, log=False, trust="open")


def saved(agent: Agent, folder: Path, tool: str, **arguments: Any) -> Path:
    """The call really runs, and its test is on disk."""
    entry = agent.run_tool(tool, arguments)
    check_savable(entry)
    found = agent.tools.get(tool)
    assert found is not None
    path = default_path(folder, tool)
    path.parent.mkdir(exist_ok=True)
    path.write_text(write_test(entry, callee(found), path).text)
    return path


def run_pytest(*paths: Path) -> subprocess.CompletedProcess[str]:
    """pytest on these files of one folder."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(path.name for path in paths)]
    return subprocess.run(
        command, cwd=paths[0].parent, capture_output=True, text=True, check=False, timeout=120
    )


CHANGES: tuple[tuple[str, dict[str, Any], str, str], ...] = (
    ("money.convert", {"amount": 4.0, "unit": "USD"}, "amount * RATES", "amount + RATES"),
    ("money.words", {"text": 'a "b"\n\x1b[31m \u2028 \ud800 c'}, '" / "', '" | "'),
    ("money.different", {"text": "a b c d e f g"}, "set(text", "set(text[2:]"),
    ("money.rows", {"count": 7}, "n % 2 == 1", "n % 2 == 0"),
    ("money.broken", {"key": "it's"}, "return {}[key]", "return key"),
    ("money.own_error", {"key": "EUR"}, "in the table", "in this table"),
    ("money.later", {"text": "x"}, "upper", "title().lower"),
    ("money.balance", {"who": "ann"}, "len(who)", "len(who) + 1"),
    ("money.flags", {"count": 4}, "count > 3", "int(count > 3)"),
    ("money.digits", {"number": 2}, "return str(number)", "return number"),
    ("money.unannotated", {"given": "2"}, "return given", "return int(given)"),
    ("money.doubler", {"number": 3}, "return 2 * number", "return 3 * number"),
    ("money.product", {"right": 3}, "return left * right", "return left + right"),
    ("money.nothing", {"number": 3}, 'float("nan")', 'float("inf")'),
    ("money.made", {"a": 3}, "return a\n", "return a + 1\n"),
)
"""A call, and how its tool is changed so that it gives something else."""


@pytest.mark.parametrize(
    "changes", [CHANGES, [("money.flags", {"count": 4}, "count / 2", "count // 2")]], ids=["each", "half"]
)
def test_a_saved_call_passes_today_and_fails_once_the_result_changes(
    folder: Path, changes: Sequence[tuple[str, dict[str, Any], str, str]]
) -> None:
    agent = agent_in(folder)
    paths = [saved(agent, folder, tool, **arguments) for tool, arguments, _, _ in changes]
    before = run_pytest(*paths)
    assert before.returncode == 0, before.stdout
    assert f"{len(paths)} passed" in before.stdout
    file = folder / "my tools" / "money.py"
    for _, _, old, new in changes:
        assert file.read_text().count(old) == 1
        file.write_text(file.read_text().replace(old, new))
    after = run_pytest(*paths)
    assert after.returncode == 1, after.stdout
    assert f"{len(paths)} failed" in after.stdout
    assert "passed" not in after.stdout.splitlines()[-1]


def test_the_file_reads_as_one_would_write_it(folder: Path) -> None:
    path = saved(agent_in(folder), folder, "money.convert", amount=4.0, unit="USD")
    text = path.read_text()
    assert path == folder / "tests" / "test_convert_1.py"
    assert "FILE = Path(__file__).resolve().parents[1] / 'my tools' / 'money.py'" in text
    assert "ARGUMENTS = {'amount': 4.0, 'unit': 'USD'}" in text
    assert "RESULT = {'amount': 5.0, 'unit': 'USD'}" in text
    assert "def test_convert_gives_what_it_gave() -> None:" in text


def test_the_next_one_gets_the_next_number(folder: Path) -> None:
    agent = agent_in(folder)
    saved(agent, folder, "money.words", text="a")
    assert saved(agent, folder, "money.words", text="b").name == "test_words_2.py"


def test_a_huge_result_is_compared_by_its_digest_and_says_so(folder: Path) -> None:
    path = saved(agent_in(folder), folder, "money.rows", count=5_000)
    assert path.stat().st_size < 2_000
    assert "its SHA-256 stands for it" in path.read_text()
    assert run_pytest(path).returncode == 0
    file = folder / "my tools" / "money.py"
    file.write_text(file.read_text().replace("n % 2 == 1", "n % 2 == 0"))
    assert run_pytest(path).returncode == 1


def test_a_result_with_an_address_is_said_to_differ_each_time(folder: Path) -> None:
    agent = agent_in(folder)
    entry = agent.run_tool("money.thing", {})
    found = agent.tools.get("money.thing")
    assert found is not None
    written = write_test(entry, callee(found), folder / "tests" / "test_thing_1.py")
    assert written.doubts == ("The result holds a memory address, which is another one in each run.",)
    assert f"# {written.doubts[0]}" in written.text


def test_arguments_that_gave_other_results_too_are_said_to(folder: Path) -> None:
    agent = agent_in(folder)
    entry = agent.run_tool("money.words", {"text": "a"})
    found = agent.tools.get("money.words")
    assert found is not None
    (doubt,) = write_test(entry, callee(found), folder / "t.py", varies=True).doubts
    assert "other results too" in doubt


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"status": "rejected"}, "it was rejected"),
        ({"status": "cancelled"}, "it was cancelled"),
        ({"status": "not_found"}, "no such tool"),
        ({"status": "disabled"}, "switched off"),
        ({"status": "success", "made_up": True}, "made up"),
        ({"status": "success", "replayed": True, "original_result": "5"}, "made up"),
        ({"status": "success", "result_edited_from": "x"}, "edited by hand"),
        ({"status": "error", "fault": "huge"}, "a fault had been put into it"),
        ({"status": "error", "error_type": "ToolTimeoutError"}, "out of time"),
    ],
)
def test_a_call_that_gave_nothing_cannot_be_saved_and_says_why(entry: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        check_savable(entry)


def test_a_tool_that_a_test_cannot_get_at_says_why(folder: Path) -> None:
    def hidden(a: int) -> int:
        """Hidden."""
        return a

    class Bank:
        def balance(self) -> int:
            """Balance."""
            return 1

    registry = ToolRegistry()
    registry.register(hidden)
    registry.register(Bank().balance, name="balance")
    for name, why in (("hidden", "inside another function"), ("balance", "a method of an object")):
        tool = registry.get(name)
        assert tool is not None
        with pytest.raises(ConfigError, match=why):
            callee(tool)


def test_a_call_of_an_agent_is_no_test_and_says_what_is() -> None:
    inner = Agent("helper", [], llm=Silent(), quiet=True, log=False)
    tool = Agent("boss", [inner], llm=Silent(), quiet=True, log=False).tools.get("helper")
    assert tool is not None
    with pytest.raises(ConfigError, match="helper is an agent") as raised:
        callee(tool)
    assert "the calls that it made" in raised.value.hint


def test_an_object_that_stands_nowhere_says_so() -> None:
    registry = ToolRegistry()
    registry.register(partial(default_path, Path()), name="path")
    tool = registry.get("path")
    assert tool is not None
    with pytest.raises(ConfigError, match="under a name"):
        callee(tool)
