"""Look up the names of `shims.compat.v1`, which builds TensorFlow 1 graphs."""

from __future__ import annotations

import functools

from tf2jax_port.rewrite.data import read_data
from tf2jax_port.rewrite.knowledge.surroundings import needs_graph
from tf2jax_port.rewrite.reading.resolve import Reference, tensorflow_path

# Names with which a TensorFlow 1 program computes at once.
_EAGER = frozenset(("enable_eager_execution", "enable_v2_behavior", "GradientTape", "function"))


def has_name(path: str) -> bool:
    """Return whether `shims.compat.v1` has the module or object that a name belongs to."""
    path = _public(path)
    if path in _modules():
        return True
    parts = path.split(".")
    return any(".".join(parts[:n]) in _names() for n in range(len(parts), 0, -1))


def has_import(dotted: str) -> bool:
    """Return whether an imported name of TensorFlow can be imported from `shims.compat.v1`.

    Args:
      dotted: the full name, such as `tensorflow.contrib.rnn`.
    """
    own = dotted.removeprefix("tensorflow.")
    if own.startswith("python."):
        inside = own.rpartition(".")[0] in _internal_modules()
        return own in _internal_modules() or (inside and has_name(tensorflow_path(dotted)[0]))
    return not own.startswith("compat.v2") and has_name(tensorflow_path(dotted)[0])


def _public(path: str) -> str:
    """Return the name that `shims.compat.v1` looks up for a name of one of TensorFlow's private modules."""
    parts = path.split(".")
    for length in range(len(parts) - 1, 1, -1) if parts[0] == "python" else ():
        namespaces = _internal_modules().get(".".join(parts[:length]), "").split()
        places = [f"{n}.{parts[length]}".removeprefix("..") for n in namespaces]
        for place in filter(_names().__contains__, places):
            return ".".join((place, *parts[length + 1 :]))
    return path


def is_eager(path: str) -> bool:
    """Return whether a name says that the file computes at once, without a graph."""
    return path in _EAGER or path.startswith("contrib.eager.")


def builds_graph(reference: Reference) -> bool:
    """Return whether a reference is a TensorFlow 1 name that only makes sense in a graph."""
    path = _public(reference.path)
    return reference.version == 1 and needs_graph(path) and not is_eager(path)


@functools.cache
def _names() -> frozenset[str]:
    return frozenset(read_data("graph_names")["names"])


@functools.cache
def _modules() -> frozenset[str]:
    """Return the modules that contain the names; the empty name is `shims.compat.v1` itself."""
    found = {"", *_internal_modules()}
    for name in _names():
        parts = name.split(".")
        found.update(".".join(parts[:n]) for n in range(1, len(parts)))
    return frozenset(found)


@functools.cache
def _internal_modules() -> dict[str, str]:
    """Return the modules below `python` that can be imported, and the namespaces of their names."""
    found: dict[str, str] = read_data("graph_names")["internal_modules"]
    return found
