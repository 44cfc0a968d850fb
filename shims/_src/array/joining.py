"""Join arrays and split arrays along an axis."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import axis_of, is_known
from shims._src.arguments.operands import agreeing, describe, matching, operand
from shims._src.array.shapes import size_of
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.sizes.constant_sizes import with_known_size
from shims._src.tracing.dispatch import operator
from shims._src.tracing.sized_by import sized_by

_NUMBERS = (bool, int, float, complex, np.generic)


def _is_number(value) -> bool:
    return isinstance(value, _NUMBERS) or (isinstance(value, np.ndarray) and not value.ndim)


def _convert_to_one_dtype(function: str, values):
    """Convert a list of values to arrays of the same dtype."""
    names = {f"values[{i}]": v for i, v in enumerate(values)}
    return matching(function, **names)


@operator(compiled=True)
def concat(values, axis, name="concat"):
    """Concatenate arrays along an axis.

    Args:
      values: list of arrays of the same dtype and rank, with equal sizes along all other axes.
      axis: the axis to join along.
      name: ignored.

    Returns:
      The joined array; its size along `axis` is the sum of the sizes of `values`.

    Raises:
      InvalidArgumentError: dtypes, ranks or other sizes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time. Padding between the arrays stays in place, marked by a mask,
      until the position of an element is needed.

    Example:
      >>> import shims
      >>> print(shims.concat([[[1, 2]], [[3, 4], [5, 6]]], axis=0))
      [[1 2]
       [3 4]
       [5 6]]

    https://www.tensorflow.org/api_docs/python/tf/concat
    """
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    if not values:
        raise checks.invalid("concat", "`values` is empty.", required="one array or more")
    if len(values) == 1:
        # As in TensorFlow, which does not check the axis in this case.
        if np.ndim(operand(axis, np.int32)):
            raise checks.invalid("concat", "`axis` must be a scalar.", received=f"{axis}")
        return operand(values[0])
    arrays = _convert_to_one_dtype("concat", values)
    rank = arrays[0].ndim
    if not rank:
        raise checks.invalid(
            "concat",
            "scalars have no axis to concatenate along.",
            required="rank >= 1",
            do="stack them: `shims.stack`",
        )
    axis = axis_of("concat", axis, rank)
    others = [i for i in range(rank) if i != axis]
    fits = all(
        a.ndim == rank and all(_may_equal(a.shape[i], arrays[0].shape[i]) for i in others)
        for a in arrays
    )
    if not fits:
        raise _shape_mismatch(
            "concat", arrays, f"equal ranks, and equal sizes except along axis {axis}"
        )
    return with_known_size(jnp.concatenate(agreeing("concat", arrays, others), axis=axis), axis)


def _may_equal(a, b) -> bool:
    return not (is_known(a) and is_known(b)) or a == b


def _shape_mismatch(function, arrays, required):
    return checks.invalid(
        function,
        "the shapes of `values` do not match.",
        required=required,
        received=", ".join(map(describe, arrays)),
    )


@operator(compiled=True)
def stack(values, axis=0, name="stack"):
    """Stack arrays of the same shape along a new axis.

    Args:
      values: list of arrays, or one array that is split along its first axis.
      axis: the position of the new axis.
      name: ignored.

    Returns:
      An array with one more axis than the arrays in `values`.

    Raises:
      InvalidArgumentError: dtypes or shapes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes that are known only at run time are checked for equality.

    Example:
      >>> import shims
      >>> print(shims.stack([[1, 2], [3, 4]], axis=1))
      [[1 3]
       [2 4]]

    https://www.tensorflow.org/api_docs/python/tf/stack
    """
    if not isinstance(values, (list, tuple)):
        values = operand(values)
        return jnp.moveaxis(values, 0, axis_of("stack", axis, values.ndim))
    if not values:
        return jnp.zeros((0,), jnp.float32)
    if axis == 0 and all(map(_is_number, values)):
        # Convert a list of numbers as one value, so that NumPy integers become int32.
        return operand([v[()] if isinstance(v, np.ndarray) else v for v in values])
    arrays = _convert_to_one_dtype("stack", values)
    rank = arrays[0].ndim
    fits = all(a.ndim == rank and all(map(_may_equal, a.shape, arrays[0].shape)) for a in arrays)
    if not fits:
        raise _shape_mismatch("stack", arrays, "equal shapes")
    axis = axis_of("stack", axis, rank + 1)
    return jnp.stack(agreeing("stack", arrays, range(rank)), axis=axis)


def parallel_stack(values, name="parallel_stack"):
    """Stack arrays of the same shape along a new leading axis.

    Args:
      values: list of arrays.
      name: ignored.

    Returns:
      An array with one more axis than the arrays in `values`.

    Raises:
      InvalidArgumentError: dtypes or shapes differ.

    Differs from TensorFlow:
      It is the same as `stack`, and works eagerly too.

    Under jit:
      Sizes that are known only at run time are checked for equality.

    https://www.tensorflow.org/api_docs/python/tf/parallel_stack
    """
    return stack(values)


@operator(compiled=True)
def unstack(value, num=None, axis=0, name="unstack"):
    """Split an array into a list of its slices along an axis.

    Args:
      value: array.
      num: the number of slices; the size of the axis when `None`.
      axis: the axis to remove.
      name: ignored.

    Returns:
      A list of arrays of the shape of `value` without the axis.

    Raises:
      InvalidArgumentError: `num` is not the size of the axis, or the size is known only at run
        time.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The size must be known while the program is traced, or `num` given.

    Example:
      >>> import shims
      >>> print(shims.unstack([[1, 2], [3, 4]])[1])
      [3 4]

    https://www.tensorflow.org/api_docs/python/tf/unstack
    """
    x = operand(value)
    axis = axis_of("unstack", axis, x.ndim)
    count = x.shape[axis]
    if not is_known(count):
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {x.shape}")
        x = primitives.unify_axis(x, axis, num, label="unstack")
    elif num is not None and num != count:
        raise checks.invalid(
            "unstack",
            f"axis {axis} has size {count}.",
            required=f"size {num} (num)",
            received=describe(x),
        )
    return [lax.index_in_dim(x, i, axis, keepdims=False) for i in range(x.shape[axis])]


@sized_by("num_or_size_splits", compiled=True)
def split(value, num_or_size_splits, axis=0, num=None, name="split"):
    """Split an array into parts along an axis.

    Args:
      value: array.
      num_or_size_splits: the number of equal parts, or the size of each part; one size may be -1.
      axis: the axis to split.
      num: the number of parts, if the sizes are a traced vector.
      name: ignored.

    Returns:
      A list of arrays; except along `axis`, their sizes are those of `value`.

    Raises:
      InvalidArgumentError: the sizes of the parts do not add up to the size of the axis.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be traced.

    Example:
      >>> import shims
      >>> a, b = shims.split([1, 2, 3, 4, 5], [2, 3])
      >>> print(a, b)
      [1 2] [3 4 5]

    https://www.tensorflow.org/api_docs/python/tf/split
    """
    x = operand(value)
    axis = axis_of("split", axis, x.ndim)
    if not isinstance(num_or_size_splits, (list, tuple)) and np.ndim(num_or_size_splits) == 0:
        return _equal_parts(x, checks.static_int("split", "num", num_or_size_splits), axis)
    count = len(num_or_size_splits) if isinstance(num_or_size_splits, (list, tuple)) else None
    count = num_or_size_splits.shape[0] if count is None else count
    if is_known(count) and count == 0:
        raise checks.invalid("split", "there are no sizes.", required="at least one")
    if num is not None and num != count:
        raise checks.invalid(
            "split", "`num` is not the number of sizes.", received=f"num={num}, {count} sizes"
        )
    return _parts(x, num_or_size_splits, axis)


def _equal_parts(x, count, axis):
    extent = x.shape[axis]
    if is_known(extent) and extent % count:
        raise checks.invalid(
            "split",
            f"axis {axis} of size {extent} cannot be divided into {count} equal parts.",
            required=f"a multiple of {count}",
            received=describe(x),
        )
    if not is_known(extent):
        checks.check_data(
            primitives.as_size(extent) % count != 0,
            "split",
            f"axis {axis} cannot be divided into {count} equal parts.",
            required=f"a multiple of {count}",
            received=describe(x),
        )
    part = extent // count
    return [lax.slice_in_dim(x, i * part, (i + 1) * part, axis=axis) for i in range(count)]


def _parts(x, sizes, axis):
    extent = x.shape[axis]
    if isinstance(sizes, jax.Array) and jp.is_tracer(sizes):
        sizes = [sizes[i] for i in range(sizes.shape[0])]
    dims = (
        [size_of("split", d, bound=extent) for d in np.ravel(sizes).tolist()]
        if not isinstance(sizes, (list, tuple))
        else [size_of("split", d, bound=extent) for d in sizes]
    )
    if any(is_known(d) and d == -1 for d in dims):
        rest = extent - sum(d for d in dims if not (is_known(d) and d == -1))
        dims = [rest if is_known(d) and d == -1 else d for d in dims]
        if is_known(rest) and rest < 0:
            raise checks.invalid(
                "split",
                f"the sizes add up to more than {extent}.",
                required=f"at most {extent}, the size of axis {axis}",
                received=f"sizes {dims}",
            )
    if all(map(is_known, (*dims, extent))) and sum(dims) != extent:
        raise checks.invalid(
            "split",
            f"the sizes add up to {sum(dims)}.",
            required=f"{extent}, the size of axis {axis}",
            received=f"sizes {dims}",
        )
    if not all(map(is_known, (*dims, extent))):
        sizes = jnp.stack([primitives.as_size(d) for d in dims])
        checks.check_data(
            (jnp.sum(sizes) != primitives.as_size(extent)) | jnp.any(sizes < 0),
            "split",
            f"the sizes do not add up to the size of axis {axis}.",
            required="sizes whose sum is the size of the axis",
        )
    starts = [0]
    for d in dims[:-1]:
        starts.append(starts[-1] + d)
    return [_slice_axis(x, start, d, axis) for start, d in zip(starts, dims, strict=True)]


def _slice_axis(x, start, extent, axis):
    """Slice `extent` elements from `start` on along an axis; both numbers may be traced."""
    if is_known(start) and is_known(extent) and is_known(x.shape[axis]):
        return lax.slice_in_dim(x, start, start + extent, axis=axis)
    places = jnp.arange(extent, dtype=jnp.int32) + primitives.as_size(start)
    return primitives.take(x, places, axis)


@operator(compiled=True)
def reverse(tensor, axis, name=None):
    """Reverse an array along axes.

    Args:
      tensor: array.
      axis: the axes.
      name: ignored.

    Returns:
      The reversed array, of the shape of `tensor`.

    Raises:
      InvalidArgumentError: the axis is out of range.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; the elements are reversed, and padding is skipped.

    Example:
      >>> import shims
      >>> print(shims.reverse([[1, 2, 3]], axis=[1]))
      [[3 2 1]]

    https://www.tensorflow.org/api_docs/python/tf/reverse
    """
    x = operand(tensor)
    return lax.rev(x, checks.axes_of("reverse", axis, x.ndim))


@operator(compiled=True)
def roll(input, shift, axis, name=None):
    """Roll an array along axes, with wraparound.

    Args:
      input: array.
      shift: the number of positions to move along each axis.
      axis: the axes; the shifts of a repeated axis add up.
      name: ignored.

    Returns:
      The array, of the shape of `input`.

    Raises:
      InvalidArgumentError: an axis does not exist, or `shift` and `axis` differ in length.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      `shift` may be traced.

    Example:
      >>> import shims
      >>> print(shims.roll([1, 2, 3, 4], shift=1, axis=0))
      [4 1 2 3]

    https://www.tensorflow.org/api_docs/python/tf/roll
    """
    x = operand(input)
    if not x.ndim:
        raise checks.invalid("roll", "a scalar has no axis to roll along.", required="rank >= 1")
    axes, shifts = _list_scalars("roll", "axis", axis), _list_scalars("roll", "shift", shift)
    if len(axes) != len(shifts) or _rank(axis) != _rank(shift):
        raise checks.invalid(
            "roll",
            "`shift` and `axis` must be two scalars, or two vectors of the same length.",
            received=f"shift={shift}, axis={axis}",
        )
    for a, s in zip(axes, shifts, strict=True):
        x = _roll_axis(x, s, axis_of("roll", a, x.ndim))
    return x


def _roll_axis(x, shift, axis: int):
    size = x.shape[axis]
    if is_known(size) or str(size) in jp.variables(size):
        return jnp.roll(x, shift, axis=axis)
    # `jnp.roll` slices, and cannot decide whether a size like `n - 2` is large enough for that.
    count = jnp.maximum(primitives.as_size(size), 1)
    places = jnp.remainder(jnp.arange(size, dtype=jnp.int32) - shift, count)
    return jnp.take(x, places, axis=axis, mode="clip")


def _rank(value):
    """Return the rank of a number, array or sequence; it may contain traced values."""
    return 1 if isinstance(value, (tuple, list)) else np.ndim(value)


def _list_scalars(function, name, value):
    """Convert a scalar or vector to a list of scalars."""
    if not isinstance(value, (tuple, list)):
        value = [value] if np.ndim(value) == 0 else [value[i] for i in range(value.shape[0])]
    if any(isinstance(v, (tuple, list)) or np.ndim(v) for v in value):
        raise checks.invalid(function, f"`{name}` must be a scalar or a vector.")
    return list(value)


def meshgrid(*args, **kwargs):
    """Return the coordinate arrays of a grid.

    Args:
      *args: vectors, or scalars.
      **kwargs: `indexing`, which is `"ij"` or `"xy"` (the default, which swaps the first two axes);
        and `name`, which is ignored.

    Returns:
      A list with one array per vector, all of the shape of the grid.

    Raises:
      TypeError: a keyword is unknown.
      ValueError: `indexing` is neither `"xy"` nor `"ij"`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time.

    Example:
      >>> import shims
      >>> x, y = shims.meshgrid([1, 2, 3], [4, 5])
      >>> print(x)
      [[1 2 3]
       [1 2 3]]
      >>> print(y)
      [[4 4 4]
       [5 5 5]]

    https://www.tensorflow.org/api_docs/python/tf/meshgrid
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"meshgrid() got an unexpected keyword argument {next(iter(kwargs))!r}")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` must be 'xy' or 'ij'. Received: {indexing}")
    return _meshgrid(*args, indexing=indexing)


@operator(compiled=True)
def _meshgrid(*args, indexing):
    vectors = [operand(a).reshape((-1,)) for a in args]
    order = list(range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    shape = tuple(vectors[i].shape[0] for i in order)
    out = []
    for i, v in enumerate(vectors):
        along = tuple(a for a in range(len(order)) if a != order.index(i))
        out.append(jnp.broadcast_to(lax.expand_dims(v, along), shape))
    return out
