"""Plain functions: type hints make the schema, docstrings the descriptions, the decorator only adds tags."""

from workbench import ToolTag, tool

Number = int | float
"""Whole numbers stay whole: 2 and 3 make 5, not 5.0."""


@tool(tags={ToolTag.READ_ONLY}, parallel_safe=True)
def add(a: Number, b: Number) -> Number:
    """Add two numbers."""
    return a + b


@tool(tags={ToolTag.READ_ONLY}, parallel_safe=True)
def multiply(a: Number, b: Number) -> Number:
    """Multiply two numbers."""
    return a * b


@tool(tags={ToolTag.READ_ONLY}, parallel_safe=True)
def divide(dividend: float, divisor: float) -> float:
    """Divide one number by another.

    Args:
        dividend: The number that is divided.
        divisor: What it is divided by; not 0.
    """
    if divisor == 0:
        raise ValueError("nothing can be divided by 0; give another divisor")
    return dividend / divisor


@tool(tags={ToolTag.READ_ONLY}, parallel_safe=True)
def mean(numbers: list[float]) -> float:
    """The arithmetic mean.

    Args:
        numbers: At least one number.
    """
    if not numbers:
        raise ValueError("the mean of no numbers is not defined; give at least one")
    return sum(numbers) / len(numbers)
