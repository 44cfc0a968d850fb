"""Define the version of the distribution; the build reads this file too."""

__version__ = "0.1.0"
