"""Provide the common parts of all HTML pages: frame, style sheet, script, source text in color."""
