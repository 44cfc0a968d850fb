"""Programs over a sparse matrix `[rows, 4]` of floats."""

from __future__ import annotations

# What stands in the matrix; 0 is not there.
MATRICES = {
    "some": [[0.0, 1.5, 0.0, -2.0], [0.0, 0.0, 0.0, 0.0], [3.0, 0.0, 4.0, 0.0]],
    "others": [[1.0, 0.0, 0.0, 0.0], [0.0, 2.0, 2.0, 1.0], [0.0] * 4, [0.0, 0.0, 0.0, -1.0]],
    "nothing": [[0.0] * 4, [0.0] * 4],
    "one-row": [[0.0, 0.0, 5.0, 1.0]],
}

_TABLE = [[1.0, 2.0], [3.0, 4.0], [-5.0, 6.0], [0.5, 0.0]]


def _ids(tf, sp):
    """The columns as ids of rows of a table."""
    return sp.with_values(tf.cast(sp.indices[:, 1], tf.int32))


def _weights(tf, sp):
    return sp.with_values(tf.abs(sp.values))


def _lookup(combiner, weighted):
    def program(tf, sp):
        weights = _weights(tf, sp) if weighted else None
        return tf.nn.embedding_lookup_sparse(tf.constant(_TABLE), _ids(tf, sp), weights, combiner)

    return program


def _lookup_in_parts(tf, sp):
    parts = [tf.constant(_TABLE[:2]), tf.constant(_TABLE[2:3]), tf.constant(_TABLE[3:])]
    ids, weights = _ids(tf, sp), _weights(tf, sp)
    return (
        tf.nn.embedding_lookup_sparse(parts, ids, weights, "sqrtn", max_norm=2.0),
        tf.nn.safe_embedding_lookup_sparse(parts, ids, weights, "mean"),
    )


def _safe_lookup(combiner, default_id):
    def program(tf, sp):
        ids = sp.with_values(tf.cast(sp.indices[:, 1], tf.int32) - 1)
        return tf.nn.safe_embedding_lookup_sparse(
            tf.constant(_TABLE), ids, sp, combiner, default_id=default_id
        )

    return program


