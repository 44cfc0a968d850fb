"""Ragged tensors, made inside the program from flat values and lengths."""

from __future__ import annotations

import numpy as np

from .case import Case

_VALUES = np.float32([1.5, -2.0, 3.0, 4.0, 4.0])
_LENGTHS = np.int32([2, 0, 3])
_INPUTS = (_VALUES, _LENGTHS)
_OTHERS = ((np.float32([0.5]), np.int32([0, 1])),)
_NESTED = (np.float32([1, 2, 3, 4, 5, 6]), np.int32([2, 0, 1]), np.int32([2, 1, 3]))
_IDS = (np.int32([0, 0, 2, 2, 2]),)
_COLUMN = np.int32([[7], [-8], [2**30]])
_SPLITS = (np.int32([0, 2, 2, 5]),)


def _rt(tf, values, lengths):
    return tf.RaggedTensor.from_row_lengths(values, lengths)


def _reduced(tf, v, n):
    rt = _rt(tf, v, n)
    return (
        *(tf.reduce_sum(rt, axis=1), tf.reduce_sum(rt, axis=0), tf.reduce_mean(rt[2:], axis=1)),
        *(rt[:, :1], rt[1:] * 2.0, rt - tf.reduce_sum(rt, axis=1, keepdims=True)),
    )


def _sparse(tf, places, values):
    return tf.SparseTensor(tf.cast(places, tf.int64), values, (3, 3))


CASES = (
    Case(
        "ragged-reduced",
        ("RaggedTensor",),
        _reduced,
        _INPUTS,
        _OTHERS,
        xla="unsupported: no kernel",
    ),
    Case(
        "ragged-constant",
        ("ragged.constant",),
        lambda tf, x: tf.ragged.constant([[1.0, 2.0], [], [3.0]]) * tf.reduce_max(x),
        (_VALUES,),
    ),
    Case(
        "ragged-from-row-lengths",
        ("RaggedTensor.from_row_lengths",),
        lambda tf, v, n: (_rt(tf, v, n), _rt(tf, v, n).to_tensor(-1.0)),
        _INPUTS,
        _OTHERS,
        xla="unsupported: no kernel",
    ),
    Case(
        "ragged-from-row-splits",
        ("RaggedTensor.from_row_splits",),
        lambda tf, v, s: tf.RaggedTensor.from_row_splits(v, s),
        (_VALUES, *_SPLITS),
    ),
    Case(
        "ragged-from-row-starts",
        ("RaggedTensor.from_row_starts",),
        lambda tf, v, s: tf.RaggedTensor.from_row_starts(v, s),
        (_VALUES, np.int32([0, 2, 2])),
    ),
    Case(
        "ragged-from-row-limits",
        ("RaggedTensor.from_row_limits",),
        lambda tf, v, s: tf.RaggedTensor.from_row_limits(v, s),
        (_VALUES, np.int32([2, 2, 5])),
    ),
    Case(
        "ragged-from-value-rowids",
        ("RaggedTensor.from_value_rowids",),
        lambda tf, v, i: tf.RaggedTensor.from_value_rowids(v, i, nrows=4),
        (_VALUES, *_IDS),
    ),
    Case(
        "ragged-from-uniform-row-length",
        ("RaggedTensor.from_uniform_row_length",),
        lambda tf, v: tf.RaggedTensor.from_uniform_row_length(v, 3) * 2.0,
        (np.float32([1, 2, 3, 4, 5, 6]),),
    ),
    Case(
        "ragged-from-tensor",
        ("RaggedTensor.from_tensor",),
        lambda tf, x, n: tf.RaggedTensor.from_tensor(x, n),
        (np.float32([[1, 2, 3], [4, 5, 6]]), np.int32([2, 0])),
    ),
    Case(
        "ragged-from-nested-row-lengths",
        ("RaggedTensor.from_nested_row_lengths",),
        lambda tf, v, a, b: tf.RaggedTensor.from_nested_row_lengths(v, [a, b]),
        _NESTED,
    ),
    Case(
        "ragged-from-nested-row-splits",
        ("RaggedTensor.from_nested_row_splits",),
        lambda tf, v, a, b: tf.RaggedTensor.from_nested_row_splits(v, [a, b]),
        (_NESTED[0], np.int32([0, 2, 2, 3]), np.int32([0, 2, 3, 6])),
    ),
    Case(
        "ragged-from-nested-value-rowids",
        ("RaggedTensor.from_nested_value_rowids",),
        lambda tf, v, a, b: tf.RaggedTensor.from_nested_value_rowids(v, [a, b], [4, 3]),
        (_NESTED[0], np.int32([0, 0, 2]), np.int32([0, 0, 1, 2, 2, 2])),
    ),
    Case(
        "ragged-from-sparse",
        ("RaggedTensor.from_sparse",),
        lambda tf, p, v: tf.RaggedTensor.from_sparse(_sparse(tf, p, v)),
        (np.int32([[0, 0], [0, 1], [2, 0]]), _VALUES[:3]),
        shapes=((None, 2), (None,)),
    ),
    Case(
        "ragged-boolean-mask",
        ("ragged.boolean_mask",),
        lambda tf, v, n: tf.ragged.boolean_mask(_rt(tf, v, n), _rt(tf, v, n) > 1.0),
        _INPUTS,
        _OTHERS,
        xla="unsupported: a size that depends on the data",
    ),
    Case(
        "ragged-cross-hashed",
        ("ragged.cross_hashed",),
        lambda tf, v, n, d: tf.ragged.cross_hashed(
            [tf.cast(_rt(tf, v, n), tf.int32), d, tf.cast(_rt(tf, v, n) * 1e3, tf.int32)], 1000
        ),
        (*_INPUTS, _COLUMN),
        xla="unsupported: no kernel",
        unbounded=True,
        away={"vmap": "each row has a size of its own"},
    ),
    Case(
        "ragged-map-flat-values",
        ("ragged.map_flat_values",),
        lambda tf, v, n: tf.ragged.map_flat_values(tf.multiply, _rt(tf, v, n), _rt(tf, v, n)),
        _INPUTS,
    ),
    Case(
        "ragged-range",
        ("ragged.range",),
        lambda tf, a, b: tf.ragged.range(a, b, 2.0),
        (np.float32([0.5, 3.0, 1.0]), np.float32([5.0, 3.0, 2.5])),
        xla="unsupported: no kernel",
        unbounded=True,
        away={"vmap": "each row has a size of its own"},
    ),
    Case(
        "ragged-row-splits-to-segment-ids",
        ("ragged.row_splits_to_segment_ids",),
        lambda tf, s: tf.ragged.row_splits_to_segment_ids(s),
        _SPLITS,
        ((np.int32([0, 0]),),),
        unbounded=True,
    ),
    Case(
        "ragged-segment-ids-to-row-splits",
        ("ragged.segment_ids_to_row_splits",),
        lambda tf, i: tf.ragged.segment_ids_to_row_splits(i, 4),
        _IDS,
        ((np.int32([]),),),
    ),
    Case(
        "ragged-stack",
        ("ragged.stack",),
        lambda tf, a, b: tf.ragged.stack([a, b], axis=0),
        (_VALUES, _VALUES[1:3]),
        ((_VALUES[:0], _VALUES[:2]),),
    ),
    Case(
        "ragged-stack-dynamic-partitions",
        ("ragged.stack_dynamic_partitions",),
        lambda tf, v, p: tf.ragged.stack_dynamic_partitions(v, p, 4),
        (_VALUES, np.int32([2, 0, 2, 3, 0])),
    ),
)
