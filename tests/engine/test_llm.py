"""Sums of usage say what they know and no more."""

from __future__ import annotations

import pytest

from workbench.engine.llm import TokenUsage

NOTHING = TokenUsage()
PRICED = TokenUsage(10, 5, 2, 0.25)
UNPRICED = TokenUsage(10, 5)
FREE = TokenUsage(10, 5, 0, 0.0)


@pytest.mark.parametrize(
    ("one", "other", "cost"),
    [
        (NOTHING, NOTHING, None),
        (NOTHING, PRICED, 0.25),
        (PRICED, NOTHING, 0.25),
        (PRICED, PRICED, 0.5),
        (PRICED, FREE, 0.25),
        (PRICED, UNPRICED, None),
        (UNPRICED, PRICED, None),
        (NOTHING, FREE, 0.0),
    ],
)
def test_a_sum_with_an_unknown_part_is_unknown(
    one: TokenUsage, other: TokenUsage, cost: float | None
) -> None:
    assert (one + other).cost == cost


def test_tokens_add_up() -> None:
    total = PRICED + UNPRICED
    assert (total.input_tokens, total.output_tokens, total.cached_tokens) == (20, 10, 2)
