"""Pass the values that a function assigns out of its program, into the enclosing scope.

In `jax.jit` of `shims.stateless` or of a `stateless_call` of Keras, and in a step of `fit`, a function is part of an
enclosing JAX program, and a scope outside of the function holds the values of variables. A value that the function's own
program assigns has to be a result of that program.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from shims._src.recording import state
from shims._src.tracing.dynamic import run_dynamic


class _Assignments(state.Overlay):
    """A scope that notes assignments, in a program that runs once for each run of the enclosing one."""

    opens_program = False


def run_in_step(f: Callable[..., Any], args, kwargs, unconverted=None):
    """Call `f` as `run_dynamic` does, and assign afterwards what `f` has assigned."""
    written: list[Any] = []

    def noting(f):
        @functools.wraps(f)
        def called(*args, **kwargs):
            scope = _Assignments(state.current_scope())
            with state.state_scope(scope):
                result = f(*args, **kwargs)
                written[:] = scope.written
                return result, [scope.newest(variable) for variable in written]

        return called

    as_written = None if unconverted is None else noting(unconverted)
    result, values = run_dynamic(noting(f), args, kwargs, as_written)
    for variable, value in zip(written, values, strict=True):
        state.write(variable, value)
    return result
