"""Slice arrays by begin and size, slice with strides, and reverse sequences."""

from __future__ import annotations

import builtins

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import axis_of, is_known
from shims._src.arguments.operands import operand
from shims._src.platform import jax_private as jp
from shims._src.sizes import numbering, primitives
from shims._src.tracing.dispatch import operator
from shims._src.tracing.sized_by import sized_by


def entries(values) -> list:
    """Return a vector as a list of its entries: numbers, dimensions or traced scalars.

    The vector is a sequence of numbers, dimensions and scalars, or one array. A traced value that was
    computed from dimensions is converted to a dimension, a known value to a number.
    """
    if not isinstance(values, (tuple, list)):
        if not jp.is_tracer(values):
            values = np.asarray(values).tolist()
        values = [values[i] for i in range(values.shape[0])] if hasattr(values, "shape") else values
    return [_entry(v) for v in values]


def _entry(value):
    """Convert one entry of a vector to a number or a dimension, or return it as a traced scalar."""
    if jp.is_symbolic(value):
        return value
    if not jp.is_tracer(value):
        return int(value)
    known = numbering.symbolic_value(value)
    return value if known is None else known


def window(x, axis: int, start, count, *, function: str):
    """Slice `count` elements along an axis from `start` on; a `count` of -1 takes all that remain.

    Raises:
      InvalidArgumentError: the slice is out of bounds.
    """
    n = x.shape[axis]
    if _is_number(start) and _is_number(count) and start == 0 and count == -1:
        return x
    if not jp.is_symbolic(count) and _is_number(count) and count == -1:
        count = n - start if not jp.is_tracer(start) else _size_of_rest(n, start, function)
    elif jp.is_tracer(count):
        rest = primitives.as_size(n) - jnp.asarray(start, jnp.int32)
        count = jnp.maximum(jnp.where(count == -1, rest, count), -1)
    _check_window(x, axis, start, count, function)
    if all(map(_is_number, (n, start, count))):
        return lax.slice_in_dim(x, start, start + count, axis=axis)
    if jp.is_tracer(count):
        count = primitives.to_dim(jnp.maximum(count, 0), label=function, bound=n)
    positions = jnp.arange(count, dtype=jnp.int32) + jnp.asarray(start, jnp.int32)
    return primitives.take(x, positions, axis)


def _is_number(d) -> bool:
    return is_known(d) and not jp.is_tracer(d)


def _size_of_rest(n, start, function):
    left = jnp.maximum(primitives.as_size(n) - start, 0)
    return primitives.to_dim(left, label=function, bound=n)


def _check_window(x, axis, start, count, function) -> None:
    n = x.shape[axis]
    lines = {
        "required": f"0 <= begin, 0 <= size, begin + size <= {n} (axis {axis})",
        "received": f"begin={_show(start)}, size={_show(count)}",
    }
    if all(map(_is_number, (n, start, count))):
        if start < 0 or count < 0 or start + count > n:
            raise checks.invalid(function, "slice out of bounds.", **lines)
        return
    start, count = (jnp.asarray(v, jnp.int32) for v in (start, count))
    bad = (start < 0) | (count < 0) | (start + count > primitives.as_size(n))
    checks.check_data(bad, function, "slice out of bounds.", **lines)


def _show(value) -> str:
    return "traced" if jp.is_tracer(value) else str(value)


@sized_by("size", compiled=True)
def slice(input_, begin, size, name=None):
    """Slice an array by begin and size.

    Args:
      input_: array.
      begin: the first position of the slice along each axis.
      size: the size of the slice along each axis; -1 selects all remaining elements.
      name: ignored.

    Returns:
      An array of the shape `size`.

    Raises:
      InvalidArgumentError: the slice is out of bounds, or `begin` or `size` does not have one entry per axis.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      `begin` and `size` may be traced. A traced `begin` with size -1 gives a data-dependent size.

    Example:
      >>> import shims
      >>> shims.slice([1, 2, 3, 4], begin=[1], size=[-1]).tolist()
      [2, 3, 4]

    https://www.tensorflow.org/api_docs/python/tf/slice
    """
    x = operand(input_)
    starts, counts = entries(begin), entries(size)
    if len(starts) != x.ndim or len(counts) != x.ndim:
        raise checks.invalid(
            "slice",
            "`begin` and `size` must contain one number for each axis.",
            required=f"{x.ndim} numbers each",
            received=f"{len(starts)} and {len(counts)}",
        )
    for axis, (start, count) in enumerate(zip(starts, counts, strict=True)):
        x = window(x, axis, start, count, function="slice")
    return x


