"""Clear the padding of broadcast arrays for derivatives only.

The values in padding are never read, but derivatives multiply by them. On CPU, XLA computes a broadcast
inside of the reduction that reads it only if there is no select in between; the select is therefore
there only if the program is differentiated. A value whose padding was not cleared is marked as
`spread`. Only rules that compute each slot by itself, and reductions, which mask their operand, receive
it with this mark; for all others it is cleared.
"""

from __future__ import annotations

from jax import lax

from shims._src.platform import jax_private as jp
from shims._src.platform.leading_axes import with_leading_axis

cleared_p = jp.Primitive("cleared_in_derivatives")


def cleared(x, valid):
    """Set the padding of an array to 0 if derivatives are computed; otherwise leave it as it is.

    `valid` is the mask of the slots that are not padding.
    """
    return cleared_p.bind(x, valid)


def _select(valid, x):
    return lax.select(valid, x, lax.full_like(x, 0))


def _jvp(primals, tangents):
    (x, valid), (slope, _) = primals, tangents
    out = _select(valid, x)
    if type(slope) is jp.ad.Zero:
        return out, jp.ad.Zero(jp.core.typeof(out).to_tangent_aval())
    return out, _select(valid, slope)


def _transpose(ct, x, valid):
    return [ct if type(ct) is jp.ad.Zero else _select(valid, ct), None]


def _batch(args, dims):
    return cleared_p.bind(*with_leading_axis(args, dims)), 0


def _unchanged(x, valid):
    return x


cleared_p.def_impl(_unchanged)
cleared_p.def_abstract_eval(_unchanged)
jp.mlir.register_lowering(cleared_p, jp.mlir.lower_fun(_unchanged, multiple_results=False))
jp.ad.primitive_jvps[cleared_p] = _jvp
jp.ad.primitive_transposes[cleared_p] = _transpose
jp.batching.primitive_batchers[cleared_p] = _batch
