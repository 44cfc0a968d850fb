"""`numbers * scale + shift`, rounded after each step as TensorFlow's two operators round.

A compiler that fuses the two into one instruction rounds once, and half of the numbers differ in
their last bit. The product is therefore taken in float64, where it is exact, and rounded.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.platform import jax_private as jp

scale_and_shift_p = jp.Primitive("scale_and_shift")


def scale_and_shift(numbers, scale, shift):
    """`numbers * scale + shift` for operands of one floating dtype that broadcast."""
    shape = jnp.broadcast_shapes(numbers.shape, scale.shape, shift.shape)
    return scale_and_shift_p.bind(*(jnp.broadcast_to(x, shape) for x in (numbers, scale, shift)))


def _computed(numbers, scale, shift):
    if numbers.dtype != np.float32:
        return numbers * scale + shift
    with jax.enable_x64(True):
        product = numbers.astype(jnp.float64) * scale.astype(jnp.float64)
        # A float32 in a float64: compilers see through a conversion there and back.
        product = lax.reduce_precision(product, 8, 23)
        return (product + shift.astype(jnp.float64)).astype(jnp.float32)


_lowered = jp.mlir.lower_fun(_computed, multiple_results=False)


def _lowering(ctx, *args):
    with jax.enable_x64(True):
        return _lowered(ctx, *args)


@scale_and_shift_p.def_abstract_eval
def _aval(numbers, scale, shift):
    return numbers.update(weak_type=False)


def _jvp(primals, tangents):
    numbers, scale, shift = primals
    out = scale_and_shift_p.bind(*primals)
    slopes = (scale, numbers, jnp.ones_like(shift))
    terms = [
        t * slope for t, slope in zip(tangents, slopes, strict=True) if type(t) is not jp.ad.Zero
    ]
    if not terms:
        return out, jp.ad.Zero(jp.core.typeof(out).to_tangent_aval())
    return out, sum(terms[1:], terms[0])


def _batch(args, dims):
    size = next(x.shape[d] for x, d in zip(args, dims, strict=True) if d is not jp.NOT_MAPPED)
    moved = [
        jnp.broadcast_to(x, (size, *x.shape)) if d is jp.NOT_MAPPED else jnp.moveaxis(x, d, 0)
        for x, d in zip(args, dims, strict=True)
    ]
    return scale_and_shift_p.bind(*moved), 0


scale_and_shift_p.def_impl(jax.jit(scale_and_shift_p.bind))
jp.mlir.register_lowering(scale_and_shift_p, _lowering)
jp.batching.primitive_batchers[scale_and_shift_p] = _batch
jp.ad.primitive_jvps[scale_and_shift_p] = _jvp
