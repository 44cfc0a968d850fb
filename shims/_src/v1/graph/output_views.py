"""Outputs of one operation that TensorFlow makes with several: each under its own name."""

from __future__ import annotations

from shims._src.v1.graph.naming import Named
from shims._src.v1.graph.nodes import Operation, Tensor


def separate(operation: Operation, named: Named) -> list[Tensor]:
    """The outputs of an operation, those that TensorFlow gives a name of their own under it."""
    outputs = list(operation.outputs)
    for i, name in enumerate(named.names[1:], 1):
        view = Operation(
            operation.graph,
            named.type,
            name,
            _as_given,
            [outputs[i]],
            [(outputs[i].shape, outputs[i].dtype)],
            operation.control_inputs,
        )
        view.links = (frozenset([0]),)
        view.attributes["pure"] = operation.attributes["pure"]
        outputs[i] = view.outputs[0]
    return outputs


def _as_given(run, op, values):
    del run, op
    return values
