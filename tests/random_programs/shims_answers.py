"""What does `shims` answer to a random program, eagerly under a tape and compiled with unknown sizes?

Compiled, a tape stands around the function, or the derivative is a part of the program.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import shims
from tests.harness import jax_side
from tests.harness.weights import cotangent, is_floating, traced_cotangent
from tf2jax_port.diff.parity import port_side

from .program import Call, Program, call_row, run
from .tensorflow_answer import Answer


class Side:
    """shims as `program.run` wants it."""

    constant = staticmethod(jnp.asarray)

    @staticmethod
    def apply(call: Call, given: dict[str, object]) -> list:
        """The arrays that a call gives."""
        return jax.tree.leaves(call_row(port_side.function_of(call.row), call, given))


def eager(program: Program, *, gradients: bool = True) -> Answer:
    """Values and, by a tape, gradients of the program run operator by operator."""
    inputs = {i.name: jnp.asarray(i.value) for i in program.inputs}
    sources = {name: inputs[name] for name in program.sources}
    try:
        with shims.GradientTape() as tape:
            tape.watch(sources)
            values = run(program, Side, inputs)
        outputs = [values[name] for name in program.returns if is_floating(values[name])]
        slopes = {}
        if outputs and sources and gradients:
            slopes = tape.gradient(
                outputs,
                sources,
                [jnp.asarray(cotangent(o)) for o in outputs],
                unconnected_gradients="zero",
            )
    except Exception as error:  # noqa: BLE001, which one is what is compared
        return Answer({}, None, error)
    found = {name: np.asarray(values[name]) for call in program.calls for name in call.results}
    return Answer(found, {n: np.asarray(g) for n, g in slopes.items()}, None)


def signature(program: Program) -> list[shims.TensorSpec]:
    """Describe what a caller of the compiled program promises."""
    return jax_side.specs(program.shapes(), [i.value for i in program.inputs])


def compiled(program: Program, *, gradients: bool) -> Answer:
    """The same from one `shims.function`; of the values only those that are returned."""
    names = [i.name for i in program.inputs]

    def total(sources, rest):
        values = run(program, Side, {**rest, **sources})
        returned = [values[name] for name in program.returns]
        weighted = [jnp.sum(v * traced_cotangent(v)) for v in returned if is_floating(v)]
        return sum(weighted, jnp.zeros(())), returned

    def body(*arrays):
        given = dict(zip(names, arrays, strict=True))
        sources = {name: given.pop(name) for name in program.sources}
        if not sources or not gradients:
            return total(sources, given)[1], {}
        slopes, returned = jax.grad(total, has_aux=True)(sources, given)
        return returned, slopes

    return _answer(program, lambda: shims.function(body, signature(program), autograph=False))


def around(program: Program, *, gradients: bool) -> Answer:
    """The same, a tape around the function."""
    names = [i.name for i in program.inputs]

    def body(*arrays):
        values = run(program, Side, dict(zip(names, arrays, strict=True)))
        return [values[name] for name in program.returns]

    def call(*inputs):
        function = shims.function(body, signature(program), autograph=False)
        given = dict(zip(names, map(jnp.asarray, inputs), strict=True))
        sources = {name: given[name] for name in program.sources} if gradients else {}
        with shims.GradientTape() as tape:
            tape.watch(sources)
            returned = function(*given.values())
        floats = [v for v in returned if is_floating(v)]
        cotangents = [jnp.asarray(cotangent(v)) for v in floats]
        if not floats or not sources:
            return returned, {}
        slopes = tape.gradient(floats, sources, cotangents, unconnected_gradients="zero")
        return returned, slopes

    return _answer(program, lambda: call)


def _answer(program: Program, make) -> Answer:
    """What a function of the inputs gives: values and slopes."""
    with jax_side.sizes_may_become_constants():
        try:
            returned, slopes = make()(*[i.value for i in program.inputs])
        except Exception as error:  # noqa: BLE001, which one is what is compared
            return Answer({}, None, error)
    found = dict(zip(program.returns, map(np.asarray, returned), strict=True))
    return Answer(found, {n: np.asarray(g) for n, g in slopes.items()}, None)
