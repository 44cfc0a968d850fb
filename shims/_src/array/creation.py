"""Create arrays from sizes: constants, ranges, identity matrices, one-hot arrays, masks."""

from __future__ import annotations

import builtins

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.kernels import checked
from shims._src.arguments.operands import broadcasting, matching, operand
from shims._src.array.casting import convert
from shims._src.array.shapes import size_of, sizes_of
from shims._src.errors import errors
from shims._src.numeric.exact_quotient import quotient
from shims._src.numeric.separate_rounding import rounded_product
from shims._src.platform import jax_private as jp
from shims._src.sizes import numbering, on_host, primitives, size_bounds
from shims._src.tracing.dispatch import operator
from shims._src.tracing.sized_by import selected_by, sized_by
from shims._src.types.dtypes import array_dtype, canonical_dtype


def _full(function, shape, value, dtype):
    wanted = array_dtype(dtype, function)
    return jnp.full(sizes_of(function, shape, wanted), value, wanted)


@sized_by("shape", compiled=True)
def zeros(shape, dtype=np.float32, name=None, layout=None):
    """Create an array of zeros.

    Args:
      shape: the sizes.
      dtype: the dtype.
      name: ignored.
      layout: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: a size is negative.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be traced.

    Example:
      >>> import shims
      >>> print(shims.zeros([2, 3]))
      [[0. 0. 0.]
       [0. 0. 0.]]

    https://www.tensorflow.org/api_docs/python/tf/zeros
    """
    return _full("zeros", shape, 0, dtype)


@sized_by("shape", compiled=True)
def ones(shape, dtype=np.float32, name=None, layout=None):
    """Create an array of ones.

    Args:
      shape: the sizes.
      dtype: the dtype.
      name: ignored.
      layout: ignored.

    Returns:
      The array.

    Raises:
      InvalidArgumentError: a size is negative.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be traced.

    Example:
      >>> import shims
      >>> print(shims.ones([2, 3], shims.int32))
      [[1 1 1]
       [1 1 1]]

    https://www.tensorflow.org/api_docs/python/tf/ones
    """
    return _full("ones", shape, 1, dtype)


@sized_by("dims", compiled=True)
def fill(dims, value, name=None, layout=None):
    """Create an array filled with one value.

    Args:
      dims: the sizes.
      value: scalar.
      name: ignored.
      layout: ignored.

    Returns:
      An array of shape `dims`, in the dtype of `value`.

    Raises:
      InvalidArgumentError: a size is negative, or `value` is not a scalar.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be traced.

    Example:
      >>> import shims
      >>> print(shims.fill([2, 2], 7))
      [[7 7]
       [7 7]]

    https://www.tensorflow.org/api_docs/python/tf/fill
    """
    value = operand(value)
    checks.check_scalar("fill", "value", value)
    return jnp.broadcast_to(value, sizes_of("fill", dims, value.dtype))


def _full_like(function, input, dtype, value):
    x = operand(input)
    dtype = x.dtype if dtype is None else array_dtype(dtype, function)
    return jnp.full(x.shape, value, dtype)


@operator(compiled=True)
def zeros_like(input, dtype=None, name=None, layout=None):
    """Create an array of zeros with the shape of another array.

    Args:
      input: array.
      dtype: the dtype; the dtype of `input` when `None`.
      name: ignored.
      layout: ignored.

    Returns:
      The array.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of `input` may be known only at run time; the result has the same sizes.

    Example:
      >>> import shims
      >>> print(shims.zeros_like([[1.5, 2.5]]))
      [[0. 0.]]

    https://www.tensorflow.org/api_docs/python/tf/zeros_like
    """
    return _full_like("zeros_like", input, dtype, 0)


@operator(compiled=True)
def ones_like(input, dtype=None, name=None, layout=None):
    """Create an array of ones with the shape of another array.

    Args:
      input: array.
      dtype: the dtype; the dtype of `input` when `None`.
      name: ignored.
      layout: ignored.

    Returns:
      The array.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of `input` may be known only at run time; the result has the same sizes.

    Example:
      >>> import shims
      >>> print(shims.ones_like([[1.5, 2.5]]))
      [[1. 1.]]

    https://www.tensorflow.org/api_docs/python/tf/ones_like
    """
    return _full_like("ones_like", input, dtype, 1)


