"""Trace a function of arrays once, with the variables that it uses as inputs and outputs."""

from __future__ import annotations

import jax
from jax.extend import core as jex

from shims._src.function.lift import Lifting
from shims._src.recording import state


def lifted(f, *args):
    """Return what `f` uses, and a pure function `(values, *args) -> (outputs, new values)`."""
    scope, box = Lifting(), {}

    def program(*args):
        with state.state_scope(scope):
            results, box["tree"] = jax.tree.flatten(scope.results(f(*args)))
        return results

    closed, found = scope.lifted(jax.make_jaxpr(program)(*args))

    def pure(values, *args):
        return jax.tree.unflatten(box["tree"], jex.jaxpr_as_fun(closed)(*values, *args))

    return found, pure
