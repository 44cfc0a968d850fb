"""What stands behind a name of TensorFlow 1: an operator, an object of the graph, or nothing yet."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import importlib
from typing import Any

from shims._src.graph.own_names import OWN_NAMES
from shims._src.version_one import live_names

# Namespaces whose names are taken as they are where nothing else is said of them.
_PLAIN = {
    "errors": "shims.errors",
    "nest": "shims.nest",
    "logging": "shims._src.version_one.logging",
}


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


@functools.cache
def values() -> dict[str, str]:
    """Where the dtypes, classes and constants are."""
    lines = live_names.VALUES.strip().splitlines()
    return {name: place for name, _, place in (line.partition(" | ") for line in lines)}


@functools.cache
def names_in(namespace: str) -> tuple[str, ...]:
    """The names of a namespace, `""` for the outermost, without those of namespaces in it."""
    every = (*operators(), *values(), *OWN_NAMES)
    inside = {n.rpartition(".")[2] for n in every if n.rpartition(".")[0] == namespace}
    plain = _PLAIN.get(namespace)
    if plain:
        inside.update(importlib.import_module(plain).__all__)
    return tuple(sorted(inside))


def resolve(name: str) -> Any:
    """The object of a name, `"nn.relu"`.

    Raises:
      AttributeError: there is none; the message says whether TensorFlow has one.
    """
    from shims._src.version_one.binding import callable_of

    if name in OWN_NAMES:
        return located(OWN_NAMES[name])
    if name in operators():
        return callable_of(operators()[name])
    if name in values():
        place = values()[name]
        return None if place == "=None" else located(f"shims._src.{place}")
    namespace, _, last = name.rpartition(".")
    if namespace in _PLAIN:
        found = getattr(importlib.import_module(_PLAIN[namespace]), last, None)
        if found is not None:
            return found
    raise AttributeError(_absent(name))


def located(place: str) -> Any:
    """The object at `module:attribute`."""
    module, _, attribute = place.partition(":")
    found = importlib.import_module(module)
    for part in attribute.split(".") if attribute else ():
        found = getattr(found, part)
    return found


def _absent(name: str) -> str:
    page = f"https://www.tensorflow.org/api_docs/python/tf/compat/v1/{name.replace('.', '/')}"
    if name in live_names.OTHERS.split():
        return (
            f"shims.compat.v1 has no `tf.{name}`: TensorFlow does, and it is not ported. See {page}"
        )
    every = [*operators(), *values(), *OWN_NAMES]
    near = difflib.get_close_matches(name, every, 3, 0.75)
    hint = f" Near it: {', '.join(f'`tf.{n}`' for n in near)}." if near else ""
    return f"TensorFlow 1 has no `tf.{name}`.{hint}"
