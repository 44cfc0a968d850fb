"""Define an identity function that stops the gradients of some elements."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.platform import jax_private as jp

detach_p = jp.Primitive("detach_where")


def detach_where(mask, x):
    """Return `x`, with elements treated as constants by derivatives where `mask` is true.

    In contrast to `lax.stop_gradient`, this works on a tangent, too, because it can be transposed.
    """
    return detach_p.bind(mask, x)


def _without(mask, x):
    return lax.select(mask, jnp.zeros_like(x), x)


@detach_p.def_abstract_eval
def _aval(mask, x):
    return x


def _jvp(primals, tangents):
    mask, x = primals
    out = detach_p.bind(mask, x)
    return out, tangents[1] if type(tangents[1]) is jp.ad.Zero else _without(mask, tangents[1])


def _transpose(ct, mask, x):
    return [None, ct if type(ct) is jp.ad.Zero else _without(mask, ct)]


def _batch(args, dims):
    size = next(a.shape[d] for a, d in zip(args, dims, strict=True) if d is not None)
    moved = [
        jnp.broadcast_to(a, (size, *a.shape)) if d is None else jnp.moveaxis(a, d, 0)
        for a, d in zip(args, dims, strict=True)
    ]
    return detach_p.bind(*moved), 0


detach_p.def_impl(lambda mask, x: x)
jp.mlir.register_lowering(detach_p, jp.mlir.lower_fun(lambda mask, x: x, multiple_results=False))
jp.ad.primitive_jvps[detach_p] = _jvp
jp.ad.primitive_transposes[detach_p] = _transpose
jp.batching.primitive_batchers[detach_p] = _batch
