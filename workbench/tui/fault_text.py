"""Faults as a person types them: ``delay 5s``, ``raise ValueError: no luck``, ``huge 20MB once``."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from workbench.engine.fault_injection import FAULT_KINDS, Fault, FaultKind
from workbench.errors import ConfigError

EXAMPLES: Final[dict[FaultKind, str]] = {
    "delay": "delay 5s",
    "raise": "raise RuntimeError: this fault was put in on purpose",
    "timeout": "timeout",
    "huge": "huge 5MB",
    "empty": "empty",
    "hostile": "hostile",
}
"""A text for each kind."""

_TIMES: Final = re.compile(r"\s+(?:(once)|(always)|(\d{1,9})\s*(?:times|x)|x\s*(\d{1,9}))$", re.IGNORECASE)
_AMOUNT: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(s|seconds|mb|)", re.IGNORECASE)


def parse_fault(text: str) -> Fault:
    """The fault that a text stands for. Raises ConfigError that says what would be right."""
    text = f" {text.strip()}"
    times: int | None = None
    found = _TIMES.search(text)
    if found is not None:
        text = text[: found.start()]
        count = found[3] or found[4]
        times = 1 if found[1] else int(count) if count else None
    kind, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    match kind.lower().rstrip(":"):
        case "delay":
            return Fault("delay", times, seconds=_amount(rest, "s", 5.0))
        case "huge":
            return Fault("huge", times, megabytes=_amount(rest, "MB", 5.0))
        case "raise":
            name, _, message = rest.partition(":")
            fault = Fault("raise", times, error=name.strip() or "RuntimeError")
            return replace(fault, message=message.strip()) if message.strip() else fault
        case "timeout" | "empty" | "hostile" as plain if not rest:
            return Fault(plain, times)
        case "timeout" | "empty" | "hostile" as plain:
            raise ConfigError(f"{plain} takes nothing: {rest}", hint=f"Write {plain}, or {plain} once.")
        case other:
            raise ConfigError(f"no fault {other!r}", hint=f"Faults are {', '.join(FAULT_KINDS)}.")


def text_of(fault: Fault) -> str:
    """A text that stands for the fault."""
    words = fault.phrase
    if fault.kind == "raise":
        words = f"{words}: {fault.message}"
    if fault.times is None:
        return words
    return f"{words} once" if fault.times == 1 else f"{words} {fault.times} times"


def _amount(text: str, unit: str, usual: float) -> float:
    if not text:
        return usual
    found = _AMOUNT.fullmatch(text)
    if found is None or found[2].lower() not in ("", unit.lower(), *(["seconds"] if unit == "s" else [])):
        raise ConfigError(f"{text!r} is no amount in {unit}", hint=f"Write a number, such as 5{unit}.")
    return float(found[1])
