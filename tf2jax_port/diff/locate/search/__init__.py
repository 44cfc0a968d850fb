"""The first place where the original's value mends the port."""
