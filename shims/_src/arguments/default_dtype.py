"""Convert NumPy arrays and Python numbers for operators that define a default dtype.

TensorFlow defines a default dtype for the arguments of such an operator. A tensor keeps its dtype.
Eagerly, any other value is converted to the default; in a function it keeps its own dtype. Other
operators have arguments of one fixed dtype, to which NumPy arrays are converted in a function, too.
"""

from __future__ import annotations

import functools
import inspect

import jax
import numpy as np

from shims._src.sizes import trace


def preferring(dtype, *names: str, kept: str | None = None):
    """Return a decorator that converts NumPy arrays and numbers to TensorFlow's default dtype.

    Args:
      dtype: the default dtype of TensorFlow's operator.
      *names: the parameters that share the default dtype.
      kept: names of the dtypes that arguments keep while a function is traced; other dtypes are
        converted to the default. Beside a JAX array, arguments take the dtype of that array. With
        `None`, every dtype is kept, and nothing is converted beside a JAX array.
    """
    default = np.dtype(dtype)

    def wanted(given):
        leader = next((x.dtype for x in given if isinstance(x, jax.Array)), None)
        if leader is not None and kept is not None:
            return leader
        if not all(map(_is_host_value, given)):
            return None
        if trace.current() is None:
            return default
        is_kept = kept is None or all(np.asarray(x).dtype.name in kept.split() for x in given)
        return None if is_kept else default

    return _converting_decorator(names, wanted)


def fixed(dtype, *names: str):
    """Return a decorator that converts NumPy arrays and numbers passed as `names` to `dtype`."""
    only = np.dtype(dtype)
    return _converting_decorator(names, lambda given: only)


def _converting_decorator(names, wanted):
    """Return a decorator that converts the NumPy arrays and numbers among the arguments `names`.

    `wanted` is a function from these arguments to a dtype, or to `None` to convert nothing.
    """

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
    """Convert NumPy arrays and Python numbers to `dtype` if they fit; return other values unchanged."""
    if isinstance(value, (list, tuple)) and (
        any(map(_is_array, value)) or _has_other_lengths(value)
    ):
        return [as_preferred(x, dtype) for x in value]
    if not _is_host_value(value):
        return value
    array, dtype = np.asarray(value), np.dtype(dtype)
    if array.dtype.kind == "c" and dtype.kind != "c":
        array = array.real  # as TensorFlow does, without a warning
    is_numpy = isinstance(value, (np.ndarray, np.generic))
    if not is_numpy and not np.can_cast(array.dtype, dtype, "same_kind"):
        return value
    return array.astype(dtype) if _fits(array, dtype) else value


def _fits(array: np.ndarray, dtype: np.dtype) -> bool:
    """Return whether integers fit a signed integer dtype; other numbers always do."""
    if array.dtype.kind not in "iu" or dtype.kind != "i" or not array.size:
        return True
    limits = np.iinfo(dtype)
    return bool(limits.min <= array.min() <= array.max() <= limits.max)


def _has_other_lengths(value) -> bool:
    """Return whether a list is irregular: items differ in length, or lists and numbers are mixed."""
    return len({len(x) if isinstance(x, (list, tuple)) else -1 for x in value}) > 1


def _is_array(value) -> bool:
    return isinstance(value, (np.ndarray, jax.Array))


def _is_host_value(value) -> bool:
    """Return whether a value consists only of NumPy arrays and Python numbers."""
    numbers = (np.ndarray, np.generic, int, float, complex)
    leaves = jax.tree.leaves(value)
    is_of_host = bool(leaves) and all(isinstance(x, numbers) for x in leaves)
    return is_of_host and not any(np.asarray(x).dtype.kind in "OSU" for x in leaves)
