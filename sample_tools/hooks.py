"""No tool, but a hook: it sees each tool as it is registered and may switch it off by giving a reason."""

from workbench import Tool, ToolRegistry, ToolTag


def post_register_hook(_name: str, tool: Tool, _registry: ToolRegistry) -> str | None:
    """Destructive tools start switched off; a person can switch them on."""
    return "tagged destructive" if ToolTag.DESTRUCTIVE in tool.metadata.tags else None
