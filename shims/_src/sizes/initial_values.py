"""Compute the initial values of variables that are created while a function is being traced.

TensorFlow lifts the program of an initial value out of the function. Here the equations that computed
the traced initial value are evaluated again, on concrete arrays.
"""

from __future__ import annotations

import jax
import numpy as np

from shims._src.platform import jax_private as jp
from shims._src.sizes import trace


class _DependsOnArguments(Exception):
    """Raised if an initial value depends on arguments of the traced function or on their sizes."""


def known_value(value):
    """Compute the concrete value of a tracer; return `None` if it depends on traced arguments."""
    if not jp.is_tracer(value):
        return value
    try:
        with trace.resume(None), jax.ensure_compile_time_eval():
            known = _recompute(value, {})
            # A literal may be a NumPy scalar, and a constant a NumPy array.
            return known if isinstance(known, jax.Array) else jp.array_from_host(np.asarray(known))
    except _DependsOnArguments:
        return None


def _recompute(x, done: dict):
    x = jp.primal_tracer(x)
    constant = jp.constant_of(x)
    if constant is not None:
        return _recompute(constant, done) if jp.is_tracer(constant) else constant
    found = jp.defining_equation(x)
    if found is None or any(map(_has_symbols, found[0].outvars)):
        raise _DependsOnArguments
    eqn, position = found
    if id(eqn) not in done:
        operands = [_recompute(a, done) for a in jp.operand_atoms(eqn)]
        done[id(eqn)] = eqn, jp.bind(eqn, operands)
    return done[id(eqn)][1][position]


def _has_symbols(variable) -> bool:
    return any(map(jp.is_symbolic, getattr(variable.aval, "shape", ())))
