"""The fields of a form for a tool's arguments: what each takes, and what a text in it means."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from workbench.tui.json_reading import read_json

Kind = Literal["text", "number", "integer", "boolean", "choice", "object", "list", "json"]
"""``object`` and ``list`` (of objects) are filled in by fields of their own, ``json`` as one text."""

LEFT_OUT: Final = object()
"""What a field gives whose argument is not passed at all."""

MISSING: Final = object()
"""Stands for a value that was not given where others were; a field that is not touched leaves it so."""

EMPTY: Final = '""'
"""What stands for an empty text in a field that leaves its argument out when nothing stands there."""

MOST_ITEMS: Final = 20
"""Items up to which a list is shown item by item."""

_DEEPEST: Final = 20


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """One argument. ``kind`` is how it is filled in, ``says`` its type in words.

    ``choices`` are the values that it may have; ``default`` is LEFT_OUT where there is none. ``nullable``:
    null is a value of it. ``schema`` and ``root``, in which its references lie, say what is in an object or
    a list.
    """

    name: str
    kind: Kind
    says: str
    description: str = ""
    required: bool = False
    default: Any = LEFT_OUT
    choices: tuple[Any, ...] = ()
    nullable: bool = False
    schema: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    root: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def fields(self) -> tuple[FieldSpec, ...]:
        """What an object has; made when it is asked for, since a schema may lie in itself."""
        return _fields(self.schema, self.root)

    @property
    def item(self) -> FieldSpec:
        """One item of a list."""
        return _field("", _mapping(self.schema.get("items")), True, self.root)

    @property
    def as_json(self) -> FieldSpec:
        """The same, filled in as JSON."""
        return replace(self, kind="json", says=f"{self.says}, JSON")

    def holds(self, value: Any) -> bool:
        """Whether the fields of an object or a list have a place for all of a value."""
        if value is LEFT_OUT or value is MISSING or (value is None and self.nullable):
            return True
        if self.kind == "object":
            return isinstance(value, Mapping) and value.keys() <= {each.name for each in self.fields}
        return isinstance(value, list) and len(value) <= MOST_ITEMS

    @property
    def choosable(self) -> bool:
        """Whether one of a few values is chosen rather than written."""
        return self.kind in ("boolean", "choice")

    @property
    def options(self) -> tuple[Any, ...]:
        """What can be chosen; an argument that may be left out can be."""
        values: tuple[Any, ...] = (True, False) if self.kind == "boolean" else self.choices
        if self.nullable and None not in values:
            values = (*values, None)
        return values if self.required else (LEFT_OUT, *values)

    @property
    def quotes_empty(self) -> bool:
        """Whether an empty text is written as ``EMPTY``, because nothing would mean something else."""
        return self.kind == "text" and not self.required and self.default != ""


def fields_of(parameters: Mapping[str, Any]) -> tuple[FieldSpec, ...]:
    """The fields for a JSON schema of arguments, in its order."""
    return _fields(parameters, parameters)


def _fields(schema: Mapping[str, Any], root: Mapping[str, Any]) -> tuple[FieldSpec, ...]:
    required = set(schema.get("required") or ())
    properties = _mapping(schema.get("properties"))
    return tuple(_field(name, _mapping(each), name in required, root) for name, each in properties.items())


def _field(name: str, schema: Mapping[str, Any], required: bool, root: Mapping[str, Any]) -> FieldSpec:
    schema = _resolved(schema, root)
    alternatives = [_resolved(each, root) for each in schema.get("anyOf") or schema.get("oneOf") or ()]
    nullable = any(each.get("type") == "null" for each in alternatives)
    others = [each for each in alternatives if each.get("type") != "null"]
    plain = {**schema, **others[0]} if len(others) == 1 else schema
    if isinstance(plain.get("type"), list):
        kinds = [kind for kind in plain["type"] if kind != "null"]
        nullable = nullable or len(kinds) < len(plain["type"])
        plain = {**plain, "type": kinds[0] if len(kinds) == 1 else None}
    if {each.get("type") for each in others} == {"integer", "number"}:
        plain, others = {**schema, "type": "number"}, []
    choices = tuple(plain.get("enum") or ()) or ((plain["const"],) if "const" in plain else ())
    kind, says = _kind(plain, choices, root, several=len(others) > 1)
    return FieldSpec(
        name,
        kind,
        says,
        str(schema.get("description") or plain.get("description") or ""),
        required,
        schema.get("default", LEFT_OUT),
        choices,
        nullable,
        plain,
        root,
    )


def _kind(
    schema: Mapping[str, Any], choices: tuple[Any, ...], root: Mapping[str, Any], *, several: bool
) -> tuple[Kind, str]:
    if choices:
        return "choice", "one of"
    kind = schema.get("type")
    if several or kind is None:
        return "json", "JSON"
    if kind == "array":
        return _kind_of_list(_resolved(_mapping(schema.get("items")), root))
    if kind == "object" and _mapping(schema.get("properties")):
        return "object", "object"
    words: dict[str, tuple[Kind, str]] = {
        "string": ("text", "text"),
        "number": ("number", "number"),
        "integer": ("integer", "whole number"),
        "boolean": ("boolean", "yes or no"),
        "object": ("json", "object, JSON"),
    }
    return words.get(str(kind), ("json", "JSON"))


def _kind_of_list(items: Mapping[str, Any]) -> tuple[Kind, str]:
    inner = items.get("type")
    if inner == "object" and _mapping(items.get("properties")):
        return "list", "list of objects"
    return "json", f"list of {inner}s, JSON" if isinstance(inner, str) and inner != "object" else "list, JSON"


def _mapping(value: Any) -> Mapping[str, Any]:
    """A schema from elsewhere may say anything."""
    return value if isinstance(value, Mapping) else {}


def _resolved(given: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema that a reference stands for; what stands beside the reference holds too."""
    for _ in range(_DEEPEST):
        schema: Mapping[str, Any] = _mapping(given)
        whole = schema.get("allOf")
        if isinstance(whole, list) and len(whole) == 1:
            rest = {key: value for key, value in schema.items() if key != "allOf"}
            schema = {**_mapping(whole[0]), **rest}
        place = schema.get("$ref")
        if not isinstance(place, str) or not place.startswith("#/"):
            return schema
        found: Any = root
        for part in place[2:].split("/"):
            found = found.get(part, {}) if isinstance(found, Mapping) else {}
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        given = {**_mapping(found), **beside}
    return {}


