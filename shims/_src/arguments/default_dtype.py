"""What NumPy's arrays and Python's numbers become for operators that have a dtype of their own.

TensorFlow's definition of such an operator names a default dtype. A tensor keeps its dtype; anything
else becomes the default, whatever its own dtype is: eagerly that is, in a function it keeps its own.
Other operators have arguments of one dtype alone, which arrays of NumPy become in a function too.
"""

from __future__ import annotations

import functools
import inspect

import jax
import numpy as np

from shims._src.sizes import trace


def preferring(dtype, *names: str, kept: str | None = None):
    """Lets the parameters named be of `dtype` where none of them is an array of JAX.

    Args:
      dtype: the default of TensorFlow's operator.
      *names: the parameters that share it.
      kept: which dtypes they keep in a function, where any other becomes the default, and beside an
        array of JAX they become its own; `None` for all of them, and whatever the operator does.
    """
    default = np.dtype(dtype)

    def wanted(given):
        leader = next((x.dtype for x in given if isinstance(x, jax.Array)), None)
        if leader is not None and kept is not None:
            return leader
        if not all(map(_is_of_host, given)):
            return None
        if trace.current() is None:
            return default
        is_kept = kept is None or all(np.asarray(x).dtype.name in kept.split() for x in given)
        return None if is_kept else default

    return _converting(names, wanted)


def fixed(dtype, *names: str):
    """Lets NumPy's arrays and Python's numbers become `dtype`, the one that each parameter takes."""
    only = np.dtype(dtype)
    return _converting(names, lambda given: only)


def _converting(names, wanted):
    """Makes host values of parameters have the dtype that `wanted` says of what is given for them."""

    def decorate(f):
        order = list(inspect.signature(f).parameters)
        positions = {order.index(name): name for name in names}

        @functools.wraps(f)
        def call(*args, **kwargs):
            given = [args[i] for i in positions if i < len(args)]
            given += [kwargs[name] for name in names if name in kwargs]
            dtype = wanted(given)
            if dtype is None:
                return f(*args, **kwargs)
            args = [as_preferred(x, dtype) if i in positions else x for i, x in enumerate(args)]
            kwargs = {k: as_preferred(x, dtype) if k in names else x for k, x in kwargs.items()}
            return f(*args, **kwargs)

        return call

    return decorate


def as_preferred(value, dtype):
    """`value` with this dtype, unless it is an array of JAX or text, or numbers that do not fit it."""
    if isinstance(value, (list, tuple)) and (
        any(map(_is_array, value)) or _has_other_lengths(value)
    ):
        return [as_preferred(x, dtype) for x in value]
    if not _is_of_host(value):
        return value
    array, dtype = np.asarray(value), np.dtype(dtype)
    if array.dtype.kind == "c" and dtype.kind != "c":
        array = array.real  # as TensorFlow does, without a word
    is_numpy = isinstance(value, (np.ndarray, np.generic))
    if not is_numpy and not np.can_cast(array.dtype, dtype, "same_kind"):
        return value
    return array.astype(dtype)


def _has_other_lengths(value) -> bool:
    """Whether a list has lists of different lengths, as the positions of parts are."""
    return len({len(x) if isinstance(x, (list, tuple)) else -1 for x in value}) > 1


def _is_array(value) -> bool:
    return isinstance(value, (np.ndarray, jax.Array))


def _is_of_host(value) -> bool:
    """Whether a value is of NumPy or Python through and through."""
    numbers = (np.ndarray, np.generic, int, float, complex)
    leaves = jax.tree.leaves(value)
    is_of_host = bool(leaves) and all(isinstance(x, numbers) for x in leaves)
    return is_of_host and not any(np.asarray(x).dtype.kind in "OSU" for x in leaves)
