"""Combine rows of a table for the ids of each example.

Which ids are valid is decided in Python, where ids come from: the compiled program only gathers rows and
adds them up.
"""

from __future__ import annotations

import numpy as np

import shims
from shims._src.data.specs import TensorSpec
from shims._src.types.host_tensor import host
from shims._src.v1.feature_columns.column import IdWeightPair
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.host_calls import with_outline
from shims._src.v1.ops.embedding import embedding_lookup

COMBINERS = ("mean", "sqrtn", "sum")


def lookup(table, pair: IdWeightPair, combiner: str, max_norm=None):
    """Return the combined rows of a table for ids with weights; zeros for an example without ids."""
    args = pair.id_tensor, pair.weight_tensor, combiner != "sum"
    ids, rows, weights, count = operation_of(_valid, args, {}, public="sparse_retain")
    options = {} if max_norm is None else {"max_norm": max_norm}
    public = "nn.embedding_lookup"
    found = operation_of(embedding_lookup, (table, ids, "div"), options, public=public)
    weights = weights if pair.weight_tensor is not None else None
    parts = found, rows, weights, count, combiner
    return operation_of(_combine, parts, {}, public="segment_sum")


def one_hot(pair: IdWeightPair, depth: int):
    """Return the sum of the one-hot vectors of the ids of each example, times their weights."""
    args = pair.id_tensor, pair.weight_tensor, depth
    return operation_of(_one_hot, args, {}, public="one_hot")


def _outline(ids, weights, needs_weight):
    n = TensorSpec([None], np.int64)
    return n, n, TensorSpec([None], np.float32), TensorSpec([], np.int32)


@with_outline(_outline)
def _valid(ids, weights, needs_weight):
    """Return valid ids, their rows and weights, and the number of rows.

    Ids below 0 are left out, and, if `needs_weight`, those whose weight is not positive.
    """
    numbers = np.asarray(ids.values)
    rows, count = _rows(ids)
    given = np.ones(len(numbers), np.float32) if weights is None else np.asarray(weights.values)
    kept = (numbers >= 0) & (given > 0) if needs_weight else numbers >= 0
    found = numbers[kept].astype(np.int64), rows[kept], given[kept].astype(np.float32)
    return *map(host, found), host(np.int32(count))


def _rows(ids) -> tuple[np.ndarray, int]:
    """Return the example of each id, and the number of examples."""
    places, sizes = np.asarray(ids.indices), np.asarray(ids.dense_shape)
    return places[:, 0].astype(np.int64), int(sizes[0])


def _combine(found, rows, weights, count, combiner):
    total = found if weights is None else found * weights[:, None]
    total = shims.math.unsorted_segment_sum(total, rows, count)
    if combiner == "sum":
        return total
    ones = shims.ones_like(rows, found.dtype) if weights is None else weights
    parts = ones if combiner == "mean" else ones * ones
    norm = shims.math.unsorted_segment_sum(parts, rows, count)[:, None]
    return shims.math.divide_no_nan(total, norm if combiner == "mean" else shims.sqrt(norm))


def _outline_of_one_hot(ids, weights, depth):
    rows = ids.get_shape()[0]
    return TensorSpec([getattr(rows, "value", rows), depth], np.float32)


@with_outline(_outline_of_one_hot)
def _one_hot(ids, weights, depth):
    numbers = np.asarray(ids.values)
    rows, count = _rows(ids)
    given = np.ones(len(numbers), np.float32) if weights is None else np.asarray(weights.values)
    kept = (numbers >= 0) & (numbers < depth)
    found = np.zeros([count, depth], np.float32)
    np.add.at(found, (rows[kept], numbers[kept]), given[kept])
    return host(found)
