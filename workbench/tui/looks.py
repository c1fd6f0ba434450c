"""How the screen is drawn for terminals and eyes that want less: ASCII, no colours, little motion."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from rich.cells import cell_len
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from workbench.tui.palette import Palette

Characters = Literal["all", "no glyphs", "ascii"]
"""``no glyphs``: signs and lines are ASCII, texts are as they are; ``ascii``: nothing else is shown."""

_GLYPHS: Final = str.maketrans(
    {
        **dict(zip("◆●○◇✓✗⊘±▾▸❯", "*@o?+x/~v>>", strict=True)),
        **dict(zip("━╸╺╼╾─╴╶┄│▎▍▏▐▌", "=====---.||_|||", strict=True)),
        **dict.fromkeys("▗▖▝▘▛▜▙▟┌┐└┘", "+"),
        **dict.fromkeys("▄▀", "-"),
        **dict.fromkeys("▁▂▃▅▆▇", " "),
        **dict.fromkeys("█▉▊▋", "|"),
        **dict(zip("…−–—›‹→←↓↑•·×“”‘’■□▣", "~---><><v^*-x\"\"''#o#", strict=True)),
    }
)
_THIN: Final = str.maketrans("▄▀▗▖▝▘▐▌", "──┌┐└┘││")
"""Edges that are tints where there are colours."""

_BOX: Final = re.compile(" ( ?)([■□]) ")
"""The box of a tool, with the blanks that its brackets take: of two before it one stays before the name."""


@dataclass(frozen=True, slots=True)
class Looks:
    """``characters`` that may be drawn; ``colours`` and ``motion``, or as little of it as can be."""

    characters: Characters = "all"
    colours: bool = True
    motion: bool = True

    @property
    def tick(self) -> float:
        """Seconds between two updates of running times and bars."""
        return 0.2 if self.motion else 1.0

    @property
    def frame(self) -> float:
        """Seconds at least between two paintings of an answer that is being written."""
        return 1 / 30 if self.motion else 0.5


def looks_of(
    *, ascii_only: bool = False, motion: str = "full", environment: Mapping[str, str] = os.environ
) -> Looks:
    """The looks that settings and environment ask for.

    ``NO_COLOR`` and ``TEXTUAL_ANIMATIONS=none`` are respected, and a locale whose characters are not UTF-8.
    """
    characters: Characters = "no glyphs" if ascii_only else "all"
    if not _is_utf8(environment):
        characters = "ascii"
    still = motion == "reduced" or environment.get("TEXTUAL_ANIMATIONS", "").lower() == "none"
    return Looks(characters, not environment.get("NO_COLOR"), not still)


def _is_utf8(environment: Mapping[str, str]) -> bool:
    """What the locale says; one that says nothing leaves the modern default."""
    name = next((value for key in ("LC_ALL", "LC_CTYPE", "LANG") if (value := environment.get(key))), "")
    if name in ("C", "POSIX"):
        return False
    codeset = name.partition(".")[2].partition("@")[0]
    return not codeset or codeset.lower().replace("-", "") == "utf8"


class AsciiFilter(LineFilter):
    """Draws signs and lines with ASCII; with ``everything`` other characters become ``?``, cell by cell."""

    def __init__(self, *, everything: bool) -> None:
        super().__init__()
        self._everything = everything

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same cells in ASCII."""
        line = "".join(segment.text for segment in segments)
        if line.isascii():
            return segments
        line = _BOX.sub(lambda box: ("[x]" if box[2] == "■" else "[ ]") + box[1], line)
        shown: list[Segment] = []
        at = 0
        for text, style, control in segments:
            shown.append(Segment(self._plain(line[at : at + len(text)]), style, control))
            at += len(text)
        return shown

    def _plain(self, text: str) -> str:
        if text.isascii():
            return text
        text = text.translate(_GLYPHS)
        if not self._everything or text.isascii():
            return text
        return "".join(char if char.isascii() else "?" * cell_len(char) for char in text)


class ColourlessFilter(LineFilter):
    """Draws without colours: what a theme shows by its background is reversed or underlined instead."""

    def __init__(self, palette: Callable[[], Palette]) -> None:
        super().__init__()
        self._palette = palette

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same text, bold where it was."""
        colors = self._palette().colors
        edges = (colors["raised"], colors["surface"], colors["rule"])
        reversed_on = (colors["selected"], colors["accent"])
        underlined_on = (colors["add_word"], colors["cut_word"], colors["fault"])
        return [
            Segment(
                text.translate(_THIN) if style is not None and _ink(style) in edges else text,
                _colourless(style, reversed_on, underlined_on) if style is not None else None,
                control,
            )
            for text, style, control in segments
        ]


def _ink(style: Style) -> str:
    return _hex(style.color)


def _hex(color: RichColor | None) -> str:
    return color.get_truecolor().hex if color is not None else ""


@lru_cache(2048)
def _colourless(style: Style, reversed_on: tuple[str, ...], underlined_on: tuple[str, ...]) -> Style:
    ground = _hex(style.bgcolor)
    plain = style.without_color + Style.from_meta(style.meta)
    if ground in reversed_on:
        return plain + Style(reverse=not style.reverse)
    if ground in underlined_on:
        return plain + Style(underline=True)
    return plain


def line_filters(looks: Looks, palette: Callable[[], Palette]) -> list[LineFilter]:
    """What every line of the screen passes through, for these looks."""
    filters: list[LineFilter] = []
    if not looks.colours:
        filters.append(ColourlessFilter(palette))
    if looks.characters != "all":
        filters.append(AsciiFilter(everything=looks.characters == "ascii"))
    return filters
