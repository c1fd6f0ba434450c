"""What the model host does to litellm, checked with the real one in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from tests.providers.loopback import Loopback, text
from workbench.providers.host_litellm import Workers

LOOK = """if True:
    import asyncio, gc, json, logging, sys, threading
    from workbench.providers.host import Host
    from workbench.providers.host_litellm import Workers, answer_made_up_request, load_litellm

    url = sys.argv[1]
    litellm = load_litellm(logging.NullHandler())
    seen = {"collects": gc.isenabled(), "frozen": gc.get_freeze_count()}
    bridge = sys.modules["litellm.responses.bridge_check"]
    replaced = bridge.get_model_info_helper
    seen["replaced"] = replaced.__module__
    for name in ("gpt-4o", "no-such"):
        try:
            first, second = replaced(name, "openai"), replaced(name, "openai")
            seen[name] = [first.get("mode"), first == second, first is second]
        except LookupError as error:
            seen[name] = str(error)
    counter = sys.modules["litellm.litellm_core_utils.token_counter"]
    limited = counter.get_modified_max_tokens
    plain = next(cell.cell_contents for cell in limited.__closure__ if callable(cell.cell_contents))
    rows = [(name, row) for name, row in litellm.model_cost.items() if row.get("mode") == "chat"]
    rows = [(name, row) for name, row in rows if row.get("litellm_provider") == "openai"]
    shared = next(name for name, row in rows if row["max_input_tokens"] == row["max_output_tokens"])
    count, counted, seen["limits"] = litellm.token_counter, [], {}
    litellm.token_counter = lambda **asked: counted.append(1) or count(**asked)
    for name in ("gpt-4o", "claude-sonnet-4-5", "no-such", shared):
        for wanted in (None, 10, 4_000, 10_000_000, "10"):
            asked = dict(model=name, base_model=name, user_max_tokens=wanted)
            asked |= dict(buffer_num=None, buffer_perc=None, messages=[{"role": "user", "content": "hi"}])
            counted.clear()
            ours, times = limited(**asked), len(counted)
            kind = "shared" if name == shared else name
            seen["limits"].setdefault(kind, []).append([ours == plain(**asked), times])
    litellm.token_counter = count

    prepare, threads = litellm.main.completion, []

    def watched(**asked):
        threads.append(threading.current_thread() is threading.main_thread())
        return prepare(**asked)

    litellm.main.completion = watched
    told = []
    host = Host(litellm, told.append)

    async def ask(model):
        told.clear()
        order = {"op": "complete", "id": 1, "model": model, "messages": [{"role": "user", "content": "hi"}]}
        host.handle(json.dumps({**order, "parameters": {"base_url": url, "api_key": "k"}}).encode())
        while not told or told[-1]["kind"] == "chunks":
            await asyncio.sleep(0.001)
        return told[-1]

    async def main():
        asyncio.get_running_loop().set_default_executor(Workers(litellm))
        await answer_made_up_request(litellm)
        ended = []
        log = litellm.litellm_core_utils.litellm_logging.Logging
        log.dispatch_success_handlers = lambda *_, **__: ended.append("put together")
        loaded = set(sys.modules)
        done = await ask("openai/some-model")
        await asyncio.sleep(0)
        seen["loaded"] = sorted(set(sys.modules) - loaded)
        seen["done"], seen["text"], seen["ended"] = done, told[0]["chunks"], ended
        await ask("mistral/some-model")
        seen["on the loop"] = threads

    asyncio.run(main())
    print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    """What a process with the real litellm has found out."""
    with Loopback() as server:
        server.script(text("hel", "lo"))
        done = subprocess.run(
            [sys.executable, "-c", LOOK, server.base_url], capture_output=True, text=True, check=False
        )
    assert not done.returncode, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_the_made_up_request_leaves_nothing_to_load_for_the_first_real_one(seen: dict[str, Any]) -> None:
    assert seen["loaded"] == []


def test_what_litellm_made_while_it_loaded_is_set_aside(seen: dict[str, Any]) -> None:
    assert seen["collects"]
    assert seen["frozen"] > 100_000


def test_a_model_is_looked_up_once_and_each_request_gets_a_copy(seen: dict[str, Any]) -> None:
    assert seen["replaced"] == "workbench.providers.host_litellm"
    assert seen["gpt-4o"] == ["chat", True, False]
    assert seen["no-such"] == "no-such is not in the tables"


def test_tokens_are_counted_for_a_limit_only_where_they_make_a_difference(seen: dict[str, Any]) -> None:
    for model, each in seen["limits"].items():
        assert all(same for same, _ in each), model
    assert sum(times for _, times in seen["limits"]["shared"]) > 0
    for model in ("gpt-4o", "claude-sonnet-4-5"):
        assert [times for _, times in seen["limits"][model]][1:4] == [0, 0, 0]


def test_requests_are_prepared_on_the_loop_where_that_only_computes(seen: dict[str, Any]) -> None:
    made_up, openai, mistral = seen["on the loop"]
    assert openai
    assert not made_up
    assert not mistral


def test_an_answer_ends_with_its_usage_and_is_not_put_together_for_a_log(seen: dict[str, Any]) -> None:
    assert seen["done"]["usage"] == {"input": 11, "output": 7, "cached": 0}
    assert not seen["done"]["unread"]
    assert seen["ended"] == []


def prepare(**_: Any) -> threading.Thread:
    """Which thread did it."""
    return threading.current_thread()


def fail(**_: Any) -> None:
    raise ValueError("no such model")


@pytest.fixture
def workers() -> Callable[[Callable[..., Any]], Workers]:
    def made(completion: Callable[..., Any]) -> Workers:
        return Workers(cast("ModuleType", SimpleNamespace(main=SimpleNamespace(completion=completion))))

    return made


def as_litellm_asks(completion: Callable[..., Any], model: str) -> Callable[[], Any]:
    return partial(copy_context().run, partial(completion, model=model))


def test_only_the_preparation_that_only_computes_runs_at_once(
    workers: Callable[[Callable[..., Any]], Workers],
) -> None:
    with workers(prepare) as pool:
        here = threading.current_thread()
        assert pool.submit(as_litellm_asks(prepare, "openai/some")).result() is here
        assert pool.submit(as_litellm_asks(prepare, "gemini/some")).result() is not here
        assert pool.submit(partial(prepare, model="openai/some")).result() is not here
        assert pool.submit(prepare).result() is not here


def test_a_preparation_that_fails_does_so_where_it_is_waited_for(
    workers: Callable[[Callable[..., Any]], Workers],
) -> None:
    with workers(fail) as pool:
        failed = pool.submit(as_litellm_asks(fail, "openai/some"))
        with pytest.raises(ValueError, match="no such model"):
            failed.result()


def test_another_litellm_leaves_all_work_to_the_threads() -> None:
    with Workers(cast("ModuleType", SimpleNamespace())) as pool:
        assert pool.submit(as_litellm_asks(prepare, "openai/some")).result() is not threading.current_thread()
