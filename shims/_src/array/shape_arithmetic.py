"""Compute shapes of broadcasts, coordinates of flat positions, and paddings for blocks."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.operands import check_alike, describe, matching, operand
from shims._src.array.shapes import shape
from shims._src.platform import jax_private as jp
from shims._src.sizes import numbering
from shims._src.tracing.dispatch import operator
from shims._src.types.dtypes import array_dtype
from shims._src.types.tensor_shape import TensorShape


def broadcast_static_shape(shape_x, shape_y):
    """Return the shape that two static shapes broadcast to.

    Args:
      shape_x: a `TensorShape`.
      shape_y: a `TensorShape`.

    Returns:
      The `TensorShape`; unknown sizes stay unknown.

    Raises:
      ValueError: the shapes do not broadcast.

    Differs from TensorFlow:
      Lists of sizes are accepted too.

    Under jit:
      Shapes are static, so nothing is traced.

    Example:
      >>> import shims
      >>> print(shims.broadcast_static_shape(shims.TensorShape([3, 1]), shims.TensorShape([2])))
      (3, 2)

    https://www.tensorflow.org/api_docs/python/tf/broadcast_static_shape
    """
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    if x.rank is None or y.rank is None:
        return TensorShape(None)
    rank = max(x.rank, y.rank)
    pairs = zip(_extend_to_rank(x, rank), _extend_to_rank(y, rank), strict=True)
    return TensorShape([_static_size(a, b, x, y) for a, b in pairs])


def _extend_to_rank(of, rank):
    return [1] * (rank - of.rank) + of.as_list()


def _static_size(a, b, x, y):
    if a == 1 or b == 1:
        return b if a == 1 else a
    if a is None or b is None:
        return b if a is None else a
    if a != b:
        raise ValueError(
            "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension "
            f"pair they are either equal or one of them is 1. Received: {x} and {y}."
        )
    return a


@operator
def broadcast_dynamic_shape(shape_x, shape_y):
    """Compute the shape that two shapes broadcast to, as a vector.

    Args:
      shape_x: int32 or int64 vector.
      shape_y: vector of the same dtype.

    Returns:
      The vector. Its elements may be used as sizes, also under a trace.

    Raises:
      InvalidArgumentError: the shapes do not broadcast, or the dtypes differ.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Shapes that do not broadcast raise an error after the call.

    https://www.tensorflow.org/api_docs/python/tf/broadcast_dynamic_shape
    """
    x, y = matching("broadcast_dynamic_shape", shape_x=shape_x, shape_y=shape_y)
    for name, vector in (("shape_x", x), ("shape_y", y)):
        checks.check_vector("broadcast_dynamic_shape", name, vector)
    rank = max(x.shape[0], y.shape[0])
    sizes = [_traced_size(_size_at(x, i - rank), _size_at(y, i - rank)) for i in range(rank)]
    return jnp.stack(sizes) if sizes else x


def _size_at(vector, place):
    """Return one element of a shape vector at a negative index; missing leading axes have size 1."""
    if -place > vector.shape[0]:
        return jnp.ones((), vector.dtype)
    return vector[place]


def _traced_size(a, b):
    known = [numbering.symbolic_value(d) if jp.is_tracer(d) else int(d) for d in (a, b)]
    for d, other in zip(known, (b, a), strict=True):
        if isinstance(d, int) and d == 1:
            return other
    checks.check_data(
        (a != b) & (a != 1) & (b != 1),
        "broadcast_dynamic_shape",
        "the shapes do not broadcast.",
        required="equal sizes, or size 1, counted from the last axis",
    )
    for d, own in zip(known, (a, b), strict=True):
        if isinstance(d, int):
            return own
    return a if known[0] is not None and known[0] == known[1] else jnp.where(a == 1, b, a)


@operator
def unravel_index(indices, dims, name=None):
    """Convert positions in a flattened array to coordinates.

    Args:
      indices: int32 or int64 scalar or vector.
      dims: vector of sizes, of the dtype of `indices`.
      name: ignored.

    Returns:
      An array `[rank, n]`, or `[rank]` for a scalar.

    Raises:
      InvalidArgumentError: a position is out of range, a size is not positive, or there are no
        positions.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Positions out of range raise an error after the call.

    https://www.tensorflow.org/api_docs/python/tf/unravel_index
    """
    indices, dims = matching("unravel_index", indices=indices, dims=dims)
    checks.check_vector("unravel_index", "dims", dims)
    if indices.ndim > 1:
        raise checks.invalid(
            "unravel_index",
            "`indices` must be a scalar or a vector.",
            required="rank 0 or 1",
            received=f"rank {indices.ndim}",
        )
    if checks.is_known_shape(indices) and not indices.size:
        raise checks.invalid("unravel_index", "`indices` is empty.", required="a position")
    checks.check_data(
        dims <= 0, "unravel_index", "a size in `dims` is not positive.", required="dims > 0"
    )
    # The products are exact up to the first that overflows, and the check finds that one.
    before = jnp.concatenate([jnp.ones(1, dims.dtype), jnp.cumprod(dims)[:-1]])
    checks.check_data(
        dims > jnp.iinfo(dims.dtype).max // jnp.maximum(before, 1),
        "unravel_index",
        f"the product of `dims` does not fit {dims.dtype}.",
    )
    checks.check_positions("unravel_index", "indices", indices, jnp.prod(dims), low=-1)
    coordinates = []
    rest = indices
    for place in reversed(range(dims.shape[0])):
        divisor = jnp.broadcast_to(jnp.maximum(dims[place], 1), rest.shape)
        coordinates.append(lax.rem(rest, divisor))
        rest = lax.div(rest, divisor)
    return jnp.stack(coordinates[::-1])


@operator
def shape_n(input, out_type=jnp.int32, name=None):
    """Return the shapes of several arrays.

    Args:
      input: list of arrays.
      out_type: int32 or int64.
      name: ignored.

    Returns:
      A list of integer vectors.

    Differs from TensorFlow:
      int64 becomes int32 unless `jax_enable_x64` is on.

    Under jit:
      The sizes do not count padding.

    https://www.tensorflow.org/api_docs/python/tf/shape_n
    """
    dtype = array_dtype(out_type, "shape_n")
    return [shape(x, out_type=dtype) for x in input]


@operator
def identity_n(input, name=None):
    """Return several values as arrays.

    Args:
      input: list of arrays, or of values that convert to arrays.
      name: ignored.

    Returns:
      The list of arrays.

    Raises:
      InvalidArgumentError: the list is empty.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Returns the traced arrays themselves.

    https://www.tensorflow.org/api_docs/python/tf/identity_n
    """
    if not input:
        raise checks.invalid("identity_n", "`input` is empty.", required="at least one array")
    return [operand(x) for x in input]


@operator
def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """Compute the paddings that make sizes multiples of a block.

    Args:
      input_shape: int32 vector of sizes.
      block_shape: int32 vector of block sizes, as long as `input_shape`.
      base_paddings: int32 `[n, 2]`, the minimum paddings; zeros when `None`.
      name: ignored.

    Returns:
      `(paddings, crops)`, both int32 `[n, 2]`: the paddings, and the parts of the paddings to crop
      afterwards.

    Raises:
      InvalidArgumentError: the arguments have different lengths.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The sizes and paddings may be traced.

    https://www.tensorflow.org/api_docs/python/tf/required_space_to_batch_paddings
    """
    function = "required_space_to_batch_paddings"
    sizes, blocks = operand(input_shape, jnp.int32), operand(block_shape, jnp.int32)
    if base_paddings is None:
        base_paddings = jnp.zeros((*sizes.shape, 2), jnp.int32)
    base = operand(base_paddings, jnp.int32)
    checks.check_vector(function, "block_shape", blocks)
    if checks.is_known(blocks.shape[0]) and blocks.shape[0] == 0:
        nothing = jnp.zeros(
            (0, 2), jnp.int32
        )  # as TensorFlow, which does not check the other arguments here
        return nothing, nothing
    check_alike(function, input_shape=sizes, block_shape=blocks)
    if base.ndim != 2:
        raise checks.invalid(
            function, "`base_paddings` must be a matrix.", received=f"rank {base.ndim}"
        )
    if checks.is_known(base.shape[1]) and base.shape[1] != 2:
        raise checks.invalid(
            function,
            "`base_paddings` must have two numbers for each size.",
            required="base_paddings [n, 2]",
            received=describe(base),
        )
    check_alike(function, input_shape=sizes, starts=base[:, 0])
    start, least_end = base[:, 0], base[:, 1]
    extra = jnp.mod(blocks - jnp.mod(sizes + start + least_end, blocks), blocks)
    paddings = jnp.stack([start, least_end + extra], axis=1)
    return paddings, jnp.stack([jnp.zeros_like(extra), extra], axis=1)
