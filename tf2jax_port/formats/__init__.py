"""Provide what several reports share of a format for other programs, and the version of the package."""
