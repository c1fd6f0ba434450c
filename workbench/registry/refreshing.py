"""What a newer version of a tool keeps from the older one, and what it changes."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from workbench.registry import json_schema
from workbench.registry.metadata import ToolMetadata
from workbench.registry.tool import Tool


def successor(old: Tool, new: Tool) -> Tool:
    """The newer version with everything that was changed at run time on the older one."""
    return new.with_metadata(_carried(old.declared, old.metadata, new.declared))


def changes(old: Tool, new: Tool) -> dict[str, Any]:
    """What differs, empty when the two act and look the same.

    Returns:
        ``difference`` (the arguments, see `json_schema.differences`), ``description`` and ``tags``
        (each ``old`` and ``new``), ``code`` (the two code hashes); keys without a change are left out.
    """
    found: dict[str, Any] = {}
    difference = json_schema.differences(old.parameters, new.parameters)
    if difference or old.parameters != new.parameters:
        found["difference"] = difference
    if old.description != new.description:
        found["description"] = {"old": old.description, "new": new.description}
    if old.metadata.tags != new.metadata.tags:
        found["tags"] = {
            "old": sorted(map(str, old.metadata.tags)),
            "new": sorted(map(str, new.metadata.tags)),
        }
    if old.metadata.code_hash != new.metadata.code_hash:
        found["code"] = {"old": old.metadata.code_hash, "new": new.metadata.code_hash}
    return found


def _carried(declared: ToolMetadata, current: ToolMetadata, fresh: ToolMetadata) -> ToolMetadata:
    if current == declared:
        return fresh
    kept = {
        each.name: getattr(current, each.name)
        for each in fields(current)
        if getattr(current, each.name) != getattr(declared, each.name)
    }
    if "tags" in kept:
        kept["tags"] = (fresh.tags | (current.tags - declared.tags)) - (declared.tags - current.tags)
    return replace(fresh, **kept)
