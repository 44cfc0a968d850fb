"""Provide the common parts of reports in formats for other programs, and the version of the package."""
