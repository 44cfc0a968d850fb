"""Outputs and variables of layers in collections, under the names of their scopes."""

from __future__ import annotations

import collections

from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.layers.base import parts_of


def collect_named_outputs(collections, alias, outputs):
    """Put a tensor into collections under another name.

    Args:
      collections: a collection, or several, or `None`.
      alias: the name.
      outputs: the tensor.

    Returns:
      The tensor.
    """
    if collections:
        append_tensor_alias(outputs, alias)
        get_default_graph().add_to_collections(collections, outputs)
    return outputs


def append_tensor_alias(tensor, alias):
    """Give a tensor another name, a number behind it where it has that name already."""
    aliases = getattr(tensor, "aliases", [])
    alias = alias.rstrip("/")
    tensor.aliases = [*aliases, alias]
    return tensor


def get_tensor_aliases(tensor) -> list:
    """The other names of a tensor; that of its operation if it has none."""
    found = getattr(tensor, "aliases", None)
    if found:
        return found
    name = tensor.name
    return [name[:-2] if name.endswith(":0") else name]


def convert_collection_to_dict(collection, clear_collection=False):
    """The tensors of a collection by their other names.

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
    """The collections of the variables of a name."""
    if isinstance(variables_collections, dict):
        return variables_collections.get(name)
    return variables_collections


def collect_variable(variable, variables_collections, name) -> None:
    """Put a variable into the collections of its name."""
    found = get_variable_collections(variables_collections, name) or []
    if variable is None:
        return
    graph = get_default_graph()
    for part in parts_of(variable):
        graph.add_to_collections(list(found), part)
