"""Let initial values use other variables that are initialized in the same run."""

from __future__ import annotations

from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.nodes import Operation, Tensor


def with_initial_values(value: Tensor, suffix: str) -> Tensor:
    """Return an initial value that takes the initial value of a variable that has none in a run yet.

    The operations between reference variables and the value are added once more, as TensorFlow does. Reads
    of resource variables stay: they fail if the variable is not initialized.

    Args:
      value: the initial value.
      suffix: the end of the names of the operations.
    """
    return _tensor(value, suffix, {})


def _tensor(tensor: Tensor, suffix: str, known: dict[Operation, Operation]) -> Tensor:
    variable = tensor.read_of
    if variable is not None:
        stays = variable.is_resource or tensor.op.writes
        return tensor if stays else variable.initialized_value()
    return _operation(tensor.op, suffix, known).outputs[tensor.value_index]


def _operation(op: Operation, suffix: str, known: dict[Operation, Operation]) -> Operation:
    if op not in known:
        known[op] = op
        if op.inputs and op.type != "If" and not op.attributes.get("blocks"):
            inputs = [_tensor(t, suffix, known) for t in op.inputs]
            if any(new is not old for new, old in zip(inputs, op.inputs, strict=True)):
                known[op] = _again(op, inputs, suffix)
    return known[op]


def _again(op: Operation, inputs: list[Tensor], suffix: str) -> Operation:
    name = get_default_graph().unique_name(f"{op.name}_{suffix}")
    outputs = [(t.shape, t.dtype) for t in op.outputs]
    new = Operation(op.graph, op.type, name, op.compute, inputs, outputs, op.control_inputs)
    new.links, new.on_host, new.attributes = op.links, op.on_host, dict(op.attributes)
    return new
