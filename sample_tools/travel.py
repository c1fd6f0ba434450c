"""Structured parameters: an enum, a literal, a date and a dataclass become one schema."""

from dataclasses import dataclass, field
from datetime import date
from enum import Enum
from typing import Literal

from workbench import ToolTag, tool

__namespace__ = "travel"


class Comfort(Enum):
    """How one sits."""

    SIMPLE = "simple"
    QUIET = "quiet"
    FIRST = "first"


@dataclass
class Traveller:
    """Who travels."""

    name: str
    age: int
    bicycles: int = 0


@dataclass
class Journey:
    """Where to, when, and how."""

    start: str
    goal: str
    day: date
    comfort: Comfort = Comfort.SIMPLE
    travellers: list[Traveller] = field(default_factory=list)


@tool(tags={ToolTag.READ_ONLY})
def quote_journey(journey: Journey, currency: Literal["EUR", "USD"] = "EUR") -> str:
    """What a journey by train would cost; made up, and always the same.

    Args:
        journey: The journey.
        currency: Of the answer.
    """
    if not journey.travellers:
        raise ValueError("nobody travels; give at least one traveller")
    each = {Comfort.SIMPLE: 20, Comfort.QUIET: 26, Comfort.FIRST: 45}[journey.comfort]
    price = sum(each // 2 if who.age < 15 else each for who in journey.travellers)
    price += 9 * sum(who.bicycles for who in journey.travellers)
    return f"{journey.start} to {journey.goal} on {journey.day:%A %d %B}: {price} {currency}"