PROGRAMS = (
    ("to_dense", lambda tf, sp: tf.sparse.to_dense(sp)),
    ("to_dense-bools", lambda tf, sp: tf.sparse.to_dense(sp.with_values(sp.values > 1.0))),
    ("to_dense-default", lambda tf, sp: tf.sparse.to_dense(sp, default_value=-1.0)),
    ("from_dense", lambda tf, sp: tf.sparse.from_dense(tf.sparse.to_dense(sp) - 1.5)),
    ("parts", lambda tf, sp: (sp.indices, sp.values, sp.dense_shape)),
    ("reduce_sum", lambda tf, sp: tf.sparse.reduce_sum(sp)),
    ("reduce_sum-0", lambda tf, sp: tf.sparse.reduce_sum(sp, axis=0)),
    ("reduce_sum-1", lambda tf, sp: tf.sparse.reduce_sum(sp, axis=-1, keepdims=True)),
    ("reduce_max", lambda tf, sp: tf.sparse.reduce_max(sp, axis=1)),
    ("matmul", lambda tf, sp: tf.sparse.sparse_dense_matmul(sp, tf.constant(_TABLE))),
    (
        "matmul-adjoint",
        lambda tf, sp: tf.sparse.sparse_dense_matmul(sp, tf.sparse.to_dense(sp), adjoint_a=True),
    ),
    (
        "matmul-adjoint-b",
        lambda tf, sp: tf.sparse.sparse_dense_matmul(
            sp, tf.transpose(tf.constant(_TABLE)), adjoint_b=True
        ),
    ),
    ("add", lambda tf, sp: tf.sparse.add(sp, sp)),
    ("add-part", lambda tf, sp: tf.sparse.add(sp, tf.sparse.retain(sp, sp.values > 0.0))),
    (
        "add-without-numbers",
        lambda tf, sp: tf.sparse.add(sp.with_values(sp.values * float("inf") * 0.0), sp),
    ),
    ("add-dense", lambda tf, sp: tf.sparse.add(sp, tf.sparse.to_dense(sp))),
    ("concat-0", lambda tf, sp: tf.sparse.concat(0, [sp, sp])),
    ("concat-1", lambda tf, sp: tf.sparse.concat(1, [sp, sp])),
    ("slice", lambda tf, sp: tf.sparse.slice(sp, [0, 1], [2, 2])),
    ("slice-beyond", lambda tf, sp: tf.sparse.slice(sp, [1, 2], [9, 9])),
    ("retain", lambda tf, sp: tf.sparse.retain(sp, sp.values > 1.0)),
    (
        "reorder",
        lambda tf, sp: tf.sparse.reorder(
            tf.SparseTensor(tf.reverse(sp.indices, [0]), tf.reverse(sp.values, [0]), sp.dense_shape)
        ),
    ),
    ("transpose", lambda tf, sp: tf.sparse.transpose(sp)),
    ("transpose-order", lambda tf, sp: tf.sparse.transpose(sp, tf.constant([1, 0]))),
    (
        "transpose-order-of-data",
        lambda tf, sp: tf.sparse.transpose(sp, tf.argsort(tf.constant([5, 2]) * tf.shape(sp)[:1])),
    ),
    ("eye", lambda tf, sp: tf.sparse.eye(tf.constant(2), tf.constant(3))),
    ("eye-of-data", lambda tf, sp: tf.sparse.eye(tf.size(sp.values), tf.shape(sp)[1])),
    ("reshape", lambda tf, sp: tf.sparse.reshape(sp, [2, -1])),
    ("expand_dims", lambda tf, sp: (tf.sparse.expand_dims(sp, 0), tf.sparse.expand_dims(sp))),
    ("fill_empty_rows", lambda tf, sp: tf.sparse.fill_empty_rows(sp, 7.0)),
    ("reset_shape", lambda tf, sp: tf.sparse.reset_shape(sp, [9, 9])),
    ("map_values", lambda tf, sp: tf.sparse.map_values(tf.abs, sp)),
    ("map_values-two", lambda tf, sp: tf.sparse.map_values(tf.add, sp, sp)),
    ("times", lambda tf, sp: sp * tf.constant([1.0, 2.0, 3.0, 4.0])),
    ("over", lambda tf, sp: sp / tf.constant(2.0)),
    ("indicator", lambda tf, sp: tf.sparse.to_indicator(_ids(tf, sp), 4)),
    ("lookup-mean", _lookup("mean", False)),
    ("lookup-sum", _lookup("sum", False)),
    ("lookup-sqrtn-weights", _lookup("sqrtn", True)),
    ("lookup-mean-weights", _lookup("mean", True)),
    ("lookup-in-parts", _lookup_in_parts),
    ("safe-lookup-mean", _safe_lookup("mean", None)),
    ("safe-lookup-sum-default", _safe_lookup("sum", 2)),
    ("safe-lookup-sqrtn", _safe_lookup("sqrtn", None)),
    ("maximum", lambda tf, sp: tf.sparse.maximum(sp, tf.sparse.map_values(tf.negative, sp))),
    (
        "maximum-part",
        lambda tf, sp: tf.sparse.maximum(sp, tf.sparse.retain(_weights(tf, sp), sp.values > 0.0)),
    ),
    (
        "minimum-part",
        lambda tf, sp: tf.sparse.minimum(tf.sparse.retain(_weights(tf, sp), sp.values < 2.0), sp),
    ),
    ("bincount", lambda tf, sp: tf.sparse.bincount(_ids(tf, sp))),
    ("bincount-rows", lambda tf, sp: tf.sparse.bincount(_ids(tf, sp), axis=-1, minlength=6)),
    ("bincount-weights", lambda tf, sp: tf.sparse.bincount(_ids(tf, sp), sp, axis=-1)),
    ("bincount-most", lambda tf, sp: tf.sparse.bincount(_ids(tf, sp), axis=-1, maxlength=3)),
    (
        "bincount-binary",
        lambda tf, sp: tf.sparse.bincount(
            tf.concat([_ids(tf, sp).values, [5, 5]], 0), binary_output=True
        ),
    ),
    (
        "bincount-ragged",
        lambda tf, sp: tf.sparse.bincount(
            tf.RaggedTensor.from_row_lengths(
                tf.cast(sp.indices[:, 1], tf.int32), [0, tf.size(sp.values)]
            ),
            axis=-1,
        ),
    ),
    (
        "bincount-dense",
        lambda tf, sp: tf.sparse.bincount(
            tf.constant([[1, 0, 0], [3, 0, 5]]),
            tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]) * tf.reduce_sum(sp.values),
            axis=-1,
        ),
    ),
    (
        "sampled_addmm",
        lambda tf, sp: tf.sparse.sampled_addmm(
            sp.indices % 3,
            sp.values,
            [4, 4],
            tf.constant(_TABLE),
            tf.transpose(tf.constant(_TABLE)),
            beta=2.0,
            alpha=-0.5,
        ),
    ),
    ("softmax", lambda tf, sp: tf.sparse.softmax(sp)),
    ("softmax-planes", lambda tf, sp: tf.sparse.softmax(tf.sparse.expand_dims(sp, 0))),
    ("split", lambda tf, sp: tf.sparse.split(sp_input=sp, num_split=3, axis=1)),
    (
        "partitions",
        lambda tf, sp: tf.ragged.stack_dynamic_partitions(
            sp.values, tf.cast(sp.indices[:, 1], tf.int32) % 3, 4
        ),
    ),
    (
        "to-ragged",
        lambda tf, sp: tf.RaggedTensor.from_value_rowids(
            sp.values, sp.indices[:, 0], sp.dense_shape[0]
        ),
    ),
)
