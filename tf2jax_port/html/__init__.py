"""Provide the style sheet of all HTML pages."""
