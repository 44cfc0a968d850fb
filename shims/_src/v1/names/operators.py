"""The list of operators of TensorFlow 1: their spellings, where they are, their parameters."""

from __future__ import annotations

import dataclasses
import functools
import importlib
from typing import Any

from shims._src.platform.data_files import read_data


@dataclasses.dataclass(frozen=True, slots=True)
class Operator:
    """One entry of the list of operators.

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
def live_names() -> dict[str, Any]:
    """Read the names that `tools/live_names.py` took from TensorFlow."""
    return read_data(__package__, "live_names")


@functools.cache
def operators() -> dict[str, Operator]:
    """Return the operators by each of their spellings."""
    found = {}
    for name, entry in live_names()["operators"].items():
        operator = Operator(name, entry["place"], entry["signature"], entry["renames"])
        found.update(dict.fromkeys(entry["spellings"], operator))
    return found


def located(place: str) -> Any:
    """The object at `module:attribute`."""
    module, _, attribute = place.partition(":")
    found = importlib.import_module(module)
    for part in attribute.split(".") if attribute else ():
        found = getattr(found, part)
    return found
