"""Tables in several parts, whose rows version 1 deals out in turn."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

import shims
from shims._src.arguments import checks
from shims._src.arguments.operands import operand
from shims._src.linalg.clip import clip_by_norm
from shims._src.tracing.dispatch import operator


@operator
def embedding_lookup(
    params, ids, partition_strategy="mod", name=None, validate_indices=True, max_norm=None
):
    """The rows of a table, or of a table in several parts, by number.

    Args:
      params: array `[n, ...]`, or a list of such arrays.
      ids: int32 or int64 array.
      partition_strategy: `mod`, where row `i` is in part `i % len(params)`; or `div`, where the
        parts hold the rows in order.
      name: the name of the operation.
      validate_indices: ignored.
      max_norm: rows of a larger Euclidean norm are scaled down to it.

    Returns:
      `[*ids.shape, ...]`.

    Raises:
      ValueError: there is no table, or no such strategy.
      InvalidArgumentError: a number is out of range.

    Differs from TensorFlow:
      Nothing on CPU.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/embedding_lookup
    """
    parts = params if isinstance(params, (list, tuple)) else [params]
    if partition_strategy not in ("mod", "div"):
        raise ValueError(
            "Only 'mod' and 'div' are supported as `partition_strategy`. "
            f"Received: {partition_strategy}"
        )
    if len(parts) <= 1 or partition_strategy == "div":
        return shims.nn.embedding_lookup(params, ids, max_norm)
    tables = [operand(p) for p in parts]
    ids = operand(ids)
    places = jnp.take(jnp.asarray(_dealt([t.shape[0] for t in tables])), _checked(tables, ids))
    rows = jnp.take(jnp.concatenate(tables), places, axis=0, mode="clip")
    if max_norm is None:
        return rows
    return clip_by_norm(rows, max_norm, axes=list(range(ids.ndim, rows.ndim)))


def _dealt(sizes: list[int]) -> np.ndarray:
    """Where row `i` of the table is in all parts put together."""
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rows = range(sum(sizes))
    return np.asarray([begins[i % len(sizes)] + i // len(sizes) for i in rows], np.int32)


def _checked(tables, ids):
    sizes = [t.shape[0] for t in tables]
    even = [sum(sizes) // len(sizes) + (i < sum(sizes) % len(sizes)) for i in range(len(sizes))]
    if sizes != even:
        raise checks.invalid(
            "embedding_lookup",
            "the parts of the table are not as long as rows dealt out in turn make them.",
            required=f"parts of {even} rows",
            received=f"parts of {sizes} rows",
        )
    checks.check_positions("embedding_lookup", "ids", ids, sum(sizes))
    return ids


def embedding_lookup_sparse(
    params,
    sp_ids,
    sp_weights,
    partition_strategy="mod",
    name=None,
    combiner=None,
    max_norm=None,
    allow_fast_lookup=False,
):
    """Rows of a table combined per row of ids; see `tf.nn.embedding_lookup_sparse` of TensorFlow 2.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/embedding_lookup_sparse
    """
    params = _whole(params, partition_strategy)
    return shims.nn.embedding_lookup_sparse(params, sp_ids, sp_weights, combiner, max_norm)


def safe_embedding_lookup_sparse(
    embedding_weights,
    sparse_ids,
    sparse_weights=None,
    combiner="mean",
    default_id=None,
    name=None,
    partition_strategy="div",
    max_norm=None,
    allow_fast_lookup=False,
):
    """The same without invalid ids; see `tf.nn.safe_embedding_lookup_sparse` of TensorFlow 2.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/safe_embedding_lookup_sparse
    """
    embedding_weights = _whole(embedding_weights, partition_strategy)
    return shims.nn.safe_embedding_lookup_sparse(
        embedding_weights, sparse_ids, sparse_weights, combiner, default_id, max_norm
    )


def nce_loss(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true=1,
    sampled_values=None,
    remove_accidental_hits=False,
    partition_strategy="mod",
    name="nce_loss",
):
    """Noise-contrastive estimation; see `tf.nn.nce_loss` of TensorFlow 2.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/nce_loss
    """
    weights = _whole(weights, partition_strategy)
    return shims.nn.nce_loss(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
    )


def sampled_softmax_loss(
    weights,
    biases,
    labels,
    inputs,
    num_sampled,
    num_classes,
    num_true=1,
    sampled_values=None,
    remove_accidental_hits=True,
    partition_strategy="mod",
    name="sampled_softmax_loss",
    seed=None,
):
    """The softmax loss over some of the classes; see `tf.nn.sampled_softmax_loss` of TensorFlow 2.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/sampled_softmax_loss
    """
    weights = _whole(weights, partition_strategy)
    return shims.nn.sampled_softmax_loss(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
    )


def _whole(weights, strategy):
    """The table of parts that are dealt out in turn; all others as they are."""
    parts = weights if isinstance(weights, (list, tuple)) else [weights]
    if len(parts) <= 1 or strategy == "div":
        return weights
    tables = [operand(p) for p in parts]
    order = _dealt([t.shape[0] for t in tables])
    return jnp.take(jnp.concatenate(tables), jnp.asarray(order), axis=0)
