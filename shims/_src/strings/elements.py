"""Compute on each string by itself: case, white space, parts."""

from __future__ import annotations

import numpy as np

from shims._src.arguments import checks
from shims._src.strings.late import late
from shims._src.strings.operands import each, numbers, over_ragged, strings
from shims._src.types.host_tensor import host

UNITS = ("BYTE", "UTF8_CHAR")
SPACES = b" \t\n\v\f\r"


def _cased(function: str, input, encoding: str, change):
    if encoding not in ("", "utf-8"):
        raise checks.invalid(
            function, f"`encoding` must not be {encoding!r}.", required="'utf-8' or ''"
        )
    if not encoding:
        return each(change, strings(function, input))

    def changed(x: bytes) -> bytes:
        return change(x.decode(errors="replace")).encode()

    return each(changed, strings(function, input))


@late
@over_ragged
def lower(input, encoding="", name=None):
    """Convert letters to lowercase.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      encoding: `utf-8`; or empty, which converts only ASCII letters.
      name: ignored.

    Returns:
      A tensor of strings of the same shape, on the host.

    Raises:
      InvalidArgumentError: `encoding` is unknown.
      TypeError: `input`  does not contain strings.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Known strings are constants of the program; other strings are computed on the host.

    Example:
      >>> import shims
      >>> shims.strings.lower("ABC").numpy()
      b'abc'

    https://www.tensorflow.org/api_docs/python/tf/strings/lower
    """
    return _cased("strings.lower", input, encoding, lambda x: x.lower())


@late
@over_ragged
def upper(input, encoding="", name=None):
    """Convert letters to uppercase.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      encoding: `utf-8`; or empty, which converts only ASCII letters.
      name: ignored.

    Returns:
      A tensor of strings of the same shape, on the host.

    Raises:
      InvalidArgumentError: `encoding` is unknown.
      TypeError: `input`  does not contain strings.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Known strings are constants of the program; other strings are computed on the host.

    Example:
      >>> import shims
      >>> shims.strings.upper("abc").numpy()
      b'ABC'

    https://www.tensorflow.org/api_docs/python/tf/strings/upper
    """
    return _cased("strings.upper", input, encoding, lambda x: x.upper())


@late
@over_ragged
def strip(input, name=None):
    """Remove white space from both ends of strings.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      name: ignored.

    Returns:
      A tensor of strings of the same shape, on the host.

    Raises:
      TypeError: `input`  does not contain strings.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Known strings are constants of the program; other strings are computed on the host.

    Example:
      >>> import shims
      >>> shims.strings.strip(" a ").numpy()
      b'a'

    https://www.tensorflow.org/api_docs/python/tf/strings/strip
    """
    return each(lambda x: x.strip(SPACES), strings("strings.strip", input))


def check_unit(function: str, unit) -> None:
    """Reject a unit of lengths that TensorFlow does not have."""
    if unit not in UNITS:
        raise checks.invalid(function, f"`unit` must not be {unit!r}.", required=" or ".join(UNITS))


def characters(text: bytes) -> list[bytes]:
    """Split a string into its characters; a byte that does not continue a character begins one."""
    starts = [i for i, byte in enumerate(text) if byte & 0xC0 != 0x80 or i == 0]
    return [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]


@late
@over_ragged
def substr(input, pos, len, unit="BYTE", name=None):
    """Return parts of strings.

    Args:
      input: strings of any shape, or a ragged tensor of them.
      pos: the first position; negative positions count from the end. The shapes of `input`, `pos` and `len` broadcast.
      len: the length of the substring; a substring is shorter if its string ends earlier.
      unit: the unit of positions and lengths, which is `BYTE` or `UTF8_CHAR`.
      name: ignored.

    Returns:
      A tensor of strings, on the host.

    Raises:
      InvalidArgumentError: a position is outside of its string, or `unit` is unknown.
      TypeError: `input`  does not contain strings.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      Known strings are constants of the program; other strings are computed on the host.

    Example:
      >>> import shims
      >>> shims.strings.substr("hello", 1, 3).numpy()
      b'ell'

    https://www.tensorflow.org/api_docs/python/tf/strings/substr
    """
    function = "strings.substr"
    check_unit(function, unit)
    starts, counts = numbers(function, "pos", pos), numbers(function, "len", len)
    if starts.shape != counts.shape:
        raise checks.invalid(
            function,
            "`pos` and `len` must have equal shapes.",
            received=f"{starts.shape}, {counts.shape}",
        )
    try:
        parts = np.broadcast_arrays(np.asarray(strings(function, input)), starts, counts)
    except ValueError:
        raise checks.invalid(function, "the shapes do not broadcast.") from None
    found = np.empty(parts[0].shape, object)
    flat = (x.ravel().tolist() for x in parts)
    found.reshape(-1)[:] = [_part(*x, unit) for x in zip(*flat, strict=True)]
    return host(found)


def _part(text: bytes, start: int, count: int, unit: str) -> bytes:
    pieces = text if unit == "BYTE" else characters(text)
    size = pieces.__len__()
    if not -size <= start <= size:
        raise checks.invalid(
            "strings.substr",
            f"the position {start} is out of range.",
            required=f"-{size} <= pos <= {size}",
            received=repr(text),
        )
    start += size if start < 0 else 0
    part = pieces[start:] if count < 0 else pieces[start : start + count]
    return part if isinstance(part, bytes) else b"".join(part)
