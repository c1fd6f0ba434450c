"""Keys that were pressed for a text field which did not get them, given to it as if it had."""

from __future__ import annotations

from textual import events
from textual.widgets import Input, TextArea

from workbench.tui.prompt_area import PromptArea

TextField = Input | TextArea


async def replay(field: TextField, event: events.Key | events.Paste) -> None:
    """Do what the key or paste does in the field, at its own cursor; what it does elsewhere is not done.

    Enter does nothing: it would send what was never seen whole.
    """
    if isinstance(event, events.Paste):
        _insert(field, event.text)
    elif event.is_printable and event.character is not None:
        _insert(field, event.character)
    elif event.key != "enter":
        active = field.screen.active_bindings.get(event.key)
        if active is not None and active.node is field:
            await field.run_action(active.binding.action)


def text_of(field: TextField) -> str:
    """What stands in the field."""
    return field.value if isinstance(field, Input) else field.text


def _insert(field: TextField, text: str) -> None:
    if isinstance(field, PromptArea):
        field.paste(text)
    elif isinstance(field, TextArea):
        field.replace(text, *field.selection, maintain_selection_offset=False)
    else:
        _insert_line(field, text)


def _insert_line(field: Input, text: str) -> None:
    first = next(iter(text.splitlines()), "")
    if field.selection.is_empty:
        field.insert_text_at_cursor(first)
    else:
        field.replace(first, *field.selection)
