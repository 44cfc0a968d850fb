"""Handle sequences that end before the last time step, and their batch axis."""

from __future__ import annotations

import jax
import jax.numpy as jnp

import shims
from shims._src.types.dtypes import int32
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.standard_operators import cast, identity


def lengths_of(sequence_length) -> Tensor | None:
    """Convert sequence lengths to an int32 vector; return `None` for `None`.

    Raises:
      ValueError: the lengths are not a vector.
    """
    if sequence_length is None:
        return None
    lengths = convert_to_tensor(sequence_length, name="sequence_length")
    if lengths.dtype != int32:
        lengths = cast(lengths, int32)
    if lengths.shape.rank not in (None, 1):
        raise ValueError(
            "Argument `sequence_length` must be a vector of length batch_size. Received "
            f"sequence_length={lengths}."
        )
    return identity(lengths, name="sequence_length")


def keep_finished(time, lengths: Tensor, new, old):
    """Use the old values for examples that have ended, and the new values for the others.

    Args:
      time: the index of the time step, a number or a tensor.
      lengths: the lengths of the examples.
      new: tensors `[batch, ...]`, nested.
      old: the values before the step, in the same structure; zeros when `None`.
    """
    leaves, tree = jax.tree.flatten(new)
    before: list = [None] * len(leaves)
    if old is not None:
        before = jax.tree.leaves(old)
    if len(before) != len(leaves):
        raise TypeError(
            "The two structures don't have the same nested structure. "
            f"First: {jax.tree.structure(old)}, second: {tree}"
        )
    kept = [
        x if x.shape.rank == 0 else _add_select(time, lengths, x, y)
        for x, y in zip(leaves, before, strict=True)
    ]
    return jax.tree.unflatten(tree, kept)


def _add_select(time, lengths, new, old):
    found = operation_of(
        _select, (time, lengths, new, old), {}, public="where", name="SelectV2", type_="SelectV2"
    )
    # As in TensorFlow, the static shape does not depend on the lengths.
    found._shape = new.shape if old is None else new.shape.merge_with(old.shape)
    return found


def _select(time, lengths, new, old):
    is_over = (jnp.asarray(time) >= lengths).reshape(-1, *[1] * (new.ndim - 1))
    return shims.where(is_over, jnp.zeros_like(new) if old is None else old, new)


def swap_batch_and_time(tensor: Tensor) -> Tensor:
    """Swap the first two axes of a tensor."""
    if tensor.shape.rank is not None and tensor.shape.rank < 2:
        return tensor
    found = operation_of(
        _swap, (tensor,), {}, public="transpose", name="transpose", type_="Transpose"
    )
    if tensor.shape.rank is not None:
        first, second, *rest = tensor.shape.as_list()
        found.set_shape([second, first, *rest])
    return found


def _swap(x):
    return jnp.swapaxes(x, 0, 1)
