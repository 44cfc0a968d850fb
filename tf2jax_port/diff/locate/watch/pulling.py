"""Compute the cotangent of every value of a run, in JAX and in TensorFlow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shims._src.platform import jax_private as jp
from tf2jax_port.diff.locate.watch.places import Stack, entered
from tf2jax_port.diff.locate.watch.trail import Trail
from tf2jax_port.diff.locate.watch.watch_jax import JaxWatch
from tf2jax_port.diff.locate.watch.watch_jax import watching as watching_jax
from tf2jax_port.diff.locate.watch.watch_tensorflow import TensorFlowWatch
from tf2jax_port.diff.locate.watch.watch_tensorflow import watching as watching_tensorflow
from tf2jax_port.diff.locate.watch.wide_tensorflow import is_wide
from tf2jax_port.diff.values import tree
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.cotangents import Cotangents

# The number of a step, and the position or number of its operand.
Use = tuple[int, int]


@dataclass
class Pulled:
    """A trail (recorded run) and the cotangents of its values.

    Attributes:
      trail: the run.
      cotangents: a dict from values to their cotangents; missing cotangents are zero.
      uses: a dict from single uses of values to the contributions of these uses to the cotangents.
    """

    trail: Trail
    cotangents: dict[int, np.ndarray] = field(default_factory=dict)
    uses: dict[Use, np.ndarray] = field(default_factory=dict)


class JaxNudged(JaxWatch):
    """A trace that adds a zero offset to every float result, to compute the result's cotangent.

    The cotangent of a result is the gradient with respect to its offset. A function with a custom derivative rule
    is recorded as one operation, so that the rule is used.

    Args:
      parent: the trace that evaluates operations.
      stack: finds the user's lines.
      nudges: the offsets, in the order of the float results; a single number in the run that records their shapes.
      uses: a dict from single uses of values to their offsets.
      wide: whether to use double precision even where the program requests `float32`.
    """

    def __init__(
        self, parent: Any, stack: Stack, nudges: Any, uses: Mapping[Use, Any], wide: bool
    ) -> None:
        super().__init__(parent, stack, wide)
        self.shapes: list[tuple[tuple[int, ...], Any]] = []
        self._nudges = nudges
        self._uses = uses

    def process_primitive(self, primitive: Any, tracers: Any, params: Any, /) -> Any:
        """Evaluate a primitive, add offsets to its results and record them."""
        inner = self.program(primitive, params)
        if inner is not None:
            return self.go_through(inner, tracers)
        tracers, params = self.widened(primitive.name, tracers, params)
        with jp.under(self.parent):
            out = primitive.bind(*self._used(tracers), **params)
            results = list(out) if primitive.multiple_results else [out]
            results = [self._nudge(one) for one in results]
        self.write(primitive.name, tracers, results)
        return results if primitive.multiple_results else results[0]

    def process_custom_jvp_call(
        self, primitive: Any, fun: Any, jvp: Any, tracers: Any, /, **params: Any
    ) -> Any:
        """Record a function with a custom JVP rule as one operation."""
        return self._with_rule(primitive, (fun, jvp), tracers, params)

    def process_custom_vjp_call(
        self, primitive: Any, fun: Any, fwd: Any, bwd: Any, tracers: Any, /, **params: Any
    ) -> Any:
        """Record a function with a custom VJP rule as one operation."""
        return self._with_rule(primitive, (fun, fwd, bwd), tracers, params)

    def _with_rule(self, primitive: Any, functions: Any, tracers: Any, params: Any) -> list[Any]:
        with jp.under(self.parent):
            results = jp.bind_functions(primitive, functions, self._used(tracers), params)
            results = [self._nudge(one) for one in results]
        self.write(primitive.name, tracers, results)
        return results

    def _used(self, operands: Sequence[Any]) -> list[Any]:
        """Return the operands of the next operation; an operand whose use has an offset gets it added."""
        number = len(self.trail.steps)
        return [
            one + self._uses[number, position] if (number, position) in self._uses else one
            for position, one in enumerate(operands)
        ]

    def _nudge(self, result: Any) -> Any:
        import jax.numpy as jnp

        if not jnp.issubdtype(result.dtype, jnp.inexact):
            return result
        number = len(self.shapes)
        self.shapes.append((result.shape, result.dtype))
        if isinstance(self._nudges, list):
            return result + self._nudges[number]
        return result + jnp.asarray(self._nudges, result.dtype)

    def held(self, one: Any) -> Any:
        """Return the primal value of a differentiation tracer."""
        return jp.primal_tracer(one)


def pull_jax(
    function: Callable[..., Any],
    case: Arguments,
    fed: Cotangents,
    seed: int,
    stack: Stack,
    uses: Mapping[Use, np.ndarray] | None = None,
) -> Pulled:
    """Compute the cotangent of every value of the port.

    Args:
      function: the port.
      case: the call.
      fed: the cotangents of the outputs.
      seed: the seed of random numbers.
      stack: finds the user's lines.
      uses: a dict from the uses whose cotangents are computed separately to the values used there.
    """
    import jax
    import jax.numpy as jnp

    arrays = [a if a.dtype.kind in "OSU" else jnp.asarray(a) for a in case.arrays]
    watches: list[JaxNudged] = []

    def run(nudges: Any, of_uses: Mapping[Use, Any], moving: Sequence[Any]) -> list[Any]:
        watch = JaxNudged(jp.current_trace(), stack, nudges, of_uses, is_wide(case.arrays))
        watches.append(watch)
        given = list(arrays)
        for position, array in zip(case.differentiable, moving):
            given[position] = array
        for array, name in zip(given, case.paths):
            watch.input(array, name)
        with watching_jax(watch, seed):
            result = entered(lambda: function(*case.fill(given)))
        leaves = dict(tree.walk(result, "output"))
        for path, leaf in leaves.items():
            if isinstance(leaf, jax.Array):
                watch.trail.outputs[path] = watch.number_of(leaf)
        return [leaves[path] for path in fed]

    moving = [arrays[i] for i in case.differentiable]
    jax.vjp(lambda nudges, moving: run(nudges, {}, moving), jnp.zeros(()), moving)
    zeros = [jnp.zeros(shape, dtype) for shape, dtype in watches[0].shapes]
    of_uses = {use: jnp.zeros_like(value) for use, value in (uses or {}).items()}
    outputs, pull = jax.vjp(run, zeros, of_uses, moving)
    cotangents = [jnp.asarray(ct, y.dtype) for ct, y in zip(fed.values(), outputs)]
    nudges, used, inputs = pull(cotangents)
    found = Pulled(watches[-1].trail, uses={use: np.asarray(ct) for use, ct in used.items()})
    floats = [
        number
        for step in found.trail.steps
        for number in step.results
        if jnp.issubdtype(found.trail.values[number].dtype, jnp.inexact)
    ]
    found.cotangents |= {n: np.asarray(ct) for n, ct in zip(floats, nudges, strict=True)}
    named = {name: number for number, name in found.trail.names.items()}
    for position, cotangent in zip(case.differentiable, inputs):
        found.cotangents[named[case.paths[position]]] = np.asarray(cotangent)
    return found


def pull_tensorflow(
    function: Callable[..., Any], case: Arguments, fed: Cotangents, seed: int, stack: Stack
) -> Pulled:
    """Compute the cotangent of every value of the original.

    Args:
      function: the original.
      case: the call.
      fed: the cotangents of the outputs.
      seed: the seed of random numbers.
      stack: finds the user's lines.
    """
    import tensorflow as tf

    watch = TensorFlowWatch(stack)
    tensors = [tf.constant(array) for array in case.arrays]
    for tensor, name in zip(tensors, case.paths):
        watch.input(tensor, name)
    with tf.GradientTape() as tape:
        tape.watch([tensors[i] for i in case.differentiable])
        with watching_tensorflow(watch, seed, is_wide(case.arrays)):
            result = entered(lambda: function(*case.fill(tensors)))
    leaves = dict(tree.walk(result, "output"))
    for path, leaf in leaves.items():
        if tf.is_tensor(leaf):
            watch.trail.outputs[path] = watch.number_of(leaf)
    numbers = [
        number
        for number, held in enumerate(watch.trail.values)
        if tf.is_tensor(held) and (held.dtype.is_floating or held.dtype.is_complex)
    ]
    found = tape.gradient(
        [leaves[path] for path in fed],
        [watch.trail.values[number] for number in numbers],
        output_gradients=[tf.cast(ct, leaves[path].dtype) for path, ct in fed.items()],
    )
    pulled = Pulled(watch.trail)
    for number, gradient in zip(numbers, found):
        if gradient is not None:
            pulled.cotangents[number] = tf.convert_to_tensor(gradient).numpy()
    return pulled
