"""Provide `nn.approx_max_k`, computed exactly as in TensorFlow on CPU."""

from __future__ import annotations

import jax.numpy as jnp

from shims._src.arguments.checks import axis_of
from shims._src.arguments.operands import describe
from shims._src.arguments.operands import operand as as_operand
from shims._src.array.sorting import top_k
from shims._src.errors import errors
from shims._src.tracing.dispatch import operator


@operator
def approx_max_k(
    operand,
    k,
    reduction_dimension=-1,
    recall_target=0.95,
    reduction_input_size_override=-1,
    aggregate_to_topk=True,
    name=None,
):
    """Return the `k` largest elements along an axis, in descending order.

    Args:
      operand: array, float32, float16 or bfloat16.
      k: the number of elements to return.
      reduction_dimension: the axis to search.
      recall_target: ignored, because the result is exact.
      reduction_input_size_override: ignored.
      aggregate_to_topk: must be True.
      name: ignored.

    Returns:
      The elements, and their int32 indices.

    Raises:
      InvalidArgumentError: the axis has fewer than `k` elements, or TensorFlow has no kernel for
        the dtype.
      UnimplementedError: `aggregate_to_topk` is False.

    Differs from TensorFlow:
      Any axis is supported; TensorFlow on CPU has a kernel for the last axis only.

    Under jit:
      As in `math.top_k`.

    https://www.tensorflow.org/api_docs/python/tf/nn/approx_max_k
    """
    x = as_operand(operand)
    if x.dtype.name not in ("float32", "float16", "bfloat16"):
        raise errors.DtypeMismatchError(
            errors.message(
                "approx_max_k",
                f"there is no kernel for {x.dtype.name}.",
                required="float32, float16 or bfloat16",
                received=describe(x),
            )
        )
    if not aggregate_to_topk:
        raise errors.UnimplementedError(
            errors.message(
                "approx_max_k",
                "partial results (`aggregate_to_topk=False`) depend on TensorFlow's "
                "implementation.",
                required="aggregate_to_topk=True",
            )
        )
    axis = axis_of("approx_max_k", reduction_dimension, x.ndim, name="reduction_dimension")
    values, places = top_k(jnp.moveaxis(x, axis, -1), k)
    return jnp.moveaxis(values, -1, axis), jnp.moveaxis(places, -1, axis).astype(jnp.int32)
