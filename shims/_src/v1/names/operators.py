"""The list of operators of TensorFlow 1: their spellings, where they are, their parameters."""

from __future__ import annotations

import dataclasses
import functools
import importlib
from typing import Any

from shims._src.v1.names import live_names


@dataclasses.dataclass(frozen=True, slots=True)
class Operator:
    """One line of the list of operators.

    Attributes:
      name: its shortest spelling, which says how its operations are named.
      place: `module:function` below `shims._src`.
      signature: its parameters in version 1, as text.
      renames: what parameters are called in version 2.
    """

    name: str
    place: str
    signature: str
    renames: dict[str, str]


@functools.cache
def operators() -> dict[str, Operator]:
    """The operators by each of their spellings."""
    found = {}
    for line in live_names.OPERATORS.strip().splitlines():
        spellings, place, signature, *renames = (part.strip() for part in line.split("|"))
        pairs = dict(pair.split("=") for part in renames for pair in part.split())
        names = spellings.split()
        found.update(dict.fromkeys(names, Operator(names[0], place, signature, pairs)))
    return found


def located(place: str) -> Any:
    """The object at `module:attribute`."""
    module, _, attribute = place.partition(":")
    found = importlib.import_module(module)
    for part in attribute.split(".") if attribute else ():
        found = getattr(found, part)
    return found
