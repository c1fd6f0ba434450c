"""Makes tools from whatever a person hands in, with the names and metadata that apply."""

from __future__ import annotations

from workbench.errors import ToolRegistrationError
from workbench.registry.discovery import discover
from workbench.registry.metadata import ToolMetadata
from workbench.registry.tool import Tool


def make_tools(
    obj: object,
    *,
    name: str | None = None,
    namespace: str | None = None,
    metadata: ToolMetadata | None = None,
) -> tuple[Tool, ...]:
    """The tools in ``obj``, not registered anywhere; arguments as in `ToolRegistry.register`.

    What is given here wins over what a ``tool`` decorator says, and that over what the object says of
    itself. Tags add up. An empty ``namespace`` means none.

    Raises:
        ToolRegistrationError: when it cannot become a tool.
    """
    if isinstance(obj, Tool):
        if name is not None or namespace is not None or metadata is not None:
            raise ToolRegistrationError(f"{obj.name} is a tool already, with its own name and metadata")
        return (obj,)
    if metadata is not None and not isinstance(metadata, ToolMetadata):
        raise ToolRegistrationError(f"metadata must be a ToolMetadata, not {metadata!r}")
    found = discover(obj)
    if name is not None and len(found) > 1:
        raise ToolRegistrationError(
            f"one name ({name!r}) cannot be given to {len(found)} tools", hint="Give namespace= instead."
        )
    tools: list[Tool] = []
    for each in found:
        declared = each.mark.metadata if each.mark is not None else ToolMetadata()
        tools.append(
            Tool.from_callable(
                each.func,
                name=name if name is not None else each.name,
                namespace=namespace if namespace is not None else each.namespace,
                metadata=declared if metadata is None else metadata.over(declared),
            )
        )
    return tuple(tools)


def make_version(old: Tool, obj: object, metadata: ToolMetadata | None = None) -> Tool:
    """``obj`` as a newer version of a tool, under the same name.

    Raises:
        ToolRegistrationError: when it cannot become a tool, or is more than one.
    """
    if isinstance(obj, Tool):
        if obj.name != old.name:
            raise ToolRegistrationError(f"{obj.name} cannot take the place of {old.name}: the names differ")
        return obj
    last = old.name.rpartition(".")[2]
    (tool,) = make_tools(obj, name=last, namespace=old.namespace or "", metadata=metadata)
    return tool
