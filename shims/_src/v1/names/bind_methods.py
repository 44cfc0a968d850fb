"""Bind to the classes of a graph the methods that are written above them."""

from __future__ import annotations

from shims._src.v1.graph.graph import Graph
from shims._src.v1.session.export import to_function
from shims._src.v1.variables.operator_overloads import bind_operators


def install() -> None:
    """Give tensors and variables Python's operators, and graphs their export to JAX."""
    bind_operators()
    Graph._export = staticmethod(to_function)
