"""Words that people look for and that are no command's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SYNONYMS: Final[Mapping[str, tuple[str, ...]]] = {
    "abort": ("app.stop",),
    "attach": ("prompt.send",),
    "bye": ("app.quit",),
    "cancel": ("app.stop",),
    "clear": ("app.reset", "app.interrupt"),
    "clipboard": ("app.interrupt", "conversation.copy", "conversation.copy_answer"),
    "close": ("app.quit",),
    "color": ("app.theme",),
    "colour": ("app.theme",),
    "config": ("app.set",),
    "continue": ("app.resume", "app.sessions"),
    "cost": ("app.model",),
    "dark": ("app.theme",),
    "details": ("trace.inspect",),
    "error": ("trace.inspect",),
    "exit": ("app.quit",),
    "expand": ("conversation.expand_all", "prompt.unfold"),
    "find": ("conversation.search",),
    "flicker": ("app.repaint",),
    "focus": ("app.next_panel", "app.previous_panel"),
    "garbled": ("app.repaint",),
    "history": ("prompt.older", "app.sessions"),
    "interrupt": ("app.stop",),
    "keys": ("app.help",),
    "light": ("app.theme",),
    "mouse": ("app.help", "app.interrupt"),
    "multiline": ("prompt.newline",),
    "paste": ("prompt.unfold",),
    "permission": ("app.grants", "app.approval_mode"),
    "redraw": ("app.repaint",),
    "refresh": ("app.repaint", "app.reload"),
    "restart": ("app.reset", "app.reload"),
    "retry": ("app.again",),
    "rewind": ("app.fork",),
    "save": ("app.export", "trace.save_test"),
    "settings": ("app.set", "app.theme"),
    "shortcuts": ("app.help",),
    "summarize": ("app.compact",),
    "switch": ("app.next_panel", "app.model"),
    "temperature": ("app.set",),
    "tools": ("app.call", "app.reload"),
    "undo": ("app.fork",),
    "vim": ("prompt.editor",),
    "yolo": ("app.approval_mode",),
}
"""The commands, by id, that each of these words finds too."""

GESTURES: Final[tuple[tuple[str, str], ...]] = (
    ("click", "On a call in the conversation or a long paste: show it, or fold it again."),
    ("click", "On copy beside code: copy it. On a link: copy its address."),
    ("click", "On a key in the bottom line or in a question: what the key does."),
    ("click", "On a tab, a queued message or a row: go there, or take it back."),
    ("double click", "On a call in the trace: show all of it. On a tool: switch it."),
    ("double click", "In the conversation: select the whole paragraph or block."),
    ("drag", "Select text; ^c copies it. On the scrollbar: scroll."),
    ("wheel", "Scroll what is under the mouse."),
)
"""What the mouse does: how it is moved, and what comes of it."""
