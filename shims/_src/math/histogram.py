"""Counting how often numbers occur."""

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
    """How often each of 0, 1, 2, ... occurs, or the sum of weights for each.

    Args:
      arr: integer array; floats are truncated.
      weights: array in the shape of `arr`; each counts 1 when `None`, or where it has no elements.
      minlength: the result is at least that long.
      maxlength: the result is at most that long; larger numbers are dropped.
      dtype: the dtype of the counts, that of `arr` when `None`; that of the weights where there
        are some.
      name: ignored.
      axis: 0 or `None` counts over everything, -1 row by row.
      binary_output: 1 for every number that occurs at all.

    Returns:
      The counts; as long as the largest number needs, within the two limits.

    Raises:
      InvalidArgumentError: a number is negative, the weights do not have the shape of `arr`, or
        `arr` has more than two axes to count by row.
      ValueError: there is no such axis, or weights meet `binary_output`.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The length depends on data unless `minlength == maxlength`.

    https://www.tensorflow.org/api_docs/python/tf/math/bincount
    """
    if axis not in (None, 0, -1):
        raise ValueError(f"bincount: `axis` must be None, 0 or -1, received {axis!r}.")
    if weights is not None and binary_output:
        raise ValueError("bincount: `binary_output` takes no `weights`; pass one of the two.")
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
    """Counts as long as the largest number needs, within limits; see `counts`."""
    arr = _numbers(arr)
    highest = integer_extremes.reduce("reduce_max", arr, range(arr.ndim)).astype(jnp.int32)
    length = jnp.maximum(highest, -1) + 1
    if minlength is not None:
        length = jnp.maximum(length, jnp.asarray(minlength, jnp.int32))
    if maxlength is not None:
        length = jnp.minimum(length, jnp.asarray(maxlength, jnp.int32))
    length = primitives.to_dim(length, label="bincount")
    return counts(arr, weights, length, dtype, by_row, binary, rows, count)


@sized_by("length", compiled=True)
def counts(arr, weights, length, dtype, by_row, binary, rows=None, count=None):
    """Counts of a stated length, where `rows` says which of `count` rows each number is in."""
    arr, length = _numbers(arr), size_of("bincount", length)
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
        weights = jnp.ones(arr.shape, weights.dtype)  # no weights are all 1
    kernels.check_dtype("bincount", "index float32 float64", weights.dtype)
    weights = _for_each(arr, weights)
    _check_weights(arr, weights, by_row)
    if rows is not None:
        places, shape = (rows, _places(arr, length)), (count, length)
    elif not by_row or arr.ndim < 2:
        arr, weights = arr.reshape((-1,)), weights.reshape((-1,))
        places, shape = (_places(arr, length),), (length,)
    else:
        rows = jnp.broadcast_to(jnp.arange(arr.shape[0])[:, None], arr.shape)
        places, shape = (rows, _places(arr, length)), (arr.shape[0], length)
    places = jnp.zeros(shape, weights.dtype).at[places]
    return places.max(weights, mode="drop") if binary else places.add(weights, mode="drop")


def _numbers(arr):
    arr = operand(arr)
    return arr if jnp.issubdtype(arr.dtype, jnp.integer) else convert(arr, np.dtype(np.int32))


def _for_each(arr, weights):
    """Weights whose number may turn out to be 0, then all of them are 1."""
    known = checks.is_known_shape(arr) and checks.is_known_shape(weights)
    if known or arr.shape == weights.shape:
        return weights
    number = primitives.as_size(weights.size)
    needed = primitives.as_size(arr.size)
    checks.check_data(
        (number != needed) & (number != 0),
        "bincount",
        "`weights` must have the shape of `arr`.",
        required="as many weights as numbers, or none",
    )
    last = jnp.ones((1,), weights.dtype)  # an array of nothing cannot be read
    of_some = jnp.concatenate([weights.reshape((-1,)), last])
    positions = jnp.arange(arr.size).reshape(arr.shape)
    return of_some[jnp.where(number == 0, 0, positions)]