@sized_by("begin", "end", "strides", compiled=True)
def strided_slice(
    input_,
    begin,
    end,
    strides=None,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
    var=None,
    name=None,
):
    """Slice an array with strides, as `input_[begin:end:strides]` does.

    Args:
      input_: array.
      begin: the first position for each entry of the index; negative positions count from the end.
      end: the position after the last one, for each entry of the index.
      strides: the step for each entry of the index; all 1 when `None`.
      begin_mask: if bit `i` is set, `begin[i]` is ignored and the slice begins at the start of the
        axis.
      end_mask: if bit `i` is set, `end[i]` is ignored and the slice ends at the end of the axis.
      ellipsis_mask: the bit of the entry that is an ellipsis.
      new_axis_mask: if bit `i` is set, entry `i` is a new axis of size 1.
      shrink_axis_mask: if bit `i` is set, entry `i` is the single position `begin[i]` and its axis
        is removed.
      var: ignored.
      name: ignored.

    Returns:
      The slice.

    Raises:
      InvalidArgumentError: a stride is 0, a single position is out of range, or there are more
        entries than axes.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Bounds and strides may be traced; the size of the result is then data-dependent.

    https://www.tensorflow.org/api_docs/python/tf/strided_slice
    """
    x = operand(input_)
    starts, stops = entries(begin), entries(end)
    steps = [1] * len(starts) if strides is None else entries(strides)
    if not len(starts) == len(stops) == len(steps):
        raise checks.invalid(
            "strided_slice",
            "`begin`, `end` and `strides` must have the same length.",
            received=f"{len(starts)}, {len(stops)} and {len(steps)} numbers",
        )
    index: list = []
    for i, (start, stop, step) in enumerate(zip(starts, stops, steps, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            index.append(Ellipsis)
        elif new_axis_mask & bit:
            index.append(None)
        elif shrink_axis_mask & bit:
            index.append(start)
        else:
            if _is_number(step) and step == 0:
                raise checks.invalid("strided_slice", f"strides[{i}] must be non-zero.")
            first = None if begin_mask & bit else start
            last = None if end_mask & bit else stop
            index.append(builtins.slice(first, last, None if step == 1 else step))
    _check_index(x, index)
    return x[tuple(index)]


def _check_index(x, index) -> None:
    """Check that an index has no more items than the array has axes, and that integers are in range."""
    used = sum(i is not None and i is not Ellipsis for i in index)
    if index.count(Ellipsis) > 1 or used > x.ndim:
        raise checks.invalid(
            "strided_slice",
            "the index has too many items for the array.",
            required=f"at most {x.ndim} axes and one ellipsis",
            received=f"{used} axes and {index.count(Ellipsis)} ellipses",
        )
    axis = 0
    for item in index:
        if item is Ellipsis:
            axis += x.ndim - used
        elif isinstance(item, builtins.slice):
            axis += 1
        elif item is not None:
            _check_position(item, x.shape[axis], axis)
            axis += 1


def _check_position(position, n, axis) -> None:
    lines = {"required": f"a position in [-{n}, {n})", "received": _show(position)}
    text = f"slice index of dimension {axis} out of bounds."
    if _is_number(position) and _is_number(n):
        if not -n <= position < n:
            raise checks.invalid("strided_slice", text, **lines)
        return
    place, size = jnp.asarray(position, jnp.int32), primitives.as_size(n)
    checks.check_data((place < -size) | (place >= size), "strided_slice", text, **lines)


@operator(compiled=True)
def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None):
    """Reverse each sequence of a batch, up to its length.

    Args:
      input: array.
      seq_lengths: int32 or int64 vector of the length of each sequence.
      seq_axis: the axis of the elements of a sequence.
      batch_axis: the axis of the sequences; 0 when `None`.
      name: ignored.

    Returns:
      An array like `input`; elements beyond the length of a sequence keep their positions.

    Raises:
      InvalidArgumentError: a length is not in [0, size of `seq_axis`], the number of lengths
        differs from the number of sequences, or both axes are the same.
      TypeError: `seq_axis` is `None`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes of both axes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/reverse_sequence
    """
    x, lengths = operand(input), operand(seq_lengths)
    if seq_axis is None:
        raise TypeError("reverse_sequence: `seq_axis` must be an integer, received None.")
    along = axis_of("reverse_sequence", seq_axis, x.ndim, name="seq_axis")
    batch = axis_of("reverse_sequence", batch_axis or 0, x.ndim, name="batch_axis")
    checks.check_vector("reverse_sequence", "seq_lengths", lengths)
    if along == batch:
        raise checks.invalid("reverse_sequence", f"`seq_axis` and `batch_axis` are both {along}.")
    lengths = primitives.unify_axis(lengths, 0, x.shape[batch], label="reverse_sequence")
    lengths = lengths.astype(jnp.int32)
    n = primitives.as_size(x.shape[along])
    checks.check_data(
        (lengths < 0) | (lengths > n),
        "reverse_sequence",
        "a length is out of range.",
        required=f"seq_lengths in [0, {x.shape[along]}]",
    )

    def turn(one, length):
        place = jnp.arange(x.shape[along], dtype=jnp.int32)
        place = jnp.where(place < length, length - 1 - place, place)
        return jnp.take(one, place, axis=along - (batch < along), mode="clip")

    return jax.vmap(turn, in_axes=(batch, 0), out_axes=batch)(x, lengths)
