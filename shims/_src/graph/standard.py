"""Operators of a graph that other parts of it are written with."""

from __future__ import annotations

import shims
from shims._src.graph.deferring import deferred

add = deferred(shims.add, "add")
cast = deferred(shims.cast, "cast")
concat = deferred(shims.concat, "concat")
fill = deferred(shims.fill, "fill")
identity = deferred(shims.identity, "identity")
maximum = deferred(shims.maximum, "maximum")
multiply = deferred(shims.multiply, "multiply")
ones_like = deferred(shims.ones_like, "ones_like")
shape = deferred(shims.shape, "shape")
slice_ = deferred(shims.slice, "slice")
stack = deferred(shims.stack, "stack")
zeros_like = deferred(shims.zeros_like, "zeros_like")
