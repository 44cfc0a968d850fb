"""Choose the inputs and outputs of an imported function."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from tf2jax_port.importing import effects
from tf2jax_port.importing.graph import Edge, ImportedGraph, Model, Node, Signature, edge_of

_PLACEHOLDERS = ("Placeholder", "PlaceholderV2")
_NO_RESULT = {
    *_PLACEHOLDERS,
    "Const",
    "NoOp",
    "Assert",
    "Print",
    "PrintV2",
    "PlaceholderWithDefault",
}


class NoSuchTensorError(ValueError):
    """Raised if a tensor or signature does not exist or cannot be chosen."""


@dataclasses.dataclass(frozen=True)
class Choice:
    """The tensors to feed and the tensors to compute, as dicts from names to edges."""

    inputs: Mapping[str, Edge]
    outputs: Mapping[str, Edge]


def choose(
    model: Model,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    signature: str | None = None,
) -> Choice:
    """Choose which tensors of a graph are the inputs and outputs of the imported function.

    Args:
      model: the model that was read.
      inputs: names of tensors to feed. Default: those of the signature, or every placeholder that the
        outputs need.
      outputs: names of tensors to compute. Default: those of the signature, or every node that no other
        node uses.
      signature: the name of a SavedModel's signature. Default: `serving_default`, or the only one.

    Raises:
      NoSuchTensorError: a name does not exist, or there is nothing to compute.
    """
    chosen = _signature(model, signature) if not outputs or signature else None
    graph = model.graph
    if chosen is not None and not outputs:
        found = {key: edge_of(name) for key, name in chosen.outputs.items()}
    else:
        names = outputs or [f"{node.name}:0" for node in _unused_results(graph)]
        found = {_key(name): edge_of(name) for name in names}
    if chosen is not None and inputs is None:
        fed = {key: edge_of(name) for key, name in chosen.inputs.items()}
    else:
        fed = {_key(name): edge_of(name) for name in inputs or ()}
    for name, edge in {**fed, **found}.items():
        if edge.node not in graph.nodes:
            raise NoSuchTensorError(f"the graph has no {name!r}{_suggestions(graph, edge.node)}")
    if any(edge.output for edge in fed.values()):
        raise NoSuchTensorError("only the first output of a node can be fed")
    if not found:
        raise NoSuchTensorError("no outputs were found in the graph; name them with --outputs")
    if inputs is None and chosen is None:
        fed = {f"{name}:0": Edge(name, 0) for name in _placeholders(graph, found)}
    return Choice(fed, found)


def _key(name: str) -> str:
    return name if ":" in name else f"{name}:0"


def _signature(model: Model, name: str | None) -> Signature | None:
    if not model.signatures:
        if name:
            raise NoSuchTensorError("only a SavedModel has signatures")
        return None
    if name is None:
        name = "serving_default" if "serving_default" in model.signatures else ""
        name = name or (next(iter(model.signatures)) if len(model.signatures) == 1 else "")
    if name not in model.signatures:
        raise NoSuchTensorError(f"choose a signature: {', '.join(sorted(model.signatures))}")
    return model.signatures[name]


def _unused_results(graph: ImportedGraph) -> list[Node]:
    """Return the nodes whose results no other node uses, the default outputs of a graph."""
    used = {edge.node for node in graph.nodes.values() for edge in node.inputs}
    used |= {name for node in graph.nodes.values() for name in node.controls}
    return [
        node
        for node in graph.nodes.values()
        if node.name not in used and node.op not in _NO_RESULT and not effects.changes_state(node)
    ]


def _placeholders(graph: ImportedGraph, outputs: Mapping[str, Edge]) -> list[str]:
    needed = {n.name for n in effects.behind(graph, [edge.node for edge in outputs.values()])}
    return [
        node.name
        for node in graph.nodes.values()
        if node.op in _PLACEHOLDERS and node.name in needed
    ]


def _suggestions(graph: ImportedGraph, name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, graph.nodes, 3)
    return f"; it has {', '.join(near)}" if near else ""
