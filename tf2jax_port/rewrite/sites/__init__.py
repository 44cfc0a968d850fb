"""What becomes of one reference."""
