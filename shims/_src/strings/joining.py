"""Join strings: elementwise, along axes, by segments, and into templates."""

from __future__ import annotations

import math

import jax
import numpy as np

from shims._src.arguments import checks
from shims._src.debugging.printing import array_text
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.ragged.tensor import is_ragged
from shims._src.strings.late import late
from shims._src.strings.operands import numbers, scalar, strings
from shims._src.types.host_tensor import HostTensor, host


@late
def join(inputs, separator="", name=None):
    """Join the elements of tensors at the same positions.

    Args:
      inputs: list of tensors of strings of the same shape (scalars are joined to every element), or of
        ragged tensors with the same row partition.
      separator: the string between two elements.
      name: ignored.

    Returns:
      A tensor of strings, on the host.

    Raises:
      InvalidArgumentError: the shapes differ.
      TypeError: an input  does not contain strings.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Known strings are constants of the program; other strings are computed on the host.

    Example:
      >>> import shims
      >>> shims.strings.join([["a", "b"], "c"], separator="-").numpy().tolist()
      [b'a-c', b'b-c']

    https://www.tensorflow.org/api_docs/python/tf/strings/join
    """
    between = scalar("strings.join", "separator", separator)
    ragged = next((x for x in inputs if is_ragged(x)), None)
    if ragged is not None:
        flat = [_flat_beside(x, ragged) for x in inputs]
        return ragged.with_flat_values(join(flat, separator))
    texts = [np.asarray(strings("strings.join", x)) for x in inputs]
    shapes = [x.shape for x in texts if x.ndim]
    if any(s != shapes[0] for s in shapes):
        raise checks.invalid(
            "strings.join", "the shapes differ.", received=" and ".join(map(str, shapes))
        )
    shape = shapes[0] if shapes else ()
    columns = [x.ravel().tolist() if x.ndim else [x[()]] * math.prod(shape) for x in texts]
    found = np.empty(shape, object)
    found.reshape(-1)[:] = [between.join(row) for row in zip(*columns, strict=True)] or (
        [] if texts else [b""]
    )
    return host(found)


def _flat_beside(x, ragged):
    """Return the flat values of an input beside a ragged one; scalars have no rows."""
    if not is_ragged(x):
        found = strings("strings.join", x)
        if np.ndim(found):
            raise errors.UnimplementedError(
                errors.message(
                    "strings.join",
                    "an array cannot be joined to a ragged tensor.",
                    required="ragged tensors with the same rows, and scalars",
                    do="convert the array first: `shims.RaggedTensor.from_tensor(x)`",
                )
            )
        return found
    splits = zip(x.nested_row_splits, ragged.nested_row_splits, strict=False)
    if x.ragged_rank != ragged.ragged_rank or not all(np.array_equal(a, b) for a, b in splits):
        raise checks.invalid(
            "strings.join", "the rows of the ragged tensors have different lengths."
        )
    return x.flat_values


def reduce_join(inputs, axis=None, keepdims=False, separator="", name=None):
    """Join all strings along axes.

    Args:
      inputs: strings of any shape, or a ragged tensor of them.
      axis: the axis, or a list of axes in the order in which they are joined; all when `None`.
      keepdims: whether joined axes remain with the size 1.
      separator: the string between two elements.
      name: ignored.

    Returns:
      A tensor of strings, on the host; a `RaggedTensor` if a ragged axis remains.

    Raises:
      OutOfBoundsError: there is no such axis.
      TypeError: `inputs`  does not contain strings.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Strings are constants of the program.

    Example:
      >>> import shims
      >>> shims.strings.reduce_join([["a", "b"], ["c", "d"]], 1).numpy().tolist()
      [b'ab', b'cd']

    https://www.tensorflow.org/api_docs/python/tf/strings/reduce_join
    """
    between = scalar("strings.reduce_join", "separator", separator)
    if is_ragged(inputs):
        return _reduce_ragged(inputs, axis, keepdims, between)
    texts = np.asarray(strings("strings.reduce_join", inputs))
    axes = _axes(axis, texts.ndim)
    rest = [i for i in range(texts.ndim) if i not in axes]
    shape = tuple(texts.shape[i] for i in rest)
    rows = (
        texts.transpose([*rest, *reversed(axes)]).reshape((math.prod(shape), -1))
        if texts.size
        else None
    )
    found = np.empty(shape, object)
    joined = [b""] * math.prod(shape) if rows is None else [between.join(r) for r in rows.tolist()]
    found.reshape(-1)[:] = joined
    if keepdims:
        found = found.reshape([1 if i in axes else n for i, n in enumerate(texts.shape)])
    return host(found)


def _axes(axis, rank: int) -> list[int]:
    if axis is None:
        return [*reversed(range(rank))]
    axes = [int(a) for a in numbers("strings.reduce_join", "axis", axis).ravel()]
    for a in axes:
        if not -rank <= a < rank:
            raise errors.OutOfRangeError(
                errors.message(
                    "strings.reduce_join", f"there is no axis {a}.", received=f"rank {rank}"
                )
            )
    axes = [a % rank for a in axes]
    if len({*axes}) < len(axes):
        raise checks.invalid("strings.reduce_join", "an axis is repeated.", received=str(axis))
    return axes


