"""Point at a mistake, and suggest a correction."""
