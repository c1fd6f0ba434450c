"""Fields of a form that hold others: an object with its own fields, a list with its items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, Final, TypeAlias

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from workbench.tui.commands import bindings, key_text_of
from workbench.tui.form_fields import LEFT_OUT, MISSING, FieldSpec
from workbench.tui.painted import Painted
from workbench.tui.palette import Palette
from workbench.tui.render import Span, row, spans_width
from workbench.tui.screens.form_heading import Headed, heading_spans, with_fault
from workbench.tui.screens.form_parts import FormField, Options
from workbench.tui.screens.form_steps import Step
from workbench.tui.title_row import TitleRow

_FILLED: Final = object()
_DEEPEST: Final = 8
"""Levels of fields within fields; what lies deeper is written as JSON."""

Field: TypeAlias = "FormField | NestedField"


def field_for(spec: FieldSpec, value: Any, palette: Palette, depth: int = 0) -> Field:
    """The field that a value is filled in with; one that its fields have no place for stands as JSON."""
    if spec.kind not in ("object", "list"):
        return FormField(spec, value, palette)
    if depth >= _DEEPEST or not spec.holds(value):
        return FormField(spec.as_json, value, palette)
    return (ObjectField if spec.kind == "object" else ListField)(spec, value, palette, depth)


class NestedField(Headed):
    """A heading, whether there is a value at all where there need not be one, and what is in it."""

    DEFAULT_CSS = """
    NestedField {
        height: auto;
        margin: 0 0 1 0;
        & .inside { height: auto; margin: 0 0 0 2; }
        & FormField, & NestedField { margin: 0; }
    }
    """

    def __init__(self, spec: FieldSpec, value: Any, palette: Palette, depth: int) -> None:
        super().__init__()
        self.spec = spec
        self._palette = palette
        self._depth = depth
        may_be_left_out = value is MISSING or not spec.required
        value = LEFT_OUT if value is MISSING else value
        self._states = _states(spec, may_be_left_out)
        self._inside = Vertical(classes="inside")
        self._inside.can_focus = False
        self._built = False
        self._widgets: list[Painted] = []
        self._value = value
        self._head = TitleRow(
            lambda width: heading_spans(self.spec, self.fault, width), palette, "background"
        )
        self._presence: Options | None = None
        if len(self._states) > 1:
            texts = [{LEFT_OUT: "left out", None: "null"}.get(each, "filled in") for each in self._states]
            state = value if value is LEFT_OUT or value is None else _FILLED
            at = next((at for at, each in enumerate(self._states) if each is state), 0)
            self._presence = Options(texts, at, palette)

    def compose(self) -> ComposeResult:
        """The heading, the choice, what is in it."""
        if self.spec.name:
            yield self._head
        if self._presence is not None:
            yield self._presence
        self.ready()
        with self._inside:
            yield from self._widgets
        self._inside.display = self.state is _FILLED

    def build(self, value: Any) -> list[Painted]:
        """The widgets for what is in it."""
        raise NotImplementedError

    def collect_inside(self, path: str, faults: dict[str, str]) -> Any:
        """The value of what is filled in."""
        raise NotImplementedError

    def inside(self, path: str) -> Iterator[tuple[str, Widget]]:
        """The fields in it, by their paths."""
        raise NotImplementedError

    @property
    def state(self) -> object:
        """LEFT_OUT, None for null, or something else when it is filled in."""
        return _FILLED if self._presence is None else self._states[self._presence.chosen]

    def ready(self) -> None:
        """Make what is in it, once it is filled in."""
        if self.state is _FILLED and not self._built:
            self._built = True
            value, self._value = self._value, LEFT_OUT
            self._widgets = self.build(value)

    def _follow(self) -> None:
        self.ready()
        if self._built and not self._inside.children:
            self._inside.mount_all(self._widgets)
        self._inside.display = self.state is _FILLED

    @on(Options.Chosen)
    def _chosen(self, event: Options.Chosen) -> None:
        event.stop()
        self._follow()
        self.post_message(FormField.Filled(*event.steps))

    def collect(self, path: str, faults: dict[str, str]) -> Any:
        """The value, or LEFT_OUT; what is wrong goes into ``faults`` by its path."""
        if self.state is not _FILLED:
            if self.state is LEFT_OUT and self.spec.required:
                faults[path] = "missing"
            return self.state
        self.ready()
        return self.collect_inside(path, faults)

    def by_path(self, path: str) -> Iterator[tuple[str, Any]]:
        """The field and those in it, at their paths."""
        yield path, self
        if self.state is _FILLED:
            self.ready()
            yield from self.inside(path)

    @property
    def editor(self) -> Widget:
        """What has the focus while it is filled in."""
        if self._presence is not None:
            return self._presence
        self.ready()
        return next((each.editor for _, each in self.inside("")), self)  # type: ignore[attr-defined]  # fields all

    def repaint(self) -> None:
        """What is in it has the colours too."""
        super().repaint()
        if self._presence is not None:
            self._presence.palette = self._palette
        for each in self._widgets:
            each.palette = self._palette


def _states(spec: FieldSpec, may_be_left_out: bool) -> tuple[object, ...]:
    nothing = (LEFT_OUT,) if may_be_left_out else ()
    return (*nothing, *((None,) if spec.nullable else ()), _FILLED)


class ObjectField(NestedField):
    """An object: a field for each of its keys."""

    def build(self, value: Any) -> list[Painted]:
        """A field for each key, with its value or its default."""
        given: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        fresh = value is LEFT_OUT or value is None
        self._fields = [
            field_for(
                spec,
                given.get(spec.name, spec.default if fresh else MISSING),
                self._palette,
                self._depth + 1,
            )
            for spec in self.spec.fields
        ]
        return [*self._fields]

    def collect_inside(self, path: str, faults: dict[str, str]) -> dict[str, Any]:
        """The values of the keys that are not left out."""
        found = {each.spec.name: each.collect(f"{path}.{each.spec.name}", faults) for each in self._fields}
        return {name: value for name, value in found.items() if value is not LEFT_OUT}

    def inside(self, path: str) -> Iterator[tuple[str, Widget]]:
        """The fields of the keys."""
        for each in self._fields:
            yield from each.by_path(f"{path}.{each.spec.name}")


class ListField(NestedField):
    """A list: its items, which can be taken out, and a row that adds one."""

    def build(self, value: Any) -> list[Painted]:
        """The items that there are."""
        self._items = [self._item(each) for each in (value if isinstance(value, list) else ())]
        self._adder = AddRow(self._palette)
        self._number()
        return [*self._items, self._adder]

    def _item(self, value: Any) -> ListItem:
        return ListItem(field_for(self.spec.item, value, self._palette, self._depth + 1), self._palette)

    def _number(self) -> None:
        for at, each in enumerate(self._items):
            each.number = at + 1

    def collect_inside(self, path: str, faults: dict[str, str]) -> list[Any]:
        """The items' values."""
        found = [each.collect(f"{path}[{at}]", faults) for at, each in enumerate(self._items)]
        return [None if value is LEFT_OUT else value for value in found]

    def inside(self, path: str) -> Iterator[tuple[str, Widget]]:
        """The items and what is in them, then the row that adds one, which has no path of its own."""
        for at, each in enumerate(self._items):
            yield from each.by_path(f"{path}[{at}]")

    @property
    def adder(self) -> Widget | None:
        """The row that adds an item, once the list is filled in."""
        return self._adder if self._built else None

    @property
    def editor(self) -> Widget:
        """The first item, or the row that adds one."""
        if self._presence is None:
            self.ready()
            return self._items[0].editor if self._items else self._adder
        return super().editor

    async def on_add_row_pressed(self, event: AddRow.Pressed) -> None:
        """One more, to be filled in."""
        event.stop()
        at = len(self._items)
        await self._put(at, self._item(LEFT_OUT))
        self.post_message(FormField.Filled(Step(self, partial(self.call_later, self._take, at))))

    async def on_list_item_removed(self, event: ListItem.Removed) -> None:
        """One less; the one behind it, or the row that adds one, has the focus then."""
        event.stop()
        at, item = self._items.index(event.item), event.item
        value, unread = item.collect("", {}), unread_texts(item.by_path(""))
        await self._take(at, Step(self, partial(self.call_later, self._put_back, at, value, unread)))

    async def _put(self, at: int, item: ListItem) -> None:
        self._items.insert(at, item)
        self._widgets.insert(at, item)
        self._number()
        await self._inside.mount(item, before=self._widgets[at + 1])
        item.editor.focus()

    async def _put_back(self, at: int, value: Any, unread: Mapping[str, str]) -> None:
        item = self._item(value)
        restore_texts(item.by_path(""), unread)
        await self._put(at, item)
        self.post_message(FormField.Filled())

    async def _take(self, at: int, *steps: Step) -> None:
        item = self._items.pop(at)
        self._widgets.remove(item)
        self._number()
        after = self._items[at].editor if at < len(self._items) else self._adder
        after.focus()
        await item.remove()
        self.post_message(FormField.Filled(*steps))


