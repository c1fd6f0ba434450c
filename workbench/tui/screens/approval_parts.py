"""How a batch being decided is drawn: heading, calls, tab bar, what the model will receive, hint line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rich.cells import cell_len

from workbench.engine.scope import rejected
from workbench.tui.approval import NO_SUCH_TOOL, SWITCHED_OFF, UNFIT, Batch, BatchRow
from workbench.tui.commands import Command, all_commands, hints, key_text
from workbench.tui.pieces import BLANK, EDGE, Piece, PieceRow, fitted, spread, width_of
from workbench.tui.render import arguments_text, clip, fit, name_spans, value_text
from workbench.tui.screens.approval_texts import (
    SCOPE_TEXT,
    outcome_text,
    proposal_text,
    received_text,
    waited_text,
)
from workbench.visible import visible_line

Mode = Literal["calls", "reason", "edit", "always"]
"""What the keys are for: the calls, or one of the three fields."""

ROOMY: Final = 20
"""From this many rows on there is room for blank rows and column heads."""

WIDE: Final = 100
NARROW: Final = 60
_VERDICT: Final = 11
_REASON: Final = 19
_FOOT: Final = 3
_TOOL: Final = 14
_GAP: Final = Piece("   ", "muted")

_LEFT: Final = ("shown", "rule")
_HEADINGS: Final = (
    ("shown", "rule", "agent", "iteration", "model"),
    ("shown", "rule", "agent", "iteration"),
    ("shown", "rule", "agent"),
    ("shown", "agent"),
    ("shown",),
    (),
)

_LEAVE: Final = "field.leave"
_FIELD_HINTS: Final[dict[Mode, tuple[tuple[str, str, str], ...]]] = {
    "reason": (("", "reject with this", "take"), ("field.leave", "leave", "leave")),
    "edit": (
        ("field.take", "take", "take"),
        ("form.switch", "fields or JSON", "switch_edit"),
        ("approval.editor", "editor", "open_editor"),
        ("field.leave", "leave", "leave"),
    ),
    "always": (
        ("always.confirm", "confirm", "take"),
        ("field.leave", "leave", "leave"),
        ("always.up always.down", "field", ""),
        ("always.before always.after", "change", ""),
    ),
}
"""The commands, by id, what they do there, and what a click on them does."""


@dataclass(frozen=True, slots=True)
class Room:
    """How many rows the parts get in a sheet of some height; the page takes the rest."""

    roomy: bool
    calls: int
    receives: int

    @classmethod
    def of(cls, height: int, calls: int, page: int | None = None) -> Room:
        """Share out the rows: blank ones and column heads only where there is room for them.

        ``page`` is how many rows the page has to show; what it leaves free shows more calls, and more of
        what the model will receive. None is for a field in its place, which is as high as it can be.
        """
        if height < ROOMY:
            # a field needs what little there is
            return cls(False, 1, 0) if page is None else cls(False, min(calls, max(2, height // 4)), 1)
        shown, received = min(calls, max(3, (height - 14) // 3)), min(calls, max(3, (height - 16) // 4))
        if page is None:
            return cls(True, shown, received)
        # heading, column heads, a blank row, tabs, the title of what is received, the foot
        free = max(0, height - (2 + 1 + shown + 1 + 1 + 2 + received + _FOOT) - page)
        more = min(free, calls - shown)
        return cls(True, shown + more, received + min(free - more, calls - received))


def heading(
    batch: Batch, waited: float, width: int, shown: tuple[int, int], *, roomy: bool
) -> list[PieceRow]:
    """What is asked, by whom, and since when; ``shown`` are the calls in view, from the first up to before
    the last. What does not fit is left out whole.
    """
    request, count = batch.request, len(batch.rows)
    first, last = shown
    title = Piece(f"Approve {count} calls" if count != 1 else "Approve 1 call", "text strong")
    waiting = Piece(f"waiting {waited_text(waited)}", "warning")
    parts = {
        "shown": Piece(f"{first + 1} to {last} shown", "subtle"),
        "rule": Piece(f"nothing runs until you {'say so' if batch.own else 'submit'}", "muted"),
        "agent": Piece(visible_line(request.agent), "subtle"),
        "iteration": Piece("by hand" if request.by_hand else f"iteration {request.iteration}", "subtle"),
        "model": Piece(visible_line(request.model), "subtle"),
    }
    left: list[Piece] = []
    right: list[Piece] = []
    scrolls = last - first < count
    for names in _HEADINGS:
        left = [title]
        for name in ("shown", "rule"):
            if name in names and (name != "shown" or scrolls):
                left += [_GAP, parts[name]]
        right = [piece for name in names if name not in _LEFT for piece in (parts[name], _GAP)] + [waiting]
        if width_of(left) + width_of(right) + 3 + 2 * EDGE <= width:
            break
    rows = [PieceRow(spread(left, right, width))]
    return [*rows, BLANK] if roomy else rows


@dataclass(frozen=True, slots=True)
class Columns:
    """The widths of the columns of the list of calls."""

    number: int
    verdict: int
    tool: int
    arguments: int
    reason: int

    @classmethod
    def of(cls, batch: Batch, width: int) -> Columns:
        """Columns for a list of ``width`` cells; names are given the room that they need."""
        number = max(2, len(str(len(batch.rows))) + 1)
        verdict = _VERDICT if width >= NARROW else _VERDICT - 1
        longest = max((cell_len(visible_line(row.call.name)) for row in batch.rows), default=0)
        least = _TOOL if width >= NARROW else 8
        most = width // (3 if width >= NARROW else 2)  # the name matters more than a piece of the arguments
        tool = min(max(least, longest + 2), max(least, most))
        because = max((cell_len(visible_line(row.call.asks_because)) for row in batch.rows), default=0)
        reason = min(max(_REASON, because), width // 4) if width >= WIDE else 0
        return cls(number, verdict, tool, max(0, width - 2 * EDGE - number - verdict - tool - reason), reason)


def calls_head(batch: Batch, columns: Columns) -> PieceRow:
    """The column heads; where there is no column for it, why the highlighted call asks."""
    pieces = [
        Piece(" " * EDGE),
        Piece(fit("#", columns.number), "muted"),
        Piece(fit("verdict", columns.verdict), "muted"),
        Piece(fit("tool", columns.tool), "muted"),
    ]
    because = visible_line(batch.row.call.asks_because)
    label = "cannot run" if batch.row.locked else "asks because"
    label = "runs" if batch.row.call.permission == "allow" else label
    if columns.reason:
        pieces += [
            Piece(fit("arguments", columns.arguments), "muted"),
            Piece(fit("asks because", columns.reason), "muted"),
        ]
    else:
        asks = clip(f"{label}: {because}" if because else "", columns.arguments)
        room = columns.arguments - cell_len(asks)
        head = "arguments" if room >= len("arguments") + 2 else ""
        pieces += [Piece(fit(head, room), "muted"), Piece(asks, "muted")]
    return PieceRow(pieces)


_LOCKED: Final = {
    SWITCHED_OFF: ("⊘ off", "warning"),
    NO_SUCH_TOOL: ("✗ no such", "error"),
    UNFIT: ("✗ unfit", "error"),
}


def verdict_piece(row: BatchRow, *, covered: bool) -> tuple[str, str]:
    """The verdict's glyph and word, and its style key."""
    if row.locked:
        return _LOCKED.get(row.call.asks_because, ("⊘ denied", "warning"))
    if row.decision == "reject":
        return "⊘ reject", "warning"
    if row.decision == "approve":
        if row.edited is not None:
            return "± edited", "accent"
        return ("✓ always", "success") if row.grant is not None else ("✓ run", "success")
    return ("○ covered", "accent") if covered else ("◇ waiting", "warning")


