"""Define the masking rules of matrix decompositions, which pad matrices with an identity block."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.lowering import scopes
from shims._src.lowering.control import run
from shims._src.lowering.refusals import unsupported
from shims._src.lowering.rule import Rule
from shims._src.lowering.slicing import fit
from shims._src.lowering.value import Value
from shims._src.platform import jax_private as jp


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
        diagonal = _padding_diagonal(array)
    block = jnp.broadcast_to(_diagonal_matrix(diagonal, rows, columns), array.shape)
    return Value(lax.select(valid, array, block), value.axes)


def _padding_diagonal(array):
    """Return distinct numbers above all eigenvalues and singular values, as diagonal of the padding."""
    size = lax.stop_gradient(_spectral_bound(array))
    count = min(array.shape[-2:])
    steps = 2 + jnp.arange(count, dtype=size.dtype) / count
    return ((1 + size)[..., None] * steps).astype(array.dtype)


def _spectral_bound(array):
    """Return an upper bound of the absolute eigenvalues and of the singular values of matrices."""
    entries = jnp.abs(array)
    rows, columns = (jnp.max(jnp.sum(entries, axis), -1) for axis in (-1, -2))
    return jnp.sqrt(rows) * jnp.sqrt(columns)


def _diagonal_matrix(entries, rows, columns):
    eye = jnp.eye(rows, columns, dtype=entries.dtype)
    width = entries.shape[-1]
    padded = jnp.pad(entries, [(0, 0)] * (entries.ndim - 1) + [(0, columns - width)])
    return eye * padded[..., None, :]


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
    outs = eqn.primitive.bind(value.array, **_static_params(ctx, eqn))
    outs = outs if eqn.primitive.multiple_results else [outs]
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
    """Compute singular values and vectors of matrices that may be tall or wide.

    A QR decomposition comes first; it keeps rows of zeros separate whatever the rank. Its square
    triangular factor is then decomposed with larger numbers as padding, as in `singular_values`.
    The remaining columns of the orthogonal factor complete the singular vectors.
    """
    value = _with_zero_rows(ctx, value)
    rows, columns = (ctx.size(d) for d in eqn.invars[0].aval.shape[-2:])
    decomposed = _of_any_shape if eqn.params["full_matrices"] else _differentiable
    outs = decomposed(value.array, jnp.asarray(rows), jnp.asarray(columns))
    return [_fitted_result(ctx, o, v.aval) for o, v in zip(outs, eqn.outvars, strict=True)]


def _of_any_shape(array, rows, columns):
    """Return `(s, u, vh)`, the singular value decomposition of the top left part of a matrix.

    The part has `rows` rows and `columns` columns, both traced; the rest of the matrix is zero.
    """
    places = max(array.shape[-2:])
    array = _pad_to_square(array, places)
    is_wide, count = jnp.less(rows, columns), jnp.minimum(rows, columns)
    q, triangle = lax.linalg.qr(jnp.where(is_wide, _adjoint(array), array), full_matrices=True)
    index = jnp.arange(places)
    inside = (index < count) & (index[:, None] < count)
    beside = _diagonal_matrix(_padding_diagonal(triangle), places, places)
    found = lax.linalg.svd(jnp.where(inside, triangle, beside), full_matrices=False)
    u, s, vh = (jnp.roll(x, count - places, axis) for x, axis in zip(found, (-1, -1, -2)))
    u, vh = (jnp.where(inside, x, jnp.eye(places, dtype=x.dtype)) for x in (u, vh))
    u = jnp.matmul(q, u, precision=lax.Precision.HIGHEST)
    return s, jnp.where(is_wide, _adjoint(vh), u), jnp.where(is_wide, _adjoint(u), vh)


_differentiable = jax.custom_jvp(_of_any_shape)


@_differentiable.defjvp
def _derivative(primals, tangents):
    """Differentiate the decomposition as JAX does, over the valid singular values.

    The orthogonal factor of the padding is not unique, and has no derivative.
    """
    array, rows, columns = primals
    s, u, vh = _differentiable(array, rows, columns)
    matmul = functools.partial(jnp.matmul, precision=lax.Precision.HIGHEST)
    change = _pad_to_square(tangents[0], s.shape[-1])
    is_valid = jnp.arange(s.shape[-1]) < jnp.minimum(rows, columns)
    left, right = jnp.where(is_valid, u, 0), jnp.where(is_valid, _adjoint(vh), 0)
    eye = jnp.eye(s.shape[-1], dtype=s.dtype)
    core = matmul(matmul(_adjoint(left), change), right)
    of_row, of_column = s[..., None, :], s[..., :, None]
    both = is_valid & is_valid[:, None]
    gaps = jnp.where(both, (of_row + of_column) * (of_row - of_column) + eye, 1)
    mixing = jnp.where(both, 1 / gaps - eye, 0).astype(core.dtype)
    inverse = jnp.where(is_valid & (s != 0), 1 / jnp.where(is_valid & (s != 0), s, 1), 0)[
        ..., None, :
    ]
    scaled, mirrored = of_row * core, of_column * core
    turned = 0.5 * (core - _adjoint(core)) * eye * inverse
    du = matmul(left, mixing * (scaled + _adjoint(scaled)) + turned)
    dv = matmul(right, mixing * (mirrored + _adjoint(mirrored)))
    beyond, across = matmul(change, right), matmul(_adjoint(change), left)
    du = du + (beyond - matmul(left, matmul(_adjoint(left), beyond))) * inverse
    dv = dv + (across - matmul(right, matmul(_adjoint(right), across))) * inverse
    ds = jnp.real(jnp.diagonal(core, axis1=-2, axis2=-1)).astype(s.dtype)
    return (s, u, vh), (ds, du.astype(u.dtype), _adjoint(dv).astype(vh.dtype))


def _pad_to_square(array, places: int):
    """Pad matrices with zeros on the right and at the bottom to `places` rows and columns."""
    ahead = [(0, 0)] * (array.ndim - 2)
    return jnp.pad(array, [*ahead, *((0, places - d) for d in array.shape[-2:])])


def _adjoint(array):
    return jnp.conj(jnp.swapaxes(array, -1, -2))


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
