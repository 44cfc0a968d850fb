"""List the programs, and find what they left under each library."""

from __future__ import annotations

import pathlib
import pickle
from typing import NamedTuple

from tools.public_programs.comparing import Verdict, compare
from tools.public_programs.lane import Cell
from tools.public_programs.one_bit import DIRECTIONS

_LIST = pathlib.Path(__file__).with_name("programs.txt")


class Program(NamedTuple):
    """A program in a public repository.

    Args:
      repository: `OWNER/NAME`.
      commit: the commit that was run.
      path: the path of the program.
      option: `x64` if JAX has 64-bit numbers, as the program needs.
    """

    repository: str
    commit: str
    path: str
    option: str = ""

    @property
    def name(self) -> str:
        """The folder and the file, without its ending."""
        path = pathlib.PurePosixPath(self.path)
        return f"{path.parent.name}_{path.stem}"

    @property
    def address(self) -> str:
        """The page of the program."""
        return f"https://github.com/{self.repository}/blob/{self.commit}/{self.path}"

    def source(self, checkouts: pathlib.Path) -> pathlib.Path:
        """Return the file of the program."""
        return checkouts / self.repository / self.path

    def kept(self, library: str, checkouts: pathlib.Path) -> pathlib.Path:
        """Return the file of what the program left under a library."""
        return checkouts / "results" / f"{self.name}.{library}.pkl"


def listed() -> list[Program]:
    """Return the programs of `programs.txt`."""
    return [Program(*line.split()) for line in _LIST.read_text().splitlines()]


def verdict(program: Program, checkouts: pathlib.Path) -> Verdict | str:
    """Return the result of a program, or the library under which it did not end."""
    wanted, found = (_left(program.kept(n, checkouts)) for n in ("tensorflow", "shims"))
    if wanted is None or found is None:
        return f"did not end under {'tensorflow' if wanted is None else 'shims'}"
    moved = (_left(program.kept(direction, checkouts)) for direction in DIRECTIONS)
    return compare(wanted, found, [cells for cells in moved if cells is not None])


def _left(file: pathlib.Path) -> list[Cell] | None:
    return [Cell(*cell) for cell in pickle.loads(file.read_bytes())] if file.exists() else None
