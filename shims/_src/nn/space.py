"""Move blocks of pixels to the channels or to the batch axis, and back."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known, static_int
from shims._src.arguments.operands import describe, operand
from shims._src.array.cutting import entries
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives
from shims._src.tracing.dispatch import operator


@operator
def space_to_depth(input, block_size, data_format="NHWC", name=None):
    """Move blocks of pixels to the channels.

    Args:
      input: array `[batch, height, width, channels]`.
      block_size: the side of a block, at least 2.
      data_format: `NHWC`.
      name: ignored.

    Returns:
      An array `[batch, height / size, width / size, size * size * channels]`.

    Raises:
      InvalidArgumentError: a side is not a multiple of `block_size` (a symbolic side raises an
        error after the call), or `block_size` is below 2.
      NotFoundError: `data_format` is not `NHWC`, as in TensorFlow on CPU.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes except the number of channels may be unknown until run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/space_to_depth
    """
    x, size = _check_images("space_to_depth", input, block_size, data_format)
    x = _split_axis("space_to_depth", x, 1, size)
    x = _split_axis("space_to_depth", x, 3, size)  # batch, rows, size, columns, size, channels
    x = lax.transpose(x, (0, 1, 3, 2, 4, 5))
    return x.reshape(*x.shape[:3], size * size * x.shape[-1])


@operator
def depth_to_space(input, block_size, data_format="NHWC", name=None):
    """Move channels to blocks of pixels.

    Args:
      input: array `[batch, height, width, channels]`.
      block_size: the side of a block, at least 2.
      data_format: `NHWC`.
      name: ignored.

    Returns:
      An array `[batch, height * size, width * size, channels / (size * size)]`.

    Raises:
      InvalidArgumentError: the channels are not a multiple of `block_size ** 2`, or `block_size` is
        below 2.
      NotFoundError: `data_format` is not `NHWC`, as in TensorFlow on CPU.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      All sizes except the number of channels may be unknown until run time.

    https://www.tensorflow.org/api_docs/python/tf/nn/depth_to_space
    """
    x, size = _check_images("depth_to_space", input, block_size, data_format)
    channels = x.shape[-1]
    checks.check_known("depth_to_space", "channels", channels)
    if channels % (size * size):
        raise checks.invalid(
            "depth_to_space",
            "the number of channels is not a multiple of `block_size ** 2`.",
            required=f"a multiple of {size * size} channels",
            received=describe(x),
        )
    batch, height, width = x.shape[:3]
    x = x.reshape(batch, height, width, size, size, channels // (size * size))
    x = lax.transpose(x, (0, 1, 3, 2, 4, 5))
    return x.reshape(batch, height * size, width * size, channels // (size * size))


def _check_images(function, input, block_size, data_format):
    """Check the arguments; return the images as an array, and the block size."""
    x, size = operand(input), int(block_size)
    if size < 2:
        raise checks.invalid(
            function, "`block_size` must be greater than 1.", received=f"block_size={size}"
        )
    if data_format != "NHWC":
        known = data_format in ("NCHW", "NCHW_VECT_C")
        problem = f"`data_format` must not be {data_format!r}."
        if not known:
            raise checks.invalid(function, problem, required="NHWC")
        raise errors.NotFoundError(
            errors.message(function, problem, required="NHWC", do="transpose the images")
        )
    if x.ndim != 4:
        raise checks.invalid(function, "`input` must have 4 axes.", received=describe(x))
    return x, size


def _split_axis(function, x, axis, size):
    """Split an axis into blocks of `size` elements."""
    count = x.shape[axis] // size
    if is_known(count) and x.shape[axis] % size:
        raise checks.invalid(
            function,
            f"the size of axis {axis} is not a multiple of the block size.",
            required=f"a multiple of {size}",
            received=f"{x.shape[axis]}",
        )
    x = primitives.unify_axis(x, axis, count * size, label=function)
    return x.reshape(*x.shape[:axis], count, size, *x.shape[axis + 1 :])


@operator
def space_to_batch_nd(input, block_shape, paddings, name=None):
    """Pad an array with zeros, and move spatial blocks to the batch.

    Args:
      input: array `[batch, *spatial, ...]`.
      block_shape: integers, the block size along each spatial axis.
      paddings: integers `[len(block_shape), 2]`, the zero padding of each of those axes.
      name: ignored.

    Returns:
      An array `[batch * prod(block_shape), *(padded / block_shape), ...]`.

    Raises:
      InvalidArgumentError: a padded size is not a multiple of the block size (a symbolic size
        raises an error after the call), or the arguments are incompatible.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; `block_shape` and `paddings` must be numbers.

    https://www.tensorflow.org/api_docs/python/tf/space_to_batch_nd
    """
    x, sides, pads = _check_blocks("space_to_batch_nd", input, block_shape, paddings)
    rest = [(0, 0, 0)] * (x.ndim - 1 - len(sides))
    widths = [(0, 0, 0), *((low, high, 0) for low, high in pads), *rest]
    x = lax.pad(x, jnp.zeros((), x.dtype), widths)
    for i, side in enumerate(sides):
        x = _split_axis("space_to_batch_nd", x, 1 + 2 * i, side)
    count = len(sides)
    inner = [2 + 2 * i for i in range(count)]
    outer = [1 + 2 * i for i in range(count)]
    x = lax.transpose(x, (*inner, 0, *outer, *range(2 * count + 1, x.ndim)))
    return x.reshape(math.prod(sides) * x.shape[count], *x.shape[count + 1 :])


@operator
def space_to_batch(input, block_shape, paddings, name=None):
    """Pad an array with zeros, and move spatial blocks to the batch.

    Args:
      input: array `[batch, *spatial, ...]`.
      block_shape: integers, the block size along each spatial axis.
      paddings: integers `[len(block_shape), 2]`, the zero padding of each of those axes.
      name: ignored.

    Returns:
      An array `[batch * prod(block_shape), *(padded / block_shape), ...]`.

    Raises:
      InvalidArgumentError: a padded size is not a multiple of the block size (a symbolic size
        raises an error after the call), or the arguments are incompatible.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; `block_shape` and `paddings` must be numbers.

    https://www.tensorflow.org/api_docs/python/tf/space_to_batch
    """
    return space_to_batch_nd(input, block_shape, paddings)


@operator
def batch_to_space(input, block_shape, crops, name=None):
    """Move the batch to spatial blocks, and crop: the inverse of `space_to_batch`.

    Args:
      input: array `[batch, *spatial, ...]`.
      block_shape: integers, the block size along each spatial axis.
      crops: integers `[len(block_shape), 2]`, the elements to crop at both ends of each of those
        axes.
      name: ignored.

    Returns:
      An array `[batch / prod(block_shape), *(spatial * block_shape - crops), ...]`.

    Raises:
      InvalidArgumentError: the batch size is not a multiple of the block, the crops exceed a size
        (a symbolic size raises an error after the call), or the arguments are
        incompatible.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Sizes may be known only at run time; `block_shape` and `crops` must be numbers.

    https://www.tensorflow.org/api_docs/python/tf/batch_to_space
    """
    x, sides, cuts = _check_blocks("batch_to_space", input, block_shape, crops)
    parts = math.prod(sides)
    batch = x.shape[0] // parts
    if is_known(batch) and x.shape[0] % parts:
        raise checks.invalid(
            "batch_to_space",
            "the batch size is not a multiple of the number of elements in a block.",
            required=f"a multiple of {parts}",
            received=describe(x),
        )
    x = primitives.unify_axis(x, 0, batch * parts, label="batch_to_space")
    count = len(sides)
    x = x.reshape(*sides, batch, *x.shape[1:])
    both = [axis for i in range(count) for axis in (count + 1 + i, i)]
    x = lax.transpose(x, (count, *both, *range(2 * count + 1, x.ndim)))
    sizes = [x.shape[1 + 2 * i] * side for i, side in enumerate(sides)]
    x = x.reshape(batch, *sizes, *x.shape[2 * count + 1 :])
    for i, (low, high) in enumerate(cuts):
        x = _crop_axis(x, 1 + i, low, high)
    return x


def _crop_axis(x, axis, low, high):
    """Crop an axis at both ends."""
    rest = x.shape[axis] - low - high
    lines = {"required": f"at least {low + high} elements along axis {axis}"}
    if is_known(rest) and rest < 0:
        raise checks.invalid(
            "batch_to_space", "the sum of the crops exceeds the size of the axis.", **lines
        )
    if not is_known(rest) and low + high:
        short = primitives.as_size(x.shape[axis]) < low + high
        checks.check_data(
            short, "batch_to_space", "the sum of the crops exceeds the size of the axis.", **lines
        )
    return lax.slice_in_dim(x, low, x.shape[axis] - high, axis=axis)


def _static_margins(function, margins) -> np.ndarray:
    """Convert paddings or crops to static integers; traced constants are accepted."""
    if not any(map(jp.is_tracer, jax.tree.leaves(margins))):
        return np.asarray(margins)
    rows = [margins[i] for i in range(len(margins))]
    name = "paddings" if function == "space_to_batch_nd" else "crops"
    return np.asarray([[static_int(function, name, v) for v in entries(row)] for row in rows])


def _static_sides(function, block_shape) -> tuple:
    """Convert the sides of a block to static integers; without them if it is not a vector."""
    listed = isinstance(block_shape, (list, tuple)) and any(map(jp.is_tracer, block_shape))
    if not listed and np.ndim(block_shape) != 1:
        return ()
    return tuple(static_int(function, "block_shape", side) for side in entries(block_shape))


def _check_blocks(function, input, block_shape, margins):
    """Check the arguments of a block operator.

    Return the array, the block sizes, and the pairs of paddings or crops of the block axes.
    """
    x = operand(input)
    sides = _static_sides(function, block_shape)
    numbers = _static_margins(function, margins)
    numbers = numbers if numbers.size % 2 == 0 else numbers[:0]
    pairs = tuple(tuple(pair) for pair in np.reshape(numbers, (-1, 2)).tolist())
    if x.ndim < 1 + len(sides) or len(pairs) != len(sides) or min(sides, default=0) < 1:
        fits = False
    else:
        fits = min(map(min, pairs), default=0) >= 0
    if not fits:
        raise checks.invalid(
            function,
            "the arguments do not match.",
            required="positive block sizes, and a pair of numbers >= 0 for each block size",
            received=f"{describe(x)}, block_shape={sides}, {pairs}",
        )
    return x, sides, pairs
