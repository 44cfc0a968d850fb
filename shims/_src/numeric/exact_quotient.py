"""Quotients that stay quotients.

XLA turns the quotient of an array and a number, or of rows and their norms, into a product with the
reciprocal. That differs in the last place, and a `floor` behind it by one: 41 / 41 is less than 1.
On a GPU its float32 quotients are up to two places off, of two arrays, too.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.numeric.division import ratio


def quotient(x, y):
    """`x / y` of two arrays of inexact dtype, each element rounded as TensorFlow rounds it."""
    if not jnp.issubdtype(x.dtype, jnp.floating):
        return jnp.divide(x, y)
    is_spread = y.ndim == 0 or y.ndim < x.ndim or _has_ones(x.shape, y.shape)
    return _quotient(x, y) if is_spread or _is_inexact(x.dtype) else _ratio(x, y)


def _is_inexact(dtype) -> bool:
    """Whether quotients of the dtype are not rounded correctly on this device."""
    return dtype == np.float32 and jax.default_backend() != "cpu"


def _ratio(x, y):
    """The quotient, differentiated as TensorFlow does."""
    return ratio(*jnp.broadcast_arrays(x, y))


def _has_ones(x_shape, y_shape) -> bool:
    """Whether an axis of the divisor is spread over one of the dividend."""
    pairs = zip(reversed(x_shape), reversed(y_shape), strict=False)
    return any(_is_one(b) and not _is_one(a) for a, b in pairs)


def _is_one(size) -> bool:
    return isinstance(size, int) and size == 1


@jax.custom_jvp
def _quotient(x, y):
    # Each element has a divisor of its own as far as XLA can tell; where x is NaN, either will do.
    out = jnp.divide(x, jnp.where(x == x, y, -y))
    return _corrected(out, x, y) if _is_inexact(x.dtype) else out


def _corrected(out, x, y):
    """The quotient with what the dividend has more than quotient times divisor, divided as well."""
    # Behind a selection no compiler makes one instruction of the product and the difference.
    product = jnp.where(out == out, out * y, out)
    (a, b), (c, d) = _halves(out), _halves(y)
    lost = ((a * c - product) + a * d + b * c) + b * d
    left = (x - product) - lost
    better = out + left / y
    return jnp.where((left != 0) & jnp.isfinite(better), better, out)


def _halves(x):
    """Two numbers that add up to `x`, each of half as many digits: their products are exact."""
    bits = lax.bitcast_convert_type(x, jnp.int32)
    upper = lax.bitcast_convert_type(bits & np.int32(~0xFFF), x.dtype)
    return upper, x - upper


@_quotient.defjvp
def _quotient_jvp(primals, tangents):
    return _quotient(*primals), jax.jvp(_ratio, primals, tangents)[1]
