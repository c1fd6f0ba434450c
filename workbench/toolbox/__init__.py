"""Where tools come from: files, folders, modules."""
