"""Split signals into overlapping frames, and reconstruct signals by overlapped addition."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import describe, operand
from shims._src.array.shapes import size_of
from shims._src.sizes import primitives, room
from shims._src.tracing.dispatch import operator


@operator
def frame(signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1, name=None):
    """Split an axis into overlapping frames.

    Args:
      signal: array `[..., samples, ...]`.
      frame_length: the number of samples of a window.
      frame_step: the distance between the starts of consecutive windows.
      pad_end: whether to keep windows that extend past the end, padded with `pad_value`.
      pad_value: the padding value.
      axis: the axis of the samples.
      name: ignored.

    Returns:
      An array `[..., frames, frame_length, ...]`.

    Raises:
      InvalidArgumentError: `axis` is out of range, or a length is not positive.

    Differs from TensorFlow:
      A length or a step of 0 is rejected; TensorFlow returns empty windows, or crashes.

    Under jit:
      The number of samples may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/signal/frame
    """
    x = operand(signal)
    axis = checks.axis_of("frame", axis, x.ndim)
    if pad_end and np.ndim(pad_value):
        raise ValueError(f"frame: `pad_value` must be a scalar, received {pad_value!r}.")
    length = _require_positive("frame", "frame_length", frame_length)
    step = _require_positive("frame", "frame_step", frame_step)
    samples = x.shape[axis]
    total = samples if is_known(samples) else primitives.as_size(samples)
    count = -(-total // step) if pad_end else (total - length) // step + 1
    count = max(0, count) if is_known(samples) else size_of("frame", jnp.maximum(count, 0))
    shape = (*x.shape[:axis], count, length, *x.shape[axis + 1 :])
    room.check("frame", [d for d in shape if is_known(d)], x.dtype)
    if is_known(samples) and samples == 0:
        return primitives.connected(jnp.zeros(shape, x.dtype), x)
    starts = jnp.arange(count, dtype=jnp.int32) * step
    places = jnp.expand_dims(starts, 1) + np.arange(length, dtype=np.int32)
    frames = primitives.take(x, places, axis)
    if not pad_end:
        return frames
    inside = jnp.expand_dims(places < total, tuple(range(2, x.ndim - axis + 1)))
    return jnp.where(inside, frames, operand(pad_value, x.dtype))


def _require_positive(function, name, value) -> int:
    """Check that an argument is a positive static integer, and return it."""
    if np.ndim(value):
        raise checks.invalid(function, f"`{name}` must be a scalar.", received=f"{value}")
    number = checks.static_int(function, name, value)
    if number <= 0:
        raise checks.invalid(
            function, f"`{name}` must be positive.", required=f"{name} > 0", received=f"{number}"
        )
    return number


@operator
def overlap_and_add(signal, frame_step, name=None):
    """Add overlapping frames up to a signal.

    Args:
      signal: array `[..., frames, frame_length]`.
      frame_step: the distance between the starts of consecutive frames.
      name: ignored.

    Returns:
      An array `[..., samples]` with `samples = frame_length + frame_step * (frames - 1)`.

    Raises:
      InvalidArgumentError: `signal` has fewer than two axes, the step is not positive, or both the
        number and the length of frames are 0 and the step is above 1.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      The number of frames may be known only at run time.

    https://www.tensorflow.org/api_docs/python/tf/signal/overlap_and_add
    """
    x = operand(signal)
    step = _require_positive("overlap_and_add", "frame_step", frame_step)
    if x.ndim < 2:
        raise checks.invalid(
            "overlap_and_add",
            "`signal` must have at least two axes.",
            required="rank >= 2",
            received=f"rank {x.ndim}",
        )
    frames, length = x.shape[-2:]
    if step > 1 and checks.is_known(length) and length == 0:
        checks.check_data(
            (frames if checks.is_known(frames) else primitives.as_size(frames)) == 0,
            "overlap_and_add",
            "both the number and the length of frames are 0.",
            required="at least one frame, or at least one sample in each frame",
            received=describe(x),
        )
    pieces = max(1, -(-length // step))
    zero = jnp.zeros((), x.dtype)
    before = [(0, 0, 0)] * (x.ndim - 1)
    x = lax.pad(x, zero, [*before, (0, pieces * step - length, 0)])
    x = x.reshape((*x.shape[:-1], pieces, step))
    total = 0
    for k in range(pieces):
        # Piece k of a frame begins k steps after the frame.
        total = total + lax.pad(
            x[..., k, :], zero, [*before[:-1], (k, pieces - 1 - k, 0), (0, 0, 0)]
        )
    flat = total.reshape((*total.shape[:-2], (frames + pieces - 1) * step))
    return flat[..., : (frames - 1) * step + length]
