"""Pass variables through the loops and branches of `jax.lax` while a function is traced.

A body that assigns a variable, or draws random numbers, is traced a second time, with the values of these
variables added to the carry of the loop or the results of the branch.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax
import numpy as np

from shims._src.arguments import operands
from shims._src.numeric.forward_mode_only import forward_mode_only
from shims._src.recording import state


class _Variables:
    """The variables that loop bodies or branches assign, in order of their first assignments."""

    def __init__(self) -> None:
        self.outer = state.current_scope()
        self.assigned: dict[int, object] = {}

    def noting(self, body: Callable) -> Callable:
        """Return `body` such that the variables it assigns are noted, and their new values are discarded."""

        @functools.wraps(body)
        def noted(*operands):
            return self._run(body, operands, (), ())[0]

        return noted

    def passing(self, body: Callable) -> Callable:
        """Return `body` as a function of the variables' values and its operands.

        It returns `(new values, results)`.
        """
        known = tuple(self.assigned.values())

        @functools.wraps(body)
        def passed(values, *operands):
            result, scope = self._run(body, operands, known, values)
            return tuple(scope.newest(v) for v in known), result

        return passed

    def _run(self, body, operands, known, values):
        scope = state.Overlay(self.outer, known, values)
        with state.state_scope(scope):
            result = body(*operands)
            self.assigned.update((id(v), v) for v in scope.written)
        return result, scope

    def values(self) -> tuple:
        """Return the values of the noted variables before the loop or conditional."""
        return tuple(map(state.read, self.assigned.values()))

    def store(self, values) -> None:
        """Assign the values that the noted variables have after the loop or conditional."""
        for variable, value in zip(self.assigned.values(), values, strict=True):
            state.write(variable, value)


def _of_one_length(xs):
    """Declare that the leading axes of the arrays of a scan have the same size, which JAX compares by its hash."""
    leaves, tree = jax.tree.flatten(xs)
    for i, x in enumerate(leaves):
        if i and np.ndim(x) and np.ndim(leaves[0]):
            leaves[0], leaves[i] = operands.meeting("lax.scan", leaves[0], 0, x, 0)
    return jax.tree.unflatten(tree, leaves)


def _scan(trace, original, f, init, xs=None, *rest, **options):
    xs = _of_one_length(xs)
    if state.current_scope() is None:
        return original(f, init, xs, *rest, **options)
    variables = _Variables()
    result = original(variables.noting(f), init, xs, *rest, **options)
    if not variables.assigned:
        return result
    body = variables.passing(f)

    def step(both, x):
        values, (carry, y) = body(both[0], both[1], x)
        return (values, carry), y

    (values, carry), ys = original(step, (variables.values(), init), xs, *rest, **options)
    variables.store(values)
    return carry, ys


def _while_loop(trace, original, cond_fun, body_fun, init_val):
    return forward_mode_only(_pass_through_while(original, cond_fun, body_fun, init_val))


def _pass_through_while(original, cond_fun, body_fun, init_val):
    if state.current_scope() is None:
        return original(cond_fun, body_fun, init_val)
    variables = _Variables()
    result = original(variables.noting(cond_fun), variables.noting(body_fun), init_val)
    if not variables.assigned:
        return result
    # The condition may draw numbers, too: its answer is part of the carry.
    body, cond = variables.passing(body_fun), variables.passing(cond_fun)

    def step(carry):
        values, result = body(carry[0], carry[2])
        values, goes_on = cond(values, result)
        return values, goes_on, result

    start = (*cond(variables.values(), init_val), init_val)
    values, _, result = original(lambda carry: carry[1], step, start)
    variables.store(values)
    return result


def _cond(trace, original, pred, true_fun, false_fun, *operands, **options):
    def branched(branches, *given):
        return original(pred, *branches, *given, **options)

    return _through_branches(branched, (true_fun, false_fun), operands, options)


def _switch(trace, original, index, branches, *operands, **options):
    def branched(branches, *given):
        return original(index, branches, *given, **options)

    return _through_branches(branched, tuple(branches), operands, options)


def _through_branches(branched, branches, operands, options):
    if options or state.current_scope() is None or not all(map(callable, branches)):
        return branched(branches, *operands)
    variables = _Variables()
    result = branched([*map(variables.noting, branches)], *operands)
    if not variables.assigned:
        return result
    values = variables.values()
    values, result = branched([*map(variables.passing, branches)], values, *operands)
    variables.store(values)
    return result


FUNCTIONS = (("scan", _scan), ("while_loop", _while_loop), ("cond", _cond), ("switch", _switch))
