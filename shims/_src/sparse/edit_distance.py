"""Compute the edit distance between sequences."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import matching
from shims._src.platform import loops_per_device
from shims._src.sizes import primitives
from shims._src.sparse.tensor import columns, dims, is_sparse, rank_of
from shims._src.tracing.sized_by import selected_by


@selected_by("hypothesis", "truth")
def edit_distance(hypothesis, truth, normalize=True, name="edit_distance"):
    """Compute the Levenshtein distance between sequences.

    Args:
      hypothesis: sparse tensor `[..., n]`; each row is a sequence, from left to right.
      truth: sparse tensor `[..., m]` of the same dtype and rank.
      normalize: divide by the length of the truth.
      name: ignored.

    Returns:
      float32 array `[...]`. For an empty truth the normalized distance is infinite, or 0 if the
      hypothesis is empty too.

    Raises:
      TypeError: an operand is not sparse.
      InvalidArgumentError: the ranks or dtypes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The numbers of values may be data-dependent.

    https://www.tensorflow.org/api_docs/python/tf/edit_distance
    """
    for operand_name, value in (("hypothesis", hypothesis), ("truth", truth)):
        if not is_sparse(value):
            raise TypeError(f"{operand_name.capitalize()} must be a SparseTensor.")
    matching("edit_distance", hypothesis=hypothesis.values, truth=truth.values)
    if rank_of(hypothesis) != rank_of(truth) or rank_of(truth) < 2:
        raise checks.invalid(
            "edit_distance",
            "the operands must have the same rank.",
            required="sparse tensors of the same rank, 2 or more",
            received=f"ranks {rank_of(hypothesis)} and {rank_of(truth)}",
        )
    shape = _common_outer_shape(hypothesis, truth)
    rows = math.prod(shape)
    given, given_length = _pad_sequences("hypothesis", hypothesis, shape, rows)
    right, right_length = _pad_sequences("truth", truth, shape, rows)
    distance = _fill_table(given, given_length, right, right_length).astype(jnp.float32)
    if normalize:
        length = right_length.astype(jnp.float32)
        missing = jnp.where(given_length > 0, jnp.float32(np.inf), 0)
        distance = jnp.where(right_length > 0, distance / jnp.maximum(length, 1), missing)
    return distance.reshape(shape)


def _common_outer_shape(a, b):
    """Return the elementwise maximum of two shapes without their last axes."""
    sizes = []
    for d, e in zip(dims("edit_distance", a)[:-1], dims("edit_distance", b)[:-1], strict=True):
        known = checks.is_known(d) and checks.is_known(e)
        if known or (checks.is_known(d) == checks.is_known(e) and d == e):
            sizes.append(max(d, e) if known else d)
        else:
            larger = jnp.maximum(primitives.as_size(d), primitives.as_size(e))
            sizes.append(primitives.to_dim(larger, label="edit_distance"))
    return tuple(sizes)


def _pad_sequences(name, sp, shape, rows):
    """Convert sparse rows to a padded array `[rows, longest]`; return it and the row lengths."""
    row = jnp.zeros(sp.values.shape, jnp.int32)
    for d, place in zip(shape, columns(sp)[:-1], strict=True):
        checks.check_positions("edit_distance", f"indices of `{name}`", place, d)
        row = row * primitives.as_size(d) + place.astype(jnp.int32)
    lengths = jnp.zeros((rows,), jnp.int32).at[row].add(1, mode="drop")
    start = jnp.cumsum(lengths) - lengths
    longest = jnp.max(lengths, initial=0)
    size = primitives.to_dim(longest, label="edit_distance", bound=sp.values.shape[0])
    if checks.is_known(rows) and rows == 0:
        return jnp.zeros((0, size), sp.dtype), lengths
    place = jnp.arange(sp.values.shape[0], dtype=jnp.int32) - start[row]
    table = jnp.zeros((rows, size), sp.dtype)
    return table.at[row, place].set(lax.stop_gradient(sp.values), mode="drop"), lengths


def _fill_table(given, given_length, right, right_length):
    """Compute the edit distance of each pair of padded sequences by dynamic programming."""
    wide = jnp.arange(right.shape[1] + 1, dtype=jnp.int32)
    before = jnp.broadcast_to(wide, (right.shape[0], wide.shape[0]))

    def read(carry, step):
        turn, value = step
        replaced = carry[:, :-1] + (right != value[:, None])
        best = jnp.minimum(carry[:, 1:] + 1, replaced)
        best = jnp.concatenate([jnp.full((best.shape[0], 1), turn + 1), best], axis=1)
        # Insertions: the minimum over all columns to the left, plus 1 per column.
        best = lax.cummin(best - wide, axis=1) + wide
        return jnp.where((turn < given_length)[:, None], best, carry), None

    steps = jnp.arange(given.shape[1], dtype=jnp.int32)
    table, _ = loops_per_device.scan(read, before, (steps, given.T))
    return jnp.take_along_axis(table, right_length[:, None], axis=1)[:, 0]
