"""Branches and loop bodies that are refused for the sizes of a call, which may not come to them.

A branch is traced whether it is taken or not. Where a size is a number, because it is 0 or because
the program takes no symbol for it, what the branch does may be refused while it is traced:
`tf.argmax(x)` in `tf.cond(tf.size(x) > 0, ...)`, of no elements. TensorFlow, which was told that the
size is unknown, refuses only what it runs. So a call that was refused is traced once more, and then a
branch that is refused becomes a check that it is not taken.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

import jax.numpy as jnp

from shims._src.control_flow.staging import Block, trace_block
from shims._src.control_flow.undefined import UndefinedReturnValue
from shims._src.errors import errors
from shims._src.platform.thread_state import ThreadSlot
from shims._src.sizes import primitives

# What may refuse arrays because of their sizes, and what of that does not.
REFUSALS = (errors.InvalidArgumentError, TypeError)
_WHATEVER_THE_SIZES = (
    errors.DtypeMismatchError,
    errors.CompositeOperandError,
    errors.NarrowingError,
)


# Whether refusals wait for the run.
_POSTPONED = ThreadSlot(False)


def postponed() -> contextlib.AbstractContextManager[object]:
    """Let branches and loop bodies that are refused while traced be refused where they are run."""
    return _POSTPONED.holding(True)


def depends_on_sizes(error: BaseException) -> bool:
    """Whether an error refuses arrays of these sizes, so that others might do."""
    if isinstance(error, _WHATEVER_THE_SIZES):
        return False
    if isinstance(error, TypeError):
        return "incompatible shapes" in str(error)
    return isinstance(error, errors.InvalidArgumentError)


def trace_branches(thunks: Sequence[Callable[[], Sequence]], nothing=None) -> list[Block]:
    """Trace branches; one that is refused becomes a check that it is not taken.

    Args:
      thunks: the branches.
      nothing: the outputs of one that is not taken; `None` for whatever the others give.
    """
    blocks: list[Block | None] = []
    refused: dict[int, Exception] = {}
    for number, thunk in enumerate(thunks):
        try:
            blocks.append(trace_block(thunk))
        except REFUSALS as error:
            if not _POSTPONED.value or not depends_on_sizes(error):
                raise
            refused[number] = error
            blocks.append(None)
    traced = [block for block in blocks if block is not None]
    if not traced:
        raise refused[0]
    if nothing is None:
        nothing = [UndefinedReturnValue()] * len(traced[0].trees)
    return [
        _refusal(refused[number], nothing) if block is None else block
        for number, block in enumerate(blocks)
    ]


def _refusal(error: Exception, outputs: Sequence) -> Block:
    """A branch that raises an error."""

    def refuse():
        _check(jnp.ones(1, bool), error)
        return outputs

    return trace_block(refuse)


def check_not_reached(reached, error: Exception) -> None:
    """Raise the error of a loop's body, or check that no iteration runs it.

    Args:
      reached: from nothing to whether there is an iteration.
      error: what the trace of the body raised.
    """
    if not _POSTPONED.value or not depends_on_sizes(error):
        raise error
    _check(jnp.asarray(reached(), bool), error)


def _check(bad, error: Exception) -> None:
    kind = type(error) if isinstance(error, errors.OpError) else errors.InvalidArgumentError
    primitives.check(bad, str(error), error=kind)
