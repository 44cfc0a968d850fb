"""Split strings into parts, which are rows of ragged tensors."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from shims._src.ragged.tensor import RaggedTensor, is_ragged
from shims._src.strings.elements import SPACES
from shims._src.strings.operands import scalar, strings
from shims._src.types.host_tensor import HostTensor, host


def strings_vector(parts: list[bytes]) -> HostTensor:
    """Convert a list of strings to a vector."""
    found = np.empty(len(parts), object)
    found[:] = parts
    return host(found)


def split_each(
    function: str,
    input,
    parts_of: Callable[[bytes], list],
    vector: Callable[[list], Any] = strings_vector,
):
    """Split every string into a row of parts.

    Args:
      function: the operator as the user spells it.
      input: strings of any shape, or a ragged tensor of them.
      parts_of: returns the parts of one string.
      vector: converts a list of parts to a vector.

    Returns:
      The parts of a single string as a vector; otherwise a ragged tensor with one more axis.
    """
    if is_ragged(input):
        rows = split_each(function, input.flat_values, parts_of, vector)
        return input.with_flat_values(rows)
    texts = strings(function, input)
    if not np.ndim(texts):
        return vector(parts_of(np.asarray(texts).item()))
    rows = [parts_of(x) for x in np.asarray(texts).ravel().tolist()]
    splits = np.cumsum([0, *map(len, rows)])
    found = RaggedTensor.from_row_splits(vector([*itertools.chain(*rows)]), splits)
    for size, rest in _uniform_axes(np.shape(texts)):
        found = RaggedTensor.from_row_splits(found, np.arange(rest + 1) * size)
    return found


def _uniform_axes(shape: tuple[int, ...]):
    """Yield the size of each axis but the first, innermost first, and the number of rows outside."""
    for axis in range(len(shape) - 1, 0, -1):
        yield shape[axis], int(np.prod(shape[:axis]))


def split(input=None, sep=None, maxsplit=-1, name=None):
    """Split strings at a separator.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      sep: the separator; white space when `None` or empty.
      maxsplit: the largest number of splits of a string; -1 means no limit.
      name: ignored.

    Returns:
      The parts: a vector for one string, otherwise a `RaggedTensor` with one more axis.

    Raises:
      TypeError: `input`  does not contain strings.

    Differs from TensorFlow:
      Row splits are int32 unless `jax_enable_x64` is on.

    Under jit:
      Strings are constants of the program.

    Example:
      >>> import shims
      >>> shims.strings.split(["a b", "c"])
      <tf.RaggedTensor [[b'a', b'b'], [b'c']]>

    https://www.tensorflow.org/api_docs/python/tf/strings/split
    """
    separator = b"" if sep is None else scalar("strings.split", "sep", sep)
    limit = int(maxsplit)

    def parts_of(text: bytes) -> list[bytes]:
        if separator:
            return text.split(separator, limit)
        parts = text.lstrip(SPACES).split(None, limit)
        return [p for p in parts if p]

    return split_each("strings.split", input, parts_of)


def bytes_split(input, name=None):
    """Split strings into their bytes.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      name: ignored.

    Returns:
      The bytes: a vector for one string, otherwise a `RaggedTensor` with one more axis.

    Raises:
      TypeError: `input`  does not contain strings.

    Differs from TensorFlow:
      Row splits are int32 unless `jax_enable_x64` is on.

    Under jit:
      Strings are constants of the program.

    Example:
      >>> import shims
      >>> shims.strings.bytes_split("ab").numpy().tolist()
      [b'a', b'b']

    https://www.tensorflow.org/api_docs/python/tf/strings/bytes_split
    """
    return split_each(
        "strings.bytes_split", input, lambda text: [text[i : i + 1] for i in range(len(text))]
    )


def ngrams(
    data,
    ngram_width,
    separator=" ",
    pad_values=None,
    padding_width=None,
    preserve_short_sequences=False,
    name=None,
):
    """Join every sequence of neighbors in each row.

    Args:
      data: strings of rank 1 or more, or a ragged tensor of them.
      ngram_width: the number of neighbors, or a list of such numbers.
      separator: the string between two neighbors.
      pad_values: the strings to put before and after each row, as a pair; or a single string for both.
      padding_width: the maximum number of `pad_values` on each side. The default is the width minus
        1, which is also the largest number that is ever added.
      preserve_short_sequences: whether a row that is shorter than every width is one sequence.
      name: ignored.

    Returns:
      The joined sequences, a row for each row of `data`: a `RaggedTensor` if `data` is ragged,
      otherwise an array on the host.

    Raises:
      ValueError: `data` is a scalar, or a width is not positive.
      TypeError: `data`  does not contain strings.

    Differs from TensorFlow:
      Row splits are int32 unless `jax_enable_x64` is on.

    Under jit:
      Strings are constants of the program.

    Example:
      >>> import shims
      >>> shims.strings.ngrams(["a", "b", "c"], 2).numpy().tolist()
      [b'a b', b'b c']

    https://www.tensorflow.org/api_docs/python/tf/strings/ngrams
    """
    widths = [ngram_width] if isinstance(ngram_width, int) else [*ngram_width]
    if any(w < 1 for w in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Received: {ngram_width}")
    if padding_width is not None and padding_width < 0:
        raise ValueError(f"padding_width must be greater than 0. Received: {padding_width}")
    if padding_width is not None and pad_values is None:
        raise ValueError(
            f"pad_values must be provided if padding_width is set. Received: {padding_width}"
        )
    pads = (pad_values, pad_values) if isinstance(pad_values, (str, bytes)) else pad_values
    ends = None if pads is None else [scalar("strings.ngrams", "pad_values", p) for p in pads]
    between = scalar("strings.ngrams", "separator", separator)

    def sequences(row: list[bytes]) -> list[bytes]:
        found = []
        for width in widths:
            pad = 0 if ends is None else width - 1
            pad = pad if padding_width is None else min(pad, padding_width)
            full = row if ends is None else [ends[0]] * pad + row + [ends[1]] * pad
            some = [between.join(full[i : i + width]) for i in range(len(full) - width + 1)]
            found += some
        if not found and row and preserve_short_sequences:
            pad = padding_width or 0
            full = row if ends is None else [ends[0]] * pad + row + [ends[1]] * pad
            found = [between.join(full)]
        return found

    return _over_rows(data, sequences)


def _over_rows(data, f: Callable[[list[bytes]], list[bytes]]):
    """Apply a function to each innermost row of strings."""
    if is_ragged(data) and is_ragged(data.values):
        return data.with_values(_over_rows(data.values, f))
    ragged = is_ragged(data)
    if ragged and np.ndim(data.values) == 1:
        rows = [f(row) for row in data.to_list()]
        splits = np.cumsum([0, *map(len, rows)])
        return RaggedTensor.from_row_splits(strings_vector([*itertools.chain(*rows)]), splits)
    if ragged:
        return data.with_values(_over_rows(data.values, f))
    texts = strings("strings.ngrams", data)
    if not np.ndim(texts):
        raise ValueError("Data must have rank>0")
    shape = np.shape(texts)
    rows = [f(row.tolist()) for row in np.asarray(texts).reshape(-1, shape[-1])]
    width = len(rows[0]) if rows else len(f([b""] * shape[-1]))
    return host(
        np.reshape(np.asarray(strings_vector([*itertools.chain(*rows)])), (*shape[:-1], width))
    )