class ListItem(Headed):
    """One item: its number, what is wrong with it as a whole, and its field."""

    DEFAULT_CSS = "ListItem { height: auto; & > .row { height: 1; } }"

    class Removed(Message):
        """The item shall go."""

        def __init__(self, item: ListItem) -> None:
            super().__init__()
            self.item = item

    def __init__(self, inner: Field, palette: Palette) -> None:
        super().__init__()
        self.number = 0
        self.spec = inner.spec
        self.inner = inner
        self._palette = palette
        self._head = TitleRow(self._spans, palette, "background")
        self._remove_from = 0

    def compose(self) -> ComposeResult:
        """The row above the field."""
        yield self._head
        yield self.inner

    def _spans(self, width: int) -> list[Span]:
        remove: list[Span] = [(key_text_of("form.remove"), "subtle"), (" take out", "muted")]
        self._remove_from = width - 2 - spans_width(remove)
        left = with_fault([(f"  {self.number}", "text strong")], self.fault, "", self._remove_from)
        return [*left, (" " * max(1, self._remove_from - spans_width(left)), "text"), *remove]

    def on_click(self, event: events.Click) -> None:
        """A click on the words at the right of its row takes it out."""
        place = self._head.region  # the click may come from a field in it, whose own cells it counts
        if event.screen_y == place.y and event.screen_x - place.x >= self._remove_from:
            event.stop()
            self.take_out()

    def take_out(self) -> None:
        """Ask for it to be taken out of its list."""
        self.post_message(self.Removed(self))

    def collect(self, path: str, faults: dict[str, str]) -> Any:
        """The item's value."""
        return self.inner.collect(path, faults)

    def by_path(self, path: str) -> Iterator[tuple[str, Any]]:
        """The item, and what is in it."""
        yield path, self
        yield from (pair for pair in self.inner.by_path(path) if pair[1] is not self.inner)

    @property
    def editor(self) -> Widget:
        """What has the focus while it is filled in."""
        return self.inner.editor

    def repaint(self) -> None:
        """Its field has the colours too."""
        super().repaint()
        self.inner.palette = self._palette


