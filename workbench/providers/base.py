"""Makes a model from its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from workbench.engine.llm import LLM
from workbench.errors import ConfigError

_BUILT_IN: Final = ("offline", "replay")
_NEAR: Final = 0.75
"""How like one of those a name has to be to be taken for it."""


def create_llm(model: str | None = None, **parameters: Any) -> LLM:
    """The model called ``model``.

    ``offline`` (or nothing) needs no key; ``offline:PATH.yaml`` plays a scenario; any other name is
    litellm's and goes through the model host. ``parameters`` are the model's own: for ``offline`` only
    ``pace`` counts, and the rest is left aside, so that one configuration serves every model.
    Raises ``ConfigError`` for a scenario that cannot be read, a name that is none, or a parameter with a
    value that it cannot have.
    """
    name = (model or "").strip() or "offline"
    prefix, _, rest = name.partition(":")
    if prefix == "offline":
        from workbench.providers.offline import OfflineModel

        pace = parameters.get("pace")
        return OfflineModel(Path(rest) if rest else None, pace=pace)
    if any(char.isspace() for char in name):
        raise ConfigError(
            f"`{name}` is not the name of a model.", hint="Such as offline or openai/gpt-5-mini."
        )
    if "/" not in name:
        from difflib import get_close_matches

        near = get_close_matches(name.lower(), _BUILT_IN, 1, _NEAR)
        if near:
            raise ConfigError(f"`{name}` is not the name of a model.", hint=f"Did you mean {near[0]}?")
    from workbench.providers.litellm_model import LitellmModel
    from workbench.providers.parameters import check_parameters

    check_parameters(name, parameters)
    parameters.pop("pace", None)
    return LitellmModel(name, **parameters)
