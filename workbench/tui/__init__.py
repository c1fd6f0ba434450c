"""The Textual app."""

from __future__ import annotations

from workbench.tui.late import put_off

# the first frame shows nothing of these, and a hundred dataclasses take their time
_LATE = ("conditions", "contrast", "events", "lab_wishes", "pasted_paths", "trace_wishes")

put_off(f"{__name__}.{module}" for module in _LATE)
