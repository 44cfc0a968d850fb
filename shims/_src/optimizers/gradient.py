"""Represent and clip gradients of parameters, dense or as `IndexedSlices`."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp

from shims._src.recording.indexed_slices import IndexedSlices, dense


def is_rows(gradient) -> bool:
    """Return whether a gradient is `IndexedSlices`."""
    return isinstance(gradient, IndexedSlices)


def on_values(function, gradient):
    """Apply a function to a gradient: to the array, or to the values of `IndexedSlices`."""
    if not is_rows(gradient):
        return function(jnp.asarray(gradient))
    return IndexedSlices(function(gradient.values), gradient.indices, gradient.dense_shape)


class Gradient:
    """A gradient, with the dense arrays that optimizers compute from it.

    Args:
      given: an array, or `IndexedSlices`.
      dtype: the dtype of the parameter.
      adds_rows_first: whether rows with equal indices are summed before any other computation, as in
        the TensorFlow 1 optimizers. Those of Keras square each row separately.
    """

    def __init__(self, given, dtype, adds_rows_first: bool):
        self._given = on_values(lambda x: x.astype(dtype), given)
        self._apart = is_rows(given) and not adds_rows_first

    @functools.cached_property
    def whole(self) -> jax.Array:
        """The gradient as a dense array."""
        return self._given.to_dense() if is_rows(self._given) else self._given

    @property
    def square(self) -> jax.Array:
        """The squared gradient as a dense array."""
        return self._apply_per_row(jnp.square)

    @property
    def size(self) -> jax.Array:
        """The absolute gradient as a dense array."""
        return self._apply_per_row(jnp.abs)

    def _apply_per_row(self, function) -> jax.Array:
        return on_values(function, self._given).to_dense() if self._apart else function(self.whole)


def clipping(clipnorm=None, clipvalue=None, global_clipnorm=None):
    """Return the function that clips a list of gradients as Keras' three arguments specify.

    Raises:
      ValueError: more than one of them is given.
    """
    given = {"clipnorm": clipnorm, "clipvalue": clipvalue, "global_clipnorm": global_clipnorm}
    if sum(value is not None for value in given.values()) > 1:
        raise ValueError(
            "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set.\n"
            f"  Received: {', '.join(f'{name}={value}' for name, value in given.items())}"
        )
    if clipnorm is not None and clipnorm > 0:
        return lambda gradients: [on_values(_clip_by_norm(clipnorm), g) for g in gradients]
    if global_clipnorm is not None and global_clipnorm > 0:
        return lambda gradients: _clip_by_global_norm(gradients, global_clipnorm)
    if clipvalue is not None and clipvalue > 0:
        cut = functools.partial(jnp.clip, min=-clipvalue, max=clipvalue)
        return lambda gradients: [on_values(cut, g) for g in gradients]
    return lambda gradients: gradients


def _clip_by_norm(bound):
    def clip(x):
        norm = jnp.sqrt(jnp.sum(jnp.square(x)))
        return x * bound / jnp.maximum(norm, bound)

    return clip


def _clip_by_global_norm(gradients, bound):
    values = [g.values if is_rows(g) else jnp.asarray(g) for g in gradients]
    if not values:
        return gradients
    norm = jnp.sqrt(sum(jnp.sum(jnp.square(x)) for x in values))
    # The last term turns a non-finite norm into NaN, as in TensorFlow.
    scale = bound * jnp.minimum(1.0 / norm, 1.0 / bound) + (norm - norm)
    return [dense(g) * scale for g in gradients]  # rows are summed here, as in TensorFlow