def _check_weights(arr, weights, by_row):
    if by_row and arr.ndim > 2:
        raise checks.invalid(
            "bincount",
            "only vectors and matrices are counted by row.",
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


def _places(numbers, length):
    """Numbers as positions; JAX would count a negative one from the end."""
    return jnp.where(numbers < 0, primitives.as_size(length).astype(numbers.dtype), numbers)


@sized_by("nbins", compiled=True)
def histogram_fixed_width(values, value_range, nbins=100, dtype=np.int32, name=None):
    """How many values fall into each of `nbins` equal parts of a range.

    Args:
      values: array of numbers.
      value_range: `[low, high]`; what lies outside counts in the first or last part.
      nbins: how many parts.
      dtype: int32 or int64.
      name: ignored.

    Returns:
      The counts `[nbins]`.

    Raises:
      InvalidArgumentError: the range is empty or no range, a value is NaN, or there are no bins.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The number of values may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/histogram_fixed_width
    """
    function = "histogram_fixed_width"
    values, value_range = matching(function, values=values, value_range=value_range)
    if value_range.ndim != 1:
        problem = "`value_range` is no vector."
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
    bins = _bins_from(values, low, high, nbins).reshape((-1,))
    counts = jnp.zeros((size_of(function, nbins),), array_dtype(dtype, function))
    return counts.at[bins].add(1, mode="drop")


def _bins_from(values, low, high, nbins):
    """The bin of each value; what the range is too wide for belongs to the last one."""
    wide = array_dtype(np.float64, "histogram_fixed_width")
    width, number = (high - low).astype(wide), jnp.asarray(nbins).astype(wide)
    values = jnp.maximum(values, low)
    if wide == np.float64:
        # The difference is rounded, and may overflow, in the dtype of the values.
        scaled = quotient((values - low).astype(wide), width / number)
    else:
        pair = _difference(values.astype(wide), low.astype(wide))
        scaled = _whole_quotient(*pair, number, width)
    last = jnp.asarray(nbins).astype(jnp.int32) - 1
    inside = scaled < last.astype(wide)
    return jnp.where(inside, jnp.where(inside, scaled, 0).astype(jnp.int32), last)


def _whole_quotient(x, x_rest, factor, divisor):
    """`floor((x + x_rest) * factor / divisor)` of float32 numbers >= 0, as if nothing was rounded."""
    product, rest = _product(x, factor)
    whole = jnp.floor(quotient(product, divisor))
    back, back_rest = _product(whole, jnp.broadcast_to(divisor, whole.shape))
    left = (product - back) + (rest - back_rest + x_rest * factor)
    whole = whole + jnp.where(left < 0, -1, jnp.where(left >= divisor, 1, 0))
    return jnp.where(jnp.isfinite(left), whole, x / divisor * factor)


def _difference(x, y):
    """A difference, and what is lost in rounding it (Knuth)."""
    difference = x - y
    less = difference - x
    return difference, (x - (difference - less)) - (y + less)


def _product(x, y):
    """A product, and what is lost in rounding it (Dekker)."""
    product = x * y
    (x_high, x_low), (y_high, y_low) = _halves(x), _halves(y)
    rest = x_high * y_high - product
    return product, ((rest + x_high * y_low) + x_low * y_high) + x_low * y_low


def _halves(x):
    """A float32 as the sum of two numbers of 12 bits."""
    scaled = 4097 * x
    high = scaled - (scaled - x)
    return high, x - high


def _check_range(function, value_range, required, fits):
    """Whether a range has as many numbers, or rows, as it should."""
    problem = "`value_range` must have two numbers."
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
    """Which of `nbins` equal parts of a range each value falls into.

    Args:
      values: array of numbers.
      value_range: `[low, high]`, or an array whose first two rows are the ends for each value; what
        lies outside falls into the first or last part.
      nbins: how many parts.
      dtype: int32 or int64.
      name: ignored.

    Returns:
      Positions in the shape of `values`; the lowest int32 where the range is empty and for NaN.

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
    if low.ndim:  # TensorFlow lets a row of ends meet the values in a row
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
    """How often each label was predicted as each class.

    Args:
      labels: integers `[n]`; of `[n, 1]` beside `[n]` the last axis is left out.
      predictions: integers `[n]`, likewise.
      num_classes: how many classes; as many as the largest number needs when `None`.
      weights: array `[n]`; each counts 1 when `None`.
      dtype: the dtype of the counts.
      name: ignored.

    Returns:
      `[num_classes, num_classes]`, labels by predictions.

    Raises:
      InvalidArgumentError: a number is out of range, the shapes differ, or neither labels nor
        `num_classes` say how many classes there are.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      Without `num_classes` the size depends on data.

    https://www.tensorflow.org/api_docs/python/tf/math/confusion_matrix
    """
    if num_classes is None:
        return _confusion_of_some(labels, predictions, weights, dtype)
    return _confusion(labels, predictions, num_classes, weights, dtype)


def _classes(x):
    """Numbers of classes; whatever is no integer is made one, as TensorFlow does."""
    x = operand(x)
    integral = jnp.issubdtype(x.dtype, jnp.integer)
    return x if integral else convert(x, array_dtype(np.int64, "confusion_matrix"))


def _pairs(labels, predictions):
    """Labels and predictions in one shape: what has one axis more, of size 1, is squeezed."""
    if predictions.ndim == labels.ndim + 1 and predictions.shape[-1] == 1:
        predictions = predictions.reshape(predictions.shape[:-1])
    if labels.ndim == predictions.ndim + 1 and labels.shape[-1] == 1:
        labels = labels.reshape(labels.shape[:-1])
    check_alike("confusion_matrix", labels=labels, predictions=predictions)
    return agreeing("confusion_matrix", [labels, predictions], range(labels.ndim))


@selected_by("labels", "predictions")
def _confusion_of_some(labels, predictions, weights, dtype):
    both = jnp.maximum(*_pairs(_classes(labels), _classes(predictions)))
    checks.check_data(
        primitives.true_size(both.size) == 0,
        "confusion_matrix",
        "there are no labels.",
        required="`num_classes`, or labels to count the classes by",
    )
    highest = lax.reduce_max(both, tuple(range(both.ndim))).astype(jnp.int32)
    count = primitives.to_dim(jnp.maximum(highest, -1) + 1, label="confusion_matrix")
    return _confusion(labels, predictions, count, weights, dtype)


@sized_by("num_classes", compiled=True)
def _confusion(labels, predictions, num_classes, weights, dtype):
    labels, predictions = _classes(labels), _classes(predictions)
    labels, predictions = _pairs(labels, predictions)
    count = size_of("confusion_matrix", num_classes)
    checks.check_positions("confusion_matrix", "labels", labels, count)
    checks.check_positions("confusion_matrix", "predictions", predictions, count)
    dtype = array_dtype(dtype, "confusion_matrix")
    weights = jnp.ones(labels.shape, dtype) if weights is None else convert(operand(weights), dtype)
    check_alike("confusion_matrix", predictions=predictions, weights=weights)
    weights, _ = agreeing("confusion_matrix", [weights, labels], range(labels.ndim))
    if labels.ndim != 1:  # TensorFlow takes what stands in a row of these for coordinates
        return scatter_nd(jnp.stack([labels, predictions], axis=1), weights, [count, count])
    places = (_places(labels, count), _places(predictions, count))
    counts = jnp.zeros((count, count), dtype).at[places]
    return (counts.max if jnp.issubdtype(dtype, jnp.bool_) else counts.add)(weights, mode="drop")
