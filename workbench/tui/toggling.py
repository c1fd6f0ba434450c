"""What a person's switch in the tools panel does to the registry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from workbench.errors import ToolDisabledError
from workbench.registry import ToolRegistry
from workbench.registry.acting import acting

SWITCHED_OFF: Final = "by the user"


def switch(tools: ToolRegistry, names: Sequence[str], enable: bool) -> None:
    """Switch one tool, or a group of them.

    A group comes back as the person left it: what somebody else had switched off, such as a hook that
    keeps destructive tools off, stays off until it is switched on by itself. Raises ToolDisabledError
    when nothing but such tools is left to switch on.
    """
    with acting("user"):
        _switch(tools, names, enable)


def _switch(tools: ToolRegistry, names: Sequence[str], enable: bool) -> None:
    if not enable:
        for name in names:
            if tools.is_enabled(name):
                tools.disable(name, reason=SWITCHED_OFF)
        return
    if len(names) > 1:
        off = [name for name in names if not tools.is_enabled(name)]
        names = [name for name in off if tools.get_disable_reason(name) == SWITCHED_OFF]
        if off and not names:
            raise ToolDisabledError(
                f"{', '.join(off)}: {tools.get_disable_reason(off[0])}", hint="Switch it on by itself."
            )
    for name in names:
        tools.enable(name)
