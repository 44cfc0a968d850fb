"""Define the masking rules of matrix decompositions, which pad matrices with an identity block."""

from __future__ import annotations

import functools

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.lowering import factors, scopes
from shims._src.lowering.control import run
from shims._src.lowering.refusals import unsupported
from shims._src.lowering.rule import Rule
from shims._src.lowering.slicing import fit
from shims._src.lowering.value import Value
from shims._src.platform import jax_private as jp
from shims._src.sizes import error_values


def with_identity(ctx, value: Value, spread: bool = False) -> Value:
    """Pack matrices, and pad them with an identity block; unused matrices become identities.

    The decomposition of `blockdiag(A, I)` is that of `A` beside that of `I`. With `spread`, the padded
    diagonal holds distinct numbers above every eigenvalue and singular value of `A`, so that no derivative
    divides by a difference of zero.
    """
    value = ctx.pack_all(ctx.expand_uniform(value))
    valid = ctx.valid_over(value)
    if valid is None:
        return value
    array = lax.select(valid, value.array, jnp.zeros_like(value.array))
    rows, columns = array.shape[-2:]
    diagonal = jnp.ones((min(rows, columns),), array.dtype)
    if spread:
        diagonal = factors.padding_diagonal(array)
    block = jnp.broadcast_to(factors.diagonal_matrix(diagonal, rows, columns), array.shape)
    return Value(lax.select(valid, array, block), value.axes)


def decompose(ctx, eqn, value, *, spread=False):
    """Lower a matrix decomposition in which some axes are dynamic.

    Square matrices are padded with an identity block; others, which only SVD and QR accept, with zeros.
    """
    shape = eqn.invars[0].aval.shape
    rows, columns = shape[-2:]
    square = jp.is_symbolic(rows) == jp.is_symbolic(columns) and bool(rows == columns)
    if square or not (jp.is_symbolic(rows) or jp.is_symbolic(columns)):
        value = with_identity(ctx, value, spread and jp.is_symbolic(rows))
    else:
        if eqn.primitive.name not in ("svd", "qr", "geqrf"):
            raise unsupported(eqn)
        value = _with_zero_rows(ctx, value)
        if eqn.primitive.name == "qr":
            return _qr(ctx, eqn, value)
    outs = eqn.primitive.bind(value.array, **_static_params(ctx, eqn))
    outs = outs if eqn.primitive.multiple_results else [outs]
    return [_fitted_result(ctx, o, v.aval) for o, v in zip(outs, eqn.outvars, strict=True)]


def _qr(ctx, eqn, value):
    rows, columns = (jnp.asarray(ctx.size(d)) for d in eqn.invars[0].aval.shape[-2:])
    outs = factors.qr(value.array, rows, columns, tuple(eqn.params.items()))
    return [_fitted_result(ctx, o, v.aval) for o, v in zip(outs, eqn.outvars, strict=True)]


def singular_values(ctx, eqn, value):
    """Lower a singular value decomposition, sorted in descending order.

    The padding has larger singular values than the matrix; they come first and are cut off. Zeros
    as padding would suffice for the values, but would mix the singular vectors of a rank-deficient
    matrix with those of the padding.
    """
    rows, columns = eqn.invars[0].aval.shape[-2:]
    if not (jp.is_symbolic(rows) or jp.is_symbolic(columns)):
        return decompose(ctx, eqn, value)
    if not eqn.params["compute_uv"]:
        value = _with_zero_rows(ctx, value)
        (out,) = eqn.primitive.bind(value.array, **_static_params(ctx, eqn))
        return [_fitted_result(ctx, out, eqn.outvars[0].aval)]
    if not (jp.is_symbolic(rows) and jp.is_symbolic(columns) and bool(rows == columns)):
        return _vectors_of_any_shape(ctx, eqn, value)
    value = with_identity(ctx, value, spread=True)
    outs = eqn.primitive.bind(value.array, **_static_params(ctx, eqn))
    padding = value.array.shape[-1] - ctx.size(rows)
    axes = (-1, -1, -2)[: len(outs)]
    outs = [jnp.roll(o, -padding, axis) for o, axis in zip(outs, axes, strict=True)]
    return [_fitted_result(ctx, o, v.aval) for o, v in zip(outs, eqn.outvars, strict=True)]


def _vectors_of_any_shape(ctx, eqn, value):
    """Compute the singular value decomposition of matrices that may turn out tall or wide."""
    value = _with_zero_rows(ctx, value)
    rows, columns = (jnp.asarray(ctx.size(d)) for d in eqn.invars[0].aval.shape[-2:])
    outs = factors.svd(value.array, rows, columns)
    if eqn.params["full_matrices"]:  # JAX has derivatives of those of square matrices only
        refused = (rows != columns) & (rows > 0) & (columns > 0)
        outs = [error_values.without_derivative(o, refused, ctx.error_value()) for o in outs]
    return [_fitted_result(ctx, o, v.aval) for o, v in zip(outs, eqn.outvars, strict=True)]


def _static_params(ctx, eqn):
    return {k: ctx.capacity(v) if jp.is_symbolic(v) else v for k, v in eqn.params.items()}


def _with_zero_rows(ctx, value):
    value = ctx.pack_all(ctx.expand_uniform(value))
    rank = len(value.axes)
    value = ctx.fill(value, np.zeros((), value.array.dtype), (rank - 2, rank - 1))
    valid = ctx.valid_over(value, range(rank - 2))
    if valid is None:
        return value
    block = jnp.broadcast_to(
        jnp.eye(*value.array.shape[-2:], dtype=value.array.dtype), value.array.shape
    )
    return Value(lax.select(valid, value.array, block), value.axes)


