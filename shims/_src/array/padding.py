"""Pad arrays with a constant or by mirroring."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import operand
from shims._src.array.shapes import check_size, size_of
from shims._src.sizes import primitives
from shims._src.sizes.constant_sizes import with_known_size
from shims._src.tracing.sized_by import sized_by


@sized_by("paddings", compiled=True)
def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None):
    """Pad an array before and after along every axis.

    Args:
      tensor: array.
      paddings: integers `[rank, 2]`.
      mode: `CONSTANT`, `REFLECT` (mirror without the edge) or `SYMMETRIC` (mirror with the edge).
      constant_values: the scalar that `CONSTANT` pads with.
      name: ignored.

    Returns:
      The padded array, of the same rank as `tensor`; each size grows by the two paddings of its axis.

    Raises:
      InvalidArgumentError: a padding is negative or larger than the axis it mirrors, or `paddings`
        does not have a row for every axis.
      ValueError: the mode is unknown.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Paddings may be traced.

    Example:
      >>> import shims
      >>> print(shims.pad([[1, 2]], [[0, 1], [1, 1]]))
      [[0 1 2 0]
       [0 0 0 0]]

    https://www.tensorflow.org/api_docs/python/tf/pad
    """
    x = operand(tensor)
    mode = mode.upper()
    if mode not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ValueError(f"Unknown padding mode: {mode!r}. Use CONSTANT, REFLECT or SYMMETRIC.")
    _check_rows(paddings, x.ndim)
    for axis in range(x.ndim):
        low, high = (size_of("pad", paddings[axis][side]) for side in (0, 1))
        if any(is_known(d) and d < 0 for d in (low, high)):
            raise checks.invalid(
                "pad",
                f"paddings must be non-negative: {low} {high}.",
                required="paddings >= 0",
                received=f"axis {axis}: ({low}, {high})",
            )
        check_size("pad", low)
        check_size("pad", high)
        if mode == "CONSTANT":
            x = _pad_with_constant(x, axis, low, high, constant_values)
        elif mode == "REFLECT" or not _are_zero(low, high):
            x = _pad_by_mirroring(x, axis, low, high, 0 if mode == "REFLECT" else 1)
    return x


def _check_rows(paddings, rank):
    """Check that `paddings` has a row of two numbers for every axis."""
    if isinstance(paddings, (tuple, list)):
        pairs = (len(p) if isinstance(p, (tuple, list)) else np.size(p) for p in paddings)
        fits = len(paddings) == rank > 0 and all(n == 2 for n in pairs)
    else:
        fits = np.shape(paddings) == (rank, 2)
    if not fits:
        raise checks.invalid(
            "pad",
            "`paddings` must have two numbers for every axis.",
            required=f"shape [{rank}, 2]",
            received=f"{paddings}",
        )


def _pad_with_constant(x, axis, low, high, value):
    # A plain 0 is valid for every dtype: TensorFlow pads with it by a separate kernel.
    is_zero = not isinstance(value, jax.Array) and np.ndim(value) == 0 and value == 0
    fill = jnp.zeros((), x.dtype) if is_zero else operand(value, x.dtype)

    def block(extent):
        shape = (*x.shape[:axis], extent, *x.shape[axis + 1 :])
        return jnp.broadcast_to(fill, shape)

    before = [] if is_known(low) and low == 0 else [block(low)]
    after = [] if is_known(high) and high == 0 else [block(high)]
    if not before and not after:
        return x
    return with_known_size(jnp.concatenate([*before, x, *after], axis=axis), axis)


def _are_zero(low, high) -> bool:
    return all(is_known(d) and d == 0 for d in (low, high))


def _pad_by_mirroring(x, axis, low, high, edge):
    extent = x.shape[axis]
    if is_known(extent) and any(is_known(d) and d > extent - 1 + edge for d in (low, high)):
        raise checks.invalid(
            "pad",
            f"axis {axis} of size {extent} is too short to mirror.",
            required=f"paddings {'<=' if edge else '<'} {extent}",
            received=f"({low}, {high})",
        )
    if not all(map(is_known, (low, high, extent))):
        reach = jnp.maximum(primitives.as_size(low), primitives.as_size(high))
        checks.check_data(
            reach > primitives.as_size(extent) - 1 + edge,
            "pad",
            f"axis {axis} is too short to mirror.",
            required=f"paddings {'<=' if edge else '<'} its size",
        )
    if _are_zero(low, high):
        return x
    place = jnp.arange(low + extent + high, dtype=jnp.int32) - primitives.as_size(low)
    last = primitives.as_size(extent) - 1
    place = jnp.where(place < 0, -place - edge, place)
    place = jnp.where(place > last, 2 * last - place + edge, place)
    return jnp.take(x, place, axis=axis, mode="clip")
