"""Read, build and replace diagonals of matrices."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, matching, operand
from shims._src.linalg.matrix_operands import check_rank, main_diagonal, on_diagonal
from shims._src.platform import jax_private as jp
from shims._src.sizes import room, trace
from shims._src.sizes.primitives import as_size, connected, to_dim, unify_axis
from shims._src.tracing.dispatch import operator

_ALIGNMENTS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


@dataclasses.dataclass(frozen=True)
class Band:
    """Adjacent diagonals of matrices, and the alignment of shorter ones in an array.

    Attributes:
      lower: the offset of the lowest diagonal; 0 is the main one.
      upper: the offset of the highest diagonal.
      above, below: whether diagonals above and below the main one are aligned to the left.
    """

    lower: int
    upper: int
    above: bool
    below: bool

    @property
    def count(self) -> int:
        """The number of diagonals."""
        return self.upper - self.lower + 1

    @property
    def is_main(self) -> bool:
        """Whether the band is the main diagonal alone."""
        return self.lower == self.upper == 0

    def longest(self, rows, columns):
        """Return the length of the longest diagonal."""
        down, right = rows + min(self.upper, 0), columns - max(self.lower, 0)
        state, difference = trace.current(), down - right
        if state is None or not jp.is_symbolic(difference) or state.is_input_only(difference):
            return min(down, right)
        # The smaller one depends on data; assuming one of them would refuse valid diagonals.
        return to_dim(jnp.minimum(as_size(down), as_size(right)), label="diagonal")

    def offset(self, d, rows, columns, longest):
        """Return the length of each diagonal `d`, and its start in the array of diagonals.

        longest: the length of that array's rows; shorter diagonals are padded to it.
        """
        length = jnp.minimum(rows + jnp.minimum(d, 0), columns - jnp.maximum(d, 0))
        left = jnp.where(d >= 0, self.above, self.below)
        return length, jnp.where(left, 0, longest - length)


def _make_band(function, k, align) -> Band:
    if align not in _ALIGNMENTS:
        raise checks.invalid(
            function,
            f"there is no alignment {align!r}.",
            required=", ".join(_ALIGNMENTS),
            received=f"align={align!r}",
        )
    if jp.is_tracer(k) and not checks.is_known_shape(k):
        checks.static_int(function, "k", k)  # raises: `k` must be known
    numbers = [k] if np.ndim(k) == 0 else list(k)
    if len(numbers) not in (1, 2):
        raise checks.invalid(
            function,
            f"`k` contains {len(numbers)} numbers.",
            required="one number, or two numbers",
            received=f"k={k}",
        )
    lower, upper = (checks.static_int(function, "k", n) for n in (numbers[0], numbers[-1]))
    if lower > upper:
        raise checks.invalid(
            function,
            "the first diagonal of `k` is above the second diagonal.",
            required="k[0] <= k[1]",
            received=f"k={(lower, upper)}",
        )
    above, _, below = align.partition("_")
    return Band(lower, upper, above == "LEFT", below == "LEFT")


def _check_diagonals_exist(function, band: Band, x) -> None:
    rows, columns = x.shape[-2:]
    for d in (band.lower, band.upper):
        if d and not ((-d < rows) if d < 0 else (d < columns)):
            raise checks.invalid(
                function,
                f"there is no diagonal {d}.",
                required="-rows < k < columns",
                received=f"k={(band.lower, band.upper)}, input {describe(x)}",
            )


@operator(compiled=True)
def diag_part(input, name="diag_part", k=0, padding_value=0, align="RIGHT_LEFT"):
    """Return diagonals of matrices.

    Args:
      input: array `[..., n, m]`.
      name: ignored.
      k: the number of the diagonal (0 is the main diagonal), or a pair `(lowest, highest)`.
      padding_value: the value that pads shorter diagonals.
      align: how the diagonals above and below the main diagonal are aligned in their rows.

    Returns:
      An array of shape `[..., length]` for one diagonal; `[..., count, length]` for several, the
      highest first.

    Raises:
      InvalidArgumentError: a diagonal does not exist.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; `k` must be static.

    Example:
      >>> import shims
      >>> print(shims.linalg.diag_part([[1, 2], [3, 4]]))
      [1 4]

    https://www.tensorflow.org/api_docs/python/tf/linalg/diag_part
    """
    x = operand(input)
    check_rank("diag_part", "input", x)
    band = _make_band("diag_part", k, align)
    _check_diagonals_exist("diag_part", band, x)
    rows, columns = x.shape[-2:]
    if band.is_main and _are_equal(rows, columns):
        return main_diagonal(x)
    longest = band.longest(rows, columns)
    d = jnp.arange(band.upper, band.lower - 1, -1)[:, None]
    length, offset = band.offset(d, _to_size(rows), _to_size(columns), _to_size(longest))
    place = jnp.arange(longest) - offset
    inside = (place >= 0) & (place < length)
    row = jnp.where(inside, place + jnp.maximum(-d, 0), 0)
    column = jnp.where(inside, place + jnp.maximum(d, 0), 0)
    out = jnp.where(inside, x[..., row, column], _convert_padding(padding_value, x.dtype))
    return out if band.count > 1 else jnp.squeeze(out, -2)


def _are_equal(one, other) -> bool:
    return is_known(one) == is_known(other) and bool(one == other)


def _to_size(d):
    return d if is_known(d) else as_size(d)


def _place_diagonals(band: Band, diagonals, rows, columns):
    """Spread diagonals over a matrix; return the mask of the band, and the value of each element."""
    if band.is_main and _are_equal(rows, columns):
        return on_diagonal(rows, columns), diagonals[..., :, None]
    if band.count == 1:
        diagonals = diagonals[..., None, :]
    d = jnp.arange(columns) - jnp.arange(rows)[:, None]
    inside = (d >= band.lower) & (d <= band.upper)
    longest = _to_size(diagonals.shape[-1])
    _, offset = band.offset(d, _to_size(rows), _to_size(columns), longest)
    place = jnp.minimum(jnp.arange(columns), jnp.arange(rows)[:, None]) + offset
    if is_known(diagonals.shape[-1]) and diagonals.shape[-1] == 0:
        return inside, jnp.sum(diagonals, axis=(-2, -1), keepdims=True)
    which = jnp.where(inside, band.upper - d, 0)
    return inside, diagonals[..., which, jnp.where(inside, place, 0)]


@operator(compiled=True)
def diag(diagonal, name="diag", k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    """Build matrices with given diagonals.

    Args:
      diagonal: `[..., length]` for one diagonal, `[..., count, length]` for several.
      name: ignored.
      k: the number of the diagonal (0 is the main diagonal), or a pair `(lowest, highest)`.
      num_rows: the number of rows; the smallest possible number when -1.
      num_cols: the number of columns; the smallest possible number when -1.
      padding_value: the value of all elements outside of the diagonals.
      align: how the diagonals above and below the main diagonal are aligned in their rows.

    Returns:
      An array of shape `[..., num_rows, num_cols]`; square when neither number is given.

    Raises:
      InvalidArgumentError: the diagonals do not fit into such a matrix.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; `k` must be static.

    Example:
      >>> import shims
      >>> print(shims.linalg.diag([1, 2]))
      [[1 0]
       [0 2]]

    https://www.tensorflow.org/api_docs/python/tf/linalg/diag
    """
    x = operand(diagonal)
    band = _make_band("diag", k, align)
    needed = 1 if band.count == 1 else 2
    fits = x.ndim >= needed and (band.count == 1 or _are_equal(x.shape[-2], band.count))
    if not fits:
        raise checks.invalid(
            "diag",
            "`diagonal` does not contain the diagonals that `k` selects.",
            required="diagonal [..., length]" if needed == 1 else f"[..., {band.count}, length]",
            received=f"diagonal {describe(x)}",
        )
    rows, columns = _matrix_size(band, x.shape[-1], num_rows, num_cols)
    inside, values = _place_diagonals(band, x, rows, columns)
    return jnp.where(inside, values, _convert_padding(padding_value, x.dtype))


def _convert_padding(value, dtype):
    """Convert the padding value to a dtype; numbers become bools for bool diagonals."""
    return operand(bool(value) if dtype == np.bool_ else value, dtype)


def _matrix_size(band: Band, length, num_rows, num_cols) -> tuple[Any, Any]:
    least = (length - min(band.upper, 0), length + max(band.lower, 0))
    given = [
        n if not is_known(n) else checks.static_int("diag", name, n)
        for name, n in (("num_rows", num_rows), ("num_cols", num_cols))
    ]
    room.check("diag", [n for n in given if is_known(n) and n != -1])
    unset = [is_known(n) and n == -1 for n in given]
    if all(unset):
        return (max(least),) * 2
    rows, columns = (m if u else n for n, m, u in zip(given, least, unset, strict=True))
    sizes = (rows, columns, *least)
    if not all(map(is_known, sizes)):
        sizes = tuple(map(as_size, sizes))
    too_few = (sizes[0] < sizes[2]) | (sizes[1] < sizes[3])
    checks.check_data(
        too_few | ((sizes[0] != sizes[2]) & (sizes[1] != sizes[3])),
        "diag",
        "the diagonals of a matrix of this size have a different length.",
        required=f"at least {least[0]} rows and {least[1]} columns, with exactly {least[0]} rows or "
        f"exactly {least[1]} columns",
        received=f"{rows} rows, {columns} columns",
    )
    return rows, columns


@operator(compiled=True)
def set_diag(input, diagonal, name="set_diag", k=0, align="RIGHT_LEFT"):
    """Replace diagonals of matrices.

    Args:
      input: array `[..., n, m]`.
      diagonal: array of the same dtype. Its shape is `[..., length]` for one diagonal, and `[...,
        count, length]` for several.
      name: ignored.
      k: the number of the diagonal (0 is the main diagonal), or a pair `(lowest, highest)`.
      align: how the diagonals above and below the main diagonal are aligned in their rows.

    Returns:
      An array like `input`.

    Raises:
      InvalidArgumentError: the shapes are incompatible, or a diagonal does not exist.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; `k` must be static.

    Example:
      >>> import shims
      >>> print(shims.linalg.set_diag([[1, 2], [3, 4]], [7, 8]))
      [[7 2]
       [3 8]]

    https://www.tensorflow.org/api_docs/python/tf/linalg/set_diag
    """
    x, diagonal = matching("set_diag", input=input, diagonal=diagonal)
    check_rank("set_diag", "input", x)
    band = _make_band("set_diag", k, align)
    _check_diagonals_exist("set_diag", band, x)
    rows, columns = x.shape[-2:]
    count = () if band.count == 1 else (band.count,)
    wanted = (*x.shape[:-2], *count, band.longest(rows, columns))
    known = [p for p in zip(diagonal.shape, wanted) if all(map(is_known, p))]
    if diagonal.ndim != len(wanted) or any(d != e for d, e in known):
        raise checks.invalid(
            "set_diag",
            "the shape of `diagonal` does not match `input`.",
            required=f"diagonal of shape {wanted}",
            received=f"diagonal {describe(diagonal)}, input {describe(x)}",
        )
    for axis, size in enumerate(wanted):
        diagonal = unify_axis(diagonal, axis, size, label="set_diag")
    inside, values = _place_diagonals(band, diagonal, rows, columns)
    out = jnp.where(inside, values, x)
    return connected(out, x) if checks.is_known_shape(x) and not x.size else out


@operator(compiled=True)
def tensor_diag(diagonal, name=None):
    """Build an array that contains another array on its diagonal.

    Args:
      diagonal: array of numbers, `[d, ..., e]`.
      name: ignored.

    Returns:
      An array `[d, ..., e, d, ..., e]`; 0 where the two halves of a position differ.

    Raises:
      InvalidArgumentError: `diagonal` is a scalar, or TensorFlow has no kernel for the dtype.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/tensor_diag
    """
    x = operand(diagonal)
    if not x.ndim:
        raise checks.invalid("tensor_diag", "`diagonal` is a scalar.", required="rank 1 or more")
    return diag(x.reshape((math.prod(x.shape),))).reshape((*x.shape, *x.shape))


@operator(compiled=True)
def tensor_diag_part(input, name=None):
    """Return the diagonal of an array whose axes repeat.

    Args:
      input: array `[d, ..., e, d, ..., e]`.
      name: ignored.

    Returns:
      An array `[d, ..., e]`.

    Raises:
      InvalidArgumentError: the second half of the axes does not repeat the first.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/linalg/tensor_diag_part
    """
    x = operand(input)
    count = x.ndim // 2
    pairs = list(zip(x.shape[:count], x.shape[count:], strict=False))
    if not x.ndim or x.ndim % 2 or any(all(map(is_known, p)) and p[0] != p[1] for p in pairs):
        raise checks.invalid(
            "tensor_diag_part",
            "the second half of the axes does not repeat the first.",
            required="input of shape [d, ..., e, d, ..., e]",
            received=f"input {describe(x)}",
        )
    for i, (first, second) in enumerate(pairs):
        axis, size = (i, second) if is_known(second) else (count + i, first)
        x = unify_axis(x, axis, size, label="tensor_diag_part")
    half = x.shape[:count]
    n = math.prod(half)
    return main_diagonal(x.reshape((n, n))).reshape(half)
