"""Look up rows of embedding tables that are partitioned by TensorFlow 1's `mod` strategy."""

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
    """Look up rows of an embedding table, which may be partitioned.

    Args:
      params: array `[n, ...]`, or a list of such arrays.
      ids: int32 or int64 array of row indices.
      partition_strategy: how the rows are distributed. With `mod`, row `i` is in part `i %
        len(params)`; with `div`, the parts contain the rows in order.
      name: the name of the operation.
      validate_indices: ignored.
      max_norm: the maximum Euclidean norm of the rows; longer rows are scaled down.

    Returns:
      The rows, an array `[*ids.shape, ...]`.

    Raises:
      ValueError: `params` is empty, or the strategy is unknown.
      InvalidArgumentError: an id is out of range, or the sizes of the parts do not match the strategy.

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
    places = jnp.take(
        jnp.asarray(_mod_positions([t.shape[0] for t in tables])), _check_parts_and_ids(tables, ids)
    )
    rows = jnp.take(jnp.concatenate(tables), places, axis=0, mode="clip")
    if max_norm is None:
        return rows
    return clip_by_norm(rows, max_norm, axes=list(range(ids.ndim, rows.ndim)))


def _mod_positions(sizes: list[int]) -> np.ndarray:
    """Return the position of each table row in the concatenation of the `mod`-partitioned parts."""
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rows = range(sum(sizes))
    return np.asarray([begins[i % len(sizes)] + i // len(sizes) for i in rows], np.int32)


def _check_parts_and_ids(tables, ids):
    sizes = [t.shape[0] for t in tables]
    even = [sum(sizes) // len(sizes) + (i < sum(sizes) % len(sizes)) for i in range(len(sizes))]
    if sizes != even:
        raise checks.invalid(
            "embedding_lookup",
            "the sizes of the parts do not match the `mod` partition strategy.",
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
    """Combine embedding rows of sparse ids; see `tf.nn.embedding_lookup_sparse` of TensorFlow 2.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/embedding_lookup_sparse
    """
    params = _join_parts(params, partition_strategy)
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
    """Combine embedding rows of sparse ids, ignoring invalid ids.

    See `tf.nn.safe_embedding_lookup_sparse` of TensorFlow 2.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/safe_embedding_lookup_sparse
    """
    embedding_weights = _join_parts(embedding_weights, partition_strategy)
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
    """Compute the noise-contrastive estimation loss; see `tf.nn.nce_loss` of TensorFlow 2.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/nce_loss
    """
    weights = _join_parts(weights, partition_strategy)
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
    """Compute the sampled softmax loss; see `tf.nn.sampled_softmax_loss` of TensorFlow 2.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/nn/sampled_softmax_loss
    """
    weights = _join_parts(weights, partition_strategy)
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


def _join_parts(weights, strategy):
    """Join the parts of a `mod`-partitioned table to one array; return any other table unchanged."""
    parts = weights if isinstance(weights, (list, tuple)) else [weights]
    if len(parts) <= 1 or strategy == "div":
        return weights
    tables = [operand(p) for p in parts]
    order = _mod_positions([t.shape[0] for t in tables])
    return jnp.take(jnp.concatenate(tables), jnp.asarray(order), axis=0)
