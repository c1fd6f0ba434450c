"""Arguments to be changed before a call runs, checked as one types."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical

from workbench.tui.commands import key_of
from workbench.tui.key_hints import Hint, hint_spans
from workbench.tui.palette import Palette
from workbench.tui.render import Span, clip, name_spans, spans_width
from workbench.tui.screens.approval_fields import Check, EditField, Left
from workbench.tui.screens.box import BoxScreen
from workbench.tui.title_row import TitleRow


class EditArgumentsScreen(BoxScreen[Mapping[str, Any]]):
    """Gives back the arguments that were taken, None if they were left. ``check`` says what is wrong.

    With their schema, ``parameters``, they can be filled in field by field too.
    """

    CSS_PATH: ClassVar[list[str | Path]] = [  # type: ignore[assignment]  # Textual takes paths in a list too
        Path(__file__).with_name("approval.tcss"),
        Path(__file__).with_suffix(".tcss"),
    ]

    def __init__(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        check: Check,
        palette: Palette,
        *,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self._tool = tool
        self._palette = palette
        self._title = TitleRow(self._title_spans, palette)
        self._field = EditField(arguments, check, palette, parameters=parameters)
        self._foot = TitleRow(self._foot_spans, palette)

    def compose(self) -> ComposeResult:
        """What is called, its arguments, the keys."""
        with Vertical(id="edit-box"):
            yield self._title
            yield self._field
            yield self._foot

    @property
    def palette(self) -> Palette:
        """The colours; setting them draws everything again."""
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = self._field.palette = palette
        self._title.restyle(palette, "raised")
        self._foot.restyle(palette, "raised")

    def _title_spans(self, width: int) -> list[Span]:
        spans: list[Span] = [("  ", "text"), *name_spans(self._tool, "text strong")]
        return [*spans, (clip("  runs again with these arguments", width - spans_width(spans) - 2), "muted")]

    def _foot_spans(self, width: int) -> list[Span]:
        keys = (("field.take", "run it"), ("form.switch", "fields or JSON"), ("edit.leave", "leave"))
        shown = [Hint(key_of(command), label) for command, label in keys]
        return [("  ", "text"), *hint_spans(shown, width - 4)]

    def action_leave(self) -> None:
        """Leave it; nothing runs."""
        self.dismiss(None)

    @on(Left)
    def _left(self, event: Left) -> None:
        event.stop()
        self.action_leave()

    @on(EditField.Taken)
    def _taken(self, event: EditField.Taken) -> None:
        event.stop()
        self.dismiss(event.arguments)
