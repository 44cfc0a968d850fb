"""Propagate cotangents backward over recorded operations, from targets to sources."""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp

from shims._src.arguments.conversion import as_array
from shims._src.platform import jax_private as jp
from shims._src.recording.connectivity import links_of
from shims._src.recording.indexed_slices import added
from shims._src.recording.operation import Application, Equation, Explicit, conjugate

Operation = Application | Explicit


class Backpropagation:
    """The backward pass over recorded operations, from any targets to given sources.

    Args:
      operations: the recorded operations, in order.
      sources: for each source, the keys of its values (a variable has one for each read).
    """

    def __init__(self, operations: Sequence[Operation], sources: Sequence[Sequence[int]]):
        self._sources = [tuple(keys) for keys in sources]
        self._reached = {key for keys in sources for key in keys}
        self._wanted = set(self._reached)
        self._steps: list[tuple[Operation, frozenset[int]]] = []
        for operation in operations:
            inputs = frozenset(
                i for i, x in enumerate(operation.inputs) if jp.key_of(x) in self._reached
            )
            outputs = [
                key
                for key, link in zip(operation.output_keys, operation.links, strict=True)
                if link & inputs
            ]
            if outputs:
                self._reached.update(outputs)
                self._steps.append((operation, inputs))

    def connects(self, target) -> bool:
        """Return whether a target depends on any source."""
        return jp.key_of(target) in self._reached

    def pull(self, targets: Sequence, cotangents: Sequence) -> list:
        """Return the gradients of the sources, `None` where no target depends on them."""
        pending: dict[int, object] = {}
        final: dict[int, object] = {}
        for target, cotangent in zip(targets, cotangents, strict=True):
            if self.connects(target):
                _accumulate(pending, jp.key_of(target), cotangent)
        for operation, inputs in reversed(self._steps):
            self._step(operation, inputs, pending, final)
        final.update((key, pending[key]) for key in self._wanted & pending.keys())
        return [_total_gradient(final, keys) for keys in self._sources]

    def _step(self, operation, inputs, pending, final):
        given, cotangents = [], []
        for j, key in enumerate(operation.output_keys):
            if key in pending and operation.links[j] & inputs:
                given.append(j)
                cotangents.append(pending.pop(key))
                if key in self._wanted:
                    final[key] = cotangents[-1]
        linked = frozenset().union(*(operation.links[j] for j in given))
        wanted = sorted(inputs & linked)
        if not wanted:
            return
        pulled = operation.pull(wanted, given, cotangents)
        for i, gradient in zip(wanted, pulled, strict=True):
            if gradient is not None:
                _accumulate(pending, jp.key_of(operation.inputs[i]), gradient)


def _accumulate(pending, key, gradient):
    pending[key] = added(pending[key], gradient) if key in pending else gradient


def _total_gradient(final, keys):
    total = None
    for key in reversed(keys):
        if key in final:
            total = final[key] if total is None else added(total, final[key])
    return total


def initial_cotangents(targets: Sequence, output_gradients) -> list:
    """Return the initial cotangents of the targets: ones, or the weights given by the caller.

    Raises:
      ValueError: the number of weights differs from that of targets, or a shape differs.
    """
    if output_gradients is None:
        return [jnp.ones_like(as_array(y)) for y in targets]
    if len(output_gradients) != len(targets):
        raise ValueError(
            f"gradient: `output_gradients` has {len(output_gradients)} entries for {len(targets)} "
            "targets."
        )
    return [
        jnp.ones_like(as_array(y)) if g is None else _checked_cotangent(g, y)
        for g, y in zip(output_gradients, targets, strict=True)
    ]


def _checked_cotangent(gradient, target):
    gradient = as_array(gradient, target.dtype)
    if gradient.shape != tuple(target.shape):
        raise ValueError(
            f"gradient: an entry of `output_gradients` has shape {gradient.shape}, but its target has "
            f"shape {target.shape}."
        )
    return conjugate(gradient)


def operations_behind(targets: Sequence) -> list[Operation]:
    """Return the operations (jaxpr equations) that compute traced values, in topological order."""
    seen: set[int] = set()
    finished: set[int] = set()
    ordered: list[Operation] = []
    stack = [(y, False) for y in reversed(targets)]
    while stack:
        value, ready = stack.pop()
        definition = jp.defining_equation(value)
        if definition is None:
            continue
        eqn, _ = definition
        if ready and id(eqn) not in finished:
            finished.add(id(eqn))
            ordered.append(_as_operation(eqn))
        elif not ready and id(eqn) not in seen:
            seen.add(id(eqn))
            stack.append((value, True))
            stack.extend((jp.as_outside(x), False) for x in jp.operand_atoms(eqn))
    return ordered


def _as_operation(eqn) -> Application:
    outputs = [v.aval for v in eqn.outvars]
    inputs = [jp.as_outside(x) for x in jp.operand_atoms(eqn)]
    links = links_of(eqn.primitive, eqn.params, inputs, outputs)
    operation = Application(inputs, outputs, links, Equation(eqn))
    operation.output_keys = tuple(map(id, eqn.outvars))
    return operation
