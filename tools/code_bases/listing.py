"""Read the list of code bases, and name the files that are kept of each."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import tomllib
from typing import Any

_LIST = pathlib.Path(__file__).with_name("code_bases.toml")


@dataclasses.dataclass(frozen=True)
class CodeBase:
    """One code base.

    Attributes:
      name: the name of its checkout.
      address: where it is published.
      packages: the import names of the packages whose calls are recorded; none, if no test can be run.
      keras: the release of Keras that it is written for.
      stand_ins: modules that are not installed and do nothing here.
      tests: patterns of the test files that are run.
    """

    name: str
    address: str
    packages: tuple[str, ...] = ()
    keras: int = 2
    stand_ins: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()

    def kept(self, what: str, checkouts: pathlib.Path) -> pathlib.Path:
        """Return the path of a result that is kept."""
        return checkouts / "results" / self.name / what


@functools.cache
def listed() -> tuple[CodeBase, ...]:
    """Return the code bases in `code_bases.toml`."""
    found = []
    for entry in tomllib.loads(_LIST.read_text())["code_base"]:
        fields: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()
        }
        found.append(CodeBase(**fields))
    return tuple(found)
