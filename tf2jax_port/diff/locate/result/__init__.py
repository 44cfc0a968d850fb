"""What was located, as data and in words."""
