"""Our side of a random program: eagerly under a tape, and compiled with unknown sizes.

Compiled, a tape stands around the function, or the derivative is a part of the program.
"""

from __future__ import annotations

import warnings

import jax
import jax.numpy as jnp
import numpy as np

import shims
from tests.table import ours

from .program import Call, Program, call_row, run
from .theirs import Answer, weights


class Side:
    """shims as `program.run` wants it."""

    constant = staticmethod(jnp.asarray)

    @staticmethod
    def apply(call: Call, given: dict[str, object]) -> list:
        """The arrays that a call gives."""
        return jax.tree.leaves(call_row(ours.function_of(call.row), call, given))


def eager(program: Program, *, gradients: bool = True) -> Answer:
    """Values and, by a tape, gradients of the program run operator by operator."""
    inputs = {i.name: jnp.asarray(i.value) for i in program.inputs}
    sources = {name: inputs[name] for name in program.sources}
    try:
        with shims.GradientTape() as tape:
            tape.watch(sources)
            values = run(program, Side, inputs)
        outputs = [values[name] for name in program.returns if _is_floating(values[name])]
        slopes = {}
        if outputs and sources and gradients:
            slopes = tape.gradient(
                outputs,
                sources,
                [jnp.asarray(weights(o)) for o in outputs],
                unconnected_gradients="zero",
            )
    except Exception as error:  # noqa: BLE001, which one is what is compared
        return Answer({}, None, error)
    found = {name: np.asarray(values[name]) for call in program.calls for name in call.results}
    return Answer(found, {n: np.asarray(g) for n, g in slopes.items()}, None)


def signature(program: Program) -> list[shims.TensorSpec]:
    """What a caller of the compiled program promises."""
    return [
        shims.TensorSpec(
            [None if u else s for u, s in zip(i.unknown, i.value.shape, strict=True)],
            i.value.dtype,
        )
        for i in program.inputs
    ]


def compiled(program: Program, *, gradients: bool) -> Answer:
    """The same from one `shims.function`; of the values only those that are returned."""
    names = [i.name for i in program.inputs]

    def total(sources, rest):
        values = run(program, Side, {**rest, **sources})
        returned = [values[name] for name in program.returns]
        weighted = [jnp.sum(v * _weights(v)) for v in returned if _is_floating(v)]
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
        floats = [v for v in returned if _is_floating(v)]
        cotangents = [jnp.asarray(weights(v)) for v in floats]
        if not floats or not sources:
            return returned, {}
        slopes = tape.gradient(floats, sources, cotangents, unconnected_gradients="zero")
        return returned, slopes

    return _answer(program, lambda: call)


def _answer(program: Program, make) -> Answer:
    """What a function of the inputs gives: values and slopes."""
    # That a size had to become a constant costs time; the numbers are what this is about.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shims.errors.SpecializationWarning)
        try:
            returned, slopes = make()(*[i.value for i in program.inputs])
        except Exception as error:  # noqa: BLE001, which one is what is compared
            return Answer({}, None, error)
    found = dict(zip(program.returns, map(np.asarray, returned), strict=True))
    return Answer(found, {n: np.asarray(g) for n, g in slopes.items()}, None)


def _is_floating(value) -> bool:
    return jnp.issubdtype(jnp.result_type(value), jnp.floating)


def _weights(value):
    """`theirs.weights` over sizes that may be symbols."""
    found = jnp.full((), 1.5, value.dtype)
    for axis, size in enumerate(value.shape):
        along = [1] * value.ndim
        along[axis] = size
        steps = jnp.round(64 * jnp.cos((axis + 1.0) * jnp.arange(size))) / 64
        found = found + jnp.asarray(0.5, value.dtype) * steps.astype(value.dtype).reshape(along)
    return found
