"""JAX's errors about symbolic sizes, in this project's words."""

from __future__ import annotations

import re
import traceback

from shims._src import errors
from shims._src import jax_private as jp

# What JAX says where it needs a number and gets a symbol.
_SIGNS = ("_DimExpr", "shape polymorphism", "non-constant", "symbolic dimension")


_FRESH_NAME = re.compile(r"\bu\d+\b")


def translated(error: Exception) -> Exception:
    """A `FreshSizeError` for an error of JAX about a symbolic size; any other error as it is."""
    if isinstance(error, errors.OpError):
        return error
    text = str(error)
    if isinstance(error, (TypeError, ValueError)) and len(set(_FRESH_NAME.findall(text))) > 1:
        return _meeting(error, text)
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


def _meeting(error, text) -> errors.FreshSizeError:
    return errors.FreshSizeError(
        errors.message(
            "",
            "two data-dependent sizes meet that JAX cannot know to be equal.",
            received=text.strip().splitlines()[0],
            at=line_of_error(error),
            do="state it: `shims.same_size(a, b)` gives `a` the size of `b`, checked at run time",
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
