"""Look up TensorFlow 1 names: operators, classes and constants.

The error for a name that is not supported suggests others.
"""

from __future__ import annotations

import difflib
import functools
import importlib
from typing import Any

from shims._src.v1.graph.deferred_operators import deferred
from shims._src.v1.names.call_translation import callable_of
from shims._src.v1.names.graph_names import OWN_NAMES
from shims._src.v1.names.operators import live_names, located, operators
from shims._src.v1.names.redefined_operators import VARIANTS
from shims._src.v1.names.replacements import instead_of
from shims._src.v1.ops.linear_operators import graph_class

# Namespaces served by a module, unless a name is defined elsewhere.
_PLAIN = {
    "app": "shims._src.v1.platform.app",
    "app.flags": "shims._src.v1.platform.flags",
    "errors": "shims.errors",
    "flags": "shims._src.v1.platform.flags",
    "gfile": "shims._src.data.gfile",
    "io.gfile": "shims._src.data.gfile",
    "logging": "shims._src.v1.platform.logging",
    "nest": "shims.nest",
}
# Namespaces of contrib whose names have another public place.
_MOVED = {"contrib.framework.nest": "nest", "contrib.signal": "signal"}
# Namespaces that only partly differ in TensorFlow 1, with the module for the other names.
_BESIDE = {"keras": "shims.keras"}


def values() -> dict[str, str]:
    """Return a dict from the names of dtypes, classes and constants to `module:attribute` locations."""
    places: dict[str, str] = live_names()["values"]
    return places


def others() -> list[str]:
    """Return the TensorFlow 1 names that this package does not support."""
    names: list[str] = live_names()["others"]
    return names


def every_name() -> list[str]:
    """Return all TensorFlow 1 names that this package supports."""
    moved = (f"{old}.{name}" for old, new in _MOVED.items() for name in names_in(new))
    return [*_unmoved_names(), *moved]


def _unmoved_names() -> list[str]:
    return [*dict.fromkeys((*operators(), *values(), *VARIANTS, *OWN_NAMES))]


@functools.cache
def names_in(namespace: str) -> tuple[str, ...]:
    """Return the supported names directly inside a namespace such as `nn`; `""` is the top level."""
    inside = {n.rpartition(".")[2] for n in _unmoved_names() if n.rpartition(".")[0] == namespace}
    inside.update(names_in(_MOVED[namespace]) if namespace in _MOVED else ())
    plain = _PLAIN.get(namespace)
    if plain:
        module = importlib.import_module(plain)
        public = (name for name in dir(module) if not name.startswith("_"))
        inside.update(getattr(module, "__all__", public))
    return tuple(sorted(inside))


def resolve(name: str) -> Any:
    """Return the object with a TensorFlow 1 name such as `"nn.relu"`.

    Raises:
      AttributeError: the name is not supported; the message says whether TensorFlow has it.
    """
    if name in OWN_NAMES:
        return located(OWN_NAMES[name])
    if name in VARIANTS:
        place, public = VARIANTS[name]
        return deferred(located(place), public)
    if name in operators():
        return callable_of(operators()[name])
    if name in values():
        place = values()[name]
        found = None if place == "=None" else located(f"shims._src.{place}")
        return graph_class(found) if name.startswith("linalg.LinearOperator") else found
    namespace, _, last = name.rpartition(".")
    if namespace in _MOVED:
        return resolve(f"{_MOVED[namespace]}.{last}")
    module = _PLAIN.get(namespace) or _BESIDE.get(namespace)
    if module:
        found = getattr(importlib.import_module(module), last, None)
        if found is not None:
            return found
    raise AttributeError(_absent_message(name))


def _absent_message(name: str) -> str:
    instead = instead_of(name)
    if instead:
        return f"shims.compat.v1 has no `tf.{name}`. Instead: {instead}."
    page = f"https://www.tensorflow.org/api_docs/python/tf/compat/v1/{name.replace('.', '/')}"
    if name in others():
        return (
            f"shims.compat.v1 has no `tf.{name}`, although TensorFlow 1 has this name. See {page}"
        )
    near = difflib.get_close_matches(name, every_name(), 3, 0.75)
    hint = f" Similar: {', '.join(f'`tf.{n}`' for n in near)}." if near else ""
    return f"TensorFlow 1 has no `tf.{name}`.{hint}"
