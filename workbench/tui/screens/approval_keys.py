"""Which keys decide about a batch, and which are prose that somebody writes without looking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from textual import events
from textual.timer import Timer

from workbench.tui.approval import Batch
from workbench.tui.screens.burst import BURST_SECONDS, Burst

UNKNOWN_SECONDS: Final = 1.0
"""Two letters within this time that mean nothing are prose, however slowly it is written."""

TakeBack = Callable[[Sequence[events.Key]], None]
Later = Callable[[float, Callable[[], None]], Timer]


class ApprovalKeys:
    """Sorts the keys that arrive once a question takes keys.

    - Keys that follow each other as in a word are prose, and so are two that mean nothing: they are given to
      ``take_back``, after the batch is what it was before them.
    - A key whose deed cannot be taken back is done, by ``do``, only when none has followed it as in a word;
      the same key once more is impatience, and it is done at once. Another one that follows is not done.

    ``clock`` gives seconds; ``later`` calls something after so many of them.
    """

    def __init__(
        self,
        batch: Batch,
        clock: Callable[[], float],
        later: Later,
        *,
        take_back: TakeBack,
        do: Callable[[events.Key], None],
    ) -> None:
        self._batch = batch
        self._clock = clock
        self._later = later
        self._take_back = take_back
        self._do = do
        self._burst = Burst(clock)
        self._before = batch.state()
        self._unknown: tuple[float, events.Key] | None = None
        self._waiting: tuple[events.Key, Timer] | None = None

    def end(self) -> None:
        """What was pressed so far is no beginning of what comes next."""
        self._burst.end()
        self._unknown = None
        self._drop()

    def takes(self, event: events.Key, *, known: bool, final: bool) -> bool:
        """Whether the key is dealt with. ``known``: it means something here; ``final``: for good."""
        if self._waiting is not None and self._waiting[0].key == event.key:
            self._go()
            return True
        if self._burst.begins:
            self._before = self._batch.state()
        typed = self._burst.add(event) or self._meaningless(event, known=known)
        if typed:
            self.end()
            self._batch.restore(self._before)
            self._take_back(typed)
            return True
        if self._waiting is not None:
            self._go()
            return True
        if final and event.is_printable:
            self._waiting = event, self._later(BURST_SECONDS, self._go)
            return True
        return False

    def _meaningless(self, event: events.Key, *, known: bool) -> tuple[events.Key, ...]:
        """Both keys, if this is the second one in a short time that means nothing."""
        before, self._unknown = self._unknown, None
        if known or not event.is_printable:
            return ()
        self._unknown = self._clock(), event
        if before is None or self._clock() - before[0] >= UNKNOWN_SECONDS:
            return ()
        self._before = self._batch.state()
        return before[1], event

    def _go(self) -> None:
        waiting = self._drop()
        if waiting is not None:
            self._burst.end()
            self._do(waiting)

    def _drop(self) -> events.Key | None:
        if self._waiting is None:
            return None
        (event, timer), self._waiting = self._waiting, None
        timer.stop()
        return event
