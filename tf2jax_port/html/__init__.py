"""Provide what all HTML pages share: frame, style sheet, script, source text in color."""
