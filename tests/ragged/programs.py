"""Programs over a ragged tensor `[rows, (length)]` of floats, or `[rows, (k), (length)]`."""

from __future__ import annotations

# Row lengths: some of 0, all of 0, no row, one row, others.
ROWS = {
    "some": [[1.5, -2.0], [], [3.0, 4.0, 4.0]],
    "others": [[0.5], [1.0, 2.0, -3.0, 2.0, 0.0], [], [7.0, 7.0]],
    "empty-rows": [[], []],
    "no-rows": [],
    "one-row": [[2.0, 1.0, 2.0, -1.0]],
}
NESTED = {
    "some": [[[1.0, 2.0], [3.0]], [], [[4.0, 5.0, 6.0]]],
    "others": [[[]], [[1.0], [], [2.0, 3.0]], [[4.0, 4.0], [5.0]], []],
    "empty-rows": [[], []],
    "no-rows": [],
    "one-row": [[[2.0, 1.0], [], [3.0]]],
    # More rows than values: no number of values bounds a number of rows.
    "hollow": [[[], [], []], [[], [1.0], [], []], [], [[], []]],
}


def _columns(tf, rt):
    """Ragged, sparse and dense features of the same rows."""
    ids = tf.cast(rt * 2.0, tf.int32)
    return [ids, ids.to_sparse(), tf.cast(rt.row_lengths(), tf.int32)[:, None]]


