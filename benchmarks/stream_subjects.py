"""The same streamed answers taken by litellm itself and by our model, whose host runs litellm for it."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from workbench.engine.cancel import CancelToken
from workbench.engine.llm import Delta
from workbench.errors import StopTurn

_MODEL: Final = "openai/some-model"
_MESSAGES: Final[list[dict[str, Any]]] = [{"role": "user", "content": "hi"}]
_KEY: Final = "sk-bench"
_AS_WE_ASK: Final[dict[str, Any]] = {
    "stream_options": {"include_usage": True},
    "num_retries": 0,
    "max_retries": 0,
    "timeout": 600.0,
}
"""What our model asks for too, so that both do the same work."""


class Direct:
    """``litellm.acompletion`` in a process that does nothing else."""

    def __init__(self, url: str) -> None:
        # litellm asks the network for its price list otherwise
        os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
        import litellm

        self._complete: Callable[..., Any] = litellm.acompletion
        self._url = url
        self._runner = asyncio.Runner()

    def first(self) -> float:
        """Milliseconds from the call to the first text."""
        return self._runner.run(self._stream())[0]

    def chunks(self) -> float:
        """CPU of this process in µs a chunk."""
        cpu = time.process_time()
        chunks = self._runner.run(self._stream())[1]
        return (time.process_time() - cpu) / chunks * 1e6

    async def _stream(self) -> tuple[float, int]:
        begin, first, chunks = time.perf_counter(), 0.0, 0
        stream = await self._complete(
            model=_MODEL, messages=_MESSAGES, base_url=self._url, api_key=_KEY, stream=True, **_AS_WE_ASK
        )
        async for chunk in stream:
            text = chunk.choices[0].delta.content if chunk.choices else None
            if text:
                first = first or (time.perf_counter() - begin) * 1000
                chunks += 1
        return first, chunks


class Workbench:
    """Our model; this process is the screen's, litellm runs in the model host."""

    def __init__(self, url: str) -> None:
        from workbench.providers.host_client import ModelHost
        from workbench.providers.litellm_model import LitellmModel

        self._host = ModelHost()
        self._model = LitellmModel(_MODEL, host=self._host, base_url=url, api_key=_KEY)

    def first(self) -> float:
        """Milliseconds from the call to the first text."""
        return self._stream()[0]

    def chunks(self) -> float:
        """CPU of this process in µs a chunk, all its threads."""
        cpu = time.process_time()
        length = self._stream()[1]
        return (time.process_time() - cpu) / length * 1e6

    def stop(self) -> float:
        """Milliseconds from a stop on another thread, in mid stream, until the caller is free."""
        token, streaming, asked = CancelToken(), threading.Event(), 0.0

        def stop() -> None:
            nonlocal asked
            streaming.wait()
            time.sleep(0.05)
            asked = time.perf_counter()
            token.cancel()

        stopper = threading.Thread(target=stop)
        stopper.start()
        try:
            self._model.complete(_MESSAGES, on_delta=lambda _delta: streaming.set(), cancel=token)
        except StopTurn:
            free = time.perf_counter()
        else:
            raise RuntimeError("the answer was over before the stop came")
        finally:
            streaming.set()
            stopper.join()
        return (free - asked) * 1000

    def _stream(self) -> tuple[float, int]:
        begin, first, characters = time.perf_counter(), 0.0, 0

        def take(delta: Delta) -> None:
            nonlocal first, characters
            if delta.kind == "text":
                first = first or (time.perf_counter() - begin) * 1000
                characters += len(delta.text)

        self._model.complete(_MESSAGES, on_delta=take)
        return first, characters


SUBJECTS: dict[str, Callable[[str], Any]] = {"workbench": Workbench, "litellm directly": Direct}
