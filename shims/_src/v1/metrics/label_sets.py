"""Match the true labels of each row with its predicted classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp

import shims
from shims._src.errors import errors


class Listed(NamedTuple):
    """The labels of all rows of a batch, as two vectors: the row index and the class of each label."""

    rows: Any  # int64 [n]: the row of each label
    classes: Any  # int64 [n]


class Hits(NamedTuple):
    """Boolean masks that say which labels were predicted, and which predictions are right."""

    labels: Any  # bool [n]: whether a label is the first of its class in its row
    guessed: Any  # bool [n]: whether its class is predicted in its row
    guesses: Any  # bool [rows, k]: whether a prediction is the first of its class in its row
    right: Any  # bool [rows, k]: whether its class is among the labels of its row


def listed(labels, values, size, guesses) -> Listed:
    """Convert dense or sparse labels to flat vectors of row indices and classes.

    Args:
      labels: int64 `[..., m]`, or `[...]` for one label in each row; the indices of a sparse tensor
        of these ranks if `values` are given.
      values: `None`, or the values of the sparse tensor, `[n]`.
      size: the dense shape of the sparse tensor.
      guesses: the predicted classes, int64 `[..., k]`.

    Raises:
      ValueError: the shapes are incompatible.
      TypeError: labels are not int64.
    """
    rank = len(guesses.shape)
    if rank < 2:
        raise ValueError(f"Shape must be at least rank 2 but is rank {rank} for the predictions.")
    check_dtype(labels if values is None else values)
    if values is not None:
        return _listed_sparse(labels, values, size, guesses)
    if len(labels.shape) == rank - 1:
        labels = labels[..., None]
    if len(labels.shape) != rank:
        raise ValueError(
            f"Unexpected labels shape {tuple(labels.shape)} for predictions shape "
            f"{tuple(guesses.shape)}. Predictions rank should be the same rank as labels rank or "
            "labels rank plus one."
        )
    _check_rows(labels.shape[:-1], guesses.shape[:-1])
    rows = jnp.arange(_count_rows(guesses), dtype=jnp.int64)
    by_row = shims.reshape(labels, [_count_rows(guesses), labels.shape[-1]])
    rows = jnp.broadcast_to(rows[:, None], by_row.shape)
    return Listed(rows.reshape(-1), jnp.asarray(by_row).reshape(-1))


def _listed_sparse(indices, values, size, guesses) -> Listed:
    lead = guesses.shape[:-1]
    if size.shape[0] not in (len(lead), len(lead) + 1):
        raise ValueError(
            f"Labels of rank {size.shape[0]} do not match predictions of rank {len(lead) + 1}."
        )
    shims.debugging.assert_equal(
        size[: len(lead)],
        shims.stack([shims.cast(d, "int64") for d in lead]),
        message="labels and predictions must have the same number of rows",
    )
    rows = jnp.zeros(indices.shape[:1], jnp.int64)
    for axis, count in enumerate(lead):
        rows = rows * count + indices[:, axis]
    return Listed(rows, jnp.asarray(shims.reshape(values, rows.shape)))


def check_dtype(classes) -> None:
    """Raise `TypeError` unless the classes are int64."""
    if classes.dtype != jnp.int64:
        raise errors.DtypeMismatchError(
            f"Types don't match, int64 vs {classes.dtype}. Cast the labels to int64."
        )


def _check_rows(ours, theirs) -> None:
    known = lambda d: d if isinstance(d, int) else None
    for i, (a, b) in enumerate(zip(map(known, theirs), map(known, ours), strict=True)):
        if a != b and None not in (a, b):
            raise errors.InvalidArgumentError(
                f"Dimension {i} in both shapes must be equal, but are {a} and {b}."
            )


def _count_rows(guesses):
    """Return the number of rows of a batch: the product of all sizes of `guesses` except the last."""
    count = 1
    for d in guesses.shape[:-1]:
        count = count * d
    return count


def hits(labels: Listed, guesses) -> Hits:
    """Match the labels of each row with its predicted classes.

    Args:
      labels: the labels of all rows, flat.
      guesses: the predicted classes, int64 `[..., k]`.
    """
    count, k = _count_rows(guesses), guesses.shape[-1]
    by_row = jnp.asarray(guesses).reshape(count, k)
    equal = by_row[labels.rows] == labels.classes[:, None]
    right = jnp.zeros((count, k), bool).at[labels.rows].max(equal)
    rows = jnp.broadcast_to(jnp.arange(count)[:, None], (count, k)).reshape(-1)
    first = first_of_row(rows, by_row.reshape(-1)).reshape(count, k)
    return Hits(first_of_row(*labels), equal.any(axis=1), first, right)


def first_of_row(rows, classes):
    """Return a mask of the labels that are the first of their class in their row of the batch."""
    order = jnp.lexsort((classes, rows))
    rows, classes = rows[order], classes[order]
    new = (rows != jnp.roll(rows, 1)) | (classes != jnp.roll(classes, 1))
    new = new | (jnp.arange(rows.shape[0]) == 0)
    return jnp.zeros_like(new).at[order].set(new)


def by_row(labels: Listed, chosen, guesses):
    """Count, for each row of a batch, the labels that the mask `chosen` selects; float64 `[...]`."""
    counts = jnp.zeros(_count_rows(guesses), jnp.float64).at[labels.rows].add(chosen)
    return counts.reshape(guesses.shape[:-1])


def weighted(weights, counts):
    """Broadcast the weights of rows to the shape of `counts`, as float64; return `None` unchanged.

    Raises:
      InvalidArgumentError: the ranks differ, or a size is neither 1 nor that of `counts`.
    """
    if weights is None:
        return None
    known = lambda shape: [d if isinstance(d, int) else None for d in shape]
    have, want = known(weights.shape), known(counts.shape)
    differ = len(have) != len(want) or any(
        a not in (1, b) and None not in (a, b) for a, b in zip(have, want, strict=True)
    )
    if have and differ:
        raise errors.InvalidArgumentError(
            "weights can not be broadcast to values. "
            f"weights.shape={tuple(have)}. values.shape={tuple(want)}."
        )
    return shims.cast(weights, "float64") * shims.ones_like(counts)
