"""The version of the distribution: one line that the build reads too."""

__version__ = "0.1.0"
