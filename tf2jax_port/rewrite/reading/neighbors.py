"""Define the interface to the other modules of a file's project."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Export(NamedTuple):
    """The object that an imported name refers to.

    Attributes:
      dotted: the full TensorFlow name, such as `tensorflow.math`; empty for a module of the project, some of whose
        attributes may come from TensorFlow.
      ambiguous: whether the module also binds the name to something else.
    """

    dotted: str
    ambiguous: bool = False


class Neighbors(Protocol):
    """The other modules of the project, as seen from one file."""

    def export(self, path: str) -> Export | None:
        """Resolve a dotted path that an import of this file mentions, such as `.utils.tf`.

        Returns `None` if it is neither a TensorFlow name nor a module of the project.
        """

    def takes(self, name: str) -> bool:
        """Return whether another module imports a name from this file."""

    def import_whole(self) -> bool:
        """Return whether another module imports this file as a module, and may use any of its names."""

    def concern(self, raw: bytes) -> bool:
        """Return whether a file with this text may import a TensorFlow name from another module."""

    def passes_list(self, function: str, argument: int | str) -> bool:
        """Return whether another module calls a function of this name with a list as the argument.

        The argument is a position or a keyword.
        """

    def mentions(self, name: str) -> bool:
        """Return whether the non-Python text of a notebook (magics, shell lines, unreadable cells) contains a name."""


class _NoNeighbors:
    """The neighbors of a file that is processed on its own: there are none."""

    def export(self, path: str) -> Export | None:
        """Return `None`: there are no other modules."""
        return None

    def takes(self, name: str) -> bool:
        """Return `False`: there are no other modules."""
        return False

    def import_whole(self) -> bool:
        """Return `False`: there are no other modules."""
        return False

    def concern(self, raw: bytes) -> bool:
        """Return `False`: there are no other modules."""
        return False

    def passes_list(self, function: str, argument: int | str) -> bool:
        """Return `False`: there are no other modules."""
        return False

    def mentions(self, name: str) -> bool:
        """Return `False`: there is no text around the program, as there is in a notebook."""
        return False


ALONE: Neighbors = _NoNeighbors()
