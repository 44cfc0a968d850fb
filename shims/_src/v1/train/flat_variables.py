"""The variables in nested lists, as `var_list` takes them."""

from __future__ import annotations

from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.variables.variables import GraphVariable


def flat_variables(variables) -> list:
    """The variables in nested lists, and the parts of those that have parts."""
    if isinstance(variables, (GraphVariable, Tensor)):
        return [variables]
    if isinstance(variables, dict):
        return [v for key in sorted(variables) for v in flat_variables(variables[key])]
    if isinstance(variables, str) or not hasattr(variables, "__iter__"):
        return [variables]
    return [v for part in variables for v in flat_variables(part)]
