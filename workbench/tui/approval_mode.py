"""How much is asked before a call runs: three modes that a person goes through, and rules of one's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Literal

from workbench.registry import PermissionPolicy, PermissionResult

Mode = Literal["strict", "careful", "open", "custom"]
"""``strict`` asks for every call, ``careful`` for all but reading, ``open`` for none; else ``custom``."""

_PRESETS: Final[dict[Mode, Callable[[], PermissionPolicy]]] = {
    "strict": PermissionPolicy.strict,
    "careful": PermissionPolicy.careful,
    "open": PermissionPolicy.open,
}


def mode_of(policy: PermissionPolicy) -> Mode:
    """Which mode a policy is; rules that deny, ahead of the others, make no difference."""
    rules = policy.rules
    while rules and rules[0].result is PermissionResult.DENY:
        rules = rules[1:]
    for mode, preset in _PRESETS.items():
        if (rules, policy.default) == (preset().rules, preset().default):
            return mode
    return "custom"


class ApprovalModes:
    """The modes for one agent, in the order in which one goes through them.

    ``own`` is the policy that the agent began with. What it denies is denied in every mode, before anything
    else is looked at; where it is none of the three, it is the fourth.
    """

    def __init__(self, own: PermissionPolicy) -> None:
        self._own = own

    @property
    def order(self) -> tuple[Mode, ...]:
        """From the one that asks most on."""
        fourth: tuple[Mode, ...] = ("custom",) if mode_of(self._own) == "custom" else ()
        return ("strict", "careful", "open", *fourth)

    def after(self, mode: Mode) -> Mode:
        """The next one; after the last the first."""
        order = self.order
        return order[(order.index(mode) + 1) % len(order)] if mode in order else order[0]

    def policy(self, mode: Mode) -> PermissionPolicy:
        """The policy of a mode. Raises KeyError for ``custom`` where there is no such policy."""
        if mode == mode_of(self._own):
            return self._own
        denying = tuple(rule for rule in self._own.rules if rule.result is PermissionResult.DENY)
        preset = _PRESETS[mode]()
        return replace(preset, rules=(*denying, *preset.rules))
