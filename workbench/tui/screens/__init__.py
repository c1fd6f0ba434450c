"""One screen, one file."""
