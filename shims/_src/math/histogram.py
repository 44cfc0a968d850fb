"""Count values: `bincount`, histograms and confusion matrices."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks, kernels
from shims._src.arguments.kernels import checked
from shims._src.arguments.operands import (
    agreeing,
    broadcasting,
    check_alike,
    describe,
    matching,
    operand,
)
from shims._src.array.casting import convert
from shims._src.array.scatter import scatter_nd
from shims._src.array.shapes import reshape, size_of
from shims._src.numeric import integer_extremes
from shims._src.numeric.exact_quotient import quotient
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator
from shims._src.tracing.sized_by import selected_by, sized_by
from shims._src.types.dtypes import array_dtype


@checked
def bincount(
    arr,
    weights=None,
    minlength=None,
    maxlength=None,
    dtype=np.int32,
    name=None,
    axis=None,
    binary_output=False,
):
    """Count how often each of 0, 1, 2, ... occurs, or sum the weights of each.

    Args:
      arr: integer array; floats are truncated.
      weights: array with the shape of `arr`; all weights are 1 when `weights` is `None` or empty.
      minlength: the minimum length of the result.
      maxlength: the maximum length of the result; numbers that do not fit are dropped.
      dtype: the dtype of the counts; the dtype of `arr` when `None`. With weights, the result has
        their dtype.
      name: ignored.
      axis: 0 or `None` counts over all elements, -1 counts row by row.
      binary_output: whether to return 1 instead of the count for every number that occurs.

    Returns:
      The counts. Their number is the largest value + 1, within `minlength` and `maxlength`.

    Raises:
      InvalidArgumentError: a number is negative, the weights do not have the shape of `arr`, or
        `axis` is -1 and `arr` has more than two axes.
      ValueError: the axis is unknown, or `weights` and `binary_output` are both given.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The length depends on data unless `minlength == maxlength`.

    https://www.tensorflow.org/api_docs/python/tf/math/bincount
    """
    if axis not in (None, 0, -1):
        raise ValueError(f"bincount: `axis` must be None, 0 or -1, received {axis!r}.")
    if weights is not None and binary_output:
        raise ValueError(
            "bincount: `binary_output` cannot be combined with `weights`; pass only one of the two arguments."
        )
    options = (dtype, axis == -1, binary_output)
    fixed = minlength is not None and minlength is maxlength
    fixed |= (
        not jp.is_tracer(minlength)
        and not jp.is_tracer(maxlength)
        and (minlength is not None and maxlength is not None and int(minlength) == int(maxlength))
    )
    if fixed:
        return counts(arr, weights, minlength, *options)
    return counts_of_some(arr, weights, minlength, maxlength, *options)


@selected_by("arr", "minlength", "maxlength")
def counts_of_some(
    arr, weights, minlength, maxlength, dtype, by_row, binary, rows=None, count=None
):
    """Count numbers by `counts`, up to the largest one, in a vector of `minlength` to `maxlength` counts."""
    arr = _convert_to_integers(arr)
    highest = integer_extremes.reduce("reduce_max", arr, range(arr.ndim)).astype(jnp.int32)
    length = primitives.one_more(jnp.maximum(highest, -1))
    if minlength is not None:
        length = jnp.maximum(length, primitives.as_count(operand(minlength)))
    if maxlength is not None:
        length = jnp.minimum(length, primitives.as_count(operand(maxlength)))
    length = primitives.to_dim(length, label="bincount")
    return counts(arr, weights, length, dtype, by_row, binary, rows, count)


@sized_by("length", compiled=True)
def counts(arr, weights, length, dtype, by_row, binary, rows=None, count=None):
    """Count the occurrences of each number below `length`.

    If `rows` is given, count each row separately: `rows` holds the row of each number, `count` the number of rows.
    """
    arr, length = _convert_to_integers(arr), size_of("bincount", length)
    lowest = integer_extremes.reduce("reduce_min", arr, range(arr.ndim))
    checks.check_data(
        lowest < 0, "bincount", "`arr` must be non-negative.", required="arr >= 0 everywhere"
    )
    if weights is None:
        weights = jnp.ones(
            arr.shape, arr.dtype if dtype is None else array_dtype(dtype, "bincount")
        )
    weights = operand(weights)
    if checks.is_known_shape(weights) and weights.size == 0:
        weights = jnp.ones(arr.shape, weights.dtype)  # empty weights mean that all are 1
    kernels.check_dtype("bincount", "index float32 float64", weights.dtype)
    weights = _match_weights(arr, weights)
    _check_weights(arr, weights, by_row)
    if rows is not None:
        places, shape = (rows, _positions_of(arr, length)), (count, length)
    elif not by_row or arr.ndim < 2:
        arr, weights = arr.reshape((-1,)), weights.reshape((-1,))
        places, shape = (_positions_of(arr, length),), (length,)
    else:
        rows = jnp.broadcast_to(jnp.arange(arr.shape[0])[:, None], arr.shape)
        places, shape = (rows, _positions_of(arr, length)), (arr.shape[0], length)
    places = jnp.zeros(shape, weights.dtype).at[places]
    return places.max(weights, mode="drop") if binary else places.add(weights, mode="drop")


def _convert_to_integers(arr):
    """Convert numbers to an integer array; numbers that are not integers become int32."""
    arr = operand(arr)
    return arr if jnp.issubdtype(arr.dtype, jnp.integer) else convert(arr, np.dtype(np.int32))


def _match_weights(arr, weights):
    """Match weights to numbers; if the weights are empty at run time, all weights are 1."""
    known = checks.is_known_shape(arr) and checks.is_known_shape(weights)
    if known or arr.shape == weights.shape:
        return weights
    number = primitives.as_size(weights.size)
    needed = primitives.as_size(arr.size)
    checks.check_data(
        (number != needed) & (number != 0),
        "bincount",
        "`weights` must have the shape of `arr`.",
        required="as many weights as numbers, or no weights",
    )
    last = jnp.ones((1,), weights.dtype)  # an empty array cannot be indexed
    of_some = jnp.concatenate([weights.reshape((-1,)), last])
    positions = jnp.arange(arr.size).reshape(arr.shape)
    return of_some[jnp.where(number == 0, 0, positions)]


def _check_weights(arr, weights, by_row):
    if by_row and arr.ndim > 2:
        raise checks.invalid(
            "bincount",
            "`axis=-1` accepts only vectors and matrices.",
            required="rank <= 2",
            received=describe(arr),
        )
    known = checks.is_known_shape(arr) and checks.is_known_shape(weights)
    if known and (arr.shape != weights.shape if by_row else arr.size != weights.size):
        raise checks.invalid(
            "bincount",
            "`weights` must have the shape of `arr`.",
            received=f"arr {describe(arr)}, weights {describe(weights)}",
        )


def _positions_of(numbers, length):
    """Replace negative numbers by `length`, since JAX would count them from the end."""
    return jnp.where(numbers < 0, primitives.as_size(length).astype(numbers.dtype), numbers)


@sized_by("nbins", compiled=True)
def histogram_fixed_width(values, value_range, nbins=100, dtype=np.int32, name=None):
    """Count the values in each of `nbins` equal bins of a range.

    Args:
      values: array of numbers.
      value_range: `[low, high]`; values outside count in the first or last bin.
      nbins: the number of bins.
      dtype: int32 or int64.
      name: ignored.

    Returns:
      The counts `[nbins]`.

    Raises:
      InvalidArgumentError: the range is empty or not a vector of two numbers, a value is NaN, or
        `nbins` is not positive.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The number of values may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/histogram_fixed_width
    """
    function = "histogram_fixed_width"
    values, value_range = matching(function, values=values, value_range=value_range)
    if value_range.ndim != 1:
        problem = "`value_range` must be a vector."
        raise checks.invalid(function, problem, required="[2]", received=describe(value_range))
    _check_range(function, value_range, "shape [2]", lambda n: n == 2)
    _check_bins(function, nbins)
    low, high = value_range[0], value_range[1]
    checks.check_data(
        ~(low < high),
        function,
        "`value_range` is empty.",
        required="value_range[0] < value_range[1]",
    )
    checks.check_data(jnp.isnan(values), function, "a value is NaN.", required="numbers")
    bins = _find_bins(values, low, high, nbins).reshape((-1,))
    counts = jnp.zeros((size_of(function, nbins),), array_dtype(dtype, function))
    return counts.at[bins].add(1, mode="drop")


def _find_bins(values, low, high, nbins):
    """Return the bin index of each value; values outside of the range belong to the outer bins."""
    wide = array_dtype(np.float64, "histogram_fixed_width")
    width, number = (high - low).astype(wide), jnp.asarray(nbins).astype(wide)
    values = jnp.maximum(values, low)
    if wide == np.float64:
        # The difference is rounded, and may overflow, in the dtype of the values.
        scaled = quotient((values - low).astype(wide), width / number)
    else:
        pair = _exact_difference(values.astype(wide), low.astype(wide))
        scaled = _whole_quotient(*pair, number, width)
    last = jnp.asarray(nbins).astype(jnp.int32) - 1
    inside = scaled < last.astype(wide)
    return jnp.where(inside, jnp.where(inside, scaled, 0).astype(jnp.int32), last)


def _whole_quotient(x, x_rest, factor, divisor):
    """Compute `floor((x + x_rest) * factor / divisor)` exactly, for nonnegative float32 numbers."""
    product, rest = _exact_product(x, factor)
    whole = jnp.floor(quotient(product, divisor))
    back, back_rest = _exact_product(whole, jnp.broadcast_to(divisor, whole.shape))
    left = (product - back) + (rest - back_rest + x_rest * factor)
    whole = whole + jnp.where(left < 0, -1, jnp.where(left >= divisor, 1, 0))
    return jnp.where(jnp.isfinite(left), whole, x / divisor * factor)


def _exact_difference(x, y):
    """Compute a difference and its rounding error (Knuth)."""
    difference = x - y
    less = difference - x
    return difference, (x - (difference - less)) - (y + less)


def _exact_product(x, y):
    """Compute a product and its rounding error (Dekker)."""
    product = x * y
    (x_high, x_low), (y_high, y_low) = _split_float(x), _split_float(y)
    rest = x_high * y_high - product
    return product, ((rest + x_high * y_low) + x_low * y_high) + x_low * y_low


def _split_float(x):
    """Split a float32 into the sum of two numbers of 12 bits."""
    scaled = 4097 * x
    high = scaled - (scaled - x)
    return high, x - high


def _check_range(function, value_range, required, fits):
    """Check that `value_range` has the required number of entries along its first axis.

    Args:
      function: the operator, for error messages.
      value_range: the lower and the upper end.
      required: the requirement, for error messages.
      fits: a function that returns whether a number of entries is allowed.
    """
    problem = "`value_range` must contain two numbers."
    count = value_range.shape[0] if value_range.ndim else 0
    if not checks.is_known(count):
        checks.check_data(~fits(primitives.as_size(count)), function, problem, required=required)
    elif not fits(count):
        raise checks.invalid(function, problem, required=required, received=describe(value_range))


def _check_bins(function, nbins):
    count = primitives.as_size(size_of(function, nbins))
    checks.check_data(count <= 0, function, "`nbins` must be positive.", required="nbins > 0")


@operator(compiled=True)
def histogram_fixed_width_bins(values, value_range, nbins=100, dtype=np.int32, name=None):
    """Return the bin of each value, out of `nbins` equal bins of a range.

    Args:
      values: array of numbers.
      value_range: `[low, high]`, or an array whose first two rows are the limits for each value.
        Values outside of the limits are in the first or the last bin.
      nbins: the number of bins.
      dtype: int32 or int64.
      name: ignored.

    Returns:
      Positions with the shape of `values`; the lowest int32 for NaN and where the range is empty.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The number of values may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/histogram_fixed_width_bins
    """
    function = "histogram_fixed_width_bins"
    values, value_range = matching(function, values=values, value_range=value_range)
    _check_range(function, value_range, "at least two", lambda n: n >= 2)
    _check_bins(function, nbins)
    low, high = value_range[0], value_range[1]
    shape = values.shape
    if low.ndim:  # TensorFlow broadcasts a row of limits against the flattened values
        values, low, high = broadcasting(function, values.reshape((-1,)), low, high)
    part = quotient(values - low, high - low)
    scaled = jnp.floor(part * jnp.asarray(nbins).astype(values.dtype))
    last = jnp.asarray(nbins, jnp.int32) - 1
    inside = jnp.clip(scaled, 0, last.astype(values.dtype))
    bins = convert(convert(inside, np.dtype(np.int32)), array_dtype(dtype, function))
    return reshape(bins, shape)


def confusion_matrix(
    labels, predictions, num_classes=None, weights=None, dtype=np.int32, name=None
):
    """Count how often each label was predicted as each class.

    Args:
      labels: integers `[n]`; a last axis of size 1 is removed if only one of the two arrays has it.
      predictions: integers `[n]`, treated in the same way.
      num_classes: the number of classes; the largest number + 1 when `None`.
      weights: array `[n]`; all weights are 1 when `None`.
      dtype: the dtype of the counts.
      name: ignored.

    Returns:
      An array `[num_classes, num_classes]`; rows are labels, columns are predictions.

    Raises:
      InvalidArgumentError: a number is out of range, the shapes differ, or there are neither labels
        nor `num_classes`.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      Without `num_classes` the size depends on data.

    https://www.tensorflow.org/api_docs/python/tf/math/confusion_matrix
    """
    if num_classes is None:
        return _confusion_of_unknown_size(labels, predictions, weights, dtype)
    return _confusion(labels, predictions, num_classes, weights, dtype)


def _convert_classes(x):
    """Convert class numbers to an integer array; numbers that are not integers become int64."""
    x = operand(x)
    integral = jnp.issubdtype(x.dtype, jnp.integer)
    return x if integral else convert(x, array_dtype(np.int64, "confusion_matrix"))


def _match_labels(labels, predictions):
    """Reshape labels and predictions to the same shape, by removing a last axis of size 1 from one."""
    if predictions.ndim == labels.ndim + 1 and predictions.shape[-1] == 1:
        predictions = predictions.reshape(predictions.shape[:-1])
    if labels.ndim == predictions.ndim + 1 and labels.shape[-1] == 1:
        labels = labels.reshape(labels.shape[:-1])
    check_alike("confusion_matrix", labels=labels, predictions=predictions)
    return agreeing("confusion_matrix", [labels, predictions], range(labels.ndim))


@selected_by("labels", "predictions")
def _confusion_of_unknown_size(labels, predictions, weights, dtype):
    both = jnp.maximum(*_match_labels(_convert_classes(labels), _convert_classes(predictions)))
    checks.check_data(
        primitives.as_size(both.size) == 0,
        "confusion_matrix",
        "there are no labels.",
        required="`num_classes`, or at least one label",
    )
    highest = lax.reduce_max(both, tuple(range(both.ndim))).astype(jnp.int32)
    count = primitives.to_dim(
        primitives.one_more(jnp.maximum(highest, -1)), label="confusion_matrix"
    )
    return _confusion(labels, predictions, count, weights, dtype)


@sized_by("num_classes", compiled=True)
def _confusion(labels, predictions, num_classes, weights, dtype):
    labels, predictions = _convert_classes(labels), _convert_classes(predictions)
    labels, predictions = _match_labels(labels, predictions)
    count = size_of("confusion_matrix", num_classes)
    checks.check_positions("confusion_matrix", "labels", labels, count)
    checks.check_positions("confusion_matrix", "predictions", predictions, count)
    dtype = array_dtype(dtype, "confusion_matrix")
    weights = jnp.ones(labels.shape, dtype) if weights is None else convert(operand(weights), dtype)
    check_alike("confusion_matrix", predictions=predictions, weights=weights)
    weights, _ = agreeing("confusion_matrix", [weights, labels], range(labels.ndim))
    if labels.ndim != 1:  # TensorFlow interprets the rows of the stacked arrays as coordinates
        return scatter_nd(jnp.stack([labels, predictions], axis=1), weights, [count, count])
    places = (_positions_of(labels, count), _positions_of(predictions, count))
    counts = jnp.zeros((count, count), dtype).at[places]
    return (counts.max if jnp.issubdtype(dtype, jnp.bool_) else counts.add)(weights, mode="drop")
