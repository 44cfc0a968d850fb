"""Differentiate complex functions like TensorFlow where its gradient lacks a conjugate.

TensorFlow multiplies the incoming gradient by the conjugate of the derivative, and so does JAX, up
to a conjugate of both. Some of TensorFlow's formulas, written for real numbers, do not conjugate the
derivative. This is reproduced by evaluating the derivative at the conjugate of the operand.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp


def unconjugated(function: Callable[..., Any], *operands):
    """Compute `function(*operands)` with TensorFlow's gradient, which omits the conjugate.

    Args:
      function: a holomorphic function; the same object in all calls, so that compiled code is
        reused.
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
