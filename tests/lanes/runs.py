"""What does a case give in each lane, in either library? TensorFlow's answers once per case."""

from __future__ import annotations

import functools

import jax.numpy as jnp
import tensorflow as tf

import shims
from tests.harness import jax_side, tensorflow_side
from tests.harness.flatten import arrays
from tests.harness.padding import pad
from tests.harness.weights import polynomial_loss

from .case import Case

CAPACITY = 8


@functools.cache
def tensorflow_graph(case: Case):
    """Compile TensorFlow's graph, which does not know the sizes."""
    specs = tensorflow_side.specs(case.signature(), case.calls()[0])
    return tensorflow_side.graph(case.program, specs)


def tensorflow_result(case: Case, given):
    """Run TensorFlow, eagerly where it does so."""
    if case.graph_only:
        return tensorflow_graph(case)(*given)
    return tensorflow_side.eager(case.program, given)


@functools.cache
def tensorflow_eager(case: Case) -> list:
    """Run TensorFlow for every call."""
    return [tensorflow_result(case, given) for given in case.calls()]


@functools.cache
def tensorflow_gradients(case: Case) -> list[list]:
    """Differentiate the loss in the floating-point arrays with TensorFlow, for every call.

    Raises:
      LookupError: TensorFlow does not differentiate the program.
    """
    call = functools.partial(tensorflow_side.call, case.program)
    run = tensorflow_graph(case) if case.graph_only else call
    loss = functools.partial(polynomial_loss, tf)
    return [tensorflow_side.with_slopes(run, a, case.floats(), loss)[1] for a in case.calls()]


def eager(case: Case, given):
    """Run `shims` operator by operator."""
    return case.program(shims, *map(jnp.asarray, given))


def taped(case: Case) -> list[list]:
    """Differentiate the loss by a tape, for every call."""
    run = functools.partial(case.program, shims)
    loss = functools.partial(polynomial_loss, shims)
    return [jax_side.by_tape(run, given, case.floats(), loss)[1] for given in case.calls()]


def _differentiated(case: Case):
    """Make a program of the arrays behind the results with its loss, and say by what to differentiate."""
    places = case.floats() if not case.why_not("gradient") and not case.no_gradient else ()

    def loss(results):
        found = polynomial_loss(shims, results)
        return jnp.zeros(()) if found is None else found

    return jax_side.with_loss(lambda *given: arrays(case.program(shims, *given)), loss), places


@functools.cache
def function(case: Case) -> list[jax_side.Result]:
    """Call one function, which does not know the sizes, for every call."""
    specs = jax_side.specs(case.signature(), case.calls()[0])
    run = jax_side.function(*_differentiated(case), specs, autograph=False, buckets=CAPACITY)
    with jax_side.sizes_may_become_constants():
        return [run(*given) for given in case.calls()]


def poisoned(case: Case):
    """Make a function that gives the result over padded arrays by the number of the filling."""
    run = jax_side.inside_dynamic(*_differentiated(case))

    def filled(number):
        given = zip(case.calls()[0], case.signature(), strict=True)
        return run(*(_padded(array, shape, number) for array, shape in given))

    return filled


def _padded(array, shape, number):
    capacities = {axis: CAPACITY for axis, size in enumerate(shape) if size is None}
    return pad(array, capacities, number) if capacities else jnp.asarray(array)
