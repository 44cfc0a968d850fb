"""Add outputs and variables of layers to collections, with the scope names as aliases."""

from __future__ import annotations

import collections

from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.layers.base import parts_of


def collect_named_outputs(collections, alias, outputs):
    """Add a tensor to collections under an alias.

    Args:
      collections: a collection, or several, or `None`.
      alias: the alias.
      outputs: the tensor.

    Returns:
      The tensor.
    """
    if collections:
        append_tensor_alias(outputs, alias)
        get_default_graph().add_to_collections(collections, outputs)
    return outputs


def append_tensor_alias(tensor, alias):
    """Add an alias, an additional name, to a tensor."""
    aliases = getattr(tensor, "aliases", [])
    alias = alias.rstrip("/")
    tensor.aliases = [*aliases, alias]
    return tensor


def get_tensor_aliases(tensor) -> list:
    """Return the aliases of a tensor, or the name of its operation if it has none."""
    found = getattr(tensor, "aliases", None)
    if found:
        return found
    name = tensor.name
    return [name[:-2] if name.endswith(":0") else name]


def convert_collection_to_dict(collection, clear_collection=False):
    """Return a dict from aliases to the tensors of a collection.

    Args:
      collection: the collection.
      clear_collection: whether to empty it.
    """
    graph = get_default_graph()
    found = collections.OrderedDict(
        (alias, tensor)
        for tensor in graph.get_collection(collection)
        for alias in get_tensor_aliases(tensor)
    )
    if clear_collection:
        graph.clear_collection(collection)
    return found


def get_variable_collections(variables_collections, name):
    """Return the collections for a layer's variables with the given name.

    variables_collections: these collections, or a dict from variable names to collections.
    """
    if isinstance(variables_collections, dict):
        return variables_collections.get(name)
    return variables_collections


def collect_variable(variable, variables_collections, name) -> None:
    """Add a layer's variable to collections; see `get_variable_collections`."""
    found = get_variable_collections(variables_collections, name) or []
    if variable is None:
        return
    graph = get_default_graph()
    for part in parts_of(variable):
        graph.add_to_collections(list(found), part)
