"""JAX's errors about symbolic sizes, in this project's words."""

from __future__ import annotations

import traceback

from shims._src import errors
from shims._src import jax_private as jp

# What JAX says where it needs a number and gets a symbol.
_SIGNS = ("_DimExpr", "shape polymorphism", "non-constant", "symbolic dimension")


def translated(error: Exception) -> Exception:
    """A `FreshSizeError` for an error of JAX about a symbolic size; any other error as it is."""
    if isinstance(error, errors.OpError):
        return error
    text = str(error)
    if not isinstance(error, jp.InconclusiveDimensionOperation) and not any(
        sign in text for sign in _SIGNS
    ):
        return error
    return errors.FreshSizeError(
        errors.message(
            "",
            "this step needs to know a data-dependent size while it is traced.",
            received=text.strip().splitlines()[0] if text.strip() else type(error).__name__,
            at=line_of_error(error),
            do="use the shims operator of that name, or a form that does not ask for the size",
        )
    )


def line_of_error(error: BaseException) -> str:
    """The user's innermost line in an error's traceback."""
    best = getattr(error, "shims_line", "")
    if best:
        return best
    for frame, number in traceback.walk_tb(error.__traceback__):
        if errors.is_user_frame(frame):
            best = errors.line_of(frame.f_code.co_filename, number)
    return best
