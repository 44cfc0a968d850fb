"""Operators of a graph that other parts of it are written with."""

from __future__ import annotations

import shims
from shims._src.graph.deferring import deferred

add = deferred(shims.add, "add")
identity = deferred(shims.identity, "identity")
multiply = deferred(shims.multiply, "multiply")
stack = deferred(shims.stack, "stack")
