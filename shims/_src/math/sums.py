"""Sum several arrays."""

from __future__ import annotations

import functools

import jax.numpy as jnp

from shims._src.arguments import checks
from shims._src.arguments.operands import agreeing, describe, matching
from shims._src.tracing.dispatch import operator


@operator(compiled=True)
def add_n(inputs, name=None):
    """Sum several arrays of the same shape.

    Args:
      inputs: list of arrays, or one array.
      name: ignored.

    Returns:
      The sum.

    Raises:
      InvalidArgumentError: dtypes or shapes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes that are known only at run time are checked for equality.

    Example:
      >>> import shims
      >>> print(shims.add_n([[1, 2], [3, 4], [5, 6]]))
      [ 9 12]

    https://www.tensorflow.org/api_docs/python/tf/math/add_n
    """
    if not isinstance(inputs, (list, tuple)):
        inputs = [inputs]
    if not inputs:
        raise ValueError("inputs must be an iterable of at least one array with the same shape")
    arrays = matching("add_n", **{f"inputs[{i}]": x for i, x in enumerate(inputs)})
    rank = arrays[0].ndim
    known = [a.shape for a in arrays if checks.is_known_shape(a)]
    if any(a.ndim != rank for a in arrays) or len(set(known)) > 1:
        raise checks.invalid(
            "add_n",
            "the shapes of `inputs` differ.",
            required="equal shapes",
            received=", ".join(map(describe, arrays)),
        )
    return functools.reduce(jnp.add, agreeing("add_n", arrays, range(rank)))
