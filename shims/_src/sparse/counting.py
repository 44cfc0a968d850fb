"""Count integers into a sparse tensor, and compute sampled matrix products."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.operands import describe, meeting, operand
from shims._src.errors import errors
from shims._src.sizes import primitives
from shims._src.sparse import ordering
from shims._src.sparse.selection import kept
from shims._src.sparse.tensor import SparseTensor, coordinates, unchecked
from shims._src.tracing.sized_by import selected_by
from shims._src.types.composite import Ragged
from shims._src.types.dtypes import array_dtype

_FUNCTION = "sparse.bincount"


def bincount(
    values, weights=None, axis=0, minlength=None, maxlength=None, binary_output=False, name=None
):
    """Count how often each integer occurs, or sum its weights, as a sparse tensor.

    Args:
      values: an int32 or int64 array with at most two axes, a sparse tensor or a ragged tensor.
      weights: weights of the same kind and shape as `values`; all weights are 1 when `None`.
      axis: 0 to count over all values, or -1 to count in each row.
      minlength: the minimum length of the result.
      maxlength: the length of the result; numbers that do not fit are dropped.
      binary_output: whether to return 1 for every number that occurs instead of its count.
      name: ignored.

    Returns:
      A `SparseTensor` in row-major order: `[length]`, or `[rows, length]` for `axis=-1`.

    Raises:
      InvalidArgumentError: a number is negative, the weights have a different shape, or there are more
        than two axes.
      ValueError: `axis` is not 0 or -1, `weights` are combined with `binary_output`, or their kind
        differs from that of `values`.

    Differs from TensorFlow:
      Nothing on CPU.

    Under jit:
      The number of values is data-dependent.

    Example:
      >>> import shims
      >>> shims.sparse.bincount([5, 2, 5]).values.tolist()
      [1, 2]

    https://www.tensorflow.org/api_docs/python/tf/sparse/bincount
    """
    if weights is not None and binary_output:
        raise ValueError(
            "sparse.bincount: `binary_output` cannot be combined with `weights`; pass only one of the two arguments."
        )
    axis = 0 if axis is None else axis
    if axis not in (0, -1):
        raise ValueError(f"sparse.bincount: `axis` must be 0 or -1, received {axis!r}.")
    values, weights, rows, count = _flatten_operands(values, weights, axis == -1)
    checks.check_kind(_FUNCTION, "index", values)
    if weights is None:
        weights = jnp.ones_like(values)
    checks.check_kind(_FUNCTION, "index float32 float64", weights)
    if count is not None:
        checks.check_data(
            primitives.as_size(count) == 0,
            _FUNCTION,
            "there are no rows.",
            required="at least one",
        )
    result = _count(values, weights, rows, count, minlength, maxlength)
    return result.with_values(jnp.ones_like(result.values)) if binary_output else result


def _flatten_operands(values, weights, by_row: bool):
    """Flatten the operands; return numbers, weights, the row of each number, and the row count.

    The rows are `None` if all numbers are counted together.
    """
    for kind, name, parts in (
        (SparseTensor, "sparse", _flatten_sparse),
        (Ragged, "ragged", _flatten_ragged),
    ):
        if isinstance(values, kind):
            if weights is not None and not isinstance(weights, kind):
                raise ValueError(f"sparse.bincount: `weights` must be {name}, like `values`.")
            return parts(values, weights, by_row)
    values = operand(values)
    if weights is not None:
        weights = operand(weights)
        if weights.ndim != values.ndim:
            raise _weights_shape_error(values, weights)
        for i in range(values.ndim):
            weights = _match_size(weights, values, i)
    if by_row and values.ndim > 2:
        raise checks.invalid(
            _FUNCTION, "there are too many axes.", required="rank <= 2", received=describe(values)
        )
    rows = count = None
    if by_row and values.ndim == 2:
        count = values.shape[0]
        rows = jnp.broadcast_to(jnp.arange(count)[:, None], values.shape).reshape(-1)
    return values.reshape(-1), None if weights is None else weights.reshape(-1), rows, count


def _match_size(weights, values, axis: int):
    have, want = weights.shape[axis], values.shape[axis]
    if checks.is_known(have) and checks.is_known(want) and have != want:
        raise _weights_shape_error(values, weights)
    return primitives.unify_axis(weights, axis, want, label=_FUNCTION)


def _weights_shape_error(values, weights):
    return checks.invalid(
        _FUNCTION,
        "`weights` must have the shape of `values`.",
        received=f"weights {describe(weights)}, values {describe(values)}",
    )


def _flatten_sparse(values, weights, by_row):
    checked = None if weights is None else _match_size(weights.values, values.values, 0)
    if weights is not None:
        for name in ("indices", "dense_shape"):
            checks.check_data(
                getattr(weights, name) != getattr(values, name),
                _FUNCTION,
                "`weights` must have the coordinates and the shape of `values`.",
            )
    if not by_row or values.indices.shape[1] < 2:
        return values.values, checked, None, None
    return values.values, checked, values.indices[:, 0], values.dense_shape[0]


def _flatten_ragged(values, weights, by_row):
    checked = None if weights is None else _match_size(weights.flat_values, values.flat_values, 0)
    if not by_row:
        return values.flat_values, checked, None, None
    return values.flat_values, checked, values.value_rowids(), values.nrows()


@selected_by("values", "rows")
def _count(values, weights, rows, count, minlength, maxlength):
    checks.check_data(
        values < 0, _FUNCTION, "a number is negative.", required="values >= 0 everywhere"
    )
    highest = (
        jnp.max(values, initial=0) if _may_have_values(values) else jnp.zeros((), values.dtype)
    )
    length = coordinates("values", highest) + 1
    if minlength is not None:
        length = jnp.maximum(length, coordinates("minlength", minlength))
    if maxlength is not None:
        length = coordinates("maxlength", maxlength)
    columns = [coordinates("values", x) for x in (rows, values) if x is not None]
    shape = [length] if rows is None else [coordinates("rows", count), length]
    found = unchecked(jnp.stack(columns, axis=1), weights, jnp.stack(shape))
    if maxlength is not None:
        found = kept(found, columns[-1] < length)
    return ordering.combined(found)


def _may_have_values(values) -> bool:
    return not checks.is_known(values.shape[0]) or values.shape[0] > 0


def sampled_addmm(
    indices, values, dense_shape, mat1, mat2, beta=1.0, alpha=1.0, output_type=jnp.float32
):
    """Compute `beta * sparse + alpha * (mat1 @ mat2)` only at the entries of the sparse matrix.

    Args:
      indices: integers `[n, 2]`, the coordinates of the entries.
      values: array `[n]`.
      dense_shape: two integers.
      mat1: array `[rows, inner]`.
      mat2: array `[inner, columns]`.
      beta: a number.
      alpha: a number.
      output_type: the dtype of the result, floating-point.

    Returns:
      `(indices, values, dense_shape)`.

    Raises:
      InvalidArgumentError: a coordinate is out of range.
      ValueError: `dense_shape` differs from the shape of the product.
      UnimplementedError: `indices`, `mat1` or `mat2` does not have two axes.

    Differs from TensorFlow:
      Batches of matrices are rejected.

    Under jit:
      The number of entries may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/sparse/sampled_addmm
    """
    dtype = array_dtype(output_type, "sampled_addmm")
    places, shape = operand(indices), operand(dense_shape, np.int32)
    left, right, added = (operand(x, dtype) for x in (mat1, mat2, values))
    if not places.ndim == left.ndim == right.ndim == 2:
        raise errors.UnimplementedError(
            errors.message(
                "sampled_addmm",
                "an operand has a rank other than 2.",
                required="indices [n, 2], and two matrices",
                received=f"{describe(places)}, {describe(left)} and {describe(right)}",
            )
        )
    sizes = (left.shape[0], right.shape[1])
    wrong = shape != jnp.stack([primitives.as_size(d) for d in sizes])
    text = "`dense_shape` differs from the shape of the product."
    checks.check_data(wrong, "sampled_addmm", text, received=f"{sizes}")
    left, right = meeting("sampled_addmm", left, 1, right, 0)
    rows, columns = places[:, 0], places[:, 1]
    for i, (column, size) in enumerate(zip((rows, columns), sizes, strict=True)):
        checks.check_positions("sampled_addmm", f"indices[:, {i}]", column, size)
    products = jnp.sum(left[rows] * right.T[columns], axis=-1)
    return places, products * np.asarray(alpha, dtype) + added * np.asarray(beta, dtype), shape
