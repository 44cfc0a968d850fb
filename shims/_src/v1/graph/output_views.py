"""Add identity operations, so that outputs of one operation have TensorFlow's separate names."""

from __future__ import annotations

from shims._src.v1.graph.naming import Named
from shims._src.v1.graph.nodes import Operation, Tensor


def separate(operation: Operation, named: Named) -> list[Tensor]:
    """Return the outputs of an operation under separate names.

    All outputs except the first are passed through identity operations.
    """
    outputs = list(operation.outputs)
    for i, name in enumerate(named.names[1:], 1):
        view = Operation(
            operation.graph,
            named.type,
            name,
            _pass_through,
            [outputs[i]],
            [(outputs[i].shape, outputs[i].dtype)],
            operation.control_inputs,
        )
        view.links = (frozenset([0]),)
        view.attributes["pure"] = operation.attributes["pure"]
        outputs[i] = view.outputs[0]
    return outputs


def _pass_through(run, op, values):
    del run, op
    return values
