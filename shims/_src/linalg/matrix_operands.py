"""Convert and check matrix operands, and extract parts of matrices."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments import checks, kernels
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives


def matrices(function: str, value, *, name: str = "input"):
    """Convert `value` to an array of matrices `[..., n, m]`.

    Raises:
      InvalidArgumentError: the array has fewer than two axes.
    """
    x = operand(value)
    check_rank(function, name, x)
    return x


def square_matrices(function: str, value, *, name: str = "input"):
    """Convert `value` to an array of square matrices `[..., n, n]`.

    Raises:
      InvalidArgumentError: the matrices are not square (raised after the call for symbolic sizes).
    """
    x = matrices(function, value, name=name)
    rows, columns = x.shape[-2:]
    if is_known(rows) and is_known(columns):
        if rows != columns:
            raise checks.invalid(
                function,
                f"`{name}` must contain square matrices.",
                required=f"{name}.shape[-2] == {name}.shape[-1]",
                received=f"{name} {describe(x)}",
            )
        return x
    axis, size = (x.ndim - 1, rows) if jp.is_symbolic(columns) else (x.ndim - 2, columns)
    return primitives.unify_axis(x, axis, size, label=function)


def check_kernel(function: str, x) -> None:
    """Check that TensorFlow can decompose matrices of the dtype of `x`.

    It is called by operators for which the operator table lists no dtypes.

    Raises:
      MissingKernelError: the array holds integers, bools or half-precision numbers.
    """
    kernels.check_dtype(function, "float32 float64 complex64 complex128", x.dtype, x.shape)


def check_rank(function: str, name: str, x) -> None:
    """Check that an array has at least two axes.

    Raises:
      InvalidArgumentError: the array has fewer axes.
    """
    if x.ndim < 2:
        raise checks.invalid(
            function,
            f"`{name}` must be a matrix, or an array of matrices.",
            required="rank 2 or more",
            received=f"{name} {describe(x)}",
        )


def with_one_batch(function: str, *pairs):
    """Broadcast the batch axes of arrays to each other.

    Args:
      function: the operator as the user spells it.
      *pairs: arrays, each with the number of its last axes that are not batch axes.

    Raises:
      InvalidArgumentError: they do not broadcast (raised after the call for symbolic sizes).
    """
    arrays = [x for x, _ in pairs]
    cores = [core for _, core in pairs]
    for back in range(1, max(x.ndim - core for x, core in pairs) + 1):
        axes = [x.ndim - core - back for x, core in zip(arrays, cores, strict=True)]
        arrays = _unify_axes(function, arrays, axes)
    leading = [x.shape[: x.ndim - core] for x, core in zip(arrays, cores, strict=True)]
    try:
        batch = jnp.broadcast_shapes(*leading)
    except ValueError:
        raise checks.invalid(
            function,
            "the leading axes do not broadcast.",
            required="leading axes that broadcast",
            received=", ".join(map(describe, arrays)),
        ) from None
    return [
        jnp.broadcast_to(x, (*batch, *x.shape[x.ndim - core :]))
        for x, core in zip(arrays, cores, strict=True)
    ]


def _unify_axes(function, arrays, axes):
    """Unify symbolic sizes along one axis of each array; axes of known size 1 are left out."""
    sizes = [x.shape[i] for x, i in zip(arrays, axes, strict=True) if i >= 0]
    sizes = [d for d in sizes if not (is_known(d) and d == 1)]
    target = next((d for d in sizes if is_known(d)), sizes[0] if sizes else None)
    if target is None or all(map(is_known, sizes)):
        return arrays
    return [
        primitives.unify_axis(x, i, target, label=function, broadcasts=True)
        if i >= 0 and not (is_known(x.shape[i]) and x.shape[i] == 1)
        else x
        for x, i in zip(arrays, axes, strict=True)
    ]


def without_infinities(x):
    """Replace infinities by NaN, as LAPACK's SVD may not terminate on them."""
    return jnp.where(jnp.isinf(x), jnp.asarray(jnp.nan, x.dtype), x)


def safe_reciprocals_of_gaps(x):
    """Compute the matrices `1 / (x_j - x_i)` of vectors `x`; the entries of equal values are 0."""
    n = x.shape[-1]
    own = on_diagonal(n, n)
    # Masked gaps have a derivative too: near 0 it overflows, and 0 times infinity is NaN.
    gaps = jnp.where(own, jnp.ones((), x.dtype), x[..., None, :] - x[..., :, None])
    return jnp.where(own, jnp.zeros((), x.dtype), safe_reciprocal(gaps))


def turned(x):
    """Compute the conjugate transpose of matrices."""
    x = jnp.swapaxes(x, -1, -2)
    return jnp.conj(x) if jnp.iscomplexobj(x) else x


def on_diagonal(rows, columns, k: int = 0):
    """Return a mask `[rows, columns]` that is True on diagonal `k`."""
    return jnp.arange(rows)[:, None] + k == jnp.arange(columns)


def main_diagonal(x):
    """Return the diagonal of square matrices, `[..., n]`."""
    n = x.shape[-1]
    if is_known(n):
        return jnp.diagonal(x, axis1=-2, axis2=-1)
    entries = jnp.where(on_diagonal(n, n), x, jnp.zeros((), x.dtype))
    return jnp.any(entries, axis=-1) if x.dtype == bool else jnp.sum(entries, -1, dtype=x.dtype)


def below(x, *, strictly: bool = False):
    """Return the lower triangle of matrices, with 0 elsewhere."""
    rows, columns = x.shape[-2:]
    keep = jnp.arange(rows)[:, None] - int(strictly) >= jnp.arange(columns)
    return jnp.where(keep, x, jnp.zeros((), x.dtype))


def from_lower(x):
    """Build Hermitian matrices from the lower triangle of `x`."""
    return below(x) + turned(below(x, strictly=True))


def identity_like(x):
    """Build identity matrices of the shape of `x`."""
    eye = on_diagonal(x.shape[-2], x.shape[-1]).astype(x.dtype)
    return jnp.broadcast_to(eye, x.shape)


def safe_reciprocal(x):
    """Compute `1 / x`, with 0 at 0, as TensorFlow does for equal eigenvalues."""
    return x / (x * x + jnp.asarray(1e-20, x.dtype))
