"""Assign to a part of a variable, as in `variable[1:3].assign(x)`."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.conversion import as_array
from shims._src.array.shapes import broadcast_to
from shims._src.platform import jax_private as jp
from shims._src.recording import state


class Part:
    """A part of a variable that can be assigned to.

    Args:
      variable: the variable.
      key: the subscript: integers, slices, `...` and `None`.
    """

    def __init__(self, variable, key):
        self._variable, self._key = variable, key

    def assign(self, val, name=None):
        """Assign a new value to the part.

        Args:
          val: an array or numbers, whose shape broadcasts to the shape of the part.
          name: ignored.

        Returns:
          The variable.

        Raises:
          InvalidArgumentError: the value does not broadcast, or a position is out of range.

        https://www.tensorflow.org/api_docs/python/tf/Variable
        """
        del name
        with state.changing():
            value = state.read(self._variable)
            _check_positions(value, self._key)
            changed = _replace_part(value, self._key, as_array(val, value.dtype))
            return self._variable.assign(changed)


class Parts:
    """A wrapper of a variable for converted code, on which `wrapped[key].assign(x)` works."""

    def __init__(self, variable):
        self._variable = variable

    def __getitem__(self, key):
        return Part(self._variable, key) if _is_part(key) else self._variable[key]


def read_part(variable, value, key):
    """Return `value[key]` of a variable's value; if it is a concrete array, with TensorFlow's method `assign`.

    A tracer cannot have that method; converted code uses `Parts` instead.
    """
    if not _is_part(key):
        return value[key]
    _check_positions(value, key)
    found = value[key]
    if jp.is_tracer(found):
        return found
    if found is value:
        found = jnp.copy(found)  # a tracer where the trace takes constants
    return found if jp.is_tracer(found) else jp.with_method(found, Part(variable, key).assign)


def _is_part(key) -> bool:
    """Return whether a key has only integers and slices, so the part can be assigned to."""
    return not any(
        isinstance(item, (list, bool)) or getattr(item, "dtype", None) == np.bool_
        for item in _key_items(key)
    )


def _key_items(key) -> tuple:
    return key if isinstance(key, tuple) else (key,)


def _check_positions(value, key) -> None:
    """Raise an error if an integer in a key is out of range, since JAX would clamp it."""
    items = _key_items(key)
    spare = value.ndim - sum(item is not None and item is not Ellipsis for item in items)
    axis = 0
    for item in items:
        if item is Ellipsis:
            axis += spare
        elif item is not None:
            if not isinstance(item, slice) and axis < value.ndim:
                n = value.shape[axis]
                place = item if jp.is_tracer(item) else np.asarray(item)
                # A negative position counts from the end.
                checks.check_positions("Variable", "index", place, n, low=-1)
                checks.check_positions("Variable", "-1 - index", -1 - place, n, low=-1)
            axis += 1


def _replace_part(value, key, val):
    """Return an array in which the part `key` is replaced by `val`."""
    bounds = [
        getattr(item, name, item) for item in _key_items(key) for name in ("start", "stop", "step")
    ]
    if not any(map(jp.is_tracer, (value, val, *bounds))):
        shape = np.empty(value.shape, bool)[key].shape
        return value.at[key].set(broadcast_to(val, shape))
    numbers = jnp.reshape(jnp.arange(value.size, dtype=jnp.int32), value.shape)[key]
    val = broadcast_to(val, numbers.shape)
    flat = value.reshape(-1).at[numbers.reshape(-1)].set(val.reshape(-1))
    return flat.reshape(value.shape)
