"""Reduce over a tuple of axes, with TensorFlow's values for empty axes and its gradients."""

from __future__ import annotations

import functools
import math

import jax
import jax.numpy as jnp
from jax import lax

from shims._src.elementwise.elementwise import is_inexact
from shims._src.numeric import integer_extremes
from shims._src.numeric.integer_mean import mean_of_integers
from shims._src.sizes import primitives


def sum_over(x, axes):
    """Sum over axes, in the dtype of `x`."""
    return jnp.sum(x, axis=axes, dtype=x.dtype)


def _count(x, axes):
    """Return the number of elements in each reduction: a number, or an int32 scalar."""
    size = math.prod(x.shape[a] for a in axes)
    return size if isinstance(size, int) else primitives.as_size(size)


def mean_over(x, axes):
    """Compute the mean over axes, in the dtype of `x`."""
    if not jnp.issubdtype(x.dtype, jnp.integer):
        return jnp.mean(x, axis=axes)
    return mean_of_integers(x, _count(x, axes), axes)


# Used instead of `jnp.max` and `lax.reduce_max`, which lose NaN in large arrays. An axis of size 0
# is allowed too.
def largest(x, axes):
    """Compute the maximum over axes; it is NaN if any element is NaN."""
    if not is_inexact(x):
        return integer_extremes.reduce("reduce_max", x, axes)
    return _extreme(x, tuple(axes), lax.reduce_max)


def smallest(x, axes):
    """Compute the minimum over axes; it is NaN if any element is NaN."""
    if not is_inexact(x):
        return integer_extremes.reduce("reduce_min", x, axes)
    return _extreme(x, tuple(axes), lax.reduce_min)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def _extreme(x, axes, reduce):
    return _reduce_or_nan(x, axes, reduce)


def _reduce_or_nan(x, axes, reduce):
    """Reduce, and return NaN if any element is NaN, which XLA loses in large arrays on a CPU."""
    # Two reductions cost less than one with a custom comparison, which XLA does not vectorize.
    out = reduce(x, axes)
    return jnp.where(lax.reduce_or(x != x, axes), jnp.asarray(jnp.nan, x.dtype), out)


@_extreme.defjvp
def _extreme_jvp(axes, reduce, primals, tangents):
    # The gradient is shared by all elements equal to the result, and NaN if the result is NaN. JAX
    # multiplies by a 0 mask, which XLA turns into a select.
    (x,), (t,) = primals, tangents
    x = lax.optimization_barrier(x)  # computed once: extremes_held.py
    out = _reduce_or_nan(x, axes, reduce)
    equal = x == lax.expand_dims(out, axes)
    count = lax.expand_dims(jnp.sum(equal, axis=axes, dtype=x.dtype), axes)
    share = jnp.where(equal, 1 / count, jnp.where(count == 0, jnp.asarray(jnp.nan, x.dtype), 0))
    return out, jnp.sum(t * share, axis=axes)


def product_over(x, axes):
    """Multiply over axes, in the dtype of `x`."""
    if not axes:
        return x
    if not is_inexact(x):
        return jnp.prod(x, axis=axes, dtype=x.dtype)
    # One axis to multiply over: the reduced ones, flattened.
    kept = tuple(a for a in range(x.ndim) if a not in axes)
    x = jnp.transpose(x, (*kept, *axes))
    return _product_of_last(
        x.reshape((*x.shape[: len(kept)], _count_elements(x.shape[len(kept) :])))
    )


def _count_elements(shape):
    return math.prod(shape)


@jax.custom_jvp
def _product_of_last(x):
    return jnp.prod(x, axis=-1)


@_product_of_last.defjvp
def _product_of_last_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    # The product of all other elements: the product before each element times the product after.
    others = _exclusive_product(x) * jnp.flip(_exclusive_product(jnp.flip(x, -1)), -1)
    return _product_of_last(x), jnp.sum(t * others, -1)


def _exclusive_product(x):
    first = (0, 0, 0)
    shifted = lax.pad(x, jnp.ones((), x.dtype), [first] * (x.ndim - 1) + [(1, -1, 0)])
    return lax.cumprod(shifted, axis=x.ndim - 1)


def logsumexp(x, axes):
    """Compute `log(sum(exp(x)))` over axes."""
    top = lax.stop_gradient(largest(x, axes))
    top = jnp.where(jnp.isfinite(top), top, 0)
    return jnp.log(jnp.sum(jnp.exp(x - lax.expand_dims(top, axes)), axis=axes)) + top


def variance(x, axes):
    """Compute the mean squared distance from the mean."""
    distance = x - lax.expand_dims(jnp.mean(x, axis=axes), axes)
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        return jnp.mean(jnp.real(distance * jnp.conj(distance)), axis=axes)
    return jnp.mean(jnp.square(distance), axis=axes)
