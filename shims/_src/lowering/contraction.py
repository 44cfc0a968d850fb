"""Define the masking rule of `dot_general`, which sets the padding along contracted axes to zero."""

from __future__ import annotations

import numpy as np

from shims._src.lowering.extents import cut
from shims._src.lowering.refusals import reused_size_error
from shims._src.lowering.rule import Rule
from shims._src.lowering.value import Value
from shims._src.platform import jax_private as jp


def align_pair(ctx, a: Value, i: int, b: Value, j: int) -> tuple[Value, Value]:
    """Convert axis `i` of `a` and axis `j` of `b` so that equal slots hold equal positions.

    Uniform axes (one stored slot stands for all) are expanded. If the layouts of two dynamic axes differ, both
    are packed (valid slots first) and cut to the same length.
    """
    a, b = ctx.expand_uniform(a, (i,)), ctx.expand_uniform(b, (j,))
    x, y = a.axes[i], b.axes[j]
    if x is None or y is None or (x.token == y.token and x.dim == y.dim):
        return a, b
    a, b = ctx.pack(a, i), ctx.pack(b, j)
    if a.axes[i].token != b.axes[j].token:
        raise reused_size_error(x.dim)
    extent = min(a.array.shape[i], b.array.shape[j])
    return cut(a, i, extent), cut(b, j, extent)


def dot_general(ctx, eqn, lhs, rhs):
    """Lower `dot_general` with dynamic contracted, batch or free axes."""
    (lc, rc), (lb, rb) = eqn.params["dimension_numbers"]
    for i, j in (*zip(lc, rc, strict=True), *zip(lb, rb, strict=True)):
        lhs, rhs = align_pair(ctx, lhs, i, rhs, j)
    lhs = ctx.fill(lhs, np.zeros((), lhs.array.dtype), tuple(lc))
    rhs = ctx.fill(rhs, np.zeros((), rhs.array.dtype), tuple(rc))
    (out,) = jp.bind(eqn, [lhs.array, rhs.array])
    axes = (
        *(lhs.axes[i] for i in lb),
        *(a for i, a in enumerate(lhs.axes) if i not in (*lc, *lb)),
        *(a for i, a in enumerate(rhs.axes) if i not in (*rc, *rb)),
    )
    return [ctx.clear_padding(Value(out, axes))]


RULES = (Rule("dot_general", dot_general, uniform=True),)
