"""Apply array operators to the values or the shape of a sparse tensor."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from shims._src.types.composite import OperatorCall, operators_taking
from shims._src.types.dtypes import array_dtype


def call_operator(x, call: OperatorCall):
    """Call an operator whose first argument is sparse; return `NotImplemented` if unsupported."""
    if call.operands[0] is not x:
        return NotImplemented
    name, options = call.name, call.options
    if name in operators_taking("sparse_unary"):
        return x.with_values(call.operator(x.values, **options))
    if name == "rank":
        return jnp.asarray(x.dense_shape.shape[0], np.int32)
    if name == "shape":
        return x.dense_shape.astype(array_dtype(options.get("out_type") or np.int32, name))
    if name == "size":
        dtype = options.get("out_type") or np.int32
        return jnp.prod(x.dense_shape).astype(array_dtype(dtype, name))
    return NotImplemented
