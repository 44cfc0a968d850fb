"""Import the other files of a program's repository, with the same changes as the program's own text."""

from __future__ import annotations

import importlib.machinery
import pathlib
import sys

from tools.public_programs import cells


def install(program: pathlib.Path, root: pathlib.Path, library: str) -> None:
    """Let a program import what lies beside it, or in a folder above it.

    Args:
      program: its file.
      root: the checkout of its repository.
      library: `shims` or TensorFlow's.
    """

    class Adapted(importlib.machinery.SourceFileLoader):
        def get_code(self, fullname):
            path = self.get_filename(fullname)
            text = "\n".join(cells.cells_of(pathlib.Path(path), library))
            return compile(text, path, "exec", dont_inherit=True)

    def finder_of(path: str):
        if not pathlib.Path(path).is_relative_to(root):
            raise ImportError("not a folder of the program")
        return importlib.machinery.FileFinder(path, (Adapted, [".py"]))

    sys.path_hooks.insert(0, finder_of)
    above = [folder for folder in program.parents if folder.is_relative_to(root)]
    sys.path[:0] = map(str, above)