@sized_by("num_rows", "num_columns", "batch_shape", compiled=True)
def eye(num_rows, num_columns=None, batch_shape=None, dtype=np.float32, name=None):
    """Create identity matrices: ones on the diagonal, zeros elsewhere.

    Args:
      num_rows: the number of rows.
      num_columns: the number of columns; the number of rows when `None`.
      batch_shape: the sizes of the leading axes.
      dtype: the dtype.
      name: ignored.

    Returns:
      The matrices `[*batch_shape, num_rows, num_columns]`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be traced.

    Example:
      >>> import shims
      >>> print(shims.eye(2))
      [[1. 0.]
       [0. 1.]]

    https://www.tensorflow.org/api_docs/python/tf/eye
    """
    rows = size_of("eye", num_rows)
    columns = rows if num_columns is None else size_of("eye", num_columns)
    dtype = array_dtype(dtype, "eye")
    for name, size in (("num_rows", rows), ("num_columns", columns)):
        if checks.is_known(size) and size < 0:
            raise checks.invalid(
                "eye", f"`{name}` is negative.", required=f"{name} >= 0", received=f"{name}={size}"
            )
    out = (jnp.arange(rows)[:, None] == jnp.arange(columns)).astype(dtype)
    if batch_shape is None:
        return out
    return jnp.broadcast_to(out, (*sizes_of("eye", batch_shape), rows, columns))


@sized_by("start", "limit", "delta", compiled=True)
def range(start, limit=None, delta=1, dtype=None, name="range"):
    """Return the numbers from `start` to below `limit` in steps of `delta`.

    Args:
      start: scalar; if `limit` is `None`, this is the limit and the start is 0.
      limit: scalar.
      delta: scalar.
      dtype: the dtype; the dtype of the operands when `None`.
      name: ignored.

    Returns:
      A vector of shape `[max(ceil((limit - start) / delta), 0)]`.

    Raises:
      InvalidArgumentError: `delta` is 0, or has the wrong sign to reach `limit`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of elements may be traced. Inside an enclosing `jax.jit`, this number
      needs a bound: if none is known, write `shims.range(shims.bounded(k, max=8))`.

    Example:
      >>> import shims
      >>> shims.range(3, 18, 3).tolist()
      [3, 6, 9, 12, 15]

    https://www.tensorflow.org/api_docs/python/tf/range
    """
    if limit is None:
        start, limit = 0, start
    if dtype is None:
        dtype = _range_dtype(operand(v).dtype for v in (start, limit, delta))
    dtype = array_dtype(dtype, "range")
    if jnp.issubdtype(dtype, jnp.integer):
        start, limit, delta = (_convert_bound(v, dtype) for v in (start, limit, delta))
        return _integer_range(start, limit, delta, dtype)
    given, bound = (start, limit, delta), _bound_of_count(start, limit, delta, dtype)
    operands = (convert(operand(v), dtype) for v in (start, limit, delta))
    start, limit, delta = map(lax.stop_gradient, operands)  # TensorFlow's `range` has no derivative
    _check_range(start, limit, delta)
    # TensorFlow counts in the dtype of the operands: 3 numbers from 1 to 1.3 by 0.1 in float32.
    count = jnp.ceil(jnp.abs(quotient(limit - start, delta))).astype(jnp.int32)
    known = _known_count(given, dtype)
    if known is not None:
        return start + jnp.arange(known, dtype=jnp.int32).astype(dtype) * delta
    places = primitives.fresh_range(count, bound=bound, label="range").astype(dtype)
    return start + places * delta


def _known_count(bounds, dtype) -> int | None:
    """Count the numbers of a range of floats between Python's numbers; `None` for other bounds."""
    if not all(isinstance(v, (int, float)) for v in bounds):
        return None
    start, limit, delta = (np.asarray(v, dtype) for v in bounds)
    return int(np.ceil(np.abs((limit - start) / delta)))


def _bound_of_count(start, limit, delta, dtype):
    """Return a bound of the number of floats between sizes and integers, `None` without one."""
    ends = [_size_or_none(v) for v in (start, limit)]
    if None in [e for e in ends if not jp.is_symbolic(e)] or dtype.itemsize < 4:
        return None
    if not isinstance(delta, (int, np.integer)) or delta < 1:
        return None
    count = ends[1] - ends[0]
    return count + count // 2**24 if jp.is_symbolic(count) else None  # float32 may round it up


def _size_or_none(value):
    if jp.is_tracer(value) and not value.ndim and jnp.issubdtype(value.dtype, jnp.integer):
        return numbering.symbolic_value(value)
    return value if jp.is_symbolic(value) or isinstance(value, (int, np.integer)) else None


# TensorFlow's order of the dtypes of ranges: the last one among the operands wins.
_RANGE_DTYPES = ("int32", "int64", "float16", "bfloat16", "float32", "float64")


