"""What a script prints."""
