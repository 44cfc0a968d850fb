"""Calls of operators that TensorFlow refuses too; `tf` is either of the two."""

import numpy as np

V = np.array([3, 1, 2], np.float32)
I = np.array([3, 1, 2], np.int32)  # noqa: E741
N = np.array([-3, 1, 2], np.int32)
A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.arange(4, dtype=np.float32).reshape(2, 2)

CALLS = {
    "axis": lambda tf: tf.reduce_sum(A, axis=2),
    "axis twice": lambda tf: tf.reduce_sum(A, axis=[0, 0]),
    "division by zero": lambda tf: tf.math.floordiv(I, I - 3),
    "range delta 0": lambda tf: tf.range(0, 3, 0),
    "range away": lambda tf: tf.range(3, 0, 1),
    "negative power": lambda tf: tf.pow(I, N),
    "gather position": lambda tf: tf.gather(V, [0, 3]),
    "gather batch_dims": lambda tf: tf.gather(A, I, batch_dims=2),
    "gather_nd depth": lambda tf: tf.gather_nd(V, [[0, 1]]),
    "bincount axis": lambda tf: tf.math.bincount(I, axis=1),
    "bincount negative": lambda tf: tf.math.bincount(N),
    "histogram range": lambda tf: tf.histogram_fixed_width(V, [1.0, 1.0]),
    "concat shapes": lambda tf: tf.concat([A, B], 0),
    "stack shapes": lambda tf: tf.stack([A, B]),
    "split": lambda tf: tf.split(V, 2),
    "split sizes": lambda tf: tf.split(V, [1, 1]),
    "pad mode": lambda tf: tf.pad(V, [[1, 1]], mode="WRAP"),
    "pad negative": lambda tf: tf.pad(V, [[-1, 1]]),
    "pad mirror": lambda tf: tf.pad(V, [[3, 0]], mode="REFLECT"),
    "meshgrid keyword": lambda tf: tf.meshgrid(V, V, order="xy"),
    "meshgrid indexing": lambda tf: tf.meshgrid(V, V, indexing="yx"),
    "norm ord": lambda tf: tf.norm(V, ord="nuclear"),
    "norm ord of a matrix": lambda tf: tf.norm(A, ord=3, axis=[0, 1]),
    "norm axis": lambda tf: tf.norm(A, axis=[0, 0]),
    "matmul both": lambda tf: tf.matmul(B, B, transpose_a=True, adjoint_a=True),
    "matmul rank": lambda tf: tf.matmul(V, V),
    "matmul sizes": lambda tf: tf.matmul(A, A),
    "einsum keyword": lambda tf: tf.einsum("ij->i", A, order="C"),
    "nms shapes": lambda tf: tf.image.non_max_suppression(A, V, 2),
    "nms threshold": lambda tf: tf.image.non_max_suppression(
        np.ones((2, 4), np.float32), V[:2], 2, iou_threshold=2.0
    ),
    "dtypes": lambda tf: tf.add(tf.cast(V, tf.float32), tf.cast(I, tf.int32)),
    "number and dtype": lambda tf: tf.add(tf.cast(I, tf.int32), 1.5),
    "broadcast": lambda tf: tf.add(V, V[:2]),
    "partitions": lambda tf: tf.dynamic_partition(V, [0, 1], 2),
    "stitch count": lambda tf: tf.dynamic_stitch([[0], [1]], [[1.0]]),
    "multiples": lambda tf: tf.tile(A, [2]),
    "repeats count": lambda tf: tf.repeat(V, [1, 1]),
    "segment order": lambda tf: tf.math.segment_sum(V, [1, 0, 2]),
    "segment scalar": lambda tf: tf.math.segment_sum(3.0, 0),
    "segment ids": lambda tf: tf.math.unsorted_segment_sum(V, [0, 1], 2),
    "where half": lambda tf: tf.where(V > 1, V, None),
    "negative size": lambda tf: tf.fill([-1], 0.0),
    "reshape twice": lambda tf: tf.reshape(V, [-1, -1]),
    "reshape multiple": lambda tf: tf.reshape(V, [2, -1]),
    "reshape count": lambda tf: tf.reshape(V, [2, 2]),
    "perm of another rank": lambda tf: tf.transpose(A, [0]),
    "perm": lambda tf: tf.transpose(A, [0, 0]),
    "broadcast_to": lambda tf: tf.broadcast_to(V, [2]),
    "ensure_shape": lambda tf: tf.ensure_shape(V, [2]),
    "sort direction": lambda tf: tf.sort(V, direction="UP"),
    "top_k": lambda tf: tf.math.top_k(V, 4),
    "searchsorted side": lambda tf: tf.searchsorted(V, V, side="middle"),
    "searchsorted shapes": lambda tf: tf.searchsorted(A, np.ones((3, 3), np.float32)),
    "add_n nothing": lambda tf: tf.add_n([]),
    "add_n shapes": lambda tf: tf.add_n([V, V[:2]]),
    "as_list": lambda tf: tf.TensorShape(None).as_list(),
    "compatible": lambda tf: tf.TensorShape([2]).assert_is_compatible_with([3]),
    "iterate": lambda tf: list(tf.TensorShape(None)),
    "length": lambda tf: len(tf.TensorShape(None)),
    "rank": lambda tf: tf.TensorShape([2]).assert_same_rank([3, 4]),
}
