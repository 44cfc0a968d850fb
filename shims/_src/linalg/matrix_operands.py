"""What operators of matrices take, and the pieces of matrices that they have in common."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments import checks, kernels
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives


def matrices(function: str, value, *, name: str = "input"):
    """`value` as an array of matrices `[..., n, m]`.

    Raises:
      InvalidArgumentError: the array has fewer than two axes.
    """
    x = operand(value)
    check_rank(function, name, x)
    return x


def square_matrices(function: str, value, *, name: str = "input"):
    """`value` as an array of square matrices `[..., n, n]`.

    Raises:
      InvalidArgumentError: the matrices are not square (after the call, where only that tells).
    """
    x = matrices(function, value, name=name)
    rows, columns = x.shape[-2:]
    if is_known(rows) and is_known(columns):
        if rows != columns:
            raise checks.invalid(
                function,
                f"`{name}` must hold square matrices.",
                required=f"{name}.shape[-2] == {name}.shape[-1]",
                received=f"{name} {describe(x)}",
            )
        return x
    axis, size = (x.ndim - 1, rows) if jp.is_symbolic(columns) else (x.ndim - 2, columns)
    return primitives.unify_axis(x, axis, size, label=function)


def check_kernel(function: str, x) -> None:
    """An array must have a dtype that TensorFlow decomposes: for rows that cannot say it.

    Raises:
      MissingKernelError: it holds integers, booleans, or numbers of half precision.
    """
    kernels.check_dtype(function, "float32 float64 complex64 complex128", x.dtype, x.shape)


def check_rank(function: str, name: str, x) -> None:
    """An array must have two axes at least.

    Raises:
      InvalidArgumentError: it has fewer.
    """
    if x.ndim < 2:
        raise checks.invalid(
            function,
            f"`{name}` must be a matrix, or an array of matrices.",
            required="rank 2 or more",
            received=f"{name} {describe(x)}",
        )


def with_one_batch(function: str, *pairs):
    """Arrays whose leading axes are broadcast to each other.

    Args:
      function: the operator as the user spells it.
      *pairs: arrays, each with the number of its last axes that are not leading ones.

    Raises:
      InvalidArgumentError: they do not broadcast (after the call, where only that tells).
    """
    arrays = [x for x, _ in pairs]
    cores = [core for _, core in pairs]
    for back in range(1, max(x.ndim - core for x, core in pairs) + 1):
        axes = [x.ndim - core - back for x, core in zip(arrays, cores, strict=True)]
        arrays = _unified(function, arrays, axes)
    leading = [x.shape[: x.ndim - core] for x, core in zip(arrays, cores, strict=True)]
    try:
        batch = jnp.broadcast_shapes(*leading)
    except ValueError:
        raise checks.invalid(
            function,
            "the leading axes do not fit.",
            required="leading axes that broadcast",
            received=", ".join(map(describe, arrays)),
        ) from None
    return [
        jnp.broadcast_to(x, (*batch, *x.shape[x.ndim - core :]))
        for x, core in zip(arrays, cores, strict=True)
    ]


def _unified(function, arrays, axes):
    """The arrays with their sizes along one axis each stated to be equal, unless they are 1."""
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
    """NaN for what is infinite: LAPACK's search for singular values may find no end beside it."""
    return jnp.where(jnp.isinf(x), jnp.asarray(jnp.nan, x.dtype), x)


def safe_reciprocals_of_gaps(x):
    """`1 / (x_j - x_i)` of numbers `[..., n]`, `[..., n, n]`; 0 where they are equal, and on the diagonal."""
    n = x.shape[-1]
    own = on_diagonal(n, n)
    # What is not used has a slope too: near 0 it overflows, and 0 times infinity is NaN.
    gaps = jnp.where(own, jnp.ones((), x.dtype), x[..., None, :] - x[..., :, None])
    return jnp.where(own, jnp.zeros((), x.dtype), safe_reciprocal(gaps))


def turned(x):
    """The adjoint of matrices: the last two axes swapped, complex numbers conjugated."""
    x = jnp.swapaxes(x, -1, -2)
    return jnp.conj(x) if jnp.iscomplexobj(x) else x


def on_diagonal(rows, columns, k: int = 0):
    """`[rows, columns]`, True on one diagonal."""
    return jnp.arange(rows)[:, None] + k == jnp.arange(columns)


def main_diagonal(x):
    """The diagonal of square matrices, `[..., n]`."""
    n = x.shape[-1]
    if is_known(n):
        return jnp.diagonal(x, axis1=-2, axis2=-1)
    entries = jnp.where(on_diagonal(n, n), x, jnp.zeros((), x.dtype))
    return jnp.any(entries, axis=-1) if x.dtype == bool else jnp.sum(entries, -1, dtype=x.dtype)


def below(x, *, strictly: bool = False):
    """The lower triangle of matrices; everything else is 0."""
    rows, columns = x.shape[-2:]
    keep = jnp.arange(rows)[:, None] - int(strictly) >= jnp.arange(columns)
    return jnp.where(keep, x, jnp.zeros((), x.dtype))


def from_lower(x):
    """The Hermitian matrices that share the lower triangle of `x`."""
    return below(x) + turned(below(x, strictly=True))


def identity_like(x):
    """Identity matrices of the shape of `x`."""
    eye = on_diagonal(x.shape[-2], x.shape[-1]).astype(x.dtype)
    return jnp.broadcast_to(eye, x.shape)


def safe_reciprocal(x):
    """`1 / x`, and 0 at 0: how TensorFlow differentiates where eigenvalues meet."""
    return x / (x * x + jnp.asarray(1e-20, x.dtype))
