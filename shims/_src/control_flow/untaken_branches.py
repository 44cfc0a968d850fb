"""Postpone errors in branches and loop bodies that may never run with the current sizes.

A branch is traced whether it is taken or not. If a size is a number while tracing, because it is 0 or
because the program has no symbol for it, the trace of the branch may fail: `tf.argmax(x)` in
`tf.cond(tf.size(x) > 0, ...)` for an `x` without elements. TensorFlow treats the size as unknown, and
only fails in code that runs. So after such an error the call is traced once more, and a branch that
fails is replaced by a run-time check that it is not taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn

import jax.numpy as jnp
from jax import lax

from shims._src.control_flow.staging import Block, trace_block
from shims._src.control_flow.undefined import Unreached
from shims._src.errors import errors, refusals
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives, size_numbers, trace
from shims._src.tracing import postponed_errors


def trace_branches(
    thunks: Sequence[Callable[[], Sequence]], nothing=None, condition=None
) -> list[Block]:
    """Trace branches; replace one that cannot be traced by a run-time check that it is not taken.

    Args:
      thunks: the branches.
      nothing: the outputs of a branch that is not taken; by default values that are not reached,
        which take the types of the other branches.
      condition: what chooses the first of two branches, if errors that a branch raises by a `raise` statement
        of the program are to be raised for the data that take the branch.
    """
    blocks: list[Block | None] = []
    refused: dict[int, Exception] = {}
    ended: dict[int, _AlwaysRaises] = {}
    for number, thunk in enumerate(thunks):
        try:
            blocks.append(trace_block(_until_end(thunk, number, nothing, ended)))
        except Exception as error:
            if not _is_raised_by_choice(condition, error) and not _may_be_postponed(error):
                raise
            refused[number] = error
            blocks.append(None)
    chosen = {n: e for n, e in refused.items() if _is_raised_by_choice(condition, e)}
    if condition is not None and len(chosen) + len(ended) == len(thunks):
        _raise_always(condition, blocks, chosen | ended)
    traced = [block for block in blocks if block is not None]
    if not traced:
        raise refused[0]
    if nothing is None:
        nothing = [Unreached()] * len(traced[0].trees)
    for number, raised in chosen.items():
        _raise_if_chosen(jnp.logical_xor(condition, number == 1), raised)
        blocks[number] = trace_block(lambda: nothing)
    return [
        _refusing_block(refused[number], nothing) if block is None else block
        for number, block in enumerate(blocks)
    ]


class _AlwaysRaises(errors.InvalidArgumentError):
    """Ends a block in which the program raises an error whatever the data choose, by a check of the run."""

    __module__ = "shims.errors"

    def __init__(self, texts: Sequence[str], line: str):
        super().__init__(
            errors.message(
                "if",
                "the program raises an error in every branch that the data may choose.",
                received="; or ".join(texts),
                at=line,
            )
        )
        self.texts = texts


_AlwaysRaises.__name__ = errors.InvalidArgumentError.__name__  # which the program catches


def _until_end(
    thunk: Callable[[], Sequence], number: int, nothing, ended: dict[int, _AlwaysRaises]
) -> Callable[[], Sequence]:
    """Return a function that runs a branch; where the branch always raises an error, its outputs are `nothing`."""

    def run():
        try:
            return thunk()
        except _AlwaysRaises as error:
            if nothing is None:
                raise
            ended[number] = error
            return nothing

    return run


def _raise_always(
    condition, blocks: Sequence[Block | None], raised: dict[int, Exception]
) -> NoReturn:
    """Raise the error of the branch that the data take, by checks; what follows is never reached."""
    texts: list[str] = []
    for number, error in sorted(raised.items()):
        chosen, block = jnp.logical_xor(condition, number == 1), blocks[number]
        if block is None:
            _raise_if_chosen(chosen, error)
        else:
            lax.cond(chosen, lambda block=block: (block.run(), ())[1], tuple)
        texts += getattr(error, "texts", (f"{type(error).__name__}: {error}",))
    raise _AlwaysRaises(texts, refusals.line_raised(raised[0]) or errors.user_line())


def _may_be_postponed(error: Exception) -> bool:
    is_refusal = isinstance(error, postponed_errors.REFUSALS)
    may = postponed_errors.are_postponed()
    return is_refusal and may and postponed_errors.depends_on_sizes(error)


def _is_raised_by_choice(condition, error: Exception) -> bool:
    if condition is None or trace.current() is None:
        return False
    return refusals.is_raised_by_program(error) or _is_handled(error)


def _is_handled(error: Exception) -> bool:
    """Return whether an error of the program reaches a handler of the program, which runs only if the step runs."""
    return size_numbers.are_handled() and refusals.is_of_program(error)


def skip_unless_reached(reached: Callable, error: Exception) -> None:
    """Raise the error of a step that could not be traced, unless it is one of the program that its handler does not get.

    Args:
      reached: a function without arguments that returns whether the step runs.
      error: the error.

    Raises:
      DependsOnIteration: nothing decides before the run whether it does.
    """
    if trace.current() is None or not _is_handled(error):
        raise error
    runs = reached()
    if not jp.is_tracer(runs):
        if runs:
            raise error
        return
    raise_if_handled(runs, error)


def _raise_if_chosen(chosen, error: Exception) -> None:
    """Raise an error of the program if the data take its branch: where a handler waits, now, otherwise by a check."""
    raise_if_handled(chosen, error)
    text = errors.message("", f"{type(error).__name__}: {error}", at=refusals.line_raised(error))
    primitives.check(chosen, text)


def decided(condition) -> bool | None:
    """Return whether a traced condition holds where the program handles errors; `None` if nothing decides it now."""
    state = trace.current()
    return None if state is None else _known(state, condition)


def _known(state, condition) -> bool | None:
    try:
        return primitives.is_known_true(state, condition)
    except primitives.DependsOnCounter:
        return None


def raise_if_handled(condition, error: Exception) -> None:
    """Raise an error if a condition holds, where the program handles errors of the current step.

    Raises:
      DependsOnIteration: the program does, and nothing decides the condition before the run.
    """
    state = trace.current()
    if state is None or not jp.is_tracer(condition) or not size_numbers.are_handled():
        return
    holds = _known(state, condition)
    if holds is None:
        raise DependsOnIteration(error)
    if holds:
        raise refusals.of_data(error)


class DependsOnIteration(errors.FreshSizeError):
    """Tells that the data of one iteration of a staged loop decide on an error that the program handles."""

    __module__ = "shims.errors"

    def __init__(self, error: Exception):
        super().__init__(
            errors.message(
                "if",
                "the program handles an error that depends on the data of one iteration.",
                required="a loop whose number of iterations is known, or an `if` whose branches raise no error",
                received=f"{type(error).__name__}: {error}",
                at=refusals.line_raised(error),
                do="test for the error with `if`: if the handler is in the loop, handle the error in the `else`; if the "
                "loop is in the `try` block, set a flag instead of raising the error, leave the loop with `break`, and "
                "test the flag after the loop, `if failed:`",
            )
        )


DependsOnIteration.__name__ = errors.FreshSizeError.__name__


def _refusing_block(error: Exception, outputs: Sequence) -> Block:
    """Return a `Block` that raises `error` when it runs."""

    def refuse():
        _check_at_run_time(jnp.ones(1, bool), error)
        return outputs

    return trace_block(refuse)


def check_not_reached(reached, error: Exception) -> None:
    """Raise the error of a loop body that cannot be traced, unless the body may never run.

    If errors are postponed and this one depends on sizes, check at run time that no iteration runs the body.

    Args:
      reached: a function without arguments that returns whether there is an iteration.
      error: the error that the trace of the body raised.
    """
    if not postponed_errors.are_postponed() or not postponed_errors.depends_on_sizes(error):
        skip_unless_reached(reached, error)
        return
    _check_at_run_time(jnp.asarray(reached(), bool), error)


def _check_at_run_time(bad, error: Exception) -> None:
    kind = type(error) if isinstance(error, errors.OpError) else errors.InvalidArgumentError
    primitives.check(bad, str(error), error=kind)
