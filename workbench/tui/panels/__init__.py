"""One panel, one file."""