FLAT = (
    ("to_tensor", lambda tf, rt: rt.to_tensor()),
    ("to_tensor-bools", lambda tf, rt: (rt > 1.0).to_tensor()),
    ("to_tensor-default", lambda tf, rt: rt.to_tensor(-1.0)),
    ("to_tensor-shape", lambda tf, rt: rt.to_tensor(9.0, shape=[None, 2])),
    ("to_tensor-longer", lambda tf, rt: rt.to_tensor(shape=[None, 7])),
    ("row_lengths", lambda tf, rt: (rt.row_lengths(), rt.nrows(), rt.value_rowids())),
    ("row_starts", lambda tf, rt: (rt.row_starts(), rt.row_limits(), rt.bounding_shape())),
    ("arithmetic", lambda tf, rt: (rt * 2.0 + 1.0 - rt / 4.0, 1.0 - rt, -rt)),
    ("comparison", lambda tf, rt: (rt > 1.0, rt <= rt, tf.equal(rt, 2.0))),
    ("elementwise", lambda tf, rt: (tf.exp(rt), tf.abs(rt), tf.cast(rt, tf.int32))),
    ("clip", lambda tf, rt: tf.clip_by_value(rt, 0.0, 2.0)),
    ("like", lambda tf, rt: (tf.ones_like(rt), tf.zeros_like(rt))),
    ("per-row", lambda tf, rt: rt - tf.reduce_sum(rt, axis=1, keepdims=True)),
    ("per-row-left", lambda tf, rt: tf.reduce_sum(rt, axis=1, keepdims=True) * rt),
    ("map_flat_values", lambda tf, rt: tf.ragged.map_flat_values(lambda x: x * x, rt)),
    ("map_flat_values-two", lambda tf, rt: tf.ragged.map_flat_values(tf.multiply, rt, rt)),
    (
        "map_flat_values-vectors",
        lambda tf, rt: tf.ragged.map_flat_values(
            lambda x, rows: x[:, None] * rows,
            rt,
            rt.with_flat_values(tf.stack([rt.flat_values, -rt.flat_values], 1)),
        ),
    ),
    ("sum-1", lambda tf, rt: tf.reduce_sum(rt, axis=1)),
    ("sum-0", lambda tf, rt: tf.reduce_sum(rt, axis=0)),
    ("sum-all", lambda tf, rt: (tf.reduce_sum(rt), tf.reduce_sum(rt, axis=[0, 1]))),
    ("mean", lambda tf, rt: (tf.reduce_mean(rt, axis=-1), tf.reduce_mean(rt))),
    ("max", lambda tf, rt: tf.reduce_max(rt, axis=1)),
    ("min-keepdims", lambda tf, rt: tf.reduce_min(rt, axis=1, keepdims=True)),
    ("max-0", lambda tf, rt: tf.reduce_max(rt, axis=0)),
    ("prod", lambda tf, rt: tf.reduce_prod(rt, axis=1)),
    ("any-all", lambda tf, rt: (tf.reduce_any(rt > 1.0, 1), tf.reduce_all(rt > 1.0, 1))),
    ("variance", lambda tf, rt: tf.math.reduce_variance(rt, axis=1)),
    ("logsumexp", lambda tf, rt: tf.math.reduce_logsumexp(rt, axis=1)),
    ("softmax", lambda tf, rt: tf.nn.softmax(rt)),
    ("rows", lambda tf, rt: (rt[1:], rt[:-1], rt[1:2])),
    ("rows-stepped", lambda tf, rt: (rt[::2], rt[::-1])),
    ("columns", lambda tf, rt: (rt[:, :2], rt[:, 1:], rt[:, -1:], rt[:, :-1])),
    ("columns-stepped", lambda tf, rt: (rt[:, ::2], rt[:, ::-1])),
    ("newaxis", lambda tf, rt: (rt[tf.newaxis], rt[:, tf.newaxis], rt[..., tf.newaxis])),
    ("expand_dims", lambda tf, rt: (tf.expand_dims(rt, 0), tf.expand_dims(rt, 1))),
    ("concat-0", lambda tf, rt: tf.concat([rt, rt[:1], rt], axis=0)),
    ("concat-1", lambda tf, rt: tf.concat([rt, rt * 10.0, rt[:, :1]], axis=1)),
    ("stack-0", lambda tf, rt: tf.stack([rt, rt + 1.0], axis=0)),
    ("stack-1", lambda tf, rt: tf.ragged.stack([rt, rt + 1.0], axis=1)),
    ("stack-2", lambda tf, rt: tf.stack([rt, rt + 1.0], axis=2)),
    ("stack-vectors", lambda tf, rt: tf.ragged.stack([rt.flat_values, rt.flat_values[:1]])),
    ("mask", lambda tf, rt: tf.ragged.boolean_mask(rt, rt > 1.5)),
    ("where", lambda tf, rt: tf.where(rt > 1.5)),
    ("where-choice", lambda tf, rt: tf.where(rt > 1.5, rt, 0.0 - rt)),
    ("tile", lambda tf, rt: (tf.tile(rt, [2, 1]), tf.tile(rt, [1, 3]))),
    ("to_sparse", lambda tf, rt: rt.to_sparse()),
    ("from_sparse", lambda tf, rt: tf.RaggedTensor.from_sparse(rt.to_sparse())),
    ("from_lengths", lambda tf, rt: tf.RaggedTensor.from_row_lengths(rt.values, rt.row_lengths())),
    ("from_starts", lambda tf, rt: tf.RaggedTensor.from_row_starts(rt.values, rt.row_starts())),
    ("from_limits", lambda tf, rt: tf.RaggedTensor.from_row_limits(rt.values, rt.row_limits())),
    (
        "from_rowids",
        lambda tf, rt: tf.RaggedTensor.from_value_rowids(rt.values, rt.value_rowids(), rt.nrows()),
    ),
    (
        "from_rowids-last",
        lambda tf, rt: tf.RaggedTensor.from_value_rowids(rt.values, rt.value_rowids()),
    ),
    ("from_uniform", lambda tf, rt: tf.RaggedTensor.from_uniform_row_length(rt.values, 1)),
    ("round-trip", lambda tf, rt: tf.RaggedTensor.from_tensor(rt.to_tensor(), rt.row_lengths())),
    ("padding", lambda tf, rt: tf.RaggedTensor.from_tensor(rt.to_tensor(), padding=0.0)),
    ("whole", lambda tf, rt: tf.RaggedTensor.from_tensor(rt.to_tensor(shape=[None, 2]))),
    ("segment_ids", lambda tf, rt: tf.ragged.row_splits_to_segment_ids(rt.row_splits)),
    (
        "segment_ids-back",
        lambda tf, rt: tf.ragged.segment_ids_to_row_splits(rt.value_rowids(), rt.nrows()),
    ),
    ("range", lambda tf, rt: tf.ragged.range(rt.row_lengths())),
    ("range-steps", lambda tf, rt: tf.ragged.range(rt.row_lengths(), 7, 2)),
    ("size", lambda tf, rt: (tf.size(rt), tf.rank(rt))),
    ("merge_dims", lambda tf, rt: rt.merge_dims(0, 1)),
    ("with_values", lambda tf, rt: rt.with_values(rt.values[:, None] * tf.constant([1.0, 2.0]))),
    (
        "inner",
        lambda tf, rt: rt.with_values(rt.values[:, None] * tf.constant([1.0, 2.0])).to_tensor(5.0),
    ),
    (
        "inner-reduced",
        lambda tf, rt: tf.reduce_sum(
            rt.with_values(rt.values[:, None] * tf.constant([1.0, 2.0])), axis=1
        ),
    ),
    (
        "gather-in-rows",
        lambda tf, rt: tf.gather(rt, tf.ragged.range(rt.row_lengths()), batch_dims=1),
    ),
    ("gather-by-ragged", lambda tf, rt: tf.gather([5.0, 6.0, 7.0], tf.cast(rt * 0.0, tf.int32))),
    (
        "embeddings",
        lambda tf, rt: tf.nn.embedding_lookup(
            [tf.constant([[3.0, 4.0]]), tf.constant([[0.5, 0.0]])],
            tf.cast(rt > 1.0, tf.int32),
            max_norm=1.0,
        ),
    ),
    ("one_hot", lambda tf, rt: tf.one_hot(tf.cast(rt, tf.int32), 3)),
    (
        "cross_hashed",
        lambda tf, rt: (
            tf.ragged.cross_hashed(_columns(tf, rt), 1000),
            tf.ragged.cross_hashed(_columns(tf, rt)[::-1], 77, hash_key=5),
            tf.ragged.cross_hashed(_columns(tf, rt)[:1], 10),
        ),
    ),
    ("cross_hashed-nothing", lambda tf, rt: (rt, tf.ragged.cross_hashed([], 10))),
)

