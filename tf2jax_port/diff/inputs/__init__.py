"""Where the cases come from."""
