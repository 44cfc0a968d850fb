"""Gradients of complex numbers where TensorFlow's formula leaves a slope as it is.

TensorFlow multiplies what flows in by the conjugate of the derivative, and so does JAX, up to a
conjugate of both. Some of its formulas, written for real numbers, forget to conjugate the
derivative; theirs is the gradient of a function whose slopes are those at the conjugate.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp


def unconjugated(function: Callable[..., Any], *operands):
    """`function(*operands)`, of which TensorFlow forgets to conjugate the derivative.

    Args:
      function: holomorphic; one object for all calls, so that what is compiled is kept.
      *operands: arrays.
    """
    if any(map(jnp.iscomplexobj, operands)):
        return _of_complex(function, *operands)
    return function(*operands)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _of_complex(function, *operands):
    return function(*operands)


@_of_complex.defjvp
def _of_complex_jvp(function, primals, tangents):
    _, slope = jax.jvp(function, tuple(map(jnp.conj, primals)), tuple(tangents))
    return _of_complex(function, *primals), slope
