"""What is written to disk: sessions and logs."""
