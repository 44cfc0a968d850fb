"""Calls of TensorFlow's own kernel tests that once gave something else; `tf` is either library."""

import numpy as np

V = np.array([3, 1, 2], np.float32)
W = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
COMPLEX = np.array([1 + 3j, 2 - 1j], np.complex64)
BOXES = np.float64([[0, 0, 1, 1], [0, 0, 1, 0.9], [0, 0.2, 0.5, 0.4]])
SCORES = np.float64([0.5, 0.9, 0.1])
LARGEST = np.float16([65504, -65504, 65472, 0.5, np.inf, np.nan])
WIDE = np.array([np.nan, np.inf, -np.inf, 300.0, -5.0, 0.3], np.float32)


def _gradient_of_no_rows(tf):
    rows = tf.constant(np.zeros((0, 3), np.float32))
    with tf.GradientTape() as tape:
        tape.watch(rows)
        sums = tf.math.unsorted_segment_sum(rows, tf.constant(np.zeros(0, np.int32)), 0)
    return tape.gradient(sums, rows)


def _rows(tf):
    return tf.IndexedSlices(tf.constant([[3.0], [4.0]]), tf.constant([1, 1]))


def _parts(slices):
    return slices.values, slices.indices


def _limited_rows(tf):
    scaled, norm = tf.clip_by_global_norm([_rows(tf), None, tf.constant([0.0])], 2.5)
    return (
        tf.linalg.global_norm([_rows(tf), tf.constant([1.0])]),
        (*_parts(scaled[0]), scaled[2], norm),
        _parts(tf.clip_by_norm(_rows(tf), 2.5)),
        _parts(tf.clip_by_norm(_rows(tf), 2.5, axes=[0])),
        _parts(tf.clip_by_value(_rows(tf), 0.5, 2.5)),
    )


def _slope_of_a_norm(tf):
    x = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        (y,), _ = tf.clip_by_global_norm([x], 1.0)
    return tape.gradient(y, x)


