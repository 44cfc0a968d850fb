"""The diagnostics, by what they are about."""
