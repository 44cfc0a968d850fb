"""What NumPy's arrays and Python's numbers become for operators that have a dtype of their own.

TensorFlow's definition of such an operator names a default dtype. A tensor keeps its dtype; anything
else becomes the default, whatever its own dtype is: eagerly that is, in a function it keeps its own.
"""

from __future__ import annotations

import functools
import inspect

import jax
import numpy as np

from shims._src import trace


def preferring(dtype, *names: str, always: bool = False):
    """Lets the parameters named be of `dtype` where none of them is an array of JAX.

    Args:
      dtype: the default of TensorFlow's operator.
      *names: the parameters that share it.
      always: whether it is the default in a function too.
    """
    wanted = np.dtype(dtype)

    def decorate(f):
        order = list(inspect.signature(f).parameters)
        positions = {order.index(name): name for name in names}

        @functools.wraps(f)
        def call(*args, **kwargs):
            given = [args[i] for i in positions if i < len(args)]
            given += [kwargs[name] for name in names if name in kwargs]
            staged = trace.current() is not None and not always
            if staged or not all(map(_is_of_host, given)):
                return f(*args, **kwargs)
            args = [as_preferred(x, wanted) if i in positions else x for i, x in enumerate(args)]
            kwargs = {k: as_preferred(x, wanted) if k in names else x for k, x in kwargs.items()}
            return f(*args, **kwargs)

        return call

    return decorate


def as_preferred(value, dtype):
    """`value` with this dtype, unless it is an array of JAX or text."""
    if not _is_of_host(value):
        return value
    array, dtype = np.asarray(value), np.dtype(dtype)
    if array.dtype.kind == "c" and dtype.kind != "c":
        array = array.real  # as TensorFlow does, without a word
    return array.astype(dtype)


def _is_of_host(value) -> bool:
    """Whether a value is of NumPy or Python through and through."""
    numbers = (np.ndarray, np.generic, int, float, complex)
    leaves = jax.tree.leaves(value)
    is_of_host = bool(leaves) and all(isinstance(x, numbers) for x in leaves)
    return is_of_host and not any(np.asarray(x).dtype.kind in "OSU" for x in leaves)