# These need a row to take.
WITH_ROWS = (
    ("row", lambda tf, rt: (rt[0], rt[-1])),
    ("gather", lambda tf, rt: tf.gather(rt, [0, 0])),
    ("gather_nd-rows", lambda tf, rt: tf.gather_nd(rt, [[0], [0]])),
    (
        "gather_nd-elements",
        lambda tf, rt: tf.gather_nd(tf.concat([rt, [[8.0, 9.0]]], 0)[-1:], [[[0, 1]], [[0, 0]]]),
    ),
    ("squeeze-rows", lambda tf, rt: tf.squeeze(rt[:1], 0)),
    ("squeeze-inside", lambda tf, rt: tf.squeeze(tf.expand_dims(rt, 1), 1)),
    ("squeeze-last", lambda tf, rt: tf.squeeze(tf.expand_dims(rt, -1), axis=[-1])),
    ("gather-scalar", lambda tf, rt: tf.gather(rt, 0)),
    ("gather-matrix", lambda tf, rt: tf.gather(rt, [[0, 0], [0, 0]])),
)

TWICE = (
    ("to_tensor", lambda tf, rt: rt.to_tensor(-1.0)),
    ("lengths", lambda tf, rt: (rt.row_lengths(), rt.row_lengths(axis=2), rt.bounding_shape())),
    ("nested", lambda tf, rt: (*rt.nested_row_lengths(), *rt.nested_value_rowids())),
    ("arithmetic", lambda tf, rt: (rt * 2.0 - rt, rt > 2.0)),
    ("per-row", lambda tf, rt: rt - tf.expand_dims(tf.reduce_sum(rt, axis=2), 2)),
    ("sum-2", lambda tf, rt: tf.reduce_sum(rt, axis=2)),
    ("sum-1", lambda tf, rt: tf.reduce_sum(rt, axis=1)),
    ("sum-0", lambda tf, rt: tf.reduce_sum(rt, axis=0)),
    ("sum-both", lambda tf, rt: tf.reduce_sum(rt, axis=[1, 2])),
    ("max-2", lambda tf, rt: tf.reduce_max(rt, axis=-1)),
    ("mean", lambda tf, rt: (tf.reduce_mean(rt, axis=2), tf.reduce_mean(rt, axis=1))),
    ("rows", lambda tf, rt: (rt[1:], rt[:, :1], rt[:, :, :1], rt[:, 1:, ::-1])),
    ("concat-1", lambda tf, rt: tf.concat([rt, rt], axis=1)),
    ("concat-2", lambda tf, rt: tf.concat([rt, rt], axis=2)),
    ("stack", lambda tf, rt: tf.stack([rt, rt], axis=0)),
    ("stack-1", lambda tf, rt: tf.ragged.stack([rt, rt], axis=1)),
    ("reversed", lambda tf, rt: (rt[::-1], rt[:, ::-1], tf.reverse(rt, [0, 1]))),
    (
        "tile",
        lambda tf, rt: (tf.tile(rt, [2, 1, 1]), tf.tile(rt, [1, 2, 1]), tf.tile(rt, [1, 1, 2])),
    ),
    ("merge", lambda tf, rt: (rt.merge_dims(0, 1), rt.merge_dims(1, 2), rt.merge_dims(0, 2))),
    ("to_sparse", lambda tf, rt: rt.to_sparse()),
    ("mask", lambda tf, rt: tf.ragged.boolean_mask(rt, rt > 2.0)),
    ("mask-outer", lambda tf, rt: tf.ragged.boolean_mask(rt, tf.reduce_sum(rt, axis=2) > 2.0)),
    ("expand", lambda tf, rt: (tf.expand_dims(rt, 1), tf.expand_dims(rt, -1))),
)
