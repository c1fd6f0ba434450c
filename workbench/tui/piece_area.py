"""A text area in which some parts of a line are one thing each."""

from __future__ import annotations

from dataclasses import replace

from textual.widgets.text_area import Edit, EditResult, Location, Selection

from workbench.tui.steady_area import SteadyArea


class PieceArea(SteadyArea):
    """A piece is passed over, and taken away, as one. A subclass says in ``pieces`` where there are any."""

    def pieces(self, line: str) -> list[tuple[int, int]]:
        """Where in a line pieces stand: from column, to column."""
        return []

    def edit(self, edit: Edit) -> EditResult:
        """Do an edit; one that takes a part of a piece away takes all of it."""
        if edit.from_location != edit.to_location:
            top, bottom = sorted((edit.from_location, edit.to_location))
            edit = replace(edit, from_location=self._outside(top, 0), to_location=self._outside(bottom, 1))
        return super().edit(edit)

    def validate_selection(self, selection: Selection) -> Selection:
        """The cursor does not rest inside a piece: it goes to the end that it did not come from."""
        return Selection(self._around(selection.start), self._around(selection.end))

    def piece_near(self, location: Location) -> tuple[int, int, int] | None:
        """The piece at a place, or the only one of its line, else the first of all: line, from, to."""
        row, column = location
        for line in (row, *range(self.document.line_count)):
            spans = self.pieces(self.document.get_line(line))
            for start, end in spans:
                if line != row or start <= column <= end or len(spans) == 1:
                    return line, start, end
        return None

    def _piece_at(self, location: Location) -> tuple[int, int] | None:
        row, column = location
        if row >= self.document.line_count:  # taking the last line away goes to the start of one behind it
            return None
        for start, end in self.pieces(self.document.get_line(row)):
            if start < column < end:
                return start, end
        return None

    def _outside(self, location: Location, side: int) -> Location:
        piece = self._piece_at(location)
        return location if piece is None else (location[0], piece[side])

    def _around(self, location: Location) -> Location:
        piece = self._piece_at(location)
        if piece is None:
            return location
        start, end = piece
        row, column = location
        came = self.selection.end
        if came in ((row, start), (row, end)):
            return (row, end if came == (row, start) else start)
        return (row, start if column - start < end - column else end)
