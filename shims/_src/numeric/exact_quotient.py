"""Divide with correct rounding, which XLA does not guarantee.

XLA turns the quotient of an array and a scalar, or of rows and their norms, into a product with the
reciprocal. That result differs in the last place, and its `floor` may differ by one: 41 / 41 becomes
less than 1. On a GPU also the float32 quotients of two arrays are up to two units in the last place
off.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.numeric.division import ratio
from shims._src.numeric.separate_rounding import rounded_product
from shims._src.platform import accelerators
from shims._src.platform import jax_private as jp
from shims._src.platform.leading_axes import with_leading_axis


def quotient(x, y):
    """Divide arrays of inexact dtype; each quotient is rounded as in TensorFlow."""
    if not jnp.issubdtype(x.dtype, jnp.floating):
        return jnp.divide(x, y)
    is_spread = y.ndim == 0 or y.ndim < x.ndim or _has_ones(x.shape, y.shape)
    return _quotient(is_spread, x, y) if is_spread or x.dtype == np.float32 else _ratio(x, y)


def _ratio(x, y):
    """Divide broadcast arrays, with the derivative that TensorFlow defines."""
    return ratio(*jnp.broadcast_arrays(x, y))


def _has_ones(x_shape, y_shape) -> bool:
    """Return whether the divisor is broadcast, so XLA may multiply by its reciprocal."""
    pairs = zip(reversed(x_shape), reversed(y_shape), strict=False)
    return any(_is_one(b) and not _is_one(a) for a, b in pairs)


def _is_one(size) -> bool:
    return isinstance(size, int) and size == 1


@functools.partial(jax.custom_jvp, nondiff_argnums=(0,))
def _quotient(is_spread, x, y):
    if is_spread:
        # The select hides from XLA that the divisor is broadcast; where x is NaN, the sign is irrelevant.
        out = jnp.divide(x, jnp.where(x == x, y, -y))
    else:
        out = _ratio(x, y)
    return corrected_p.bind(out, *jnp.broadcast_arrays(x, y)) if x.dtype == np.float32 else out


def _correct_rounding(out, x, y):
    """Correct the rounding of the quotient `out` by adding the division's remainder over `y`."""
    product = rounded_product(out, y)
    (a, b), (c, d) = _split_digits(out), _split_digits(y)
    lost = ((a * c - product) + a * d + b * c) + b * d
    left = (x - product) - lost
    better = out + left / y
    return jnp.where((left != 0) & jnp.isfinite(better), better, out)


def _split_digits(x):
    """Split `x` into two addends with half of the digits each, so that their products are exact."""
    bits = lax.bitcast_convert_type(x, jnp.int32)
    upper = lax.bitcast_convert_type(bits & np.int32(~0xFFF), x.dtype)
    return upper, x - upper


@_quotient.defjvp
def _quotient_jvp(is_spread, primals, tangents):
    return _quotient(is_spread, *primals), jax.jvp(_ratio, primals, tangents)[1]


# A GPU rounds float32 quotients incorrectly, a CPU does not.
corrected_p = jp.Primitive("corrected_quotient")
corrected_p.def_abstract_eval(lambda out, x, y: out.update(weak_type=False))
corrected_p.def_impl(
    lambda out, x, y: out if accelerators.on_cpu(out) else jax.jit(_correct_rounding)(out, x, y)
)
accelerators.register_forms(corrected_p, cpu=lambda out, x, y: out, default=_correct_rounding)
jp.batching.primitive_batchers[corrected_p] = lambda args, dims: (
    corrected_p.bind(*with_leading_axis(args, dims)),
    0,
)
