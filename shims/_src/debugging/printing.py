"""Print values in TensorFlow's format, eagerly or when the program runs."""

from __future__ import annotations

import pprint
import sys
from typing import Any

import jax
import numpy as np

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.recording.contexts import executing_eagerly
from shims._src.sizes import trace
from shims._src.sizes.padded import Padded
from shims._src.tracing.dynamic import entered
from shims._src.types.composite import is_composite
from shims._src.types.host_tensor import HostTensor
from shims._src.types.traced_text import TracedText
from shims._src.variables.variable import Variable

_COMPUTED = (jax.Array, HostTensor, Variable, Padded, TracedText)
_OPTIONS = ("output_stream", "name", "summarize", "sep", "end")


def print_(*inputs, **kwargs):
    """Print values in TensorFlow's format.

    Args:
      *inputs: arrays, strings, and lists, tuples and dictionaries of them.
      **kwargs: `output_stream` (`sys.stderr`, `sys.stdout`, or `file://` with the path of a file to
        append to), `summarize` (the number of elements to print at either end of each axis; 3 by
        default, and all if the number is negative), `sep`, `end`, and `name`, which is ignored.

    Raises:
      ValueError: a keyword argument or the stream is unknown.

    Differs from TensorFlow:
      Ragged and sparse tensors are rejected inside a trace.

    Under jit:
      Prints when the program runs, in program order; `jax.effects_barrier()` waits for the output.

    Example:
      >>> import sys, shims
      >>> shims.print("x =", shims.range(10), output_stream=sys.stdout)
      x = [0 1 2 ... 7 8 9]

    https://www.tensorflow.org/api_docs/python/tf/print
    """
    unknown = {k: v for k, v in kwargs.items() if k not in _OPTIONS}
    if unknown:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {unknown}")
    summarize = kwargs.get("summarize")
    sep, end = kwargs.get("sep", " "), kwargs.get("end", "\n")
    write = _make_writer(kwargs.get("output_stream"))
    if trace.current() is not None:
        inputs = entered(inputs)
    leaves, tree = jax.tree.flatten(inputs, is_leaf=_is_leaf)
    for x in leaves:
        if isinstance(x, Padded):
            x.check_is_one_value()
    leaves = [_text_of_strings(x, summarize, alone=len(inputs) == 1) for x in leaves]
    places = [i for i, x in enumerate(leaves) if isinstance(x, _COMPUTED)]
    arrays = [_array(leaves[i]) for i in places]

    def emit(*values):
        full: list[Any] = list(leaves)
        for i, value in zip(places, values, strict=True):
            full[i] = _text_of_array(value, summarize, alone=len(inputs) == 1)
        full = [_Unquoted(_composite_text(x, summarize)) if is_composite(x) else x for x in full]
        parts = [_item_text(x) for x in jax.tree.unflatten(tree, full)]
        write(sep.join(parts) + end)

    if executing_eagerly():
        emit(*arrays)
        return
    composite = list(filter(is_composite, leaves))
    if composite:
        raise errors.UnimplementedError(
            errors.message(
                "print",
                "a ragged or sparse tensor cannot be printed while the program runs.",
                received=type(composite[0]).__name__,
                do="print the component arrays: `x.flat_values, x.row_splits`",
            )
        )
    is_mapped = any(map(jp.is_batched, jax.tree.leaves(arrays)))
    jax.debug.callback(emit, *arrays, ordered=not is_mapped)


def _text_of_strings(x, summarize, *, alone: bool):
    """Format a tensor of strings; return other values unchanged."""
    if not isinstance(x, HostTensor) or not np.asarray(x).dtype.hasobject:
        return x
    if alone and not x.ndim:
        return x.item().decode(errors="surrogateescape")
    return _Unquoted(array_text(np.asarray(x), summarize))


def _text_of_array(value, summarize, *, alone: bool):
    """Format the value of an array, or of strings that the program has computed."""
    array = value.unpad() if isinstance(value, Padded) else value
    told = _text_of_strings(array, summarize, alone=alone)
    return _Unquoted(array_text(np.asarray(array), summarize)) if told is array else told


def _is_leaf(x) -> bool:
    return x is None or isinstance(x, (Variable, Padded, TracedText)) or is_composite(x)


def _array(x):
    return x.read_value() if isinstance(x, Variable) else x