def read(spec: FieldSpec, text: str) -> tuple[Any, str]:
    """The value of a text in a field, or LEFT_OUT, and what is wrong with it, empty if nothing is.

    Nothing in the field leaves the argument out, except for a required text: that is empty then. Others
    are with ``EMPTY``. Blanks are a text, and nothing elsewhere.
    """
    if spec.kind == "text":
        if not text and not spec.required:
            return LEFT_OUT, ""
        return "" if spec.quotes_empty and text == EMPTY else text, ""
    if not text.strip():
        return LEFT_OUT, "missing" if spec.required else ""
    if spec.nullable and text.strip() == "null":
        return None, ""
    if spec.kind in ("integer", "number"):
        return _number(text, whole=spec.kind == "integer")
    try:
        return read_json(text), ""
    except json.JSONDecodeError as error:
        return LEFT_OUT, f"not JSON: {error}"
    except ValueError as error:
        return LEFT_OUT, str(error)


def _number(text: str, *, whole: bool) -> tuple[Any, str]:
    """The number that a text says, a whole one where it is, and what is wrong with it."""
    try:
        return int(text), ""
    except ValueError:
        pass  # Python reads no whole number of thousands of digits either
    if text.strip().lstrip("+-").isdecimal():
        return LEFT_OUT, "a number of too many digits"
    if whole:
        return LEFT_OUT, "not a whole number"
    try:
        number = float(text)
    except ValueError:
        return LEFT_OUT, "not a number"
    if math.isfinite(number):
        return number, ""
    return LEFT_OUT, "too large a number" if any(map(str.isdecimal, text)) else "not a number in JSON"


def text_of(spec: FieldSpec, value: Any) -> str:
    """What a field shows of a value."""
    if value is LEFT_OUT:
        return ""
    if value == "" and spec.quotes_empty:
        return EMPTY
    if isinstance(value, str) and spec.kind in ("text", "choice"):
        return value
    return json.dumps(value, ensure_ascii=False, default=repr)


def faults_by_field(fault: str, names: Collection[str]) -> tuple[dict[str, str], str]:
    """What the tool says is wrong, by the field that it is about; and what belongs to none.

    ``names`` are those of arguments, or paths into them such as ``order.lines[0].count``.
    """
    found: dict[str, str] = {}
    rest: list[str] = []
    said = fault.partition(" Expected: ")[0].rstrip(".")
    for part in said.replace("\n", "; ").split("; "):
        name, colon, why = part.partition(": ")
        owners = (each for each in names if name == each or name.startswith((f"{each}.", f"{each}[")))
        owner = max(owners, key=len, default=None)
        if colon and owner is not None:
            found.setdefault(
                owner, why if owner == name else f"{name.removeprefix(owner).lstrip('.')}: {why}"
            )
        elif part.strip():
            rest.append(part.strip())
    return found, "; ".join(rest)
