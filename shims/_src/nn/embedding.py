"""Look up rows of embedding tables."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.operands import operand
from shims._src.array.gather import gather
from shims._src.linalg.clip import clip_by_norm
from shims._src.tracing.dispatch import operator


@operator
def embedding_lookup(params, ids, max_norm=None, name=None):
    """Look up rows of an embedding table, which may be given in several parts.

    Args:
      params: array `[n, ...]`, or a list of such arrays that contain consecutive parts of the rows.
        If the rows do not divide evenly, the first arrays have one more row than the other arrays.
      ids: int32 or int64 array.
      max_norm: the maximum Euclidean norm of a row; longer rows are scaled down.
      name: ignored.

    Returns:
      An array `[*ids.shape, ...]`.

    Raises:
      InvalidArgumentError: an id is out of range.
      ValueError: `params` is `None` or an empty list.

    Differs from TensorFlow:
      On a GPU, TensorFlow returns zeros for an id out of range, instead of raising an error.

    Under jit:
      As in `gather`: inside `shims.function` an id out of range raises an error after the call.

    Example:
      >>> import shims
      >>> table = shims.constant([[1.0, 2.0], [3.0, 4.0]])
      >>> print(shims.nn.embedding_lookup(table, [1, 1, 0]))
      [[3. 4.]
       [3. 4.]
       [1. 2.]]

    https://www.tensorflow.org/api_docs/python/tf/nn/embedding_lookup
    """
    ids = operand(ids)
    rows = rows_of("embedding_lookup", params, ids)
    if max_norm is None:
        return rows
    return clip_by_norm(rows, max_norm, axes=list(range(ids.ndim, rows.ndim)))


def rows_of(function: str, params, ids):
    """Look up rows of a table, given as one array or as a list of consecutive parts.

    Raises:
      InvalidArgumentError: an id is out of range.
      ValueError: `params` is `None` or an empty list.
    """
    if params is None:
        raise ValueError(f"{function}: `params` must be specified.")
    parts = [operand(p) for p in params] if isinstance(params, (list, tuple)) else [operand(params)]
    if not parts:
        raise ValueError(f"{function}: `params` must not be an empty list.")
    if len(parts) == 1:
        return gather(parts[0], ids)
    places = _row_numbers(function, parts, ids)
    return jnp.take(jnp.concatenate(parts), places, axis=0, mode="clip")


def _row_numbers(function, parts, ids):
    """Convert ids to row indices of the concatenated parts of a table.

    The parts must have the sizes of an even split; other sizes raise an error.
    """
    sizes = [p.shape[0] for p in parts]
    each, more = sum(sizes) // len(parts), sum(sizes) % len(parts)
    checks.check_positions(function, "ids", ids, sum(sizes))
    part = ids // (each + 1) if each == 0 else jnp.maximum(ids // (each + 1), (ids - more) // each)
    begins = np.asarray([i * each + min(i, more) for i in range(len(parts))])
    within = ids - jnp.take(jnp.asarray(begins, ids.dtype), part, mode="clip")
    checks.check_data(
        within >= jnp.take(jnp.asarray(sizes, ids.dtype), part, mode="clip"),
        function,
        "the sizes of the table's parts differ from the sizes of an even partition.",
        required=f"{more} parts with {each + 1} rows, then {len(parts) - more} parts with {each} rows",
        received=f"parts of {sizes} rows",
    )
    offsets = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return jnp.take(jnp.asarray(offsets, ids.dtype), part, mode="clip") + within
