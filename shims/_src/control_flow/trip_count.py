"""How often a loop runs, read off its condition and its body.

A loop whose condition is `t < n`, perhaps with more conditions beside it, whose body adds a constant
to `t` and leaves `n` alone, runs at most `(n - t) / step` times. An iteration that leaves `t` alone is
the last one if it makes another of the conditions fail, as `break` does. Such a loop can be a `scan`,
which unlike `while` can be differentiated backwards.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from shims._src.control_flow.program_graph import Facts, ProgramGraph, few
from shims._src.platform import jax_private as jp
from shims._src.sizes import numbering

# What a comparison says of `a ? b`, and of the two exchanged.
_MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


@dataclasses.dataclass(frozen=True)
class Trips:
    """An upper bound of the number of iterations.

    Attributes:
      count: an int, a symbolic dimension, or a traced int32 scalar; not below zero if an int.
      exact: whether the loop runs that often, because nothing else ends it.
    """

    count: Any
    exact: bool


def find_trips(test, body, initial: Sequence, earlier: Sequence = ()) -> Trips | None:
    """The bound that a counter in the carry gives, or `None`.

    Args:
      test: closed jaxpr from the carry to a bool scalar.
      body: closed jaxpr from the carry, and perhaps more, to the next carry, and perhaps more.
      initial: the carry before the first iteration; Python numbers where they are known.
      earlier: what the carry was some iterations before that, `None` where nobody knows.
    """
    tests, steps = ProgramGraph(test), ProgramGraph(body)
    conditions = tests.conjunction(tests.outputs[0])
    ends = [end for end in (_end(tests, c) for c in conditions) if end is not None]
    is_fixed = lambda i: steps.outputs[i] == ("input", i)
    for condition in conditions:
        for counter, comparison, limit in _comparisons(tests, condition):
            if counter is None or not _is_integer(initial[counter]):
                continue
            step, idle = _step(steps, counter)
            if step is None or not all(_ends_loop(steps, ends, facts) for facts in idle):
                continue
            bound = tests.evaluate(limit, initial, is_fixed)
            if bound is None or not _is_integer(bound):
                continue
            start, exact = _number(initial[counter]), len(conditions) == 1
            if jp.is_tracer(start) and earlier and isinstance(earlier[counter], int):
                # The counter has not gone backwards since, so that this is a bound, too.
                start, exact = earlier[counter], False
            count = _count(comparison, start, _number(bound), step)
            if count is not None:
                # An iteration that ends the loop without a step comes on top.
                return Trips(count + bool(idle), exact)
    return None


def _end(tests: ProgramGraph, condition) -> tuple[int, int] | None:
    """A carried flag and the value of it that makes a condition fail."""
    flag = tests.input_of(condition)
    if flag is not None:
        return flag, 0
    name, operands = tests.equation(condition)
    flag = tests.input_of(operands[0]) if name == "not" else None
    return None if flag is None else (flag, 1)


def _ends_loop(steps: ProgramGraph, ends, facts: Facts) -> bool:
    """Whether an iteration in which `facts` hold is the last one."""
    return any(steps.value_of(steps.outputs[flag], facts) == value for flag, value in ends)


def _comparisons(tests: ProgramGraph, condition):
    """The two readings `(input, comparison, other side)` of a comparison."""
    name, operands = tests.equation(condition)
    if name in _MIRRORED:
        left, right = operands
        yield tests.input_of(left), name, right
        yield tests.input_of(right), _MIRRORED[name], left


def _step(steps: ProgramGraph, counter: int) -> tuple[int | None, list[Facts]]:
    """What an iteration adds to a counter, and when it does not."""
    amounts, idle = set(), []
    for facts, atom in few(steps.paths(steps.outputs[counter])) or ():
        if steps.input_of(atom) == counter:
            idle.append(facts)
        else:
            amounts.add(_amount(steps, atom, counter))
    return (amounts.pop() if len(amounts) == 1 else None), idle


def _amount(steps: ProgramGraph, atom, counter: int) -> int | None:
    """The constant that a value adds to a counter."""
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


def _count(comparison: str, start, limit, step: int):
    """How many of `start, start + step, ...` satisfy the comparison with `limit`."""
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


def _number(x):
    """A scalar as an int or a dimension where it is known, else as it is."""
    if jp.is_symbolic(x):
        return x
    if jp.is_tracer(x):
        known = numbering.symbolic_value(x)
        return x if known is None else known
    return int(x)