def _range_dtype(dtypes):
    """Infer the dtype of a range as TensorFlow does."""
    names = [dtype.name for dtype in dtypes]
    return max(names, key=lambda name: _RANGE_DTYPES.index(name))


def _convert_bound(value, dtype):
    """Convert a bound of a range to `dtype`; Python integers and dimensions are returned unchanged.

    The length of the range, if computed from them, is then known while the program is traced.
    """
    if jp.is_symbolic(value) or isinstance(value, (int, np.integer)):
        return value
    value = convert(operand(value), dtype)
    return value if jp.is_tracer(value) else int(value)


def _integer_range(start, limit, delta, dtype):
    _check_range(start, limit, delta)
    if _is_number(delta, 1):
        count = limit if _is_number(start, 0) else limit - start
    else:
        count = -((start - limit) // delta)
    places = primitives.fresh_range(count, label="range").astype(dtype)
    if not _is_number(delta, 1):
        places = places * jnp.asarray(delta, dtype)
    return places if _is_number(start, 0) else places + jnp.asarray(start, dtype)


def _is_number(value, number) -> bool:
    if jp.is_symbolic(value) or jp.is_tracer(value):
        return False
    return bool(value == number)


def _check_range(start, limit, delta):
    if _is_number(delta, 1):
        ends = [numbering.symbolic_value(v) if jp.is_tracer(v) else v for v in (start, limit)]
        span = None if None in ends else ends[1] - ends[0]
        if jp.is_symbolic(span) and size_bounds.sign(span) == 1:
            return
    start, limit, delta = (
        primitives.as_size(v) if jp.is_symbolic(v) else v for v in (start, limit, delta)
    )
    checks.check_data(delta == 0, "range", "`delta` is 0.", required="delta != 0")
    away = ((delta > 0) & (start > limit)) | ((delta < 0) & (start < limit))
    checks.check_data(
        away,
        "range",
        "`delta` has the wrong sign to reach `limit`.",
        required="start <= limit when delta > 0, start >= limit when delta < 0",
    )


@sized_by("num", compiled=True)
def linspace(start, stop, num, name=None, axis=0):
    """Return `num` evenly spaced numbers from `start` to `stop`, both included.

    Args:
      start: floating-point array.
      stop: array of the same dtype and shape.
      num: the number of values.
      name: ignored.
      axis: the position of the new axis.

    Returns:
      The numbers along a new axis.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      `num` may be traced.

    Example:
      >>> import shims
      >>> print(shims.linspace(0.0, 1.0, 5))
      [0.   0.25 0.5  0.75 1.  ]

    https://www.tensorflow.org/api_docs/python/tf/linspace
    """
    start, stop = matching("linspace", start=start, stop=stop)
    start, stop = jnp.broadcast_arrays(*broadcasting("linspace", start, stop))
    count = size_of("linspace", num)
    place = checks.axis_of("linspace", axis, start.ndim + 1)
    along = tuple(-1 if i == place else 1 for i in builtins.range(start.ndim + 1))
    start, stop = jnp.expand_dims(start, place), jnp.expand_dims(stop, place)
    steps = jnp.arange(count, dtype=jnp.int32)
    last = primitives.as_size(count) - 1
    way = stop - start  # may overflow for integers, as in TensorFlow
    if not jnp.issubdtype(start.dtype, jnp.inexact):
        dtype = array_dtype(np.float32 if start.dtype.itemsize < 4 else np.float64, "linspace")
        start, stop, way = (convert(v, dtype) for v in (start, stop, way))
    delta = way / jnp.maximum(last, 1).astype(start.dtype)
    inner = start + _multiply_rounded(delta, steps.astype(start.dtype).reshape(along))
    inner = jnp.where((steps == 0).reshape(along), start, inner)  # also where it is infinite
    return jnp.where(((steps == last) & (steps > 0)).reshape(along), stop, inner)


def _multiply_rounded(delta, steps):
    """Multiply, and round the product before anything is added to it.

    If XLA fused the product with the sum, the middle of `linspace(-1, 1, n)` would be 3e-8, not 0.
    """
    is_complex = jnp.issubdtype(delta.dtype, jnp.complexfloating)
    return delta * steps if is_complex else rounded_product(delta, steps)


@sized_by("depth", compiled=True)
def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """Encode indices as one-hot vectors with `on_value` and `off_value`.

    Args:
      indices: integer array.
      depth: the size of the new axis.
      on_value: scalar, 1 when `None`.
      off_value: scalar, 0 when `None`.
      axis: the position of the new axis; last when `None` or -1.
      dtype: the dtype. `None` stands for the dtype of the values, or for float32 if there are none.
      name: ignored.

    Returns:
      An array of the shape of `indices` with the size `depth` inserted at `axis`; for an index
      outside of [0, depth), all `depth` values are `off_value`.

    Raises:
      InvalidArgumentError: `depth` is negative, or the axis is out of range.
      TypeError: the values and `dtype` have different dtypes.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      `depth` may be traced.

    Example:
      >>> import shims
      >>> print(shims.one_hot([0, 2, 5], depth=3))
      [[1. 0. 0.]
       [0. 0. 1.]
       [0. 0. 0.]]

    https://www.tensorflow.org/api_docs/python/tf/one_hot
    """
    on, off = _one_hot_values(on_value, off_value, dtype)
    indices = operand(indices)
    if indices.dtype.itemsize < 4:
        indices = indices.astype(jnp.int32)
    (depth,) = sizes_of("one_hot", [depth])
    axis = -1 if axis is None else checks.static_int("one_hot", "axis", axis)
    if axis < -1:
        raise checks.invalid("one_hot", f"there is no axis {axis}.", required="axis >= -1")
    place = checks.axis_of("one_hot", axis, indices.ndim + 1)
    along = tuple(-1 if i == place else 1 for i in builtins.range(indices.ndim + 1))
    places = jnp.arange(depth, dtype=indices.dtype).reshape(along)
    hits = lax.expand_dims(indices, (place,)) == places
    # TensorFlow registers no gradient.
    return jnp.where(hits, lax.stop_gradient(on), lax.stop_gradient(off))


def _one_hot_values(on_value, off_value, dtype):
    given = [v for v in (on_value, off_value) if v is not None]
    own = {v.dtype for v in given if isinstance(v, (jax.Array, np.ndarray, np.generic))}
    if dtype is None:
        dtype = next(iter(own), operand(given[0]).dtype if given else np.float32)
    dtype = array_dtype(dtype, "one_hot")
    if len(own) > 1 or any(canonical_dtype(d) != dtype for d in own):
        raise errors.DtypeMismatchError(
            errors.message(
                "one_hot",
                "`on_value` and `off_value` must have the dtype `dtype`.",
                required=dtype.name,
                received=", ".join(sorted(d.name for d in own)),
            )
        )
    on = operand(1 if on_value is None else on_value, dtype)
    off = operand(0 if off_value is None else off_value, dtype)
    return on, off


@checked
def sequence_mask(lengths, maxlen=None, dtype=np.bool_, name=None):
    """Return masks in which the first `lengths` elements along the last axis are True.

    Args:
      lengths: integer array.
      maxlen: the size of the new last axis; the longest length when `None`.
      dtype: the dtype.
      name: ignored.

    Returns:
      An array `[*lengths.shape, maxlen]`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Without `maxlen` the size depends on data. `maxlen` may be traced.

    Example:
      >>> import shims
      >>> print(shims.sequence_mask([1, 3], 3))
      [[ True False False]
       [ True  True  True]]

    https://www.tensorflow.org/api_docs/python/tf/sequence_mask
    """
    if maxlen is None:
        return _mask_of_longest(lengths, dtype)
    return _mask(lengths, maxlen, dtype)


@selected_by("lengths")
def _mask_of_longest(lengths, dtype):
    lengths = operand(lengths)
    checks.check_kind("sequence_mask", "index floating", lengths)
    if on_host.lies_here(lengths):
        known = np.asarray(lengths)
        places = np.arange(max(known.max(initial=0), 0), dtype=np.int32)
        mask = (places < known[..., None]).astype(array_dtype(dtype, "sequence_mask"))
        return jp.as_array_like(mask, lengths)
    longest = lax.reduce_max(lengths, tuple(builtins.range(lengths.ndim)))
    if jnp.issubdtype(lengths.dtype, jnp.floating):  # rounded up in its own dtype
        lengths, longest = jnp.ceil(lengths), jnp.ceil(longest)
    return _mask(lengths, jnp.maximum(longest, 0).astype(jnp.int32), dtype)


@sized_by("maxlen", compiled=True)
def _mask(lengths, maxlen, dtype):
    lengths = convert(operand(lengths), np.dtype(np.int32))  # the dtype of `maxlen`
    places = jnp.arange(size_of("sequence_mask", maxlen), dtype=jnp.int32)
    return (places < lengths[..., None]).astype(array_dtype(dtype, "sequence_mask"))
