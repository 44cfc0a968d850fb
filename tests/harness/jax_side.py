"""What does `shims` give for a program: eagerly, compiled, mapped, differentiated in each way?"""

from __future__ import annotations

import contextlib
import warnings
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

import shims

from .flatten import unpadded
from .weights import jax_loss


class Result(NamedTuple):
    """What one run gives, and its gradients, which are empty where none were asked for."""

    outputs: Any
    gradients: Any


@contextlib.contextmanager
def sizes_may_become_constants():
    """Ignore that a size had to become a constant: that costs time, not numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shims.errors.SpecializationWarning)
        yield


def floating(arguments) -> tuple[int, ...]:
    """List the positions of the arguments that can be differentiated."""
    kinds = (np.asarray(a).dtype for a in arguments)
    return tuple(i for i, kind in enumerate(kinds) if np.issubdtype(kind, np.floating))


def with_loss(f, loss=jax_loss):
    """Make a function return `(loss, outputs)`."""

    def program(*arguments):
        outputs = f(*arguments)
        return loss(outputs), outputs

    return program


def differentiated(program, places):
    """Make a program that returns `(loss, outputs)` return a `Result` with the loss's gradients."""
    if not places:
        return lambda *arguments: Result(program(*arguments)[1], ())

    def run(*arguments):
        (_, outputs), gradients = jax.value_and_grad(program, places, has_aux=True)(*arguments)
        return Result(outputs, gradients)

    return run


def around_dynamic(program, places):
    """Differentiate a program from outside of `shims.dynamic`, under one `jax.jit`."""
    return jax.jit(differentiated(shims.dynamic(program), places))


def inside_dynamic(program, places):
    """Differentiate a program inside of `shims.dynamic`, under one `jax.jit`."""
    return jax.jit(shims.dynamic(differentiated(program, places)))


def function(program, places, signature=None, **options):
    """Differentiate a program inside of a `shims.function`."""
    return shims.function(differentiated(program, places), input_signature=signature, **options)


def specs(shapes, given) -> list[shims.TensorSpec]:
    """Describe arrays of which the shapes are known as far as they are given."""
    return [shims.TensorSpec(s, np.asarray(a).dtype) for s, a in zip(shapes, given, strict=True)]


def by_tape(run, given, places, loss, unconnected: str = "none"):
    """Run a function of arrays under a tape; the counterpart of `tensorflow_side.with_slopes`."""
    held = list(map(shims.constant, given))
    sources = [held[i] for i in places]
    with shims.GradientTape() as tape:
        tape.watch(sources)
        results = run(*held)
        target = loss(results)
    if target is None:
        return results, [None] * len(sources)
    found = tape.gradient(target, sources, unconnected_gradients=unconnected)
    return results, [None if g is None else shims.convert_to_tensor(g) for g in found]


def mapped(f, given, places, variants) -> list:
    """Map a function over some arguments with `jax.vmap`: an exact result for each variant.

    Args:
      f: a function of arrays.
      given: its arguments.
      places: the positions of those that are mapped over.
      variants: what stands there, a list each.
    """

    def of_some(*values):
        arguments = list(map(jnp.asarray, given))
        for place, value in zip(places, values, strict=True):
            arguments[place] = value
        return f(*arguments)

    results = jax.vmap(of_some)(*(np.stack(rows) for rows in zip(*variants, strict=True)))
    return [unpadded(jax.tree.map(lambda x, i=i: x[i], results)) for i in range(len(variants))]


def gradient(f, *arguments, jit=False):
    """Differentiate the sum of a function's floating-point results by the first argument."""

    def total(*given):
        leaves = jax.tree.leaves(f(*given))
        floats = [x for x in leaves if jnp.issubdtype(jnp.result_type(x), jnp.floating)]
        return sum((jnp.sum(x * 1.5) for x in floats), jnp.float32(0))

    slope = jax.grad(total)
    return (jax.jit(slope) if jit else slope)(*arguments)


def symbolic_results(f, *shapes) -> list[str]:
    """Print the shapes of the results when sizes named in `shapes` are symbolic."""
    scope = export.SymbolicScope()
    given = [
        jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope), jnp.float32)
        for shape in shapes
    ]
    return [str(list(a.shape)) for a in jax.make_jaxpr(f)(*given).out_avals]


def primitives_of(f, *arguments) -> list[str]:
    """List the names of the primitives at the top level of a function's program."""
    return [e.primitive.name for e in jax.make_jaxpr(f)(*arguments).eqns]
