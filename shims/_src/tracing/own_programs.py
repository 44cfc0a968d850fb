"""Trace the body of a loop as a separate dynamic program if it asks about sizes that it creates.

The program around the body is traced once for all iterations, so it cannot decide on the size of one of them.
A program of its own, whose operands are static, is staged for each answer, as under an enclosing `jax.jit`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TypeVar

import jax
import numpy as np

from shims._src.errors import errors, internal
from shims._src.platform import jax_private as jp
from shims._src.sizes import primitives, trace
from shims._src.sizes.padded import OK, Padded
from shims._src.tracing import attempts

T = TypeVar("T")
_RUN: list[Callable] = []


def run_by(results_and_status: Callable) -> None:
    """Set the function that calls a function as a dynamic program, which is above this module."""
    _RUN[:] = [results_and_status]


def traced(make: Callable[[Callable], T], body: Callable, operands) -> T:
    """Return `make(body)`, or `make` of the body as a program of its own.

    Args:
      make: traces the body.
      body: a function of arrays, nested; its results are arrays of known sizes if it is a program of its own.
      operands: arrays, or specifications, of what the body takes in one iteration.

    Raises:
      FreshSizeError: the body asks about sizes that it makes, and cannot be a program of its own.
    """
    state = trace.current()
    shapes = [np.shape(x) for x in jax.tree.leaves(operands)]
    if state is None or any(map(jp.is_symbolic, itertools.chain(*shapes))):
        return make(body)
    before, mark = len(state.fresh), state.decisions.mark()
    reason = None
    try:
        made = make(body)
    except (errors.FreshSizeError, jp.InconclusiveDimensionOperation) as error:
        reason = error
    else:
        if not state.decides_on_sizes_since(before, mark):
            return made
    kept = state.decisions.all_since(mark)
    state.decisions.forget_since(mark)
    try:
        return make(_own_program(body))
    except Exception as error:  # noqa: BLE001 - the first error is about the body as it is
        internal.raise_if_internal(error)
        if reason is not None:
            raise reason from None
        state.decisions.add(kept)
        return made


def _own_program(body: Callable) -> Callable:
    def run(*operands):
        leaves, tree = jax.tree.flatten(operands)
        places = [i for i, x in enumerate(leaves) if isinstance(x, jax.Array)]

        def on_arrays(*arrays):
            full = list(leaves)
            for i, x in zip(places, arrays, strict=True):
                full[i] = x
            return body(*jax.tree.unflatten(tree, full))

        with trace.resume(None), attempts.of_one_call():
            results, status = _RUN[0](on_arrays, [leaves[i] for i in places])
        if any(isinstance(x, Padded) for x in jax.tree.leaves(results, is_leaf=_is_padded)):
            raise errors.FreshSizeError(
                "the results differ in size from one iteration to the next."
            )
        if status is not None:
            primitives.check(status != OK, _FAILS)
        return results

    return run


_FAILS = errors.message(
    "",
    "a loop or `vmap` applies a function to rows, and the function fails for the data of one row.",
    do="call the function for each row separately to see the error of the row",
)


def _is_padded(x) -> bool:
    return isinstance(x, Padded)