def _make_writer(stream):
    """Return a function that writes text to a stream; standard streams are looked up at each write."""
    if isinstance(stream, str) and stream.startswith("file://"):
        path = stream.removeprefix("file://")

        def append(text):
            with open(path, "a", encoding="utf-8") as file:
                file.write(text)

        return append
    if stream is None or stream is sys.stderr:
        return lambda text: _write_and_flush(sys.stderr, text)
    if stream is sys.stdout:
        return lambda text: _write_and_flush(sys.stdout, text)
    raise ValueError(
        f"Unsupported output stream, logging level, or file.{stream}. Supported streams are "
        "sys.stdout, sys.stderr. File needs to be in the form of 'file://<filepath>'."
    )


def _write_and_flush(stream, text) -> None:
    stream.write(text)
    stream.flush()


class _Unquoted:
    """A string whose `repr` has no quotation marks, for use in nested structures."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _item_text(item) -> str:
    if isinstance(item, str):
        return item
    return item.text if isinstance(item, _Unquoted) else pprint.pformat(item)


# ---- arrays --------------------------------------------------------------------------------------


def array_text(array: np.ndarray, summarize=None) -> str:
    """Format an array as TensorFlow prints it.

    Args:
      array: the array.
      summarize: the number of elements at either end of each axis; all if negative, 3 when `None`.
    """
    if not array.ndim:
        return element_text(array[()])
    limit = 3 if summarize is None else array.size if summarize < 0 else summarize
    return _axis_text(array, min(limit, array.size), 0, array.ndim)


def _composite_text(x, summarize) -> str:
    if hasattr(x, "to_list"):
        return _rows_text(x.to_list(), 3 if summarize is None else summarize)
    parts = {"indices": x.indices, "values": x.values, "shape": x.dense_shape}
    told = [f"{k}={array_text(np.asarray(v), summarize)}" for k, v in parts.items()]
    return f"'SparseTensor({', '.join(told)})'"


def _rows_text(rows, ends: int) -> str:
    """Format nested lists as TensorFlow prints ragged tensors.

    ends: the number of items to show at either end of a list; all if negative.
    """
    if not isinstance(rows, list):
        if isinstance(rows, bytes):
            return f"'{rows.decode(errors='surrogateescape')}'"
        return f"{rows:f}" if isinstance(rows, float) else str(rows)
    if 0 <= 2 * ends < len(rows):
        shown = [_rows_text(r, ends) for r in (*rows[:ends], *rows[len(rows) - ends :])]
        shown.insert(ends, "...")
    else:
        shown = [_rows_text(r, ends) for r in rows]
    return f"[{', '.join(shown)}]"


def _axis_text(array, ends: int, depth: int, rank: int) -> str:
    if isinstance(array, bytes):
        return element_text(array)
    if not array.ndim:
        return element_text(array[()])
    space = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * (depth + 1)
    count = len(array)
    shown = [_axis_text(x, ends, depth + 1, rank) for x in array[: min(ends, count)]]
    if count > 2 * ends:
        shown = [*shown, "..."] if shown else ["", "..."]
    shown += [_axis_text(x, ends, depth + 1, rank) for x in array[max(ends, count - ends) :]]
    return f"[{space.join(shown)}]"


_ESCAPES = {
    **{i: f"\\{i:03o}" for i in (*range(32), 127)},
    **{ord(a): f"\\{b}" for a, b in ("\nn", "\rr", "\tt", '""', "''", "\\\\")},
}


def element_text(x) -> str:
    """Format one element as TensorFlow does.

    Floats have 6 (float64: 15) digits if these determine the number, otherwise 9 (17).
    """
    if isinstance(x, bytes):
        return f'"{x.decode(errors="surrogateescape").translate(_ESCAPES)}"'
    if x.dtype == bool:
        return "1" if x else "0"
    if np.issubdtype(x.dtype, np.integer):
        return str(int(x))
    if np.issubdtype(x.dtype, np.complexfloating):
        return "?"  # as TensorFlow prints
    wide = np.float64 if x.dtype == np.float64 else np.float32
    digits = np.finfo(wide).precision
    value = wide(x)
    text = f"{float(value):.{digits}g}"
    if not np.isfinite(value) or wide(text) == value:
        return text
    return f"{float(value):.{digits + (2 if wide is np.float64 else 3)}g}"
