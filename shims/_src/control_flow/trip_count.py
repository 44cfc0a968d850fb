"""Infer the number of iterations of a loop from its condition and body.

A loop whose condition is `t < n`, perhaps combined with others, whose body adds a constant to `t` and
does not change `n`, runs at most `(n - t) / step` times. An iteration that does not change `t` is the
last one if it makes another condition fail, as `break` does. Such a loop can be a `lax.scan`, which
unlike `lax.while_loop` supports reverse-mode differentiation.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from shims._src.control_flow.program_graph import Facts, ProgramGraph, limited_paths
from shims._src.platform import jax_private as jp
from shims._src.sizes import numbering

# Each comparison, and the one that holds for the exchanged operands.
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


@dataclasses.dataclass(frozen=True)
class Trips:
    """An upper bound of the number of iterations of a loop.

    Attributes:
      count: an int, a symbolic dimension, or a traced int32 scalar; not negative if an int.
      exact: whether the loop runs exactly that often, because no other condition ends it.
    """

    count: Any
    exact: bool


def find_trips(test, body, initial: Sequence, earlier: Sequence = ()) -> Trips | None:
    """Infer a bound on the number of iterations from a counter in the carry, `None` without one.

    Args:
      test: closed jaxpr from the carry to a bool scalar.
      body: closed jaxpr from the carry to the next carry, perhaps with further inputs and outputs.
      initial: the carry before the first iteration; Python numbers where they are known.
      earlier: the carry some iterations before `initial`, `None` where it is unknown.
    """
    tests, steps = ProgramGraph(test), ProgramGraph(body)
    conditions = tests.conjunction(tests.outputs[0])
    ends = [end for end in (_ending_flag(tests, c) for c in conditions) if end is not None]
    is_fixed = lambda i: steps.outputs[i] == ("input", i)
    for condition in conditions:
        for counter, comparison, limit in _comparisons(tests, condition):
            if counter is None or not _is_integer(initial[counter]):
                continue
            step, idle = _counter_step(steps, counter)
            if step is None or not all(_ends_loop(steps, ends, facts) for facts in idle):
                continue
            bound = tests.evaluate(limit, initial, is_fixed)
            if bound is None or not _is_integer(bound):
                continue
            start, exact = _known_number(initial[counter]), len(conditions) == 1
            if jp.is_tracer(start) and earlier and isinstance(earlier[counter], int):
                # The counter is monotonic, so its earlier value also implies a bound.
                start, exact = earlier[counter], False
            count = _count_trips(comparison, start, _known_number(bound), step)
            if count is not None:
                # An iteration that ends the loop without a step of the counter is not counted yet.
                return Trips(count + bool(idle), exact)
    return None


def _ending_flag(tests: ProgramGraph, condition) -> tuple[int, int] | None:
    """Return `(index, value)` of the bool in the carry that makes a condition false at that value.

    Returns `None` if the condition is not such a bool or its negation.
    """
    flag = tests.input_of(condition)
    if flag is not None:
        return flag, 0
    name, operands = tests.equation(condition)
    flag = tests.input_of(operands[0]) if name == "not" else None
    return None if flag is None else (flag, 1)


def _ends_loop(steps: ProgramGraph, ends, facts: Facts) -> bool:
    """Return whether an iteration in which `facts` hold must be the last one of the loop."""
    return any(steps.value_of(steps.outputs[flag], facts) == value for flag, value in ends)


def _comparisons(tests: ProgramGraph, condition):
    """Yield a comparison and its mirror image, each as `(input or None, operator, other operand)`."""
    name, operands = tests.equation(condition)
    if name in _MIRRORED:
        left, right = operands
        yield tests.input_of(left), name, right
        yield tests.input_of(right), _MIRRORED[name], left


def _counter_step(steps: ProgramGraph, counter: int) -> tuple[int | None, list[Facts]]:
    """Return what an iteration adds to a counter, and the conditions under which it adds nothing.

    The amount is `None` if it is not the same constant in all other iterations.
    """
    amounts, idle = set(), []
    for facts, atom in limited_paths(steps.paths(steps.outputs[counter])) or ():
        if steps.input_of(atom) == counter:
            idle.append(facts)
        else:
            amounts.add(_added_constant(steps, atom, counter))
    return (amounts.pop() if len(amounts) == 1 else None), idle


def _added_constant(steps: ProgramGraph, atom, counter: int) -> int | None:
    """Return the constant `c` if a value is `counter + c`, or `None`."""
    name, operands = steps.equation(atom)
    if name not in ("add", "sub"):
        return None
    left, right = operands
    if steps.input_of(left) == counter:
        amount = steps.constant_of(right)
        return amount if amount is None or name == "add" else -amount
    if name == "add" and steps.input_of(right) == counter:
        return steps.constant_of(left)
    return None


def _is_integer(x) -> bool:
    dtype = getattr(x, "dtype", None)
    if dtype is None:
        return jp.is_symbolic(x) or (isinstance(x, int) and not isinstance(x, bool))
    return bool(jnp.issubdtype(dtype, jnp.integer)) and np.ndim(x) == 0


def _count_trips(comparison: str, start, limit, step: int):
    """Return how many of `start, start + step, ...` satisfy the comparison; `None` if unlimited."""
    if step > 0 and comparison in ("lt", "le"):
        distance = limit - start
    elif step < 0 and comparison in ("gt", "ge"):
        distance, step = start - limit, -step
    else:
        return None
    if comparison in ("lt", "gt"):
        distance = distance + (step - 1)
    else:
        distance = distance + step
    count = distance if step == 1 else distance // step
    return max(count, 0) if isinstance(count, int) else count


def _known_number(x):
    """Convert a scalar to an int or a dimension if its value is known; return others unchanged."""
    if jp.is_symbolic(x):
        return x
    if jp.is_tracer(x):
        known = numbering.symbolic_value(x)
        return x if known is None else known
    return int(x)
