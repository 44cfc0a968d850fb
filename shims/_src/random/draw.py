"""Define the JAX primitive that runs a random number kernel on a stream.

TensorFlow's kernels compute with 64-bit integers and floats whatever the dtype of the result. The
primitive is lowered with 64-bit types enabled, even without `jax_enable_x64`; its result has the
requested dtype.
"""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.numeric.separate_rounding import round_to_dtype
from shims._src.platform import jax_private as jp

draw_p = jp.Primitive("tensorflow_random")


def draw(kernel, words, *operands, shape, dtype):
    """Generate an array of random numbers with a kernel.

    Args:
      kernel: a function `(words, *operands, size)` of this package that returns a flat array.
      words: uint32 `[6]` (key and counter of the stream) or `[4]` (two seeds).
      *operands: parameters of the distribution.
      shape: the shape of the result; its sizes may be symbolic.
      dtype: the dtype of the result.

    Returns:
      The array; its derivative is zero.
    """
    return draw_p.bind(
        jnp.asarray(words, jnp.uint32),
        *operands,
        kernel=kernel,
        shape=tuple(shape),
        dtype=np.dtype(dtype),
        batches=(),
    )


def _compute(words, *operands, kernel, shape, dtype, batches):
    with jax.enable_x64(True):

        def once(words, *operands):
            size = math.prod(shape)
            if size == 0:
                return jnp.zeros(shape, dtype)
            return round_to_dtype(kernel(words, *operands, size).reshape(shape), dtype)

        for mapped in batches:
            once = jax.vmap(once, in_axes=tuple(0 if m else None for m in mapped))
        return once(words, *operands)


_lower_computation = jp.mlir.lower_fun(_compute, multiple_results=False)


def _lowering(ctx, *args, **params):
    with jax.enable_x64(True):
        return _lower_computation(ctx, *args, **params)


@functools.partial(jax.jit, static_argnames=("kernel", "shape", "dtype", "batches"))
def _compiled(*args, **params):
    return draw_p.bind(*args, **params)


@draw_p.def_abstract_eval
def _aval(words, *operands, kernel, shape, dtype, batches):
    axes = []
    for i in range(len(batches)):
        # The outermost map is the last one; each takes the leading axis of what it maps.
        mapped = batches[-1 - i]
        taken = [sum(b[j] for b in batches[len(batches) - i :]) for j in range(len(mapped))]
        sizes = [a.shape[t] for a, m, t in zip((words, *operands), mapped, taken, strict=True) if m]
        axes.append(sizes[0])
    return jp.shaped((*axes, *shape), dtype, words, *operands)


def _batch(args, dims, *, batches, **params):
    mapped = tuple(d is not jp.NOT_MAPPED for d in dims)
    args = [jnp.moveaxis(a, d, 0) if m else a for a, d, m in zip(args, dims, mapped, strict=True)]
    return draw_p.bind(*args, batches=(*batches, mapped), **params), 0


def _jvp(primals, tangents, **params):
    del tangents
    out = draw_p.bind(*primals, **params)
    return out, jp.ad.Zero(jp.core.typeof(out).to_tangent_aval())


draw_p.def_impl(_compiled)
jp.mlir.register_lowering(draw_p, _lowering)
jp.batching.primitive_batchers[draw_p] = _batch
jp.ad.primitive_jvps[draw_p] = _jvp
