"""Compute hashed feature crosses with TensorFlow's `FingerprintCat64`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.array.repetition import repeat
from shims._src.errors import errors
from shims._src.random.words import numbers_of, split_number, words_of
from shims._src.sizes import primitives
from shims._src.sparse.tensor import coordinates, dims, is_sparse, unchecked
from shims._src.tracing.sized_by import selected_by

_FUNCTION = "sparse.cross_hashed"
_KEY = 0xDECAFCAFFE
_MULTIPLIER = 0xC6A4A7935BD1E995
_LARGEST = (1 << 63) - 1


@dataclasses.dataclass(frozen=True)
class Column:
    """The integer features of one operand, ordered by rows.

    Attributes:
      values: the features, integers `[n]`.
      counts: the number of features in each row, `[rows]`.
      starts: the offset of each row in `values`, `[rows]`.
      rows: the number of rows, a dimension.
    """

    values: jax.Array
    counts: jax.Array
    starts: jax.Array
    rows: object


def column(function: str, value) -> Column:
    """Convert a matrix, an array or a sparse tensor, to the `Column` of its features."""
    is_of_sparse = is_sparse(value)
    value = value if is_of_sparse else operand(value)
    shape = dims(function, value) if is_of_sparse else value.shape
    if len(shape) != 2:
        raise checks.invalid(
            function, "an operand is not a matrix.", required="rank 2", received=describe(value)
        )
    checks.check_kind(function, "integer", value.values if is_of_sparse else value)
    rows = shape[0]
    if is_of_sparse:
        row = value.indices[:, 0]
        checks.check_data(
            row[1:] < row[:-1], function, "rows are not in order.", required="ascending rows"
        )
        counts = jnp.zeros((rows,), jnp.int32).at[row].add(1, mode="drop")
        return Column(value.values, counts, jnp.cumsum(counts) - counts, rows)
    width = primitives.as_size(shape[1])
    starts = jnp.arange(rows, dtype=jnp.int32) * width
    return Column(value.reshape(-1), jnp.broadcast_to(width, (rows,)), starts, rows)


def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """Hash every combination of features within a row, one feature from each operand.

    Args:
      inputs: list or tuple of matrices of integers, each of which is an array `[rows, n]` or a sparse tensor.
      num_buckets: an int; the hashes are reduced modulo this number.
      hash_key: an int that seeds every hash; TensorFlow's own key when `None`.
      name: ignored.

    Returns:
      An int64 `SparseTensor` of shape `[rows, most combinations in a row]`. Sparse operands come
      before arrays, whatever their order; the features of the last operand vary fastest.

    Raises:
      TypeError: `inputs` is not a list, or contains values other than arrays and sparse tensors.
      MissingKernelError: features are not integers.
      InvalidArgumentError: an operand is not a matrix, the numbers of rows differ, the rows of a
        sparse tensor are not in order, or `num_buckets` is negative.
      UnimplementedError: the hashes do not fit into 32 bits and `jax_enable_x64` is off.

    Differs from TensorFlow:
      Strings and floating-point numbers are not supported; TensorFlow truncates floating-point
      numbers. Rows of a sparse tensor must be in order; TensorFlow drops features if the rows are
      not in order.

    Under jit:
      The number of values is data-dependent.

    Example:
      >>> import shims
      >>> import numpy as np
      >>> rows = np.asarray([[1, 2]])
      >>> shims.sparse.cross_hashed([rows, rows], num_buckets=100).dense_shape.tolist()
      [1, 4]

    https://www.tensorflow.org/api_docs/python/tf/sparse/cross_hashed
    """
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"{_FUNCTION}: inputs must be a list.")
    if not all(is_sparse(x) or isinstance(x, (jax.Array, np.ndarray)) for x in inputs):
        raise TypeError(f"{_FUNCTION}: all inputs must be arrays or SparseTensors.")
    check_buckets(_FUNCTION, num_buckets)
    if not inputs:
        nothing = coordinates("rows", np.zeros((0, 2), np.int64))
        return unchecked(nothing, nothing[:, 0], nothing.sum(0))
    ordered = sorted(inputs, key=lambda x: not is_sparse(x))
    return _cross_columns(ordered, num_buckets, hash_key)


def check_buckets(function: str, num_buckets: int) -> None:
    """Check that `num_buckets` is valid, and that hashes fit the available integer dtypes."""
    if num_buckets < 0:
        raise checks.invalid(
            function, "`num_buckets` is negative.", received=f"num_buckets={num_buckets}"
        )
    if not jax.config.jax_enable_x64 and not 0 < num_buckets < 1 << 31:
        raise errors.UnimplementedError(
            errors.message(
                function,
                "hashes need 64-bit integers, which are disabled.",
                do=(
                    "pass `num_buckets` below 2**31, or enable 64-bit types: "
                    '`jax.config.update("jax_enable_x64", True)`'
                ),
            )
        )


@selected_by("inputs")
def _cross_columns(inputs, num_buckets, hash_key):
    columns = [column(_FUNCTION, x) for x in inputs]
    totals, row, number, hashes = crossed(_FUNCTION, columns, num_buckets, hash_key)
    places = [coordinates("rows", row), coordinates("numbers", number)]
    most = jnp.max(totals, initial=0)
    shape = [coordinates("rows", totals.shape[0]), coordinates("numbers", most)]
    return unchecked(jnp.stack(places, axis=1), hashes, jnp.stack(shape))


def crossed(function: str, columns: Sequence[Column], num_buckets: int, hash_key: int):
    """Compute the hashed combinations of each row.

    Returns:
      The number of combinations per row `[rows]`; and for each combination its row, its index
      within the row, and its hash.
    """
    first = columns[0].rows
    for one in columns[1:]:
        if is_known(first) and is_known(one.rows) and first != one.rows:
            raise checks.invalid(
                function,
                "the inputs have different numbers of rows.",
                required=f"{first} rows",
                received=f"{one.rows} rows",
            )
    counts = [primitives.unify_axis(c.counts, 0, first, label=function) for c in columns]
    starts = [primitives.unify_axis(c.starts, 0, first, label=function) for c in columns]
    totals = counts[0]
    for count in counts[1:]:
        totals = totals * count
    row = repeat(jnp.arange(first, dtype=jnp.int32), totals)
    number = jnp.arange(row.shape[0], dtype=jnp.int32) - (jnp.cumsum(totals) - totals)[row]
    features, rest = [], number
    for one, count, start in zip(columns[::-1], counts[::-1], starts[::-1], strict=True):
        radix = jnp.maximum(count[row], 1)
        features.append(primitives.take(one.values, start[row] + rest % radix, 0))
        rest = rest // radix
    hashes = _hash_features(features[::-1], hash_key or _KEY, row)
    return totals, row, number, _reduce_modulo(hashes, num_buckets or _LARGEST)


def _hash_features(features, key: int, like):
    """Combine the fingerprints of the features to one 64-bit hash; return its low and high words."""
    words = tuple(jnp.full(like.shape, word) for word in split_number(key))
    multiplier = split_number(_MULTIPLIER)
    for feature in features:
        pair = words_of(feature)
        mixed = _multiply_words(_shift_mix(_multiply_words((pair[..., 0], pair[..., 1]))))
        words = tuple(w ^ m ^ x for w, m, x in zip(words, multiplier, mixed, strict=True))
        words = _shift_mix(_multiply_words(_shift_mix(_multiply_words(words))))
    return words


def _shift_mix(words):
    """Compute `x ^ (x >> 47)` of a 64-bit number, given as two 32-bit words."""
    low, high = words
    return low ^ (high >> 15), high


def _multiply_words(words):
    """Multiply a 64-bit number by the hash multiplier modulo 2**64.

    The number and the result are pairs of 32-bit words, low and high.
    """
    low, high = words
    by_low, by_high = (int(word) for word in split_number(_MULTIPLIER))
    a, b = low & 0xFFFF, low >> 16
    c, d = (jnp.uint32(half) for half in (by_low & 0xFFFF, by_low >> 16))
    right = a * c
    middle = b * c + (right >> 16)
    cross = a * d + (middle & 0xFFFF)
    upper = b * d + (middle >> 16) + (cross >> 16)
    return (cross << 16) | (right & 0xFFFF), upper + low * jnp.uint32(by_high) + high * jnp.uint32(
        by_low
    )


def _reduce_modulo(words, modulus: int):
    """Compute the remainder of a 64-bit number, given as two 32-bit words."""
    if jax.config.jax_enable_x64:
        return (numbers_of(jnp.stack(words, axis=-1)).astype(jnp.uint64) % modulus).astype(
            jnp.int64
        )
    step = 32 - modulus.bit_length()
    bits = [(word, at) for word in words[::-1] for at in range(32)]
    rest = jnp.zeros_like(words[0])
    done = 0
    while done < 64:
        taken = min(step, 32 - done % 32)
        word, at = bits[done]
        piece = (word << at) >> (32 - taken)
        rest = ((rest << taken) | piece) % jnp.uint32(modulus)
        done += taken
    return rest.astype(jnp.int32)
