"""Define the records of operations on a gradient tape: operands, results and derivative."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from shims._src.numeric import division
from shims._src.platform import jax_private as jp
from shims._src.platform.jaxprs import evaluate, own_equations
from shims._src.recording import connectivity
from shims._src.recording.indexed_slices import dense


class Application:
    """The record of a JAX program applied to arrays; JAX computes its derivative.

    Attributes:
      inputs: the operands.
      outputs: the results.
      links: per output, the indices of the inputs on which it depends.
      program: the applied program; see `Bound`.
    """

    def __init__(self, inputs: Sequence, outputs: Sequence, links, program):
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self.computed: tuple = ()
        self.links = links
        self.program = program
        self.output_keys = tuple(map(jp.key_of, outputs))

    def pull(self, wanted: Sequence[int], given: Sequence[int], cotangents: Sequence) -> Sequence:
        """Compute the cotangents of the inputs `wanted` from those of the outputs `given`."""
        operands = (list(self.inputs), [dense(c) for c in cotangents])
        pull = _pull
        if self.program.compiles and _all_concrete(operands):
            pull = _compiled_pull
        return pull(self.program, tuple(wanted), tuple(given), *operands)

    def push(self, moving: Sequence[int], given: Sequence[int], tangents: Sequence) -> Sequence:
        """Compute the tangents of the outputs `given` from those of the inputs `moving`."""
        chosen, primals = _restrict_program(self.program, moving, given, self.inputs)
        with self.program.running():
            return jax.jvp(chosen, tuple(primals), tuple(tangents))[1]


class Explicit:
    """The record of an operation with a custom derivative.

    Args:
      inputs: the operands.
      outputs: the results.
      backward: a function from cotangents of all outputs to gradients of all inputs (`None` for no
        gradient), in TensorFlow's convention of complex gradients.
      computed: the arrays from which the outputs were copied, if the operations that compute them
        are recorded, too; forward mode differentiates those operations, as in TensorFlow.
    """

    def __init__(
        self, inputs: Sequence, outputs: Sequence, backward: Callable, computed: Sequence = ()
    ):
        self.computed = tuple(computed)
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self.links = connectivity.links_between(inputs, outputs)
        self._backward = backward
        self.output_keys = tuple(map(jp.key_of, outputs))

    def pull(self, wanted: Sequence[int], given: Sequence[int], cotangents: Sequence) -> Sequence:
        """Compute the gradients of the inputs `wanted` from cotangents of the outputs `given`.

        All other outputs have the cotangent 0.
        """
        known = dict(zip(given, cotangents, strict=True))
        full = [
            conjugate(dense(known[j])) if j in known else jnp.zeros_like(y)
            for j, y in enumerate(self.outputs)
        ]
        gradients = self._backward(*full)
        return [None if gradients[i] is None else conjugate(gradients[i]) for i in wanted]

    def push(self, moving: Sequence[int], given: Sequence[int], tangents: Sequence) -> Sequence:
        """Compute the tangents of the outputs `given`, by transposing `pull`."""

        def pull(*cotangents):
            pulled = self.pull(moving, given, cotangents)
            return [
                jnp.zeros_like(self.inputs[i]) if g is None else dense(g)
                for i, g in zip(moving, pulled, strict=True)
            ]

        transposed = jax.linear_transpose(pull, *(self.outputs[j] for j in given))
        return transposed(list(tangents))


def conjugate(x):
    """Conjugate a gradient: TensorFlow's complex gradients are the conjugates of JAX's."""
    if isinstance(x, jax.Array) and jnp.issubdtype(x.dtype, jnp.complexfloating):
        return jnp.conj(x)
    return x


# ---- programs ------------------------------------------------------------------------------------


class Bound:
    """A recorded application of a JAX primitive; `call` applies it to other operands.

    Equal instances compute the same function.
    """

    def __init__(self, primitive, params: dict[str, Any]):
        self._primitive, self._params = primitive, params
        self._prints = bool(built_in_effects(primitive, params))
        self._key = (primitive, tuple(sorted(params.items(), key=lambda item: item[0])))
        try:
            self._hash = hash(self._key)
            self.compiles = True
        except TypeError:
            self._hash = id(self)
            self.compiles = False

    def call(self, *operands) -> Sequence:
        """Apply the primitive to operands, without its side effects."""
        if self._prints:
            return _evaluate(self._params["jaxpr"], operands, {})
        return division.apply_primitive(self._primitive, self._params, operands)

    def running(self):
        """Return a context manager inside which `call` can be used repeatedly."""
        return jp.emptied_stores(())

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other) -> bool:
        return self is other or (
            isinstance(other, Bound) and self.compiles and self._key == other._key
        )


class Rule(Bound):
    """A recorded function with a custom derivative rule, as JAX passes the function to traces."""

    compiles = False

    def __init__(self, primitive, functions, params):
        self._primitive, self._functions = primitive, functions
        self._prints = False
        self._params = params
        self._hash = id(self)

    def call(self, *operands) -> Sequence:
        """Call the function, whose derivative is that of its rule."""
        return jp.bind_functions(self._primitive, self._functions, operands, self._params)

    def running(self):
        """Return a context manager inside which `call` can be used repeatedly."""
        return jp.emptied_stores(self._functions)

    __hash__ = Bound.__hash__

    def __eq__(self, other) -> bool:
        return self is other


class Equation:
    """A recorded operation that is one jaxpr equation; `call` evaluates it on new operands."""

    compiles = False

    def __init__(self, eqn):
        self.eqn = eqn

    def call(self, *operands) -> Sequence:
        """Evaluate the recorded operation on operands."""
        return division.apply(self.eqn, operands)

    def running(self):
        """Return a context manager inside which `call` can be used repeatedly."""
        return jp.emptied_stores(())


class Capturing:
    """A recorded call of a compiled function that uses arrays from outside of it.

    These arrays are additional operands, so that gradients flow to them, too.
    """

    compiles = False

    def __init__(self, closed, built_in: Sequence):
        self._closed = closed
        self._built_in = tuple(map(id, built_in))

    def call(self, *operands) -> Sequence:
        """Evaluate the recorded operation on operands."""
        count = len(operands) - len(self._built_in)
        given = dict(zip(self._built_in, operands[count:], strict=True))
        return _evaluate(self._closed, operands[:count], given)

    def running(self):
        """Return a context manager inside which `call` can be used repeatedly."""
        return jp.emptied_stores(())


class Identity:
    """A recorded operation that returns its operand."""

    compiles = False

    def call(self, operand) -> Sequence:
        """Evaluate the recorded operation on operands."""
        return [operand]

    def running(self):
        """Return a context manager inside which `call` can be used repeatedly."""
        return jp.emptied_stores(())


def built_in_arrays(primitive, params) -> tuple:
    """Return the arrays that a compiled function has captured; these are not among its operands."""
    if primitive.name not in ("jit", "pjit"):
        return ()
    return _captured_arrays(params["jaxpr"])


def built_in_effects(primitive, params):
    """Return the side effects of a compiled function, such as printing."""
    return params["jaxpr"].effects if primitive.name in ("jit", "pjit") else ()


@functools.lru_cache(maxsize=512)
def _captured_arrays(closed) -> tuple:
    jaxpr, consts = jp.open_jaxpr(closed)
    found = {id(c): c for c in consts if isinstance(c, jax.Array)}
    for eqn in own_equations(jaxpr):
        found.update((id(c), c) for c in built_in_arrays(eqn.primitive, eqn.params))
    return tuple(found.values())


def _evaluate(closed, operands, given) -> list:
    """Evaluate a closed jaxpr without its side effects; `given` replaces some captured arrays."""
    jaxpr, consts = jp.open_jaxpr(closed)
    known = dict(zip(jaxpr.constvars, (given.get(id(c), c) for c in consts), strict=True))
    known.update(zip(jaxpr.invars, operands, strict=True))

    def step(eqn, values):
        if eqn.effects and not eqn.outvars:
            return []
        inner = built_in_arrays(eqn.primitive, eqn.params)
        prints = built_in_effects(eqn.primitive, eqn.params)
        if prints or any(id(c) in given for c in inner):
            return _evaluate(eqn.params["jaxpr"], values, given)
        return division.apply(eqn, values)

    return evaluate(jaxpr, known, step, lambda literal: literal.val)


# ---- derivatives ---------------------------------------------------------------------------------


def _restrict_program(program, wanted, given, inputs):
    """Restrict a program to chosen inputs and outputs.

    Return a function from the chosen inputs to the chosen outputs, and the values of these inputs.
    """

    def chosen(*values):
        operands = list(inputs)
        for i, value in zip(wanted, values, strict=True):
            operands[i] = value
        outputs = program.call(*operands)
        return [outputs[j] for j in given]

    return chosen, [inputs[i] for i in wanted]


def _pull(program, wanted, given, inputs, cotangents):
    chosen, primals = _restrict_program(program, wanted, given, inputs)
    with program.running():
        return jax.vjp(chosen, *primals)[1](list(cotangents))


_compiled_pull = jax.jit(_pull, static_argnums=(0, 1, 2))


def _all_concrete(operands) -> bool:
    return not any(jp.is_tracer(x) for x in jax.tree.leaves(operands))