def _fitted_result(ctx, array, aval) -> Value:
    for i, d in enumerate(aval.shape):
        array = fit(array, i, ctx.capacity(d))
    return Value(array, ctx.axes(aval.shape))


def triangular_solve(ctx, eqn, a, b):
    """Lower a triangular solve: pad the matrix with an identity block, the right side with 0."""
    a = with_identity(ctx, a)
    b = ctx.pack_all(ctx.expand_uniform(b))
    b = ctx.fill(b, np.zeros((), b.array.dtype))
    (out,) = jp.bind(eqn, [a.array, b.array])
    return [_fitted_result(ctx, out, eqn.outvars[0].aval)]


def tridiagonal_solve(ctx, eqn, *values):
    """Lower a tridiagonal solve; pad the diagonal with ones and everything else with zeros."""
    fills = (0, 1, 0, 0)
    values = [ctx.pack_all(ctx.expand_uniform(v)) for v in values]
    values = [ctx.fill(v, np.asarray(n, v.array.dtype)) for v, n in zip(values, fills, strict=True)]
    outs = jp.bind(eqn, [v.array for v in values])
    return [_fitted_result(ctx, o, v.aval) for o, v in zip(outs, eqn.outvars, strict=True)]


def linear_solve(ctx, eqn, *values):
    """Lower `lax.custom_linear_solve` to a call of itself on lowered functions.

    So its derivative rule still applies.
    """
    lengths, jaxprs = eqn.params["const_lengths"], eqn.params["jaxprs"]
    values = [ctx.expand_uniform(v) for v in values]
    parts, start = {}, 0
    for name in ("matvec", "vecmat", "solve", "transpose_solve"):
        count = getattr(lengths, name)
        parts[name] = values[start : start + count]
        start += count
    avals = [v.aval for v in eqn.invars[start:]]
    b = [scopes.settle(ctx, v, a.shape) for v, a in zip(values[start:], avals, strict=True)]
    b = [ctx.fill(v, np.zeros((), v.array.dtype)) for v in b]

    def lowered(name):
        jaxpr = getattr(jaxprs, name)

        def call(arrays):
            xs = [Value(x, v.axes) for x, v in zip(arrays, b, strict=True)]
            inner = ctx.child()
            inner.is_derivative = True  # JAX transposes the product with the matrix
            # JAX derives the derivative from the product; its rule fails where only the solver has one.
            inner.error_value = error_values.plain
            outs = run(inner, jaxpr, [*parts[name], *xs])
            outs = [scopes.settle(inner, o, a.shape) for o, a in zip(outs, avals, strict=True)]
            return [inner.fill(o, np.zeros((), o.array.dtype)).array for o in outs]

        return call

    solve, transpose = lowered("solve"), None
    if jaxprs.transpose_solve is not None:
        transpose = lowered("transpose_solve")
    outs = lax.custom_linear_solve(
        lowered("matvec"),
        [v.array for v in b],
        lambda _, rhs: solve(rhs),
        None if transpose is None else (lambda _, rhs: transpose(rhs)),
    )
    return [Value(o, v.axes) for o, v in zip(outs, b, strict=True)]


def symmetric_product(ctx, eqn, a, c):
    """Lower `alpha * a @ a.T + beta * c`; the padding of both operands is zero."""
    values = [ctx.pack_all(ctx.expand_uniform(v)) for v in (a, c)]
    values = [ctx.fill(v, np.zeros((), v.array.dtype)) for v in values]
    (out,) = jp.bind(eqn, [v.array for v in values])
    return [_fitted_result(ctx, out, eqn.outvars[0].aval)]


def cholesky_update(ctx, eqn, factor, vector):
    """Lower a rank-1 update of a Cholesky factor, padded with an identity block and zeros."""
    factor = with_identity(ctx, factor)
    vector = ctx.pack_all(ctx.expand_uniform(vector))
    vector = ctx.fill(vector, np.zeros((), vector.array.dtype))
    (out,) = jp.bind(eqn, [factor.array, vector.array])
    return [_fitted_result(ctx, out, eqn.outvars[0].aval)]


def batched(ctx, eqn, *values):
    """Lower an operation on the last axes, which must be static; only batch axes may be dynamic."""
    for var in eqn.invars:
        if any(jp.is_symbolic(d) for d in var.aval.shape[-1:]):
            raise unsupported(eqn)
    values = [ctx.pack_all(ctx.expand_uniform(v)) for v in values]
    outs = eqn.primitive.bind(*(v.array for v in values), **_static_params(ctx, eqn))
    outs = outs if eqn.primitive.multiple_results else [outs]
    return [_fitted_result(ctx, o, v.aval) for o, v in zip(outs, eqn.outvars, strict=True)]


RULES = (
    Rule("cholesky", decompose, uniform=True),
    Rule("eig", batched, uniform=True),
    Rule("eigh", functools.partial(decompose, spread=True), uniform=True),
    Rule("lu", decompose, uniform=True),
    Rule("qr", decompose, uniform=True),
    Rule("geqrf", decompose, uniform=True),
    Rule("svd", singular_values, uniform=True),
    Rule("householder_product", batched, uniform=True),
    Rule("lu_pivots_to_permutation", batched, uniform=True),
    Rule("triangular_solve", triangular_solve, uniform=True),
    Rule("tridiagonal_solve", tridiagonal_solve, uniform=True),
    Rule("custom_linear_solve", linear_solve, uniform=True),
    Rule("symmetric_product", symmetric_product, uniform=True),
    Rule("cholesky_update", cholesky_update, uniform=True),
)
