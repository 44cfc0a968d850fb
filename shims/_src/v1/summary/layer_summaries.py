"""Provide the functions of `contrib.layers` that add summaries of layers and variables."""

from __future__ import annotations

import functools
import re

import shims
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.scope_functions import get_collection
from shims._src.v1.summary.operators import histogram, scalar
from shims._src.v1.variables.variables import GraphKeys


def summarize_activation(op):
    """Add summaries of an activation: its histogram, and how often it has reached its bounds."""
    name, kind = op.op.name, op.op.type
    if kind in ("Relu", "Softplus", "Relu6"):
        scalar(f"{name}/zeros", _share(shims.less, op.op.inputs[0], 0.0))
    if kind == "Relu6":
        scalar(f"{name}/sixes", _share(shims.greater, op.op.inputs[0], 6.0))
    return histogram(f"{name}/activation", op)


def _share(compare, tensor, bound: float):
    """Return the share of the elements for which a comparison holds."""

    def share(x):
        found = compare(x, shims.cast(bound, x.dtype))
        return shims.reduce_mean(shims.cast(found, shims.float32))

    return operation_of(share, (tensor,), {}, public="reduce_mean")


def summarize_tensor(tensor, tag=None):
    """Add a summary of a tensor: a scalar or a histogram; return `None` for strings and booleans."""
    if tensor.dtype.name in ("string", "bool"):
        return None
    kind = scalar if tensor.shape.rank == 0 else histogram
    return kind(tag or f"{tensor.op.name}_summary", tensor)


def summarize_tensors(tensors, summarizer=summarize_tensor) -> list:
    """Add summaries of tensors."""
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(collection, name_filter=None, summarizer=summarize_tensor) -> list:
    """Add summaries of the tensors of a collection whose names match a pattern."""
    found = get_collection(collection)
    kept = [t for t in found if name_filter is None or re.match(name_filter, t.op.name)]
    return summarize_tensors(kept, summarizer)


summarize_variables = functools.partial(summarize_collection, GraphKeys.GLOBAL_VARIABLES)
summarize_weights = functools.partial(summarize_collection, GraphKeys.WEIGHTS)
summarize_biases = functools.partial(summarize_collection, GraphKeys.BIASES)


def summarize_activations(name_filter=None, summarizer=summarize_activation) -> list:
    """Add summaries of the activations in their collection."""
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)