def _gradient_of_a_glimpse(tf):
    x = tf.constant(np.ones((1, 8, 8, 1), np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        window = tf.compat.v1.image.extract_glimpse(x, [2, 2], np.zeros((1, 2)))
    return window, tape.gradient(window, x, unconnected_gradients="zero")


def _gradients_of_normalized(tf):
    x = tf.constant(np.arange(12, dtype=np.float32).reshape(1, 2, 2, 3))
    given = [tf.constant(v) for v in ([1.0, 2.0, 4.0], [0.0, 1.0, 2.0])]
    found = []
    for is_training, kept in ((True, (None, None)), (False, (V, V))):
        with tf.GradientTape() as tape:
            tape.watch([x, *given])
            y, mean, variance = tf.compat.v1.nn.fused_batch_norm(
                x, *given, *kept, is_training=is_training
            )
            total = tf.reduce_sum(mean * variance) + tf.reduce_sum(y[0, 0])
        found.append(tape.gradient(total, given))
    return [tf.round(g * 1e3) for pair in found for g in pair]


def _gradient_of_one_sparse(tf):
    values = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        one = tf.sparse.concat(0, [tf.SparseTensor([[1, 0], [0, 1]], values, [2, 2])])
    return one.indices, tape.gradient(one.values, values)


def _gradient_of_one_hot(tf):
    on, off = tf.constant(2.0), tf.constant(-1.0)
    with tf.GradientTape() as tape:
        tape.watch([on, off])
        rows = tf.one_hot([0, 2, -1], 3, on, off)
    return tape.gradient(rows, [on, off], unconnected_gradients="zero")


CALLS = {
    "a line down between unsigned numbers": lambda tf: tf.linspace(np.uint8(40), np.uint8(8), 5),
    "a line longer than int8 counts": lambda tf: tf.linspace(np.int8(-100), np.int8(100), 5),
    "a mask of short lengths": lambda tf: tf.sequence_mask(np.uint8([1, 0, 200]), 3),
    "a mask of halves of lengths": lambda tf: tf.sequence_mask(np.float32([1.5, -1, 2]), 3),
    "a mask up to half a length": lambda tf: tf.sequence_mask(np.float32([1.5, -1, 2])),
    "a mask of signed lengths": lambda tf: tf.sequence_mask(np.int16([[1], [-2]]), 3, tf.int8),
    "gradient of no rows": _gradient_of_no_rows,
    "gradient of the values of one_hot": _gradient_of_one_hot,
    "gradient of a glimpse": _gradient_of_a_glimpse,
    "wide numbers of NumPy where a dtype is fixed": lambda tf: [
        tf.image.extract_glimpse(np.ones((1, 8, 8, 1)), [2, 2], np.zeros((1, 2))),
        tf.math.in_top_k([1, 0], np.float64([[0.2, 0.3], [0.1, 0.5]]), 1),
        tf.image.draw_bounding_boxes(
            np.zeros((1, 4, 4, 3), np.float32), np.float64([[[0.2, 0.2, 0.9, 0.9]]]), None
        ),
    ],
    "gradients of what is normalized": _gradients_of_normalized,
    "a scalar that is one": lambda tf: tf.compat.v1.debugging.assert_scalar(3),
    "segments of nothing": lambda tf: [
        tf.sparse.segment_sum(tf.constant([]), [], []),
        tf.sparse.segment_mean(tf.constant([]), [], []),
    ],
    "sparse concat of one": _gradient_of_one_sparse,
    "limited rows of slices": _limited_rows,
    "an empty ragged constant of an inner shape": lambda tf: [
        tf.ragged.constant([], inner_shape=[0, 100, 20]),
        tf.ragged.constant([[]], inner_shape=[1, 0]),
        tf.ragged.constant([1, 2], inner_shape=(2,)),
        tf.ragged.constant([[1, 2], [3, 4]], ragged_rank=0),
    ],
    "boxes of NumPy": lambda tf: [
        tf.image.non_max_suppression(BOXES, SCORES, 2),
        tf.image.non_max_suppression(tf.constant(BOXES, tf.float32), SCORES, 2),
        tf.image.non_max_suppression_with_scores(BOXES, SCORES, 2),
        tf.image.non_max_suppression_overlaps(np.eye(2), SCORES[:2], 2),
        tf.image.combined_non_max_suppression(BOXES[None, :, None], SCORES[None, :, None], 2, 2)[0],
        tf.image.crop_and_resize(
            np.ones((1, 4, 4, 1), np.float32), BOXES, np.int64([0, 0, 0]), [2, 2]
        ),
    ],
    "positions of NumPy": lambda tf: [
        *tf.dynamic_partition(V, np.int64([0, 1, 0]), 2),
        tf.dynamic_stitch([np.int64([0, 2]), np.int64([1])], [V[:2], V[2:]]),
        tf.dynamic_stitch([tf.constant([0, 2]), np.int64([1])], [V[:2], V[2:]]),
    ],
    "numbers of NumPy as truth values": lambda tf: [tf.reduce_all(V), tf.reduce_any(V - V)],
    "ranges of NumPy": lambda tf: [
        tf.quantization.fake_quant_with_min_max_vars(np.float64([0.3, 2.0]), np.float64(-1), 1.0),
        tf.quantization.fake_quant_with_min_max_args(np.float64([0.3, 2.0]), -1, 1),
    ],
    "unsigned counts of diagonals": lambda tf: [
        tf.linalg.band_part(W, np.uint8(1), np.uint8(0)),
        tf.linalg.band_part(W, np.int64(-1), 0),
    ],
    "labels of a different dtype": lambda tf: [
        tf.nn.softmax_cross_entropy_with_logits(np.int32([[1, 0], [0, 1]]), 0.0 * W),
        tf.nn.softmax_cross_entropy_with_logits(tf.constant(np.eye(2)), tf.constant(0.0 * W)),
    ],
    "ragged constants of NumPy's numbers": lambda tf: [
        tf.ragged.constant(np.ones((2, 1)), ragged_rank=1),
        tf.ragged.constant([np.array([1.0, 2.0]), np.array([3.0])]),
        tf.ragged.constant([np.array(1), np.array(2)]),
        tf.ragged.constant(np.ones(2, np.int64)),
        tf.ragged.constant(np.int8(7)),
        tf.ragged.constant(3),
    ],
    "one_hot behind ragged axes": lambda tf: [
        tf.one_hot(tf.ragged.constant([[1, 0], [2]]), 4, axis=axis) for axis in (2, -1, None)
    ],
    "values of version 1 that are made dense": lambda tf: [
        tf.compat.v1.sparse_to_dense([[1, 3], [2, 0]], [3, 4], 1, -1),
        tf.compat.v1.sparse_to_dense(1, [5], 1.5),
    ],
    "ragged numbers counted along no axis": lambda tf: (
        tf.sparse.bincount(tf.ragged.constant([[1, 2], [2]]), axis=None).values
    ),
    "means of integers that wrap around": lambda tf: [
        tf.math.unsorted_segment_mean(tf.constant(rows, getattr(tf, dtype)), [0, 0, 2, -1], 3)
        for dtype in ("int8", "uint8", "int16", "int32")
        for rows in ([100, 110, 3, 1], [[100, 1], [100, 2], [5, 6], [0, 0]])
    ],
    "saturate infinities": lambda tf: [
        tf.saturate_cast(WIDE, d)
        for d in (tf.uint8, tf.int32, tf.uint32, tf.float16, tf.bfloat16, tf.float32, tf.complex64)
    ],
    "saturate halves": lambda tf: [
        tf.saturate_cast(tf.cast(WIDE, tf.bfloat16), tf.float16),
        tf.saturate_cast(tf.cast(WIDE, tf.float16), tf.bfloat16),
    ],
    "scatter booleans": lambda tf: tf.scatter_nd([[0], [0]], [True, False], [3]),
    "concat of one scalar": lambda tf: tf.concat([tf.constant(1.0)], 0),
    "the largest of float16": lambda tf: [
        *(
            tf.cast(tf.constant(LARGEST), d)
            for d in (tf.int8, tf.int16, tf.uint16, tf.int32, tf.uint32)
        ),
        tf.cast(tf.constant(LARGEST[:4]), tf.int64),
    ],
    "sampled losses of labels that are floats": lambda tf: [
        loss(
            W,
            V[:2],
            tf.constant([[1.0], [0.0]]),
            W,
            1,
            2,
            sampled_values=([1.0], [[0.5]] * 2, [0.3]),
        )
        for loss in (tf.nn.sampled_softmax_loss, tf.nn.nce_loss)
    ],
    "stack of NumPy's scalar arrays": lambda tf: [
        tf.stack([0, np.array(2), 0]),
        tf.stack([np.array(2), 0]),
        tf.stack([1.5, np.array(2.5)]),
        tf.stack([np.array(2), 1.5]),
    ],
    "stack of nothing": lambda tf: tf.stack([]),
    "stack of NumPy's numbers": lambda tf: [
        tf.stack([np.int16(1), np.int16(2)]),
        tf.stack([np.int64(1), 2]),
        tf.stack([np.int16(1), np.int16(2)], axis=-1),
        tf.stack([np.float16(1), np.float16(2)]),
    ],
    "slope of a norm at its limit": lambda tf: _slope_of_a_norm(tf),
    "concat of one array": lambda tf: [tf.concat(x, 5) for x in ([tf.constant(V)], tf.constant(V))],
    "one axis in a list": lambda tf: tf.expand_dims(V, [0]),
    "sizes and blocks in int64": lambda tf: tf.required_space_to_batch_paddings(
        np.array([5, 7], np.int64), np.array([2, 3], np.int64)
    ),
    "count fractions": lambda tf: tf.math.bincount(V),
    "count in the dtype of numbers": lambda tf: tf.math.bincount(np.array([1, 1]), dtype=None),
    "a histogram wider than floats": lambda tf: [
        tf.histogram_fixed_width(np.array([3e38, 100.0], np.float32), np.float32([-1e38, 3e38]), n)
        for n in (1, 2)
    ],
    "bins of a range turned around": lambda tf: tf.histogram_fixed_width_bins([0.5], [1.0, 0.0], 2),
    "squares of complex differences": lambda tf: tf.math.squared_difference(COMPLEX, -COMPLEX[0]),
    "dtypes by number": lambda tf: [tf.ones([1], number) for number in (1, 3, 10, 14)],
    "NumPy's numbers in lists": lambda tf: [
        tf.constant(numbers)
        for dtype in (np.int8, np.uint16, np.uint32, np.float16, np.float32, np.complex64)
        for numbers in (
            [dtype(1), dtype(0)],
            [[np.array(1, dtype)], [np.array(0, dtype)]],
            [np.array([1, 2], dtype)],
            [dtype(2), 1],
            [1, np.float16(2)],
        )
    ],
    "floats of NumPy in lists": lambda tf: [
        tf.constant(numbers)
        for numbers in (
            [np.float64(1), 2.0],
            [2.0, np.float64(1)],
            [np.float64(1), np.float32(2)],
            [np.zeros(0)],
            [1, True],
        )
    ],
    "a constant of nothing": lambda tf: tf.constant([], shape=[0], dtype=np.int32),
    "gamma of nothing": lambda tf: tf.random.gamma([5], np.zeros((2, 0, 3)), beta=[1.0, 1.0, 1.0]),
    "a range wider than integers": lambda tf: tf.ragged.range(
        1136033460, -2110457150, -1849827689, row_splits_dtype=tf.int32
    ),
    "ragged operands by name": lambda tf: [
        tf.math.log1p(x=tf.ragged.constant([[1.0], [2.0, 3.0]])),
        tf.subtract(y=tf.ragged.constant([[1.0], [2.0]]), x=tf.ragged.constant([[5.0], [7.0]])),
        tf.one_hot(indices=tf.ragged.constant([[1], [0, 2]]), depth=3),
    ],
    "ragged arithmetic": lambda tf: [
        tf.complex(tf.ragged.constant([[1.0], [2.0]]), tf.ragged.constant([[5.0], [7.0]])),
        tf.math.angle(tf.ragged.constant([[-1.0], [2.0]])),
        tf.math.xlog1py(tf.ragged.constant([[0.0], [2.0]]), tf.ragged.constant([[-1.0], [7.0]])),
        tf.math.scalar_mul(3.0, tf.ragged.constant([[1.0], [2.0]])),
        tf.image.adjust_gamma(tf.ragged.constant([[1.0], [2.0]]), gamma=2.0),
    ],
    "ragged segments": lambda tf: [
        reduce(tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.ragged.constant([[0, 1], [0]]), 3)
        for reduce in (
            *(tf.math.unsorted_segment_sum, tf.math.unsorted_segment_mean),
            *(tf.math.unsorted_segment_max, tf.math.unsorted_segment_min),
            tf.math.unsorted_segment_sqrt_n,
        )
    ],
    "ragged rows of a segment": lambda tf: [
        reduce(tf.ragged.constant([[1.0, 2.0], [3.0], [4.0, 5.0, 6.0]]), [1, 0, 1], 3)
        for reduce in (tf.math.unsorted_segment_sum, tf.math.unsorted_segment_mean)
    ],
    "lengths of the innermost rows": lambda tf: tf.ragged.constant(
        [[[1]], [[2], [3, 4]]]
    ).row_lengths(axis=-1),
    "sparse arithmetic": lambda tf: [
        f(tf.sparse.from_dense(W)) for f in (tf.square, tf.negative, tf.abs, tf.sign, tf.identity)
    ],
    "sparse shapes": lambda tf: [f(tf.sparse.from_dense(W)) for f in (tf.rank, tf.size, tf.shape)],
    "ragged rows turned around": lambda tf: [
        tf.reverse(tf.ragged.constant([[1, 2, 3], [4, 5]]), axis) for axis in ([0], [1], [0, -1])
    ],
    "ragged rows parted": lambda tf: [
        tf.split(tf.ragged.constant([[1], [2, 3], [], [4]]), 2),
        tf.split(tf.ragged.constant([[1], [2, 3], [], [4]]), [1, 3]),
        tf.dynamic_partition(tf.ragged.constant([[1], [2, 3, 4], [5]]), [2, 1, 1], 3),
    ],
    "ragged rows counted": lambda tf: [
        tf.math.bincount(
            tf.ragged.constant([[], [1], [2, 2], [3, 3, 3]], dtype=tf.int32), **options
        )
        for options in (
            {},
            {"axis": -1},
            {"axis": -1, "binary_output": True},
            {"axis": -1, "minlength": 6},
            {"maxlength": 2},
            {"minlength": 3, "maxlength": 3, "axis": -1},
        )
    ],
    "ragged weights": lambda tf: [
        tf.math.bincount(
            tf.ragged.constant([[1], [2, 2]]),
            weights=tf.ragged.constant([[0.5], [2.0, 3.0]]),
            axis=axis,
        )
        for axis in (0, -1)
    ],
    "splits like those inside": lambda tf: [
        tf.RaggedTensor.from_row_lengths(
            tf.ragged.constant([[1], [2, 3]], row_splits_dtype=tf.int32), [2]
        ).row_splits,
        tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], tf.constant(2)),
    ],
    "ragged images": lambda tf: tf.image.resize(
        tf.ragged.constant(
            [[[[1.0], [2.0]], [[3.0], [4.0]]], [[[5.0]], [[6.0]], [[7.0]]]], inner_shape=(1,)
        ),
        [2, 2],
    ),
    "no ragged images": lambda tf: tf.image.resize(
        tf.ragged.constant([], ragged_rank=2, inner_shape=(3,), dtype=tf.float32), [4, 4]
    ),
    "splits of stacked vectors": lambda tf: [
        tf.ragged.stack([tf.constant([1, 2]), tf.constant([3])]),
        tf.ragged.stack([tf.ragged.constant([[1, 2]]), tf.ragged.constant([[3]])]).row_splits,
    ],
}
