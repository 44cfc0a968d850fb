"""Define the interface through which a file sees the other modules of its project."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Export(NamedTuple):
    """The meaning of an imported name.

    Attributes:
      dotted: the full TensorFlow name, such as `tensorflow.math`; empty for a module of the project that
        may have attributes from TensorFlow.
      ambiguous: whether the module also binds the name to something else.
    """

    dotted: str
    ambiguous: bool = False


class Neighbors(Protocol):
    """The other modules of the project, as seen from one file."""

    def export(self, path: str) -> Export | None:
        """Resolve a dotted path as this file's imports spell it: `.utils.tf`.

        Returns `None` for what is neither TensorFlow's nor a module of the project.
        """

    def takes(self, name: str) -> bool:
        """Return whether another module imports a name from this file."""

    def concern(self, raw: bytes) -> bool:
        """Return whether a file with this text may get a TensorFlow name from another module."""

    def mentions(self, name: str) -> bool:
        """Return whether non-Python text around the program mentions a name of it."""


class _NoNeighbors:
    """The neighbors of a file that is processed on its own: none."""

    def export(self, path: str) -> Export | None:
        """Return `None`: there are no other modules."""
        return None

    def takes(self, name: str) -> bool:
        """Return `False`: there are no other modules."""
        return False

    def concern(self, raw: bytes) -> bool:
        """Return `False`: there are no other modules."""
        return False

    def mentions(self, name: str) -> bool:
        """Return `False`: there is no other text."""
        return False


ALONE: Neighbors = _NoNeighbors()
