"""Mark JAX's errors for shapes that cannot be broadcast, so that no message must be parsed."""

from __future__ import annotations

from typing import TypeVar

_MARK = "shims_shape_mismatch"
E = TypeVar("E", bound=BaseException)


def broadcast(original, *shapes, **kwargs):
    """Broadcast shapes by JAX's function `original`, and mark the error if sizes differ."""
    try:
        return original(*shapes, **kwargs)
    except TypeError as error:
        if len(set(map(len, shapes))) == 1:  # JAX also refuses different ranks
            setattr(error, _MARK, True)
        raise


def is_marked(error: BaseException) -> bool:
    """Return whether an error is due to operands that cannot be broadcast."""
    cause = error.__cause__  # JAX's error of another class for the same operands
    return getattr(error, _MARK, False) or getattr(cause, _MARK, False)


def marked_as(new: E, error: BaseException) -> E:
    """Return the error `new`; if `error` is marked, `new` is marked, too."""
    setattr(new, _MARK, is_marked(error))
    return new