def argument_pieces(row: BatchRow) -> list[Piece]:
    """A call's arguments in one line; where they were edited, what is new stands out."""
    if row.edited is None:
        return [Piece(arguments_text(row.call.arguments), "muted")]
    pieces: list[Piece] = []
    for name, value in row.edited.items():
        if pieces:
            pieces.append(Piece(", ", "muted"))
        same = name in row.call.arguments and row.call.arguments[name] == value
        pieces.append(Piece(f"{visible_line(str(name))}=", "muted"))
        pieces.append(Piece(value_text(value), "muted" if same else "accent"))
    return pieces


@dataclass(frozen=True, slots=True)
class CallLook:
    """What a row of the list shows beside the call itself."""

    arguments: Sequence[Piece]
    counts: Sequence[Piece] = ()
    covered: bool = False
    current: bool = False
    active: bool = True


def call_row(index: int, row: BatchRow, columns: Columns, look: CallLook) -> PieceRow:
    """One call: number, verdict, tool, arguments, and why it asks."""
    word, key = verdict_piece(row, covered=look.covered)
    name = [Piece(*span) for span in name_spans(row.call.name, "text strong" if look.current else "text")]
    counts = [Piece("  "), *look.counts] if look.counts and columns.arguments >= 24 else []
    # two cells stay free before the next column
    room = columns.arguments - width_of(counts) - (2 if columns.reason else 0)
    used = [*fitted(look.arguments, min(room, width_of(look.arguments))), *counts]
    pieces = [
        Piece(" " * EDGE),
        Piece(fit(str(index + 1), columns.number), "subtle"),
        Piece(fit(word, columns.verdict), key),
        *fitted(name, columns.tool - 1),
        Piece(" "),
        *fitted(used, columns.arguments),
    ]
    if columns.reason:
        asks = row.call.permission != "allow"
        because = visible_line(row.call.asks_because) if asks else "runs"
        pieces.append(Piece(fit(because, columns.reason), "muted"))
    background = ("selected" if look.active else "hovered") if look.current else "raised"
    bar = "accent" if look.current and look.active else None
    return PieceRow(pieces, background, bar, f"highlight({index})")