def written_in(places: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, FormField]]:
    """Of fields at their paths those that a value is written in."""
    for path, each in places:
        field = each.inner if isinstance(each, ListItem) else each
        if isinstance(field, FormField):
            yield path, field


def unread_texts(places: Iterable[tuple[str, Any]]) -> dict[str, str]:
    """The texts in them that are no values, by the paths of their fields."""
    return {path: each.unread for path, each in written_in(places) if each.unread}


def restore_texts(places: Iterable[tuple[str, Any]], unread: Mapping[str, str]) -> None:
    """Show these texts as they were written; as values they were strings."""
    for path, field in written_in(places) if unread else ():
        if path in unread:
            field.restore(unread[path])


class AddRow(Painted, can_focus=True):
    """The row at the end of a list that adds an item."""

    DEFAULT_CSS = "AddRow { height: 1; }"
    BINDINGS: ClassVar[list[BindingType]] = bindings("adder")

    class Pressed(Message):
        """One more."""

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self._palette = palette

    def render_line(self, y: int) -> Strip:
        """What it does, with the key while it has the focus."""
        spans: list[Span] = [("  + ", "muted"), ("add one", "text" if self.has_focus else "subtle")]
        if self.has_focus:
            spans.append((f"  {key_text_of('form.add')}", "muted"))
        ground, bar = ("selected", "accent") if self.has_focus else ("raised", None)
        return row(spans, self.size.width, self._palette, ground, bar=bar)

    def action_add(self) -> None:
        """Add one."""
        self.post_message(self.Pressed())

    def on_click(self, event: events.Click) -> None:
        """A click adds one."""
        event.stop()
        self.action_add()
