"""Tools that fail on purpose: an error is a tool result like any other, and the model reads it."""

from workbench import ToolTag, tool

WEATHER = {"berlin": 14, "lima": 19, "nairobi": 22, "osaka": 17}


@tool(tags={ToolTag.READ_ONLY})
def look_up_weather(city: str) -> str:
    """Today's temperature in one of four cities.

    Args:
        city: Berlin, Lima, Nairobi or Osaka.
    """
    if city.lower() not in WEATHER:
        raise LookupError(f"no weather for {city!r}; known cities: {', '.join(sorted(WEATHER))}")
    return f"{WEATHER[city.lower()]} °C"


@tool(tags={ToolTag.READ_ONLY})
def always_fails(reason: str = "the disk is made of cheese") -> str:
    """Fail, whatever is asked of it.

    Args:
        reason: What the error shall say.
    """
    raise RuntimeError(f"{reason}; calling again will not help")