TAB_LABELS: Final = {
    "diff": ("Diff", "Diff"),
    "arguments": ("Arguments", "Args"),
    "schema": ("Schema", "Schema"),
    "said": ("Model's reason", "Reason"),
}


def tab_bar(tabs: Sequence[str], active: str, meta: Sequence[Sequence[Piece]], width: int) -> PieceRow:
    """The tabs; at their right as many of the meta groups as fit, dropped from the first."""
    short = width < NARROW
    left = [
        Piece(
            f"  {TAB_LABELS[tab][short]}  ",
            "text strong on:background" if tab == active else "muted",
            f"show_tab('{tab}')",
        )
        for tab in tabs
    ]
    return _bar(left, meta, width)


def field_bar(title: str, tool: str, width: int) -> PieceRow:
    """In place of the tabs while a field is open."""
    left = [Piece(f"  {title}  ", "accent strong on:background")]
    return _bar(left, [[Piece(visible_line(tool), "subtle")]], width)


def _bar(left: Sequence[Piece], meta: Sequence[Sequence[Piece]], width: int) -> PieceRow:
    groups = [group for group in meta if group]
    right: list[Piece] = []
    while groups:
        right = [piece for group in groups for piece in (_GAP, *group)]
        if width_of(left) + width_of(right) + EDGE <= width:
            break
        groups, right = groups[1:], []
    return PieceRow([*fitted(left, width - EDGE - width_of(right)), *right], "surface")


def receives(
    batch: Batch,
    count: int,
    typed: str | None,
    width: int,
    fault: Callable[[int], str | None],
    *,
    roomy: bool,
) -> list[PieceRow]:
    """What the model will read for each call, by the verdicts so far. ``typed`` is a reason being written.

    ``fault`` says what is wrong with the arguments of the call at an index.
    """
    if not count:
        return []
    first = max(0, min(batch.cursor - count + 1, len(batch.rows) - count))
    by_hand = batch.request.by_hand
    rows = []
    for index in range(first, first + count):
        row = batch.rows[index]
        current = index == batch.cursor
        text, key = (
            (rejected(visible_line(typed.strip())), "text")
            if typed is not None and current
            else received_text(row, fault(index) if row.decision == "approve" else None)
        )
        number = Piece(fit(str(index + 1), max(2, len(str(len(batch.rows))) + 1)), "subtle")
        lead = [] if roomy else [Piece("trace gets " if by_hand else "model gets ", "muted")]
        if not roomy and row.decision is None and typed is None and row.call.asks_because:
            # no other row has room for it
            lead, text = [Piece("asks because ", "muted")], visible_line(row.call.asks_because)
        rows.append(PieceRow(spread([*lead, number, Piece(text, key)], [], width)))
    if not roomy:
        return rows
    kept = f"{len(batch.grants)} remembered, the first" if len(batch.grants) > 1 else "remembered"
    grants = [
        Piece(f"{kept} {SCOPE_TEXT[grant.scope]}: {proposal_text(grant)}", "accent")
        for grant in batch.grants[:1]
    ]
    who = "Nobody but the trace will receive" if by_hand else "The model will receive"
    title = [Piece(who, "subtle"), *([_GAP, *grants] if grants else [])]
    return [BLANK, PieceRow(spread(title, [], width)), *rows]


