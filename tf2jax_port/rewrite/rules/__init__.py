"""Define the diagnostics, grouped by subject."""
