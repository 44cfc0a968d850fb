"""Add methods to the graph classes: Python's operators, and the conversion of a graph to JAX."""

from __future__ import annotations

from shims._src.v1.data.iterators import bind_iterators
from shims._src.v1.graph.graph import Graph
from shims._src.v1.session.export import to_function
from shims._src.v1.variables.operator_overloads import bind_operators


def install() -> None:
    """Add Python's operators to tensors and variables, and `to_function` to graphs, iterators to datasets."""
    bind_operators()
    bind_iterators()
    Graph._export = staticmethod(to_function)
