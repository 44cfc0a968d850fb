"""Pad the operands of eager dynamic programs, so that JAX does not compile once per input length.

Eagerly every operation is compiled for the shapes of its operands. Once a function has been called with
several lengths, the axes that changed are padded to buckets and get symbolic sizes of known values:
every question about them is decided as for the exact sizes. If that fails, for instance because the
function needs a Python number, the operands keep their exact shapes.
"""

from __future__ import annotations

import threading
import weakref

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.platform import device_arrays
from shims._src.recording.recording import is_followed
from shims._src.sizes import trace
from shims._src.sizes.sites import Settled
from shims._src.tracing.program import Size
from shims._src.tracing.settling import next_bucket

# The number of different shapes from which on operands are padded, and of failures that end it.
FROM, FAILURES = 3, 2
_SMALLEST = 8

_HISTORIES: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
_LOCK = threading.Lock()


class Lengths:
    """The operand shapes with which a function was called, for given ranks and dtypes of operands."""

    def __init__(self) -> None:
        self._shapes: set[tuple] = set()
        self._open: set[tuple[int, int]] = set()
        self._failures = 0

    def met(self, operands) -> bool:
        """Record the shapes of a call, and return whether its operands should be padded."""
        if self._failures >= FAILURES or any(map(is_followed, operands)):
            return False
        shapes = tuple(np.shape(x) for x in operands)
        if len(self._shapes) <= FROM:
            self._shapes.add(shapes)
        known = next(iter(self._shapes))
        self._open.update(
            (i, axis)
            for i, (a, b) in enumerate(zip(known, shapes, strict=True))
            for axis, (m, n) in enumerate(zip(a, b, strict=True))
            if m != n
        )
        return len(self._shapes) >= FROM

    def failed(self) -> None:
        """Record that padded operands failed; after a few failures they are no longer padded."""
        self._failures += 1

    def prepared(self, operands, settled: Settled):
        """Pad the operands of a call for tracing.

        As for `shims.function`, equal sizes share a symbol, and sizes of 0 and 1 are constants.

        Returns:
          The new trace, the shape specifications, the padded arrays, and the values of the symbolic sizes.
        """
        names: dict[int, str] = {}
        for i, axis in sorted(self._open):
            size = np.shape(operands[i])[axis]
            if size > 1:
                names.setdefault(size, f"n{len(names)}")
        state = trace.DynamicTrace({n: s for s, n in names.items()}, settled, may_assume=True)
        specs, arrays = [], []
        for i, x in enumerate(operands):
            x = x if isinstance(x, (jax.Array, np.ndarray)) else jnp.asarray(x)
            shape, padded = list(x.shape), list(x.shape)
            for axis, size in enumerate(x.shape):
                if (i, axis) in self._open and size in names:
                    shape[axis], padded[axis] = state.dimension(names[size]), _bucket(size)
            weak = getattr(x, "weak_type", False)
            specs.append(jax.ShapeDtypeStruct(tuple(shape), x.dtype, weak_type=weak))
            arrays.append(x if shape == padded else device_arrays.filled_up(x, padded))
        sizes = {n: Size(np.int32(s), _bucket(s), 2) for s, n in names.items()}
        return state, specs, [jnp.asarray(x) for x in arrays], sizes


def _bucket(size: int) -> int:
    return max(next_bucket(size), _SMALLEST)


def history(f, operands) -> Lengths:
    """Return the stored `Lengths` of a function for the ranks and dtypes of these operands.

    A function that is not hashable, or has no weak references, gets a new one each time.
    """
    key = tuple((np.ndim(x), str(x.dtype)) for x in operands)
    with _LOCK:
        try:
            return _HISTORIES.setdefault(f, {}).setdefault(key, Lengths())
        except TypeError:  # not hashable, or without weak references
            return Lengths()
