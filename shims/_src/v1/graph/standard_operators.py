"""Define graph versions of common operators for the other modules of TensorFlow 1."""

from __future__ import annotations

import shims
from shims._src.v1.graph.deferred_operators import deferred

add = deferred(shims.add, "add")
bias_add = deferred(shims.nn.bias_add, "nn.bias_add")
cast = deferred(shims.cast, "cast")
clip_by_value = deferred(shims.clip_by_value, "clip_by_value")
concat = deferred(shims.concat, "concat")
equal = deferred(shims.equal, "equal")
fill = deferred(shims.fill, "fill")
greater_equal = deferred(shims.greater_equal, "greater_equal")
identity = deferred(shims.identity, "identity")
less_equal = deferred(shims.less_equal, "less_equal")
logical_and = deferred(shims.logical_and, "logical_and")
matmul = deferred(shims.matmul, "matmul")
maximum = deferred(shims.maximum, "maximum")
multiply = deferred(shims.multiply, "multiply")
ones_like = deferred(shims.ones_like, "ones_like")
reduce_sum = deferred(shims.reduce_sum, "reduce_sum")
shape = deferred(shims.shape, "shape")
sigmoid = deferred(shims.sigmoid, "sigmoid")
slice_ = deferred(shims.slice, "slice")
split = deferred(shims.split, "split")
stack = deferred(shims.stack, "stack")
tanh = deferred(shims.tanh, "tanh")
zeros_like = deferred(shims.zeros_like, "zeros_like")
