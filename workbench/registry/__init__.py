"""Tools, schemas, permissions and change events."""
