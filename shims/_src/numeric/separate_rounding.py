"""Round a product before anything is added to it, as two operators of TensorFlow do.

A compiler may fuse `x * y + z` into one instruction that rounds once. Whether it does depends on
the processor: float32 and float64 are fused from AVX2 on, float16 with AVX512-FP16. Barriers and
round-trip conversions do not reliably prevent it. This module does:

- float16 and bfloat16 are multiplied in float32, float32 in float64. The product is exact there, so
  fusing it with anything changes nothing; `reduce_precision` and selections then round it to the
  original dtype. Sums of float16 and bfloat16 are rounded in the same way, because XLA leaves out a
  conversion to bfloat16 and back.
- A float64 product is split by integer operations into two numbers. Their sum is exact, and as it is
  no product, it cannot be fused with a later sum.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.platform import jax_private as jp
from shims._src.platform.leading_axes import with_leading_axis

_HALVES = (np.dtype(jnp.float16), np.dtype(jnp.bfloat16))
# Below the least normal float16, its numbers are multiples of its least number.
_LEAST_NORMAL, _LEAST = 2.0**-14, 2.0**-24
# Parts of the bits of a float64, and the exponent below which numbers are tiny.
_SIGN, _EXPONENT, _LOWER, _TINY = 1 << 63, 0x7FF << 52, (1 << 27) - 1, 64 << 52


def rounded_product(x, y):
    """Multiply two arrays of one floating dtype; the product is rounded even before an addition."""
    shape = jnp.broadcast_shapes(x.shape, y.shape)
    return rounded_product_p.bind(*(jnp.broadcast_to(v, shape) for v in (x, y)))


def multiply_add(x, y, addend):
    """Compute `x * y + addend` in one floating dtype, rounding both the product and the sum."""
    shape = jnp.broadcast_shapes(x.shape, y.shape, addend.shape)
    return multiply_add_p.bind(*(jnp.broadcast_to(v, shape) for v in (x, y, addend)))


def round_to_dtype(x, dtype):
    """Convert to a floating dtype; XLA cannot skip the rounding, as it can for a plain conversion.

    TensorFlow converts float64 to float16 or bfloat16 by way of float32.
    """
    if x.dtype == dtype or dtype not in _HALVES or not jnp.issubdtype(x.dtype, jnp.floating):
        return x.astype(dtype)
    return _round_to_half(x.astype(jnp.float32), dtype).astype(dtype)


def _round_to_half(x, dtype):
    """Round float32 numbers to values of float16 or bfloat16; subnormal float16 values are kept."""
    if dtype == jnp.bfloat16:
        return lax.reduce_precision(x, 8, 7)
    multiples = lax.round(x * np.float32(1 / _LEAST), lax.RoundingMethod.TO_NEAREST_EVEN)
    return jnp.where(
        jnp.abs(x) < _LEAST_NORMAL, multiples * np.float32(_LEAST), lax.reduce_precision(x, 5, 10)
    )


def _multiply(x, y):
    """Multiply, with the product rounded to the precision of `x`.

    Products of float16 and bfloat16 are rounded, too, but held in float32.
    """
    dtype = np.dtype(x.dtype)
    if dtype in _HALVES:
        return _round_to_half(x.astype(jnp.float32) * y.astype(jnp.float32), dtype)
    with jax.enable_x64(True):
        if dtype == np.float64:
            return _cut_and_rejoin(x * y)
        product = x.astype(jnp.float64) * y.astype(jnp.float64)
        return lax.reduce_precision(product, 8, 23).astype(jnp.float32)


def _cut_and_rejoin(x):
    """Split float64 numbers into their upper and lower digits, and return the sum of these parts.

    The numbers are unchanged; but if they are products, the compiler cannot fuse them with a later addition.
    """
    bits = lax.bitcast_convert_type(x, jnp.uint64)
    sign, exponent = bits & jnp.uint64(_SIGN), bits & jnp.uint64(_EXPONENT)
    # Tiny numbers would have lower digits below the least normal number; they stay whole.
    is_special = (exponent < _TINY) | (exponent == _EXPONENT)
    low = jnp.where(is_special, jnp.uint64(0), bits & jnp.uint64(_LOWER))
    power = sign | jnp.where(is_special, jnp.uint64(0), exponent)
    upper, one, one_and_lower = (
        lax.bitcast_convert_type(b, jnp.float64) for b in (bits ^ low, power, power | low)
    )
    zero = lax.bitcast_convert_type(sign, jnp.float64)  # adds nothing, not even to -0
    return upper + jnp.where(is_special, zero, one_and_lower - one)


def _rounded_product(x, y):
    return _multiply(x, y).astype(x.dtype)


def _multiply_add(x, y, addend):
    with jax.enable_x64(True):
        product = _multiply(x, y)
        total = product + addend.astype(product.dtype)
        return round_to_dtype(total, np.dtype(x.dtype))


def _register(name: str, compute, slopes):
    """Make a JAX primitive of an elementwise function of arrays of the same shape.

    Args:
      name: the name of the primitive.
      compute: the function; it may use 64 bits.
      slopes: a function from the operands to the partial derivatives, one per operand.
    """
    primitive = jp.Primitive(name)
    lowered = jp.mlir.lower_fun(compute, multiple_results=False)

    def lower(ctx, *args):
        with jax.enable_x64(True):
            return lowered(ctx, *args)

    def differentiate(primals, tangents):
        out = primitive.bind(*primals)
        pairs = zip(tangents, slopes(*primals), strict=True)
        terms = [t * slope for t, slope in pairs if type(t) is not jp.ad.Zero]
        if not terms:
            return out, jp.ad.Zero(jp.core.typeof(out).to_tangent_aval())
        return out, sum(terms[1:], terms[0])

    def batch(args, dims):
        return primitive.bind(*with_leading_axis(args, dims)), 0

    primitive.def_abstract_eval(lambda x, *_: x.update(weak_type=False))
    primitive.def_impl(jax.jit(primitive.bind))
    jp.mlir.register_lowering(primitive, lower)
    jp.batching.primitive_batchers[primitive] = batch
    jp.ad.primitive_jvps[primitive] = differentiate
    return primitive


rounded_product_p = _register("rounded_product", _rounded_product, lambda x, y: (y, x))
multiply_add_p = _register(
    "multiply_add", _multiply_add, lambda x, y, addend: (y, x, jnp.ones_like(addend))
)
