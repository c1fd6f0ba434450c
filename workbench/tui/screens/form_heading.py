"""The row above a field of a form: its name, what it takes, and what is wrong with it."""

from __future__ import annotations

from textual.containers import Vertical

from workbench.tui.commands import key_text_of
from workbench.tui.form_fields import FieldSpec
from workbench.tui.painted import Painted
from workbench.tui.render import Span, clip, fit, spans_width
from workbench.tui.title_row import TitleRow
from workbench.visible import visible_line


class Headed(Vertical, Painted):
    """A part of a form under such a row; whoever makes it sets ``_head``."""

    fault = ""
    _head: TitleRow

    def say(self, fault: str) -> None:
        """Show what is wrong with it, or that nothing is."""
        if fault != self.fault:
            self.fault = fault
            self._head.refresh()

    def repaint(self) -> None:
        """The row has the colours too."""
        self._head.restyle(self._palette, "background")


def heading_spans(spec: FieldSpec, fault: str, width: int, *, null: bool | None = None) -> list[Span]:
    """The row, at most ``width`` cells. ``null``: whether it is null, None where a key cannot make it so."""
    spans: list[Span] = [
        ("  ", "text"),
        (visible_line(spec.name), "text strong"),
        (f"  {spec.says}", "subtle"),
    ]
    if null is not None:
        spans += [(" or ", "muted"), ("null", "accent strong" if null else "subtle")]
        spans.append((f" ({key_text_of('form.null')})", "muted"))
    spans.append((", required" if spec.required else "", "muted"))
    return with_fault(spans, fault, spec.description, width)


def with_fault(spans: list[Span], fault: str, otherwise: str, width: int) -> list[Span]:
    """What is wrong at the right of a row, or what else is said there; nothing where there is no room."""
    room = width - spans_width(spans) - 2
    if room <= 6:
        return spans
    if fault:
        said = clip("✗ " + visible_line(fault), room - 2)
        return [*spans, (fit(said, room, right=True), "error")]
    return [*spans, (clip("  " + visible_line(otherwise), room), "muted")] if otherwise else spans
