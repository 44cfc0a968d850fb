"""Number the errors that a program under an enclosing trace finds at run time.

Such a program returns, with each result, a status: one integer, read after the call or by the host. The number of
an error is a hash of its message. So the status of a program that another process exported is mapped to no
message here, not to a wrong one.
"""

from __future__ import annotations

import zlib

from shims._src.errors import errors

# Numbers nearer to 0 have a fixed meaning.
_FIRST = 1 << 8
_COUNT = 1 << 30

_ERRORS: dict[int, tuple[type[errors.OpError], str]] = {}

_DO = "call the function through `shims.function` at the top level, where the values are known"


def code_of(text: str, error: type[errors.OpError] = errors.InvalidArgumentError) -> int:
    """Return the negative number of an error, and store the error under it for `error_of`."""
    if "\n  Do: " not in text:
        text = f"{text}\n  Do:       {_DO}"
    code = -(_FIRST + zlib.crc32(f"{error.__name__} {text}".encode()) % _COUNT)
    _ERRORS[code] = error, text.replace(errors.NUMBER, "a number that is known only at run time")
    return code


def error_of(code: int) -> errors.OpError | None:
    """Return the error with the number `code`, or `None` if no program of this process has it."""
    known = _ERRORS.get(code)
    return None if known is None else known[0](known[1])
