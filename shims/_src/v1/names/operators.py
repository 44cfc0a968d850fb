"""Define the list of TensorFlow 1 operators: their names, locations and parameters."""

from __future__ import annotations

import dataclasses
import functools
import importlib
from typing import Any

from shims._src.platform.data_files import read_data


@dataclasses.dataclass(frozen=True, slots=True)
class Operator:
    """An entry in the list of TensorFlow 1 operators.

    Attributes:
      name: the shortest name of the operator, from which names of operations derive.
      place: `module:function` below `shims._src`.
      signature: the parameters in TensorFlow 1, as text.
      renames: a dict from parameter names in TensorFlow 1 to those in TensorFlow 2.
    """

    name: str
    place: str
    signature: str
    renames: dict[str, str]


@functools.cache
def live_names() -> dict[str, Any]:
    """Read the lists of TensorFlow names that `tools/live_names.py` extracted."""
    return read_data(__package__, "live_names")


@functools.cache
def operators() -> dict[str, Operator]:
    """Return a dict from TensorFlow 1 names to entries; several names may have the same entry."""
    found = {}
    for name, entry in live_names()["operators"].items():
        operator = Operator(name, entry["place"], entry["signature"], entry["renames"])
        found.update(dict.fromkeys(entry["spellings"], operator))
    return found


def located(place: str) -> Any:
    """Import and return the object at a location `module:attribute`."""
    module, _, attribute = place.partition(":")
    found = importlib.import_module(module)
    for part in attribute.split(".") if attribute else ():
        found = getattr(found, part)
    return found
