"""Find the checkpoint tensor of each variable, using the graph that restores a SavedModel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from shims._src.checkpoint.wire import Malformed
from tf2jax_port.importing import binary_format, effects
from tf2jax_port.importing.control_flow import CALL
from tf2jax_port.importing.graph import Edge, ImportedGraph, Model, Node
from tf2jax_port.importing.schema import BrokenFileError

_OBJECTS = "_CHECKPOINTABLE_OBJECT_GRAPH"
_ASSIGN = ("Assign", "AssignVariableOp")
_VALUE_PASSES = ("Identity", "Cast", "NoOp")


def checkpoint_keys(model: Model) -> dict[str, str]:
    """Return a dict from variable names to names of tensors in the checkpoint."""
    if not model.restore:
        return {}
    start = model.restore.partition(":")[0]
    return _captured(model) | dict(_assignments(model.graph, [start], {}))


def _captured(model: Model) -> dict[str, str]:
    """Return a dict from variables captured by functions to names of tensors in the checkpoint.

    The graph that restores the variables of Keras refers only to wrapper objects, so these
    variables are found in the checkpoint's object graph instead.
    """
    calls = [n for n in model.graph.nodes.values() if n.attribute("f") in model.bound]
    if not calls or not model.variables:
        return {}
    from shims._src.checkpoint.bundle_reader import BundleReader

    reader = BundleReader(str(model.variables))
    if _OBJECTS not in reader:
        return {}
    stored = np.asarray(reader.read(_OBJECTS)).item()
    try:
        objects = binary_format.decode(stored, "TrackableObjectGraph")["nodes"]
    except Malformed as error:
        raise BrokenFileError(f"{model.variables}: {_OBJECTS} is damaged: {error}") from None
    found: dict[str, str] = {}
    for call in calls:
        numbers = model.bound[str(call.attribute("f"))]
        for edge, number in zip(
            call.inputs[len(call.inputs) - len(numbers) :], numbers, strict=True
        ):
            name = _variable_name(model.graph, edge, {})
            attributes = objects[number]["attributes"] if number < len(objects) else []
            if name and attributes:
                found[name] = attributes[0]["checkpoint_key"]
    return found


def values(model: Model, keys: Mapping[str, str], names: list[str]) -> dict[str, np.ndarray]:
    """Read variables from the checkpoint of a SavedModel.

    Raises:
      DataLossError, NotFoundError: the checkpoint is damaged or missing.
    """
    from shims._src.checkpoint.bundle_reader import BundleReader

    reader = BundleReader(str(model.variables))
    return {name: np.asarray(reader.read(keys[name])) for name in names}


def _assignments(
    graph: ImportedGraph, names: list[str], given: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield pairs of variable name and checkpoint tensor, one for each assignment.

    `given` maps the arguments of a function to names of variables.
    """
    for node in effects.behind(ImportedGraph(graph.nodes), names):
        if node.op in CALL:
            called = graph.functions[str(node.attribute("f"))]
            handles = [_variable_name(graph, edge, given) for edge in node.inputs]
            known = {
                argument: name
                for argument, name in zip(called.arguments, handles, strict=True)
                if name
            }
            yield from _assignments(called, list(called.nodes), known)
        elif node.op in _ASSIGN:
            name, key = (
                _variable_name(graph, node.inputs[0], given),
                _checkpoint_tensor(graph, node.inputs[1]),
            )
            if name and key:
                yield name, key


def _variable_name(graph: ImportedGraph, edge: Edge, given: Mapping[str, str]) -> str:
    """Return the name of the variable that a handle refers to; an empty string if unknown."""
    while edge.node not in given:
        node = graph.nodes.get(edge.node)
        if node is None or node.op not in ("Identity", "VarHandleOp", "VariableV2", "Variable"):
            return ""
        if node.op != "Identity":
            return node.variable
        edge = node.inputs[0]
    return given[edge.node]


def _checkpoint_tensor(graph: ImportedGraph, edge: Edge) -> str:
    """Return the name of the checkpoint tensor whose value an edge of the graph carries.

    Returns an empty string if the edge does not come from `RestoreV2`, or carries a slice of a partitioned variable.
    """
    node = graph.nodes.get(edge.node)
    while node is not None and node.op in _VALUE_PASSES and node.inputs:
        edge = node.inputs[0]
        node = graph.nodes.get(edge.node)
    if node is None or node.op != "RestoreV2":
        return ""
    names, slices = (_strings(graph, e) for e in node.inputs[1:3])
    if edge.output >= len(names) or slices[edge.output : edge.output + 1] != [""]:
        return ""  # a part of a partitioned variable
    return names[edge.output]


def _strings(graph: ImportedGraph, edge: Edge) -> list[str]:
    node: Node | None = graph.nodes.get(edge.node)
    if node is None or node.op != "Const":
        return []
    return [bytes(text).decode("utf-8", "replace") for text in node.attribute("value").ravel()]
