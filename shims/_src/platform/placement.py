"""Place the padded results of a compiled program on the devices of a mesh as its operands are placed."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from shims._src.platform import jax_private as jp


def placed_like(x, operands):
    """Return `x`, whose leading axis XLA shards as that of one of `operands`.

    This is the first operand of the same length, or the longest one of which the length of `x` is a multiple: the
    axis may be made of several axes. Otherwise XLA would replicate an array that is packed across devices. The
    elements do not change. Nothing happens on one device, and for an array of PRNG keys.
    """
    length = _length(x)
    likes = [y for y in operands if length and _length(y) and length % _length(y) == 0]
    return placed_like_p.bind(x, max(likes, key=_length)) if likes else x


def _length(x) -> int:
    """Return the length of the leading axis, or 0 if nothing could be sharded along it."""
    if x.ndim == 0 or jnp.issubdtype(x.dtype, jax.dtypes.extended) or jp.is_symbolic(x.shape[0]):
        return 0
    return x.shape[0] if x.shape[0] > 1 else 0


placed_like_p = jp.Primitive("placed_like")
placed_like_p.def_impl(lambda x, like: x)
placed_like_p.def_abstract_eval(lambda x, like: x)
jp.batching.primitive_batchers[placed_like_p] = lambda args, dims: (args[0], dims[0])
jp.ad.primitive_jvps[placed_like_p] = lambda primals, tangents: (
    placed_like_p.bind(*primals),
    tangents[0],
)
jp.mlir.register_lowering(placed_like_p, jp.lower_as_placed_like)
