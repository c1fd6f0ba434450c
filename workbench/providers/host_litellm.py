"""litellm as the model host uses it: quiet, from its local tables, and without work that nobody needs."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from types import ModuleType
from typing import Any, Final

_GC_THRESHOLDS = (20_000, 20, 50)
"""A request makes some ten thousand objects: one look at them, instead of one every 700."""

_COMPUTES_ONLY: Final = "openai/"
"""What begins the models that litellm prepares a request to without reading a file or asking a server."""


def load_litellm(log: logging.Handler) -> ModuleType:
    """litellm, set up to be quiet and to work from its local tables."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_LOG", "WARNING")
    logging.captureWarnings(capture=True)
    gc.disable()  # a quarter of the time that loading takes would go into looking at what stays anyway
    import litellm

    freeze()
    gc.enable()
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logger = logging.getLogger(name)
        for handler in list(logger.handlers):
            logger.removeHandler(handler)
    logging.basicConfig(handlers=[log], level=logging.WARNING, format="%(message)s", force=True)
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.disable_streaming_logging = True  # nobody reads what it would assemble
    # before the first token it would price the answer and note its own timing; ``bill`` does all we need
    litellm.response_cost_calculator = _nothing
    litellm.utils.update_response_metadata = _nothing
    litellm.drop_params = True  # a parameter that a model does not know must not fail the turn
    litellm.modify_params = True  # Anthropic refuses earlier calls once all tools are off, without this
    litellm.REPEATED_STREAMING_CHUNK_LIMIT = sys.maxsize  # a long rule of dashes is no fault
    module: ModuleType = litellm
    _look_up_once(module)
    _count_where_it_matters(module)
    return module


def freeze() -> None:
    """Set aside what there is: litellm alone is hundreds of thousands of objects to walk over."""
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLDS)


_MADE_UP_ANSWER: Final = """
data: {"id": "1", "created": 1, "choices": [{"index": 0, "delta": {"content": "warm"}}]}

data: {"id": "1", "created": 1, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}

data: {"id": "1", "created": 1, "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}

data: [DONE]

"""


async def answer_made_up_request(litellm: ModuleType) -> None:
    """Send a request that reaches no network: it loads and prepares what litellm leaves to the first one."""
    import httpx
    import openai

    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, text=_MADE_UP_ANSWER)

    # the class that openai asks for changes with its version; this one is what litellm gives it
    nowhere: Any = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    async with nowhere:
        stream = await litellm.acompletion(
            model="warm",
            custom_llm_provider="openai",  # not in the name, so that the loading is left to a thread
            messages=[{"role": "user", "content": "warm"}],
            stream=True,
            stream_options={"include_usage": True},
            api_key="none",
            client=openai.AsyncOpenAI(api_key="none", base_url="http://warm.invalid", http_client=nowhere),
        )
        async for _ in stream:
            if is_last(stream):
                break
        await stream.aclose()


def is_last(stream: Any) -> bool:
    """Whether the chunk that came last ends the answer.

    It is the one with the usage. Whoever asks on is told that it was the last only after the whole answer
    was put together, for logs that are not kept.
    """
    return bool(getattr(stream, "sent_stream_usage", False))


class Workers(ThreadPoolExecutor):
    """The threads of the loop, without those whose wake-ups would cost more than their work.

    litellm hands the preparation of every request to a thread, as some providers read credentials or
    fetch pictures meanwhile. For OpenAI and all servers that speak its protocol it only computes.
    """

    def __init__(self, litellm: ModuleType) -> None:
        super().__init__(thread_name_prefix="worker")
        self._prepare = getattr(getattr(litellm, "main", None), "completion", None)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have it done, at once if that is safe."""
        if not self._only_computes(fn):
            return super().submit(fn, *args, **kwargs)
        done: Future[Any] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  it belongs to whoever waits for the result
            done.set_exception(error)
        return done

    def _only_computes(self, fn: Callable[..., Any]) -> bool:
        """Whether it is ``Context.run`` of the preparation, as litellm calls it."""
        inner = fn.args[0] if isinstance(fn, partial) and len(fn.args) == 1 else None
        return (
            isinstance(inner, partial)
            and inner.func is self._prepare
            and str(inner.keywords.get("model")).startswith(_COMPUTES_ONLY)
        )


def _nothing(**_: Any) -> None:
    return None


def _look_up_once(litellm: ModuleType) -> None:
    """Have a model's row of the tables looked for once, not with each request.

    For a name that the tables do not hold, as those of a user's own server, that is a search through all
    of their rules. Where this litellm does it otherwise, it stays as it is.
    """
    bridge = sys.modules.get("litellm.responses.bridge_check")
    look_up = getattr(bridge, "get_model_info_helper", None)
    if bridge is None or look_up is None:
        return
    found: dict[tuple[str, str | None, int], dict[str, Any] | None] = {}

    def once(model: str, custom_llm_provider: str | None = None, **others: Any) -> dict[str, Any]:
        if others:
            return dict(look_up(model=model, custom_llm_provider=custom_llm_provider, **others))
        # a name may be added to the tables, and then its row counts
        key = (model, custom_llm_provider, len(litellm.model_cost))
        if key not in found:
            try:
                found[key] = dict(look_up(model=model, custom_llm_provider=custom_llm_provider))
            except Exception:  # noqa: BLE001  litellm raises a bare one for a model that it does not know
                found[key] = None
        row = found[key]
        if row is None:
            raise LookupError(f"{model} is not in the tables")
        return dict(row)  # it is written into

    bridge.get_model_info_helper = once  # type: ignore[attr-defined]  # a module of litellm, seen by its name


def _count_where_it_matters(litellm: ModuleType) -> None:
    """Have the conversation's tokens counted for ``max_tokens`` only where they make a difference.

    That is where the question and the answer share one limit. litellm counts them for every known model,
    twice a request, and loads a tokenizer to do so, for a second or more. Where this litellm does it
    otherwise, it stays as it is.
    """
    counter = sys.modules.get("litellm.litellm_core_utils.token_counter")
    limit = getattr(counter, "get_modified_max_tokens", None)
    if counter is None or limit is None:
        return

    def limited(*args: Any, **asked: Any) -> Any:
        try:
            most = litellm.get_max_tokens(model=asked["base_model"])
            shared = litellm.get_model_info(model=asked["model"])["max_input_tokens"] == most
            if not args and not shared:
                return min(asked["user_max_tokens"], most)
        except Exception as error:  # noqa: BLE001  litellm raises a bare one for a model that it does not know
            logging.getLogger(__name__).debug("max_tokens is left to litellm: %s", error)
        return limit(*args, **asked)

    counter.get_modified_max_tokens = limited  # type: ignore[attr-defined]  # as above