def _reduce_ragged(rt, axis, keepdims: bool, between: bytes):
    rank = rt.shape.rank
    axes = _axes(axis, rank)
    if axes not in ([*reversed(range(rank))], [rank - 1]):
        raise errors.UnimplementedError(
            errors.message(
                "strings.reduce_join",
                "only the last axis of a ragged tensor, or all axes, can be joined.",
                received=f"axis={axis}",
                do="join one axis at a time, the last axis first",
            )
        )
    if len(axes) == rank and rank > 1:
        whole = host(between.join(np.asarray(rt.flat_values).ravel().tolist()))
        return HostTensor.reshape(whole, (1,) * rank) if keepdims else whole
    if is_ragged(rt.values):
        return rt.with_values(_reduce_ragged(rt.values, -1, keepdims, between))
    if np.ndim(rt.values) > 1:
        return rt.with_values(reduce_join(rt.values, -1, keepdims, between))
    rows = rt.to_list()
    found = np.empty(len(rows), object)
    found[:] = [between.join(row) for row in rows]
    return host(found[:, None] if keepdims else found)


def unsorted_segment_join(inputs, segment_ids, num_segments, separator="", name=None):
    """Join the strings of each segment.

    Args:
      inputs: strings of any shape.
      segment_ids: the segment of each element, or of each slice along the first axes.
      num_segments: the number of segments.
      separator: the string between two elements.
      name: ignored.

    Returns:
      The joined strings, `[num_segments, ...]`, on the host; empty strings for empty segments.

    Raises:
      InvalidArgumentError: an id is not in `[0, num_segments)`, or the shapes do not fit together.
      TypeError: `inputs`  does not contain strings.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Strings are constants of the program.

    Example:
      >>> import shims
      >>> shims.strings.unsorted_segment_join(["a", "b", "c"], [0, 1, 0], 2).numpy().tolist()
      [b'ac', b'b']

    https://www.tensorflow.org/api_docs/python/tf/strings/unsorted_segment_join
    """
    function = "strings.unsorted_segment_join"
    between = scalar(function, "separator", separator)
    texts = np.asarray(strings(function, inputs))
    ids = numbers(function, "segment_ids", segment_ids)
    count = int(numbers(function, "num_segments", num_segments))
    if not ids.ndim or texts.shape[: ids.ndim] != ids.shape:
        raise checks.invalid(
            function,
            "`segment_ids` must have the shape of the first axes of `inputs`.",
            received=f"{ids.shape} and {texts.shape}",
        )
    if np.any((ids < 0) | (ids >= count)):
        raise checks.invalid(
            function, "a segment id is out of range.", required=f"0 <= id < {count}"
        )
    shape = texts.shape[ids.ndim :]
    rows = texts.reshape((ids.size, math.prod(shape)))
    found = np.full((count, math.prod(shape)), b"", object)
    for segment in {*ids.ravel().tolist()}:
        members = rows[ids.ravel() == segment]
        found[segment] = [between.join(column) for column in members.T.tolist()]
    return host(found.reshape((count, *shape)))


@late
def format(template, inputs, placeholder="{}", summarize=3, name=None):
    """Put tensors into a template, as `print` shows them.

    Args:
      template: a Python string with placeholders.
      inputs: a tensor, or a list with one tensor for each placeholder.
      placeholder: the placeholder.
      summarize: the number of elements to show at either end of an axis.
      name: ignored.

    Returns:
      One string, on the host.

    Raises:
      ValueError: the numbers of placeholders and tensors differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The string is computed on the host when the program runs; it has at most 1024 bytes.

    Example:
      >>> import shims
      >>> shims.strings.format("x = {}", shims.range(3)).numpy()
      b'x = [0 1 2]'

    https://www.tensorflow.org/api_docs/python/tf/strings/format
    """
    tensors = inputs if isinstance(inputs, (list, tuple)) else [inputs]
    parts = template.split(placeholder)
    if len(parts) - 1 != len(tensors):
        raise ValueError(
            f"The template expects {len(parts) - 1} tensors, but the inputs only has "
            f"{len(tensors)}. Please ensure the number of placeholders in template matches inputs "
            "length."
        )
    shown = [_shown(x, summarize) for x in tensors]
    text = "".join(a + b for a, b in zip(parts, [*shown, ""], strict=True))
    return host(text.encode(errors="surrogateescape"))


def _shown(x, summarize: int) -> str:
    if any(map(jp.is_tracer, jax.tree.leaves(x))):
        raise errors.UnimplementedError(
            errors.message(
                "strings.format",
                "a tensor is traced, but strings can be computed only on the host.",
                do="use `shims.print`, which prints when the program runs",
            )
        )
    array = strings("strings.format", x) if isinstance(x, (str, bytes)) else x
    return array_text(np.asarray(array), summarize)
