"""Calls that TensorFlow's own kernel tests expect to fail, one per fault; `tf` is either library.

Each belongs to the message that `shims` raises for it.
"""

import numpy as np

V = np.array([3, 1, 2], np.float32)
A = np.arange(6, dtype=np.float32).reshape(2, 3)
I = np.array([[1, 2], [3, 4]], np.int32)  # noqa: E741
ONE64, ZERO32 = np.array(1, np.float64), np.array(0, np.float32)


def _sparse(tf, places, shape):
    return tf.SparseTensor(np.int64(places), np.int32([1, 2]), shape)


CALLS = {
    "coordinates of weights": (
        lambda tf: tf.sparse.bincount(
            _sparse(tf, [[0, 0], [0, 2]], [3, 4]), _sparse(tf, [[0, 0], [0, 1]], [3, 4]), axis=-1
        ),
        "sparse.bincount: `weights` must have the coordinates and the shape of `values`.\n  At:",
    ),
    "shape of weights": (
        lambda tf: tf.sparse.bincount(
            _sparse(tf, [[0, 0], [0, 2]], [3, 4]), _sparse(tf, [[0, 0], [0, 2]], [4, 4]), axis=-1
        ),
        "sparse.bincount: `weights` must have the coordinates and the shape of `values`.\n  At:",
    ),
    "rows that do not begin at 0": (
        lambda tf: tf.RaggedTensor.from_row_splits(
            np.int32([1, 2, 3]), np.int64([2, 3]), validate=False
        ).to_sparse(),
        "to_sparse: the first row does not start at 0.\n"
        "  Required: row_splits[0] == 0, ascending, row_splits[-1] == number of values\n"
        "  At:",
    ),
    "rows that end behind the values": (
        lambda tf: tf.RaggedTensor.from_row_splits(
            np.int32([1, 2, 3]), np.int64([0, 5]), validate=False
        ).to_sparse(),
        "to_sparse: the last row does not end where the values end.\n"
        "  Required: row_splits[0] == 0, ascending, row_splits[-1] == number of values\n"
        "  At:",
    ),
    "several numbers to fill frames up": (
        lambda tf: tf.signal.frame([1], 1, 1, pad_end=True, pad_value=[1]),
        "frame: `pad_value` must be a scalar, received [1].",
    ),
    "paddings of a different rank": (
        lambda tf: tf.pad(A, [[1, 2]]),
        "pad: `paddings` must have two numbers for every axis.\n"
        "  Required: shape [2, 2]\n"
        "  Received: [[1, 2]]\n"
        "  At:",
    ),
    "paddings of a scalar": (
        lambda tf: tf.pad(3.0, []),
        "pad: `paddings` must have two numbers for every axis.\n"
        "  Required: shape [0, 2]\n"
        "  Received: []\n"
        "  At:",
    ),
    "shape of updates": (
        lambda tf: tf.scatter_nd([[0]], [[0.0]], [1]),
        "scatter_nd: the shape of `updates` does not match `indices` and the array.\n"
        "  Required: updates.shape == indices.shape[:-1] + shape[indices.shape[-1]:]\n"
        "  Received: f32[1, 1], i32[1, 1], shape (1,)\n"
        "  At:",
    ),
    "shift of a different rank": (
        lambda tf: tf.roll(V, [1], 0),
        "roll: `shift` and `axis` must be two scalars, or two vectors of the same length.\n"
        "  Received: shift=[1], axis=0\n"
        "  At:",
    ),
    "matrix of shifts": (
        lambda tf: tf.roll(I, [[0, 1]], 1),
        "roll: `shift` must be a scalar or a vector.\n  At:",
    ),
    "roll of a scalar": (
        lambda tf: tf.roll(7.0, 1, 0),
        "roll: a scalar has no axis to roll along.\n  Required: rank >= 1\n  At:",
    ),
    "more places than int32 counts": (
        lambda tf: tf.unravel_index([-1], [1 << 28, 1 << 28]),
        "unravel_index: the product of `dims` does not fit int32.\n  At:",
    ),
    "on_value and off_value": (
        lambda tf: tf.one_hot([0, 1], 3, on_value=ONE64, off_value=ZERO32),
        "one_hot: `on_value` and `off_value` must have the dtype `dtype`.\n"
        "  Required: float32\n"
        "  Received: float32, float64\n"
        "  At:",
    ),
    "on_value and dtype": (
        lambda tf: tf.one_hot([0, 1], 3, on_value=tf.constant(1.0), dtype=np.int32),
        "one_hot: `on_value` and `off_value` must have the dtype `dtype`.\n"
        "  Required: int32\n"
        "  Received: float32\n"
        "  At:",
    ),
    "fractional axis of one array": (
        lambda tf: tf.concat([V], 4.2),
        "Cannot convert 4.2 to an array of dtype int32",
    ),
    "axis in a list for one array": (
        lambda tf: tf.concat([V], [0]),
        "concat: `axis` must be a scalar.\n  Received: [0]\n  At:",
    ),
    "bool before a number": (
        lambda tf: tf.constant([True, 1]),
        "Can't convert a Python sequence with mixed types: [True, 1]",
    ),
    "float before a complex number": (
        lambda tf: tf.constant([2.0, 1j]),
        "Can't convert a Python sequence with mixed types: [2.0, 1j]",
    ),
    "a float beyond float32": (
        lambda tf: tf.constant([1e40]),
        "Can't convert a Python sequence with a number out of range: [1e+40]",
    ),
    "a number as bool": (
        lambda tf: tf.constant(1, tf.bool),
        "Cannot convert 1 to an array of dtype bool",
    ),
    "an integer beyond int64": (
        lambda tf: tf.constant([2**63]),
        "Can't convert a Python sequence with an integer out of range: [9223372036854775808]",
    ),
    "an integer beyond uint64": (
        lambda tf: tf.constant(2**64),
        "Can't convert a Python sequence with an integer out of range: 18446744073709551616",
    ),
    "concat of nothing": (
        lambda tf: tf.concat([], 0),
        "concat: `values` is empty.\n  Required: one array or more\n  At:",
    ),
    "concat of scalars": (
        lambda tf: tf.concat([tf.constant(1.0), tf.constant(2.0)], 0),
        "concat: scalars have no axis to concatenate along.\n"
        "  Required: rank >= 1\n"
        "  At:\n"
        "  Do:       stack them: `shims.stack`",
    ),
    "matrix of sizes": (
        lambda tf: tf.fill([[0, 1], [2, 3]], 1.0),
        "fill: a size must be a scalar.\n  Required: rank 0\n  Received: [0, 1]\n  At:",
    ),
    "fractional size": (
        lambda tf: tf.one_hot([1], 2.0),
        "one_hot: a size must be an integer.\n"
        "  Received: 2.0\n"
        "  At:\n"
        "  Do:       cast the size: `shims.cast(size, shims.int32)`",
    ),
    "filled with a vector": (
        lambda tf: tf.fill([3, 2], [1.0, 2.0]),
        "fill: `value` must be a scalar.\n  Required: rank 0\n  Received: rank 1\n  At:",
    ),
    "two axes for one": (
        lambda tf: tf.expand_dims(1, [0, 1]),
        "expand_dims: `axis` must be a single number.\n  Received: [0, 1]\n  At:",
    ),
    "fractional axis": (
        lambda tf: tf.reduce_sum(V, axis=0.0),
        "reduce_sum: `axis` must be an integer.\n  Received: 0.0\n  At:",
    ),
    "bool to saturate": (
        lambda tf: tf.saturate_cast(V, tf.bool),
        "saturate_cast: cannot cast float32 to bool, because bool has no range.",
    ),
    "weights of a different shape": (
        lambda tf: tf.math.bincount([1, 2], weights=tf.constant([1.0])),
        "bincount: `weights` must have the shape of `arr`.\n"
        "  Received: arr i32[2], weights f32[1]\n"
        "  At:",
    ),
    "counting a cube by row": (
        lambda tf: tf.math.bincount(np.ones((1, 1, 1), np.int32), axis=-1),
        "bincount: `axis=-1` accepts only vectors and matrices.\n  Required: rank <= 2\n  Received: i32[1, 1, 1]\n  "
        "At:",
    ),
    "weights and binary_output": (
        lambda tf: tf.math.bincount([1, 2], weights=tf.constant([1.0, 2.0]), binary_output=True),
        "bincount: `binary_output` cannot be combined with `weights`; pass only one of the two arguments.",
    ),
    "axes of tensordot": (
        lambda tf: tf.tensordot(I, I, [1]),
        "tensordot: `axes` does not match the operands.\n  Required: a number of axes, or two lists of equal "
        "length; equal sizes along each pair\n  Received: axes=[1], a i32[2, 2], b i32[2, 2]\n  At:",
    ),
    "axis of tensordot": (
        lambda tf: tf.tensordot(I, I, [[0], [7]]),
        "tensordot: `axes` does not match the operands.\n  Required: a number of axes, or two lists of equal "
        "length; equal sizes along each pair\n  Received: axes=[[0], [7]], a i32[2, 2], b i32[2, 2]\n  At:",
    ),
    "sizes of tensordot": (
        lambda tf: tf.tensordot(A, A, [[0], [1]]),
        "tensordot: `axes` does not match the operands.\n  Required: a number of axes, or two lists of equal "
        "length; equal sizes along each pair\n  Received: axes=[[0], [1]], a f32[2, 3], b f32[2, 3]\n  At:",
    ),
    "limits larger than what they limit": (
        lambda tf: tf.clip_by_value(V[:, None], 0.0, [1.0, 2.0]),
        (
            "clip_by_value: a clipping limit has more elements than `t`.\n"
            "  Required: limits that broadcast to the shape of `t`\n"
            "  Received: t f32[3, 1], limits f32[] and f32[2]\n"
            "  At:"
        ),
    ),
    "a histogram of NaN": (
        lambda tf: tf.histogram_fixed_width([np.nan], [0.0, 1.0], 2),
        "histogram_fixed_width: a value is NaN.\n  Required: numbers\n  At:",
    ),
    "a histogram without bins": (
        lambda tf: tf.histogram_fixed_width(V, [0.0, 1.0], 0),
        "histogram_fixed_width: `nbins` must be positive.\n  Required: nbins > 0\n  At:",
    ),
    "a histogram of three limits": (
        lambda tf: tf.histogram_fixed_width(V, [0.0, 1.0, 2.0]),
        "histogram_fixed_width: `value_range` must contain two numbers.\n  Required: shape [2]\n  Received: "
        "f32[3]\n  At:",
    ),
    "a box that is not finite": (
        lambda tf: tf.image.crop_and_resize(
            np.ones((1, 2, 2, 1), np.float32), [[np.nan, 0, 1, 1]], [0], [1, 1]
        ),
        "crop_and_resize: a box is not finite.\n  Required: finite boxes\n  At:",
    ),
    "a vector of contrasts": (
        lambda tf: tf.image.adjust_contrast(np.ones((2, 2, 1), np.float32), [2.0]),
        "adjust_contrast: `contrast_factor` must be a scalar.\n"
        "  Required: rank 0\n"
        "  Received: rank 1\n"
        "  At:",
    ),
    "an image without pixels": (
        lambda tf: tf.image.crop_to_bounding_box(np.ones((2, 2, 0), np.float32), 0, 0, 1, 1),
        "crop_to_bounding_box: an image has no pixels.\n"
        "  Required: height, width, channels > 0\n"
        "  At:",
    ),
    "any number beside 0": (
        lambda tf: tf.sparse.reshape(
            tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, np.float32), [1, 0]), [-1, 0]
        ),
        "sparse.reshape: -1 cannot be inferred if another size is 0.\n  Required: sizes above 0 in addition to "
        "-1\n  At:",
    ),
    "ragged values of no axis": (
        lambda tf: tf.RaggedTensor.from_row_lengths(10, [0, 1]),
        "RaggedTensor: values must have at least one axis.\n  At:",
    ),
    "row ids in one array": (
        lambda tf: tf.RaggedTensor.from_nested_value_rowids([1, 2], tf.constant(I)),
        "Argument `nested_value_rowids` must be a list of arrays.",
    ),
    "rows of negative length": (
        lambda tf: tf.RaggedTensor.from_uniform_row_length([1, 2], -1),
        "from_uniform_row_length: dimension -1 must be >= 0.\n"
        "  Required: sizes >= 0\n"
        "  Received: -1\n"
        "  At:",
    ),
    "lengths of another axis": (
        lambda tf: tf.ragged.constant([[1], [2, 3]]).row_lengths(axis=-3),
        "row_lengths: there is no axis -3.\n"
        "  Required: axis in [-2, 2)\n"
        "  Received: axis=-3\n"
        "  At:",
    ),
    "fractional segment ids": (
        lambda tf: tf.ragged.segment_ids_to_row_splits([0.5]),
        "segment_ids_to_row_splits: `segment_ids` must be a vector of integers.\n"
        "  Required: rank 1, int32 or int64\n"
        "  Received: f32[1]\n"
        "  At:",
    ),
    "a stack of nothing ragged": (
        lambda tf: tf.ragged.stack([]),
        "stack: `values` is empty.\n  Required: at least one value\n  At:",
    ),
    "ragged ids of dense data": (
        lambda tf: tf.math.unsorted_segment_sum(I, tf.ragged.constant([[0], [1]]), 2),
        (
            "unsorted_segment_sum: `data` and `segment_ids` have different rows.\n  Required: one id for each row, "
            "or ragged ids with the same row lengths as the outer axes of `data`\n  At:"
        ),
    ),
    "padding of a different shape": (
        lambda tf: tf.RaggedTensor.from_tensor(np.ones((1, 1, 1), np.int32), None, 1),
        "`padding` has shape (), but the entries of `tensor` have shape (1,).",
    ),
    "fewer scores than boxes": (
        lambda tf: tf.image.non_max_suppression(np.ones((2, 4), np.float32), V[:1], 3),
        "non_max_suppression: each box must have four coordinates and one score.\n"
        "  Required: boxes [n, 4], scores [n]\n"
        "  Received: boxes (2, 4), scores (1,)\n"
        "  At:",
    ),
    "a matrix of thresholds": (
        lambda tf: tf.image.non_max_suppression(np.ones((3, 4), np.float32), V, 3, [[0.5]]),
        "non_max_suppression: `iou_threshold` must be a scalar.\n"
        "  Required: rank 0\n"
        "  Received: rank 2\n"
        "  At:",
    ),
    "a matrix of limits": (
        lambda tf: tf.image.non_max_suppression(np.ones((3, 4), np.float32), V, [[3]]),
        "non_max_suppression: `max_output_size` must be a scalar.\n  At:",
    ),
    "a ragged position that is not there": (
        lambda tf: tf.ragged.constant([[[1, 2]]], ragged_rank=1)[0, 0, 2],
        "index: row 2 is out of bounds.\n  Required: -2 <= index < 2\n  At:",
    ),
    "more keys than axes": (
        lambda tf: tf.ragged.constant([[1, 2]])[0, 0, 0],
        "index: the index has 2 keys, but the array has rank 1.\n  At:",
    ),
    "one_hot along a ragged axis": (
        lambda tf: tf.one_hot(tf.ragged.constant([[1]]), 4, axis=1),
        "axis (1) must be greater than indices.ragged_rank (1).",
    ),
    "splits in one tensor": (
        lambda tf: tf.RaggedTensor.from_nested_row_splits([1], tf.constant([[0, 1], [0, 1]])),
        "Argument `nested_row_splits` must be a list of arrays.",
    ),
    "a default that is no row": (
        lambda tf: tf.ragged.constant([[1], [2, 3]]).to_tensor(default_value=[0]),
        "to_tensor: `default_value` does not broadcast to the values of a row.\n"
        "  Required: a value that broadcasts to one row of `flat_values`\n"
        "  Received: i32[1], flat_values i32[3]\n"
        "  At:",
    ),
    "another size of an axis that is not ragged": (
        lambda tf: tf.ragged.constant([[[1, 2]]], ragged_rank=1).to_tensor(shape=[1, 1, 3]),
        "to_tensor: `shape` changes the size of an axis that is not ragged.\n"
        "  Required: size 2\n"
        "  Received: size 3\n"
        "  At:",
    ),
    "values that do not fit their coordinates": (
        lambda tf: tf.compat.v1.sparse_to_dense([1, 3], [5], [1, 2, 3]),
        "sparse_to_dense: the shapes of the arguments are incompatible.\n"
        "  Required: sparse_indices [n, rank], sparse_values [n], output_shape [rank]\n"
        "  Received: i32[2, 1], i32[3], i32[1]\n"
        "  At:",
    ),
    "sparse rows of a scalar": (
        lambda tf: tf.sparse.segment_sqrt_n(1.0, [0], [3]),
        "sparse.segment_sqrt_n: `data` is a scalar.\n  Required: at least one axis\n  At:",
    ),
    "a length in a list": (
        lambda tf: tf.signal.frame([1.0], [1], 1),
        "frame: `frame_length` must be a scalar.\n  Received: [1]\n  At:",
    ),
    "diagonals of no square matrix": (
        lambda tf: tf.linalg.tridiagonal_solve(A, V, "matrix"),
        "tridiagonal_solve: `diagonals` is not a square matrix.\n"
        "  Required: diagonals [..., n, n]\n"
        "  Received: diagonals f32[2, 3]\n"
        "  At:",
    ),
    "one_hot before the last axis": (
        lambda tf: tf.one_hot([1, 2], 3, axis=-2),
        "one_hot: there is no axis -2.\n  Required: axis >= -1\n  At:",
    ),
    "ragged one_hot before the last axis": (
        lambda tf: tf.one_hot(tf.ragged.constant([[1]]), 4, axis=-2),
        "one_hot: there is no axis -2.\n  Required: axis >= -1\n  At:",
    ),
    "a ragged axis in parts": (
        lambda tf: tf.split(tf.ragged.constant([[1], [2, 3]]), 2, axis=1),
        "split: a ragged axis cannot be split.\n  Received: axis=1\n  At:",
    ),
    "rows that do not divide": (
        lambda tf: tf.split(tf.ragged.constant([[1], [2, 3], [4]]), 2),
        "split: the 3 rows cannot be divided into 2 equal parts.\n  At:",
    ),
    "rows that do not add up": (
        lambda tf: tf.split(tf.ragged.constant([[1], [2, 3], [4]]), [1, 1]),
        "split: the 3 rows cannot be divided into parts of the sizes [1, 1].\n  At:",
    ),
    "a ragged image": (
        lambda tf: tf.image.resize(tf.ragged.constant([[[1.0]], [[2.0], [3.0]]]), [2, 2]),
        "resize: ragged images must be a batch.\n"
        "  Required: [batch, (height), (width), channels]\n"
        "  Received: rank 3\n"
        "  At:",
    ),
    "ragged numbers and dense weights": (
        lambda tf: tf.math.bincount(tf.ragged.constant([[1], [2]]), weights=tf.constant([1, 2])),
        "bincount: `arr` and `weights` must both be ragged.",
    ),
    "a ragged cube counted by row": (
        lambda tf: tf.math.bincount(tf.ragged.constant([[[1]], [[2]]]), axis=-1),
        "bincount: `axis=-1` accepts only vectors and matrices.\n  Required: rank <= 2\n  At:",
    ),
    "ragged_rank and lengths": (
        lambda tf: tf.RaggedTensor.from_tensor(
            np.ones((2, 2, 2, 2), np.int32), ([2, 2], [2, 2, 2, 2]), None, 3
        ),
        "`ragged_rank` must be 2, the number of parts of `lengths`.",
    ),
    "a ragged mask of numbers": (
        lambda tf: tf.ragged.boolean_mask([[1, 2]], [[0, 1]]),
        "ragged.boolean_mask: `mask` is not boolean.\n"
        "  Required: a mask of dtype bool\n"
        "  Received: int32\n"
        "  At:",
    ),
    "num of another length": (
        lambda tf: tf.split([1, 2, 3], tf.constant([2, 1]), num=4),
        "split: `num` is not the number of sizes.\n  Received: num=4, 2 sizes\n  At:",
    ),
}