def _field_keys(ids: str) -> str:
    """The keys of commands while a field is open, which takes characters; a line is taken with Enter."""
    keys = (next(row.keys for row in all_commands() if row.id == each) for each in ids.split())
    return " ".join(key_text(max(each, key=len)) for each in keys) or "enter"


def hint_bar(mode: Mode, batch: Batch, width: int) -> list[PieceRow]:
    """The keys that hold now, and the button: the most useful ones beside it, the others in a row above.

    Of the hints that do not fit only the keys are shown; esc is there always.
    """
    if mode != "calls":
        shown = [_hint(_field_keys(ids), label, target) for ids, label, target in _FIELD_HINTS[mode]]
        place = next(index for index, hint in enumerate(_FIELD_HINTS[mode]) if hint[0] == _LEAVE)
        leave = shown.pop(place)
        fitting = _fitting(shown, width - 2 * EDGE - width_of(leave) - 2)
        fitting.insert(min(place, len(fitting)), leave)
        return [PieceRow(spread(_joined(fitting), [], width))]
    undecided = len(batch.undecided)
    held = hints(["approval"])
    leave = next(_command_hint(command) for command in held if command.id == "approval.rest")
    button = _button(batch, undecided, wide=True)
    if width_of(leave) > width - 2 * EDGE - width_of(button) - 2:
        leave = leave[:1]
    if width_of(leave) > width - 2 * EDGE - width_of(button) - 2:
        button = _button(batch, undecided, wide=False)
    others = [_command_hint(command) for command in held if command.id != "approval.rest"]
    beside = _fitting(others, width - 2 * EDGE - width_of(button) - 2 - width_of(leave) - 2)
    above = _above(others[len(beside) :], width - 2 * EDGE)
    # in the order of the command table, esc among them
    place = next(index for index, command in enumerate(held) if command.id == "approval.rest")
    beside.insert(min(place, len(beside)), leave)
    last = PieceRow(spread(_joined(beside), button, width))
    return [PieceRow(spread(_joined(above), [], width)), last] if above else [last]


def _above(groups: Sequence[list[Piece]], room: int) -> list[list[Piece]]:
    """The groups that fit; of the others the keys alone, and where to read what they do."""
    kept = _fitting(groups, room)
    while len(kept) < len(groups):
        keys = [group[0] for group in groups[len(kept) :]]
        rest = [*keys, Piece("f1 ", "subtle", "app.help"), Piece("help", "muted", "app.help")]
        if width_of(_joined([*kept, rest])) <= room or not kept:
            return [*kept, rest]
        kept.pop()
    return kept


def _button(batch: Batch, undecided: int, *, wide: bool) -> list[Piece]:
    if undecided:
        return [Piece(f"{undecided} to decide", "muted", "submit")]
    enter = "  enter" if wide else ""
    return [Piece(f"  {outcome_text(batch)}{enter}  ", "on_accent strong on:accent", "submit")]


def _fitting(groups: Sequence[list[Piece]], room: int) -> list[list[Piece]]:
    """The first groups that fit, two cells between each two."""
    kept: list[list[Piece]] = []
    for group in groups:
        room -= width_of(group) + (2 if kept else 0)
        if room < 0:
            break
        kept.append(group)
    return kept


def _joined(groups: Sequence[list[Piece]]) -> list[Piece]:
    return [piece for group in groups for piece in (Piece("  "), *group)][1:]


def _command_hint(command: Command) -> list[Piece]:
    return _hint(key_text(command.keys[0]), command.label, command.action)


def _hint(key: str, label: str, target: str) -> list[Piece]:
    return [Piece(f"{key} ", "subtle", target), Piece(label, "muted", target)]


def note_row(text: str, key: str, width: int) -> PieceRow:
    """One line above the hints."""
    return PieceRow(spread([Piece(text, key)], [], width))
