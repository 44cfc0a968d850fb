"""What operators refuse, TensorFlow refuses too; the message of each, whole."""

import re

import pytest
import tensorflow

import shims as tf
from tests.control_flow.messages import rendered
from tests.specs.refused_operands import CALLS, V

MESSAGES = {
    "axis": (
        tf.errors.InvalidArgumentError,
        "reduce_sum: there is no axis 2.\n  Required: axis in [-2, 2)\n  Received: axis=2\n  At:",
    ),
    "axis twice": (
        tf.errors.InvalidArgumentError,
        (
            "reduce_sum: `axis` lists the same axis twice.\n"
            "  Required: different axes\n"
            "  Received: axis=(0, 0)\n"
            "  At:"
        ),
    ),
    "division by zero": (
        tf.errors.InvalidArgumentError,
        "floordiv: integer division by zero.\n  Required: y != 0 everywhere\n  At:",
    ),
    "range delta 0": (
        tf.errors.InvalidArgumentError,
        "range: `delta` is 0.\n  Required: delta != 0\n  At:",
    ),
    "range away": (
        tf.errors.InvalidArgumentError,
        "range: `delta` has the wrong sign to reach `limit`.\n"
        "  Required: start <= limit when delta > 0, start >= limit when delta < 0\n"
        "  At:",
    ),
    "negative power": (
        tf.errors.InvalidArgumentError,
        "pow: integers to negative integer powers are not integers.\n"
        "  Required: y >= 0 everywhere, or floating-point operands\n"
        "  At:",
    ),
    "gather position": (
        tf.errors.InvalidArgumentError,
        "gather: `indices` is out of range.\n"
        "  Required: indices in [0, 3)\n"
        "  Received: indices[1] = 3\n"
        "  At:",
    ),
    "gather batch_dims": (
        tf.errors.InvalidArgumentError,
        "gather: `batch_dims` is out of range: 2.\n  Required: batch_dims <= axis and <= the rank of `indices`\n  "
        "Received: axis=2, indices of rank 1\n  At:",
    ),
    "gather_nd depth": (
        tf.errors.InvalidArgumentError,
        (
            "gather_nd: the indices have 2 coordinates, but the array has rank 1.\n"
            "  Required: indices.shape[-1] <= 1\n"
            "  Received: indices of shape (1, 2)\n"
            "  At:"
        ),
    ),
    "bincount axis": (
        ValueError,
        "bincount: `axis` must be None, 0 or -1, received 1.",
    ),
    "bincount negative": (
        tf.errors.InvalidArgumentError,
        "bincount: `arr` must be non-negative.\n  Required: arr >= 0 everywhere\n  At:",
    ),
    "histogram range": (
        tf.errors.InvalidArgumentError,
        "histogram_fixed_width: `value_range` is empty.\n"
        "  Required: value_range[0] < value_range[1]\n"
        "  At:",
    ),
    "concat shapes": (
        tf.errors.InvalidArgumentError,
        "concat: the shapes of `values` do not match.\n  Required: equal ranks, and equal sizes except along axis "
        "0\n  Received: f32[2, 3], f32[2, 2]\n  At:",
    ),
    "stack shapes": (
        tf.errors.InvalidArgumentError,
        "stack: the shapes of `values` do not match.\n  Required: equal shapes\n  Received: f32[2, 3], f32[2, 2]\n  "
        "At:",
    ),
    "split": (
        tf.errors.InvalidArgumentError,
        "split: axis 0 of size 3 cannot be divided into 2 equal parts.\n  Required: a multiple of 2\n  Received: "
        "f32[3]\n  At:",
    ),
    "split sizes": (
        tf.errors.InvalidArgumentError,
        "split: the sizes add up to 2.\n"
        "  Required: 3, the size of axis 0\n"
        "  Received: sizes [1, 1]\n"
        "  At:",
    ),
    "pad mode": (
        ValueError,
        "Unknown padding mode: 'WRAP'. Use CONSTANT, REFLECT or SYMMETRIC.",
    ),
    "pad negative": (
        tf.errors.InvalidArgumentError,
        "pad: paddings must be non-negative: -1 1.\n"
        "  Required: paddings >= 0\n"
        "  Received: axis 0: (-1, 1)\n"
        "  At:",
    ),
    "pad mirror": (
        tf.errors.InvalidArgumentError,
        "pad: axis 0 of size 3 is too short to mirror.\n"
        "  Required: paddings < 3\n"
        "  Received: (3, 0)\n"
        "  At:",
    ),
    "meshgrid keyword": (
        TypeError,
        "meshgrid() got an unexpected keyword argument 'order'",
    ),
    "meshgrid indexing": (
        ValueError,
        "Argument `indexing` must be 'xy' or 'ij'. Received: yx",
    ),
    "norm ord": (
        ValueError,
        "'ord' must be a supported vector norm, got 'nuclear'",
    ),
    "norm ord of a matrix": (
        ValueError,
        "'ord' must be a supported matrix norm in ['euclidean', 'fro', 1, 2, inf], got 3",
    ),
    "norm axis": (
        tf.errors.InvalidArgumentError,
        (
            "norm: `axis` lists the same axis twice.\n"
            "  Required: different axes\n"
            "  Received: axis=(0, 0)\n"
            "  At:"
        ),
    ),
    "matmul both": (
        ValueError,
        "Only one of `transpose` and `adjoint` can be True.",
    ),
    "matmul rank": (
        tf.errors.InvalidArgumentError,
        (
            "matmul: the shapes of the matrices do not match.\n  Required: at least two axes in each operand\n  "
            "Received: a f32[3], b f32[3]\n  At:"
        ),
    ),
    "matmul sizes": (
        tf.errors.InvalidArgumentError,
        (
            "matmul: the shapes of the matrices do not match.\n  Required: a.shape[-1] == b.shape[-2], after "
            "transposing\n  Received: a f32[2, 3], b f32[2, 3]\n  At:"
        ),
    ),
    "einsum keyword": (
        TypeError,
        "einsum() got an unexpected keyword argument 'order'",
    ),
    "nms shapes": (
        tf.errors.InvalidArgumentError,
        "non_max_suppression: each box must have four coordinates and one score.\n"
        "  Required: boxes [n, 4], scores [n]\n"
        "  Received: boxes (2, 3), scores (3,)\n"
        "  At:",
    ),
    "nms threshold": (
        tf.errors.InvalidArgumentError,
        "non_max_suppression: `iou_threshold` must be in [0, 1].\n"
        "  Required: 0 <= iou_threshold <= 1\n"
        "  Received: 2.0\n"
        "  At:",
    ),
    "dtypes": (
        tf.errors.DtypeMismatchError,
        (
            "add: `y` was expected to be float32, the dtype of the operand before it.\n"
            "  Required: operands of the same dtype\n"
            "  Received: x f32[3], y i32[3]\n"
            "  At:\n"
            "  Do:       convert one of the operands: `shims.cast(y, 'float32')`"
        ),
    ),
    "number and dtype": (
        tf.errors.DtypeMismatchError,
        (
            "add: a number does not fit int32, the dtype of the other operand.\n"
            "  Required: operands of the same dtype\n"
            "  Received: Cannot convert 1.5 to an array of dtype int32\n"
            "  At:\n"
            "  Do:       write a number of that dtype, or cast the array"
        ),
    ),
    "broadcast": (
        tf.errors.InvalidArgumentError,
        "add: the shapes do not broadcast.\n"
        "  Required: equal sizes, or size 1, counted from the last axis\n"
        "  Received: f32[3], f32[2]\n"
        "  At:",
    ),
    "partitions": (
        tf.errors.InvalidArgumentError,
        "dynamic_partition: `partitions` must match the leading axes of `data`.\n"
        "  Required: partitions.shape == data.shape[:partitions.ndim]\n"
        "  Received: data f32[3], partitions i32[2]\n"
        "  At:",
    ),
    "stitch count": (
        tf.errors.InvalidArgumentError,
        "dynamic_stitch: `indices` contains 2 arrays, but `data` contains 1.\n  Required: the same number of arrays "
        "in `indices` and `data`\n  At:",
    ),
    "multiples": (
        tf.errors.InvalidArgumentError,
        "tile: `multiples` has length 1, but the array has rank 2.\n  Required: one number for each axis\n  "
        "Received: multiples=(2,)\n  At:",
    ),
    "repeats count": (
        tf.errors.InvalidArgumentError,
        "repeat: `repeats` has length 2, but the array has 3 slices.\n  Required: one number, or one number for "
        "each slice\n  At:",
    ),
    "segment order": (
        tf.errors.InvalidArgumentError,
        "segment_sum: segment ids are not increasing.\n"
        "  Required: segment_ids sorted, and >= 0\n"
        "  At:",
    ),
    "segment scalar": (
        tf.errors.InvalidArgumentError,
        "segment_sum: `segment_ids` must be a vector.\n"
        "  Required: rank 1\n"
        "  Received: rank 0\n"
        "  At:",
    ),
    "segment ids": (
        tf.errors.InvalidArgumentError,
        "unsorted_segment_sum: `segment_ids` must match the leading axes of `data`.\n"
        "  Required: segment_ids.shape == data.shape[:segment_ids.ndim]\n"
        "  Received: data f32[3], segment_ids i32[2]\n"
        "  At:",
    ),
    "where half": (
        ValueError,
        "x and y must both be non-None or both be None.",
    ),
    "negative size": (
        tf.errors.InvalidArgumentError,
        "fill: dimension -1 must be >= 0.\n  Required: sizes >= 0\n  Received: -1\n  At:",
    ),
    "reshape twice": (
        tf.errors.InvalidArgumentError,
        "reshape: only one size can be -1.\n"
        "  Required: at most one -1\n"
        "  Received: shape=(-1, -1)\n"
        "  At:",
    ),
    "reshape multiple": (
        tf.errors.InvalidArgumentError,
        "reshape: the input has 3 values, but the requested shape has a multiple of 2.\n  Required: as many values "
        "as shape=(2, -1) contains\n  Received: shape (3,)\n  At:",
    ),
    "reshape count": (
        tf.errors.InvalidArgumentError,
        "reshape: the input has 3 values, but the requested shape has 4.\n  Required: as many values as shape=(2, "
        "2) contains\n  Received: shape (3,)\n  At:",
    ),
    "perm of a different rank": (
        tf.errors.InvalidArgumentError,
        "transpose: `perm` must name every axis.\n  Required: 2 axes\n  Received: perm=(0,)\n  At:",
    ),
    "perm": (
        tf.errors.InvalidArgumentError,
        (
            "transpose: `perm` lists the same axis twice.\n"
            "  Required: different axes\n"
            "  Received: perm=(0, 0)\n"
            "  At:"
        ),
    ),
    "broadcast_to": (
        tf.errors.InvalidArgumentError,
        "broadcast_to: the shapes do not broadcast.\n  Required: each size either 1 or equal to the size in "
        "shape=(2,)\n  Received: shape (3,)\n  At:",
    ),
    "ensure_shape": (
        tf.errors.InvalidArgumentError,
        "ensure_shape: the array has shape (3,).\n  Required: shape (2,)\n  At:",
    ),
    "sort direction": (
        ValueError,
        "sort: `direction` should be one of ASCENDING and DESCENDING, received 'UP'.",
    ),
    "top_k": (
        tf.errors.InvalidArgumentError,
        "top_k: the input must have at least k columns. Had 3, needed 4.\n"
        "  Required: k <= input.shape[-1]\n"
        "  Received: k=4, input.shape[-1]=3\n"
        "  At:\n"
        "  Do:       limit `k`: `k=shims.minimum(k, shims.shape(x)[-1])`",
    ),
    "searchsorted side": (
        ValueError,
        "Argument `side` must be either 'right' or 'left'. Received: 'middle'.",
    ),
    "searchsorted shapes": (
        tf.errors.InvalidArgumentError,
        "searchsorted: the sizes of two operands differ.\n  Required: size 2 along axis 0\n  Received: size 3\n  At:",
    ),
    "add_n nothing": (
        ValueError,
        "inputs must be an iterable of at least one array with the same shape",
    ),
    "add_n shapes": (
        tf.errors.InvalidArgumentError,
        "add_n: the shapes of `inputs` differ.\n"
        "  Required: equal shapes\n"
        "  Received: f32[3], f32[2]\n"
        "  At:",
    ),
    "stitch position": (
        tf.errors.InvalidArgumentError,
        "dynamic_stitch: an index is negative.\n  Required: indices >= 0\n  At:",
    ),
    "norm of three axes": (
        ValueError,
        "'axis' must be None, an integer, or a tuple of 2 unique integers",
    ),
    "variance of integers": (
        tf.errors.MissingKernelError,
        "reduce_variance: there is no kernel for int32.\n  Required: floating-point or complex numbers"
        "\n  Received: int32[3]\n  At:\n  Do:       convert it first: `shims.cast(x, shims.float32)`",
    ),
    "segment of a scalar": (
        tf.errors.InvalidArgumentError,
        "segment_sum: `data` is a scalar.\n  Required: at least one axis\n  At:",
    ),
    "no labels": (
        ValueError,
        "sigmoid_cross_entropy_with_logits: `labels` must be given.",
    ),
    "bias layout": (
        ValueError,
        "`data_format` must be of the form `N...C` or `NC...`. Received: 'X'",
    ),
    "dtype name": (
        TypeError,
        "Cannot convert 'foo' to a dtype.",
    ),
    "dtype limits": (
        TypeError,
        "Cannot find the limits of object.",
    ),
    "as_list": (
        ValueError,
        "as_list() is not defined on an unknown TensorShape.",
    ),
    "compatible": (
        ValueError,
        "Shapes (2,) and [3] are incompatible",
    ),
    "iterate": (
        ValueError,
        "Cannot iterate over a shape with unknown rank.",
    ),
    "length": (
        ValueError,
        "Cannot take the length of shape with unknown rank.",
    ),
    "rank": (
        ValueError,
        "Shapes (2,) and (3, 4) must have the same rank",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_message(name):
    error, text = MESSAGES[name]
    assert rendered(lambda: CALLS[name](tf), error) == text


@pytest.mark.parametrize("name", CALLS)
def test_tensorflow_refuses_it_too(name):
    refusals = (tensorflow.errors.OpError, ValueError, TypeError, NotImplementedError)
    with pytest.raises(refusals):
        CALLS[name](tensorflow)


def test_every_message_belongs_to_a_call():
    assert set(MESSAGES) == set(CALLS)


def test_negative_repeats_are_refused_where_tensorflow_drops_them():
    with pytest.raises(tf.errors.InvalidArgumentError, match=re.escape("`repeats` is negative.")):
        tf.repeat(V, [1, -1, 1])


def test_there_are_no_arrays_of_strings():
    assert rendered(lambda: tf.ones([2], tf.string), tf.errors.MissingKernelError) == (
        "ones: JAX has no arrays of strings.\n"
        "  Required: a number or bool dtype\n"
        "  Received: dtype object\n"
        "  At:\n"
        "  Do:       keep strings in Python or NumPy, and convert them to numbers before the "
        "call"
    )
