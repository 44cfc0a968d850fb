"""What a file can know of the other modules of its project: names that it imports from them."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Export(NamedTuple):
    """Where an imported name leads.

    Attributes:
      dotted: the full name of TensorFlow, `tensorflow.math`; empty for a module of the project, of
        which some attribute may be TensorFlow's.
      ambiguous: the module binds the name to something else too.
    """

    dotted: str
    ambiguous: bool = False


class Neighbors(Protocol):
    """The other modules, seen from one file."""

    def export(self, path: str) -> Export | None:
        """Where a dotted path leads, written as an import of this file has it: `.utils.tf`.

        `None` for what is neither TensorFlow's nor a module of the project.
        """

    def takes(self, name: str) -> bool:
        """Whether another module imports a name from this file."""

    def concern(self, raw: bytes) -> bool:
        """Whether this file, of that text, may get a name of TensorFlow from another module."""

    def mentions(self, name: str) -> bool:
        """Whether text around the program, which is no Python, has a name of it."""


class _Nobody:
    """A file that is looked at by itself."""

    def export(self, path: str) -> Export | None:
        """Nothing leads anywhere."""
        return None

    def takes(self, name: str) -> bool:
        """Nobody takes anything."""
        return False

    def concern(self, raw: bytes) -> bool:
        """Nobody gives anything."""
        return False

    def mentions(self, name: str) -> bool:
        """Nothing stands around it."""
        return False


ALONE: Neighbors = _Nobody()
