"""Implement `tf.ragged.range`: one row of numbers per start, limit and step size."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import agreeing, operand
from shims._src.array.casting import cast
from shims._src.ragged import partition
from shims._src.ragged.tensor import RaggedTensor
from shims._src.tracing.sized_by import selected_by


@selected_by("starts", "limits", "deltas")
def range(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=np.int64):
    """Build rows of evenly spaced numbers, from each start up to its limit.

    Args:
      starts: number or vector. If `limits` is `None`, these numbers are the limits, and the rows start at 0.
      limits: number or vector of numbers that the rows do not include.
      deltas: number or vector, not 0.
      dtype: the dtype of the numbers.
      name: ignored.
      row_splits_dtype: int32 or int64.

    Returns:
      A `RaggedTensor` with one row per start.

    Raises:
      InvalidArgumentError: a step is 0, a row would be infinite, or the vectors have different lengths.

    Differs from TensorFlow:
      Splits are int32 unless `jax_enable_x64` is on.

    Under jit:
      The number of values is data-dependent.

    Example:
      >>> import shims
      >>> shims.ragged.range([3, 0, 2])
      <tf.RaggedTensor [[0, 1, 2], [], [0, 1]]>

    https://www.tensorflow.org/api_docs/python/tf/ragged/range
    """
    if limits is None:
        starts, limits = 0, starts
    starts, limits, deltas = _promote_dtypes(starts, limits, deltas, dtype)
    starts, limits, deltas = lax.stop_gradient(_broadcast_lengths(starts, limits, deltas))
    checks.check_data(
        deltas == 0, "ragged.range", "a step is 0.", required="deltas != 0 everywhere"
    )
    if jnp.issubdtype(starts.dtype, jnp.integer):
        lengths = _count_integers(starts, limits, deltas)
    else:
        lengths = jnp.ceil((limits - starts) / jnp.where(deltas == 0, 1, deltas))
        backwards = jnp.where(deltas > 0, limits < starts, (deltas < 0) & (limits > starts))
        lengths = jnp.where(backwards, 0, lengths)
        endless = ~(lengths < 2.0**31)
        checks.check_data(
            endless,
            "ragged.range",
            "a row is infinite or has too many numbers.",
            required="(limits - starts) / deltas below 2 ** 31",
        )
        lengths = jnp.where(endless, 0, lengths)
    lengths = jnp.maximum(lengths, 0).astype(partition.splits_dtype(row_splits_dtype))
    splits, ids, place = partition.spread(lengths, label="ragged.range")
    first, step = partition.of_row(starts, ids), partition.of_row(deltas, ids)
    return RaggedTensor(first + place.astype(first.dtype) * step, splits)


def _count_integers(starts, limits, deltas):
    """Count the integers in each row without overflow of the distance from start to limit."""
    unsigned = np.dtype(f"uint{8 * starts.dtype.itemsize}")
    up = deltas > 0
    distance = jnp.where(up, limits - starts, starts - limits).astype(unsigned)
    step = jnp.where(deltas == 0, 1, jnp.abs(deltas)).astype(unsigned)
    count = distance // step + (distance % step != 0)
    return jnp.where(jnp.where(up, limits > starts, limits < starts), count, 0)


def _promote_dtypes(starts, limits, deltas, dtype):
    given = [operand(v) for v in (starts, limits, deltas)]
    if dtype is None:
        dtype = jnp.result_type(*(v.dtype for v in given))
        if not jnp.issubdtype(dtype, jnp.floating):
            dtype = max((v.dtype for v in given), key=lambda d: d.itemsize)
    return [cast(v, dtype) for v in given]


def _broadcast_lengths(*vectors):
    if any(v.ndim > 1 for v in vectors):
        raise checks.invalid(
            "ragged.range", "an argument has more than one axis.", required="numbers or vectors"
        )
    long = [v for v in vectors if v.ndim == 1]
    if not long:
        return [v.reshape(1) for v in vectors]
    known = {v.shape[0] for v in long if checks.is_known(v.shape[0])}
    if len(known) > 1:
        raise checks.invalid(
            "ragged.range",
            "the vectors have different lengths.",
            required="vectors of the same length",
        )
    long = iter(agreeing("ragged.range", long, [0]))
    vectors = [next(long) if v.ndim == 1 else v for v in vectors]
    count = next(v.shape[0] for v in vectors if v.ndim == 1)
    return [jnp.broadcast_to(v, (count,)) for v in vectors]
