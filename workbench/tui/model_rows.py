"""The rows of the list of models: which there are for a filter, and how each is drawn."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from workbench.providers.keys import seller_rank
from workbench.tui.render import Span, clip, fit, spans_width
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.providers.catalog import ModelGroup, ModelInfo, Snapshot

_COLUMN: Final = 9
_EDGE: Final = 2
_PRICES_FROM: Final = 66
_STATE_FROM: Final = 10
_SEES: Final = "images"
_APART: Final = 2


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A provider or server; ``count`` of its models match the filter."""

    group: ModelGroup
    open: bool
    count: int

    @property
    def key(self) -> str:
        """What tells it from all other rows, also after the list was made anew."""
        return f"group {self.group.title}"


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model to choose; ``current`` answers now."""

    info: ModelInfo
    group: str
    current: bool

    @property
    def key(self) -> str:
        """What tells it from all other rows."""
        return f"model {self.group} {self.info.name}"


@dataclass(frozen=True, slots=True)
class WrittenRow:
    """The filter itself as the name of a model that is in no list."""

    name: str

    @property
    def key(self) -> str:
        """There is one at most."""
        return "written"


Row = GroupRow | ModelRow | WrittenRow


def rows(snapshot: Snapshot, filter_text: str, folded: Collection[str], current: str) -> list[Row]:
    """What to show for a filter: all its words occur in a model's name or in the title of its group.

    With a filter those come first that answer as things are, then those who make models, then the better
    matches. Without one, a group whose title is in ``folded`` shows its header only.
    """
    words = filter_text.lower().split()
    found: list[Row] = []
    exact = False
    for group in sorted(snapshot.groups, key=lambda group: _rank(group, words)) if words else snapshot.groups:
        models = [info for info in group.models if _matches(info.name, group.title, words)]
        models.sort(key=lambda info: _distance(info.name, words))
        exact = exact or any(info.name == filter_text.strip() for info in models)
        if not models and words:
            continue
        is_open = bool(words) or group.title not in folded
        found.append(GroupRow(group, is_open, len(models)))
        if is_open:
            found += [ModelRow(info, group.title, info.name == current) for info in models]
    if len(words) == 1 and not exact:
        found.append(WrittenRow(filter_text.strip()))
    return found


def _rank(group: ModelGroup, words: list[str]) -> tuple[bool, int, int]:
    """Where a group stands among those that have something that fits."""
    nearest = min((_distance(info.name, words) for info in group.models), default=0)
    return not group.usable, seller_rank(group.title), nearest


def _distance(name: str, words: list[str]) -> int:
    """How far a model's own name is from the words: each begins it, begins a part, is in it, or is not."""
    own = name.lower().rpartition("/")[2]
    return sum(map(partial(_far, own), words))


def _far(own: str, word: str) -> int:
    if own.startswith(word):
        return 0
    return 1 if re.search(rf"[^a-z0-9]{re.escape(word)}", own) else 2 + (word not in own)


def _matches(name: str, title: str, words: list[str]) -> bool:
    text = f"{name} {title}".lower()
    return all(word in text for word in words)


def heads(width: int) -> list[Span]:
    """The heads of the columns, right-aligned to the edge."""
    return [(_columns(width, "context", "$/M in", "$/M out"), "muted")]


def columns_width(width: int) -> int:
    """How many cells the columns take, with the edge."""
    return cell_len(_columns(width, "", "", ""))


def draw(record: Row, width: int) -> list[Span]:
    """One row."""
    match record:
        case GroupRow():
            return list(_group(record, width))
        case ModelRow():
            return _model(record, width)
        case WrittenRow(name):
            spans: list[Span] = [("    use ", "muted"), (visible_line(name), "text")]
            return [*spans, ("   as written, it is in no list", "muted")]


def _group(record: GroupRow, width: int) -> Iterator[Span]:
    group = record.group
    yield ("  ", "muted")
    yield ("▾ " if record.open else "▸ ", "muted")
    yield (visible_line(group.title), "text strong" if group.usable else "subtle strong")
    state: str = group.state
    if not group.usable and group.variables:
        state = f"set {' or '.join(group.variables)}"
    count = f"{record.count} model{'s' * (record.count != 1)}"
    room = width - 4 - cell_len(group.title) - len(count) - 2 - _EDGE
    if room < 0:
        return
    if room > _STATE_FROM:
        yield ("   " + fit(state if group.state != "built in" else "no key needed", room - 3), "muted")
    else:
        yield (" " * room, "muted")
    yield ("  " + count, "muted")


def _model(record: ModelRow, width: int) -> list[Span]:
    info = record.info
    facts = _columns(
        width, tokens_text(info.window), price_text(info.input_price), price_text(info.output_price)
    )
    room = width - 4 - cell_len(facts) - 1
    mark = "  in use" if record.current else ""
    provider, slash, name = visible_line(info.name).rpartition("/")
    left: list[Span] = [("    ", "muted")]
    if cell_len(provider + slash + name + mark) > room:
        provider = slash = ""
    name = clip(name, room - cell_len(provider + slash + mark))
    left += [(provider + slash, "muted"), (name, "accent" if record.current else "text"), (mark, "muted")]
    between = 4 + room + 1 - spans_width(left)
    sees = _SEES if info.takes_images and between >= len(_SEES) + _APART else ""
    return [*left, (sees.rjust(between), "muted"), *_facts_spans(facts)]


def _facts_spans(facts: str) -> list[Span]:
    """Numbers in subtle, words in muted."""
    cells = [facts[at : at + _COLUMN] for at in range(0, len(facts) - _EDGE, _COLUMN)]
    return [(cell, "subtle" if any(char.isdigit() for char in cell) else "muted") for cell in cells]


def _columns(width: int, window: str, input_price: str, output_price: str) -> str:
    texts = [window, input_price, output_price] if width >= _PRICES_FROM else [window]
    return "".join(fit(text, _COLUMN, right=True) for text in texts) + " " * _EDGE


def tokens_text(tokens: int | None) -> str:
    """A context window: ``128k``, ``1.05M``, ``unknown``."""
    if tokens is None:
        return "unknown"
    if tokens < 1_000:
        return str(tokens)
    number, unit = (tokens / 1_000, "k") if tokens < 999_500 else (tokens / 1_000_000, "M")
    return f"{number:.0f}{unit}" if unit == "k" else f"{number:.2f}".rstrip("0").rstrip(".") + unit


def price_text(price: float | None) -> str:
    """Dollars per million tokens with at least two decimals: ``2.50``, ``0.0375``, ``free``, ``unknown``."""
    if price is None:
        return "unknown"
    if price == 0:
        return "free"
    return f"{price:.2f}" if price >= 0.1 else f"{price:.4f}"
