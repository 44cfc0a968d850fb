"""Define `ForwardAccumulator`, for forward-mode differentiation."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from shims._src.arguments.conversion import as_array
from shims._src.gradients.unconnected_gradients import (
    UnconnectedGradients,
    check_unconnected,
    filled,
)
from shims._src.platform import jax_private as jp
from shims._src.recording.recording import Recorder
from shims._src.variables.variable import Variable


class ForwardAccumulator(Recorder):
    """Computes Jacobian-vector products of the operations in a `with` block.

    Args:
      primals: arrays and variables, in a structure.
      tangents: an array of the same shape and dtype for each primal, in the structure of `primals`.

    Raises:
      ValueError: the shape or dtype of a tangent differs from that of its primal, or a primal is
        given twice.

    Differs from TensorFlow:
      A tangent of a different shape is rejected when the accumulator is created.

    Under jit:
      Inside `shims.function` and `jax.jit`, the tape differentiates the traced operations.

    Example:
      >>> x = jnp.float32(3.0)
      >>> with ForwardAccumulator(x, jnp.float32(1.0)) as acc:
      ...     y = x * x
      >>> acc.jvp(y).item()
      6.0

    https://www.tensorflow.org/api_docs/python/tf/autodiff/ForwardAccumulator
    """

    __module__ = "shims.autodiff"

    def __init__(self, primals, tangents):
        super().__init__()
        self._tangents: dict[int, tuple] = {}
        self._variables: dict[int, object] = {}
        flat, tree = jax.tree.flatten(primals, is_leaf=_is_variable)
        for primal, tangent in zip(flat, tree.flatten_up_to(tangents), strict=True):
            self._watch(primal, as_array(tangent))

    def _watch(self, primal, tangent) -> None:
        if not isinstance(primal, Variable):
            primal = as_array(primal)
        if tuple(primal.shape) != tuple(tangent.shape) or primal.dtype != tangent.dtype:
            raise ValueError(
                "ForwardAccumulator: a tangent must have the shape and dtype of its primal.\n"
                f"  Required: {primal.dtype.name}{list(primal.shape)}\n"
                f"  Received: {tangent.dtype.name}{list(tangent.shape)}"
            )
        if not jnp.issubdtype(primal.dtype, jnp.inexact):
            return
        known = self._variables if isinstance(primal, Variable) else self._tangents
        key = id(primal) if isinstance(primal, Variable) else jp.key_of(primal)
        if key in known:
            raise ValueError(f"ForwardAccumulator: the primal {primal!r} is given twice.")
        known[key] = tangent if isinstance(primal, Variable) else (primal, tangent)

    def __enter__(self) -> ForwardAccumulator:
        if self.recording:
            raise ValueError("ForwardAccumulator: the accumulator is already recording.")
        self.start()
        return self

    def __exit__(self, *exception) -> None:
        self.stop()

    def follows(self, x) -> bool:
        """Return whether an array has a tangent."""
        return jp.key_of(x) in self._tangents

    def read(self, variable, value) -> None:
        """Set the tangent of a value read from a variable to that of the variable."""
        if id(variable) in self._variables:
            self._tangents[jp.key_of(value)] = (value, self._variables[id(variable)])

    def record(self, operation) -> None:
        """Compute the tangents of an operation's outputs."""
        for output, computed in zip(operation.outputs, operation.computed, strict=False):
            if self.follows(computed):
                self._tangents[jp.key_of(output)] = (output, self._tangents[jp.key_of(computed)][1])
        if operation.computed:
            return
        moving = [i for i, x in enumerate(operation.inputs) if self.follows(x)]
        linked = frozenset(moving)
        given = [
            j
            for j, (y, link) in enumerate(zip(operation.outputs, operation.links, strict=True))
            if link & linked
        ]
        moving = [i for i in moving if any(i in operation.links[j] for j in given)]
        if not given:
            return
        tangents = [self._tangents[jp.key_of(operation.inputs[i])][1] for i in moving]
        for j, tangent in zip(given, operation.push(moving, given, tangents), strict=True):
            output = operation.outputs[j]
            self._tangents[jp.key_of(output)] = (output, tangent)

    def jvp(self, primals, unconnected_gradients=UnconnectedGradients.NONE):
        """Return the tangents of values computed in the block.

        Args:
          primals: arrays and variables, in a structure.
          unconnected_gradients: the result for a value that has no tangent.

        Returns:
          For each value, an array of its shape, or `None`. The result has the structure of
          `primals`.

        Raises:
          ValueError: `unconnected_gradients` is unknown.
        """
        unconnected = check_unconnected(unconnected_gradients)

        def tangent_of(x):
            if isinstance(x, Variable):
                return filled(self._variables.get(id(x)), x, unconnected)
            return filled(self._tangents.get(jp.key_of(x), (x, None))[1], x, unconnected)

        return jax.tree.map(tangent_of, primals, is_leaf=_is_variable)


def _is_variable(x) -> bool:
    return isinstance(x, Variable)
