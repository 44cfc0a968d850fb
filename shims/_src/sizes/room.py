"""Raise an error for arrays that would not fit into device memory, before anything is allocated."""

from __future__ import annotations

import math

from shims._src.errors import errors
from shims._src.platform import device_memory
from shims._src.platform import jax_private as jp

# Sizes are int32 numbers in a traced program.
MOST_SLOTS = 2**31 - 1
# The largest factor of a size.
_MOST_FACTOR = 2**62
# TensorFlow counts elements as int64.
_MOST_ELEMENTS = 2**63 - 1
# Arrays of fewer bytes are never refused, so that their sizes cost nothing to check.
SMALL = 1 << 24
# The bytes of an element where the dtype is not known.
_WIDTH = 4


def check(function: str, shape, dtype=None, *, line: str | None = None) -> None:
    """Check that an array of a static shape fits into the memory of the device.

    Args:
      function: the operator, for messages.
      shape: static sizes.
      dtype: the dtype of the array; `None` stands for int32.
      line: the user's line, found on the stack when `None`.

    Raises:
      ResourceExhaustedError: the array does not fit.
      InvalidArgumentError: the array has more elements than an int64 counts.
    """
    sizes = [int(n) for n in shape]
    needed = math.prod(sizes) * (_WIDTH if dtype is None else dtype.itemsize)
    if math.prod(sizes) > _MOST_ELEMENTS:
        problem = "an array would have more elements than an int64 can count."
        raise errors.InvalidArgumentError(errors.message(function, problem, at=line))
    free = lacking(needed)
    if free is not None:
        raise exhausted(function, needed, free, f"an array of shape {sizes}", line)
    if needed and max(sizes, default=0) >= MOST_SLOTS:  # larger numbers end there, too
        subject = f"an axis of at least {max(sizes)} slots"
        raise exhausted(function, needed, _WIDTH * (MOST_SLOTS - 1), subject, line)


def lacking(needed: int) -> int | None:
    """Return the free bytes of the device if they are fewer than `needed`, otherwise `None`."""
    free = device_memory.available() if needed >= SMALL else None
    return free if free is not None and needed > free else None


def check_capacity(function: str, slots: int, *, line: str | None = None) -> None:
    """Check that memory and int32 allow an axis of `slots` slots.

    Raises:
      ResourceExhaustedError: int32 elements in that number do not fit into memory, or int32 cannot count
        the slots.
    """
    check(function, (slots,), line=line)


def check_range(d) -> None:
    """Check that a number that is computed from sizes can be computed in int64.

    Raises:
      FreshSizeError: a factor is beyond that range.
    """
    if any(abs(number) > _MOST_FACTOR for _, number in jp.terms(d)):
        raise errors.FreshSizeError(beyond_int32(received=f"`{d}`"))


def beyond_int32(**parts: str) -> str:
    """Return the message of an error for a number that int32 cannot hold."""
    problem = "a number that is computed from sizes is outside the range of int32."
    do = "compute the number as a float: `jnp.float32(n) * 1e12`"
    return errors.message("", problem, required=f"at most {MOST_SLOTS}", do=do, **parts)


def exhausted(function: str, needed: int, free: int, subject: str, line: str | None):
    """Return the error for an array or program that needs more bytes than the device has available."""
    return errors.ResourceExhaustedError(
        errors.message(
            function,
            f"{subject} does not fit into the memory of the device.",
            required=f"{needed:,} bytes",
            received=f"{free:,} bytes available",
            at=line,
            do=(
                "bound the number from which the size is computed, for instance `shims.minimum(n, 1000)`; the "
                f"environment variable `{device_memory.LIMIT}` overrides the number of available bytes"
            ),
        )
    )
