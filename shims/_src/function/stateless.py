"""Provide `stateless`, which makes the variables of a function its arguments and results, for `jax.jit`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from shims._src.autograph import convert
from shims._src.errors import errors
from shims._src.recording import state
from shims._src.variables.keras_state import read_outputs, standing_for


def stateless(
    f: Callable[..., Any], variables: Iterable[Any], *, autograph: bool = True
) -> Callable[..., Any]:
    """Make a pure function, with the variables' values as arguments and results, out of a function that assigns variables.

    The result is ordinary JAX code: `jit`, `grad`, `vmap` and `lax.scan` apply to it, and no call of it changes a
    variable.

    Args:
      f: the function.
      variables: the variables of `shims` or of Keras that it uses, such as `module.variables`.
      autograph: convert Python control flow on arrays in `f` and in the functions that it calls.

    Returns:
      A function `(values, *args, **kwargs) -> (result, new_values)`. Values are in the order of `variables`.

    Raises:
      FailedPreconditionError: `f` assigns or creates a variable that is not among `variables`.

    Under jit: a variable that `f` reads and that is not among them is a constant of the compiled program.
    """
    given = tuple(variables)
    held = tuple(map(standing_for, given))

    converted = convert(f) if autograph else f

    @functools.wraps(f)
    def call(values, *args, **kwargs):
        scope = state.Overlay(state.current_scope(), held, tuple(values))
        with state.state_scope(scope):
            result = read_outputs(converted(*args, **kwargs))
            known = {id(variable) for variable in held}
            for variable in (*scope.created.values(), *scope.written):
                if id(variable) not in known and variable.is_kept_by_traces:
                    raise _left_out(variable)
            return result, [scope.newest(variable) for variable in held]

    return call


def _left_out(variable) -> errors.FailedPreconditionError:
    return errors.FailedPreconditionError(
        errors.message(
            "stateless",
            "the function assigns or creates a variable that `variables` does not contain, so the new value would "
            "be lost.",
            received=variable.name,
            do="create the variable before the call, and add the variable to `variables`.",
        )
    )
