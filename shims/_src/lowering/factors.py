"""Decompose matrices of which only the top left part is valid, with JAX's derivatives of the valid part.

The part has `rows` rows and `columns` columns, both traced; the rest of the matrix is zero. The factors of the
rest are not unique and have no derivative.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import lax

_matmul = functools.partial(jnp.matmul, precision=lax.Precision.HIGHEST)


def padding_diagonal(array):
    """Return distinct numbers above all eigenvalues and singular values, for the diagonal of the padding."""
    size = lax.stop_gradient(_spectral_bound(array))
    count = min(array.shape[-2:])
    steps = 2 + jnp.arange(count, dtype=size.dtype) / count
    return ((1 + size)[..., None] * steps).astype(array.dtype)


def _spectral_bound(array):
    """Return an upper bound of the absolute eigenvalues and of the singular values of matrices."""
    entries = jnp.abs(array)
    rows, columns = (jnp.max(jnp.sum(entries, axis), -1) for axis in (-1, -2))
    return jnp.sqrt(rows) * jnp.sqrt(columns)


def diagonal_matrix(entries, rows, columns):
    """Return matrices with the given diagonals."""
    eye = jnp.eye(rows, columns, dtype=entries.dtype)
    width = entries.shape[-1]
    padded = jnp.pad(entries, [(0, 0)] * (entries.ndim - 1) + [(0, columns - width)])
    return eye * padded[..., None, :]


@jax.custom_jvp
def svd(array, rows, columns):
    """Return `(s, u, vh)`, the singular value decomposition of the valid part.

    A QR decomposition comes first; it keeps rows of zeros separate whatever the rank. Its square
    triangular factor is then decomposed with larger numbers as padding, which come first and are moved behind.
    The remaining columns of the orthogonal factor complete the singular vectors.
    """
    places = max(array.shape[-2:])
    array = _pad_to_square(array, places)
    is_wide, count = jnp.less(rows, columns), jnp.minimum(rows, columns)
    q, triangle = lax.linalg.qr(jnp.where(is_wide, _adjoint(array), array), full_matrices=True)
    index = jnp.arange(places)
    inside = (index < count) & (index[:, None] < count)
    beside = diagonal_matrix(padding_diagonal(triangle), places, places)
    found = lax.linalg.svd(jnp.where(inside, triangle, beside), full_matrices=False)
    u, s, vh = (jnp.roll(x, count - places, axis) for x, axis in zip(found, (-1, -1, -2)))
    u, vh = (jnp.where(inside, x, jnp.eye(places, dtype=x.dtype)) for x in (u, vh))
    u = _matmul(q, u)
    return s, jnp.where(is_wide, _adjoint(vh), u), jnp.where(is_wide, _adjoint(u), vh)


@svd.defjvp
def _svd_derivative(primals, tangents):
    """Differentiate the decomposition as JAX does, over the valid singular values."""
    array, rows, columns = primals
    s, u, vh = svd(array, rows, columns)
    change = _pad_to_square(tangents[0], s.shape[-1])
    is_valid = jnp.arange(s.shape[-1]) < jnp.minimum(rows, columns)
    left, right = jnp.where(is_valid, u, 0), jnp.where(is_valid, _adjoint(vh), 0)
    eye = jnp.eye(s.shape[-1], dtype=s.dtype)
    core = _matmul(_matmul(_adjoint(left), change), right)
    of_row, of_column = s[..., None, :], s[..., :, None]
    both = is_valid & is_valid[:, None]
    gaps = jnp.where(both, (of_row + of_column) * (of_row - of_column) + eye, 1)
    mixing = jnp.where(both, 1 / gaps - eye, 0).astype(core.dtype)
    inverse = jnp.where(is_valid & (s != 0), 1 / jnp.where(is_valid & (s != 0), s, 1), 0)[
        ..., None, :
    ]
    scaled, mirrored = of_row * core, of_column * core
    turned = 0.5 * (core - _adjoint(core)) * eye * inverse
    du = _matmul(left, mixing * (scaled + _adjoint(scaled)) + turned)
    dv = _matmul(right, mixing * (mirrored + _adjoint(mirrored)))
    beyond, across = _matmul(change, right), _matmul(_adjoint(change), left)
    du = du + (beyond - _matmul(left, _matmul(_adjoint(left), beyond))) * inverse
    dv = dv + (across - _matmul(right, _matmul(_adjoint(right), across))) * inverse
    ds = jnp.real(jnp.diagonal(core, axis1=-2, axis2=-1)).astype(s.dtype)
    return (s, u, vh), (ds, du.astype(u.dtype), _adjoint(dv).astype(vh.dtype))


@functools.partial(jax.custom_jvp, nondiff_argnums=(3,))
def qr(array, rows, columns, options):
    """Return the factors of the QR decomposition, and the pivots with the option `pivoting`."""
    return tuple(lax.linalg.qr(array, **dict(options)))


@qr.defjvp
def _qr_derivative(options, primals, tangents):
    """Differentiate the decomposition as JAX does: of the square or tall part first, then of the rest."""
    array, rows, columns = primals
    change, options_ = tangents[0], dict(options)
    outs = q, r, *pivots = qr(array, rows, columns, options)
    if pivots:
        # As in JAX, the matrix itself is not pivoted, which matters for the rest of a wide one.
        change = jnp.take_along_axis(change, pivots[0][..., None, :], -1)
    width, count = min(array.shape[-2:]), jnp.minimum(rows, columns)
    index, eye = jnp.arange(width), jnp.eye(width, dtype=q.dtype)
    inside = (index < count) & (index[:, None] < count)
    thin = jnp.where(index < count, q[..., :width], 0)
    triangle = jnp.where(inside, r[..., :width, :width], eye)
    scaled = lax.linalg.triangular_solve(triangle, jnp.where(index < count, change[..., :width], 0))
    inner = _matmul(_adjoint(thin), scaled)
    lower = jnp.tril(inner, -1)
    turned = lower - _adjoint(lower) + eye * (inner - jnp.real(inner).astype(inner.dtype))
    d_thin = _matmul(thin, turned - inner) + scaled
    d_triangle = jnp.pad(
        _matmul(inner - turned, triangle),
        [*[(0, 0)] * (array.ndim - 1), (0, array.shape[-1] - width)],
    )
    beside = _matmul(_adjoint(d_thin), array) + _matmul(_adjoint(thin), change)
    dr = jnp.where(jnp.arange(array.shape[-1]) < count, d_triangle, beside)
    dq = d_thin
    if options_["full_matrices"]:
        dq = jnp.pad(d_thin, [*[(0, 0)] * (array.ndim - 1), (0, q.shape[-1] - width)])
        dq = dq + _completion(q, thin, d_thin, rows, columns)
        dr = jnp.pad(dr, [*[(0, 0)] * (array.ndim - 2), (0, r.shape[-2] - width), (0, 0)])
    zeros = [jnp.zeros(p.shape, jax.dtypes.float0) for p in pivots]
    return tuple(outs), (dq, dr, *zeros)


def _completion(q, thin, d_thin, rows, columns):
    """Return the derivative of the columns that complete the orthogonal factor of a tall matrix.

    It is that of JAX, see https://arxiv.org/pdf/2409.13374, equations 32 and 33.
    """
    width, index = thin.shape[-1], jnp.arange(q.shape[-1])
    is_tall = rows > columns
    below = (index >= columns) & (index < rows) & is_tall
    inside = (index[:width] < columns) & (index[:width, None] < columns) & is_tall
    eye = jnp.eye(width, dtype=q.dtype)
    top, d_top = (jnp.where(inside, x[..., :width, :], 0) for x in (thin, d_thin))
    bottom, d_bottom = (jnp.where(below[:, None], x, 0) for x in (thin, d_thin))
    square = jnp.where(inside, top - eye, eye)
    z = _adjoint(jnp.linalg.solve(_adjoint(square), _adjoint(bottom)))
    rest = jnp.where(below, q, 0)
    found = _matmul(d_thin, _adjoint(z)) - _matmul(
        thin + _matmul(rest, z), _adjoint(d_bottom - _matmul(z, d_top))
    )
    return jnp.where(below, found, 0)


def _pad_to_square(array, places: int):
    """Pad matrices with zeros on the right and at the bottom to `places` rows and columns."""
    ahead = [(0, 0)] * (array.ndim - 2)
    return jnp.pad(array, [*ahead, *((0, places - d) for d in array.shape[-2:])])


def _adjoint(array):
    return jnp.conj(jnp.swapaxes(array, -1, -2))
