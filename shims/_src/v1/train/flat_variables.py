"""Flatten the nested lists of variables that arguments named `var_list` accept."""

from __future__ import annotations

from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.variables.variables import GraphVariable


def flat_variables(variables) -> list:
    """Flatten nested lists of variables; a partitioned variable is replaced by its parts."""
    if isinstance(variables, (GraphVariable, Tensor)):
        return [variables]
    if isinstance(variables, dict):
        return [v for key in sorted(variables) for v in flat_variables(variables[key])]
    if isinstance(variables, str) or not hasattr(variables, "__iter__"):
        return [variables]
    return [v for part in variables for v in flat_variables(part)]
