"""Reads and tidies JSON schemas: no titles, simple references written out, types named in words."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

_MAPS_OF_SCHEMAS = ("properties", "patternProperties", "$defs")
_LISTS_OF_SCHEMAS = ("anyOf", "allOf", "oneOf", "prefixItems")
_SCHEMAS = ("items", "additionalProperties", "not", "contains", "propertyNames")
_PREFIX = "#/$defs/"


def tidy(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema as an object that allows no other keys, without titles, references written out.

    A definition that refers to itself stays in ``$defs``.
    """
    definitions: dict[str, Any] = schema.get("$defs", {})
    recursive = {name for name in definitions if name in _reachable(name, definitions)}
    body = {key: value for key, value in schema.items() if key != "$defs"}
    found = _tidied(body, definitions, recursive)
    result: dict[str, Any] = {"type": "object", "properties": found.pop("properties", {})}
    result.update((key, value) for key, value in found.items() if key != "type")
    result["additionalProperties"] = False
    if kept := _kept(result, definitions, recursive):
        result["$defs"] = kept
    return result


def sendable(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema where it can be sent as JSON; else one that can.

    A default that JSON has no number for is left out, other such numbers become texts, and lone surrogates
    are replaced.
    """
    try:
        json.dumps(schema, ensure_ascii=False, allow_nan=False, default=str).encode()
    except (ValueError, UnicodeEncodeError):
        return {_mended(key): _mended(value) for key, value in schema.items()}
    return schema


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    if isinstance(value, float) and not math.isfinite(value):
        return json.dumps(value)
    if isinstance(value, Mapping):
        default = value.get("default")
        unsayable = isinstance(default, float) and not math.isfinite(default)
        return {
            _mended(key): _mended(each) for key, each in value.items() if not (unsayable and key == "default")
        }
    return [_mended(each) for each in value] if isinstance(value, list) else value


def in_mappings(schema: object) -> dict[str, Any]:
    """The same schema with ``true`` and ``false``, wherever they stand for a schema, written as mappings.

    ``additionalProperties`` stays as it is, since everybody reads it.
    """
    if not isinstance(schema, Mapping):
        return {"not": {}} if schema is False else {}
    result = dict(schema)
    for key, value in schema.items():
        if key in _MAPS_OF_SCHEMAS and isinstance(value, Mapping):
            result[key] = {name: in_mappings(each) for name, each in value.items()}
        elif key in _LISTS_OF_SCHEMAS and isinstance(value, list):
            result[key] = [in_mappings(each) for each in value]
        elif key in _SCHEMAS and (isinstance(value, Mapping) or key != "additionalProperties"):
            result[key] = in_mappings(value)
    return result


def type_in_words(schema: Mapping[str, Any], definitions: Mapping[str, Any] | None = None) -> str:
    """``integer``, ``list of string``, ``one of 'a', 'b'``: what a value has to be."""
    definitions = schema.get("$defs", {}) if definitions is None else definitions
    if "$ref" in schema:
        return type_in_words(definitions.get(schema["$ref"].removeprefix(_PREFIX), {}), {})
    if "const" in schema:
        return repr(schema["const"])
    if "enum" in schema:
        return "one of " + ", ".join(repr(each) for each in schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(type_in_words(each, definitions) for each in schema[key]))
    if schema.get("not") == {}:
        return "nothing"
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        items = schema.get("items")
        return f"list of {type_in_words(items, definitions)}" if isinstance(items, dict) and items else "list"
    if kind == "string" and "format" in schema:
        return f"{schema['format']} string"
    return str(kind) if kind else "anything"


def arguments_in_words(parameters: Mapping[str, Any]) -> str:
    """``a (integer, required), b (string, default 'x')``; ``no arguments`` for an empty schema."""
    required = set(parameters.get("required", ()))
    definitions = parameters.get("$defs", {})
    parts: list[str] = []
    for name, entry in parameters.get("properties", {}).items():
        if name in required:
            note = "required"
        elif "default" in entry:
            note = f"default {shortened(entry['default'])}"
        else:
            note = "optional"
        parts.append(f"{name} ({type_in_words(entry, definitions)}, {note})")
    return ", ".join(parts) or "no arguments"


def shortened(value: object, limit: int = 60) -> str:
    """``repr`` of a value; a long one is cut and says how long it is."""
    text = repr(value)
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text):,} characters)"


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """What changed from one object schema to the next, argument by argument.

    Returns:
        ``added`` and ``removed`` (argument -> its schema) and ``changed`` (argument -> its ``old`` and
        ``new`` schema, with ``required`` inside); keys without content are left out.
    """
    before, after = _arguments(old), _arguments(new)
    found = {
        "added": {name: after[name] for name in after if name not in before},
        "removed": {name: before[name] for name in before if name not in after},
        "changed": {
            name: {"old": before[name], "new": after[name]}
            for name in after
            if name in before and before[name] != after[name]
        },
    }
    return {key: value for key, value in found.items() if value}


def estimated_tokens(schema: Mapping[str, Any]) -> int:
    """About how many tokens a schema costs in each request: one for four characters of compact JSON."""
    return -(-len(json.dumps(schema, separators=(",", ":"), ensure_ascii=False, default=str)) // 4)


def _arguments(schema: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    required = set(schema.get("required", ()))
    properties: Mapping[str, Any] = schema.get("properties", {})
    return {name: {**entry, "required": name in required} for name, entry in properties.items()}


def _tidied(node: dict[str, Any], definitions: Mapping[str, Any], recursive: set[str]) -> dict[str, Any]:
    name = str(node.get("$ref", "")).removeprefix(_PREFIX)
    if name in definitions and name not in recursive:
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return _tidied({**definitions[name], **beside}, definitions, recursive)
    result: dict[str, Any] = {}
    for key, value in node.items():
        if key == "title":
            continue
        if key in _MAPS_OF_SCHEMAS and isinstance(value, dict):
            result[key] = {each: _tidied(sub, definitions, recursive) for each, sub in value.items()}
        elif key in _LISTS_OF_SCHEMAS and isinstance(value, list):
            result[key] = [_tidied(sub, definitions, recursive) for sub in value]
        elif key in _SCHEMAS and isinstance(value, dict):
            result[key] = _tidied(value, definitions, recursive)
        elif key != "discriminator":  # its mapping points into `$defs`; `oneOf` says the same
            result[key] = value
    return result


def _kept(body: dict[str, Any], definitions: Mapping[str, Any], recursive: set[str]) -> dict[str, Any]:
    """The recursive definitions that the body, or one of themselves, still refers to."""
    kept: dict[str, Any] = {}
    waiting = list(_references(body))
    while waiting:
        name = waiting.pop()
        if name not in kept:
            kept[name] = _tidied(definitions[name], definitions, recursive)
            waiting.extend(_references(kept[name]))
    return dict(sorted(kept.items()))


def _reachable(start: str, definitions: Mapping[str, Any]) -> set[str]:
    seen: set[str] = set()
    waiting = list(_references(definitions[start]))
    while waiting:
        name = waiting.pop()
        if name not in seen and name in definitions:
            seen.add(name)
            waiting.extend(_references(definitions[name]))
    return seen


def _references(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        target = node.get("$ref")
        if isinstance(target, str) and target.startswith(_PREFIX):
            yield target.removeprefix(_PREFIX)
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)
