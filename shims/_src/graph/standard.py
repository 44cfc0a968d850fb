"""Operators of a graph that other parts of it are written with."""

from __future__ import annotations

import shims
from shims._src.graph.deferring import deferred

add = deferred(shims.add, "add")
concat = deferred(shims.concat, "concat")
identity = deferred(shims.identity, "identity")
multiply = deferred(shims.multiply, "multiply")
slice_ = deferred(shims.slice, "slice")
stack = deferred(shims.stack, "stack")
