"""Find the functions and classes of a port by their names, and the variables of its objects."""

from __future__ import annotations

import contextlib
import importlib
import inspect
from typing import Any

from tf2jax_port.diff.code_bases.encoding import Node


def place(node: Node) -> Any:
    """Return the function or class of the port that a node names."""
    found: Any = importlib.import_module(str(node["module"]))
    for part in str(node["name"]).split("."):
        found = getattr(found, part)
    return found


def bound(call_name: str, module: str, owner: Any) -> Any:
    """Return a method of the class for which it was recorded, even if a subclass overrides it."""
    outer, _, method = call_name.rpartition(".")
    defining = place({"module": module, "name": outer})
    if isinstance(owner, type):
        return getattr(owner, method)
    private = method.startswith("__") and not method.endswith("__")
    name = f"_{outer.rpartition('.')[2].lstrip('_')}{method}" if private else method
    kept = inspect.getattr_static(defining, name)
    return kept.__get__(owner, type(owner))


def variables_of(value: Any, shapes: list[tuple[int, ...]] | None = None) -> list[Any]:
    """Return the variables of an object of a port, in the order in which its original has them.

    Args:
      value: the object.
      shapes: the shapes of the original's variables, if they are known.
    """
    import shims

    with contextlib.suppress(Exception):
        weights = getattr(value, "weights", None)
        if isinstance(weights, list | tuple):
            return _as_in_keras_2(value, list(weights), shapes or [])
    if isinstance(value, shims.Module):
        with contextlib.suppress(Exception):  # it has not made its variables yet
            return list(value.variables)
        return []
    return [
        v for v in getattr(value, "__dict__", {}).values() if issubclass(type(v), shims.Variable)
    ]


def _as_in_keras_2(layer: Any, weights: list[Any], shapes: list[tuple[int, ...]]) -> list[Any]:
    """Return the weights of a layer in the order of Keras 2: weights that are not trained come last."""
    keras: Any = importlib.import_module("keras")
    last = sorted(weights, key=lambda weight: not weight.trainable)
    fits = [tuple(weight.shape) for weight in last] == shapes
    return last if fits and not isinstance(layer, keras.Model) else weights


def value_of(variable: Any) -> Any:
    """Return the value of a variable of `shims` or of Keras."""
    import shims

    return variable.read_value() if isinstance(variable, shims.Variable) else variable.value
