"""Clip gradients by norm or by value; gradients may be tensors, `IndexedSlices` or `None`."""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp

import shims
from shims._src.linalg.linalg_ops import global_norm as _eager_norm
from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import deferred, operation_of
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Tensor

_by_norm = deferred(shims.clip_by_norm, "clip_by_norm")
_by_value = deferred(shims.clip_by_value, "clip_by_value")


def global_norm(t_list, name=None):
    """Compute the Euclidean norm over all elements of all tensors.

    Args:
      t_list: tensors, `IndexedSlices` (whose values count) and `None` (which is ignored).
      name: the name of the operation.

    Returns:
      A scalar; 0 if there is no tensor.

    Raises:
      TypeError: `t_list` is not a list.

    Differs from TensorFlow:
      A single operation replaces TensorFlow's several operations.

    https://www.tensorflow.org/api_docs/python/tf/linalg/global_norm
    """
    _check_list(t_list)
    if executing_eagerly():
        return _eager_norm(t_list)
    values = [_values(t) for t in t_list if t is not None]
    with get_default_graph().name_scope(name or "global_norm"):
        return operation_of(
            _euclidean_norm,
            (values,),
            {},
            public="linalg.global_norm",
            name="global_norm",
            type_="Sqrt",
        )


def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """Scale tensors down so that their global norm is at most `clip_norm`.

    Args:
      t_list: tensors, `IndexedSlices` and `None`.
      clip_norm: the largest global norm, a scalar.
      use_norm: the global norm, if it is already computed.
      name: the name of the operations.

    Returns:
      `(list, norm)`: the scaled list, and the global norm before scaling; all values are NaN if
      that norm is not finite.

    Raises:
      TypeError: `t_list` is not a list.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/clip_by_global_norm
    """
    _check_list(t_list)
    if executing_eagerly():
        return shims.clip_by_global_norm(t_list, clip_norm, use_norm)
    norm = global_norm(t_list, name) if use_norm is None else convert_to_tensor(use_norm)
    graph = get_default_graph()
    with graph.name_scope(name or "clip_by_global_norm") as scope:
        found = []
        for i, t in enumerate(t_list):
            if t is None:
                found.append(None)
                continue
            part = graph.unique_name(f"{scope}_{i}")
            clipped = operation_of(
                _scale,
                (_values(t), norm, clip_norm),
                {},
                public="clip_by_global_norm",
                name=f"{part}/",
                type_="Identity",
            )
            found.append(_like(t, clipped))
        return found, norm


def clip_by_norm(t, clip_norm, axes=None, name=None):
    """Scale a tensor or `IndexedSlices` down so that its norm is at most `clip_norm`.

    Args:
      t: a tensor or `IndexedSlices`.
      clip_norm: the largest norm.
      axes: the axes to compute the norm over; all when `None`.
      name: the name of the operation.

    Returns:
      A tensor or `IndexedSlices`, like `t`.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/clip_by_norm
    """
    if executing_eagerly():
        return shims.clip_by_norm(t, clip_norm, axes)
    return _like(t, _by_norm(_values(t), clip_norm, axes, name=name or "clip_by_norm"))


def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """Clip the elements of a tensor or `IndexedSlices` to a range.

    Args:
      t: a tensor or `IndexedSlices`.
      clip_value_min: the lower limit.
      clip_value_max: the upper limit.
      name: the name of the operation.

    Returns:
      A tensor or `IndexedSlices`, like `t`.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/clip_by_value
    """
    if executing_eagerly():
        return shims.clip_by_value(t, clip_value_min, clip_value_max)
    name = name or "clip_by_value"
    return _like(t, _by_value(_values(t), clip_value_min, clip_value_max, name=name))


def clip_by_average_norm(t, clip_norm, name=None):
    """Scale a tensor down so that its norm divided by its number of elements is limited.

    Args:
      t: a tensor.
      clip_norm: the largest average norm.
      name: the name of the operation.

    Returns:
      A tensor of the same shape and dtype.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/clip_by_average_norm
    """
    if executing_eagerly():
        return _clip_by_average_norm(jnp.asarray(t), clip_norm)
    name = name or "clip_by_average_norm"
    return operation_of(
        _clip_by_average_norm,
        (convert_to_tensor(t), clip_norm),
        {},
        public="clip_by_average_norm",
        name=name,
    )


def _clip_by_average_norm(t, clip_norm):
    limit = jnp.asarray(clip_norm, t.dtype)
    count = shims.cast(shims.size(t), t.dtype)
    inverse = shims.math.rsqrt(shims.reduce_sum(t * t))
    return t * limit * shims.minimum(inverse * count, 1 / limit)


def _euclidean_norm(arrays):
    halves = [shims.nn.l2_loss(a) for a in arrays]
    total = halves[0] if halves else jnp.float32(0)
    for half in halves[1:]:
        total = total + half
    return shims.sqrt(total * 2)


def _scale(values, norm, clip_norm):
    limit = jnp.asarray(clip_norm, norm.dtype)
    scale = limit * shims.minimum(1 / norm, 1 / limit)
    # An infinite norm must yield NaN instead of silently scaling finite arrays to 0.
    return values * (scale + (norm - norm)).astype(values.dtype)


def _check_list(t_list) -> None:
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")


def _values(t) -> Tensor:
    return t.values if isinstance(t, IndexedSlices) else convert_to_tensor(t)


def _like(t, values):
    """Return `values`; if `t` is an `IndexedSlices`, return one with its indices and these values."""
    if isinstance(t, IndexedSlices):
        return IndexedSlices(values, t.indices, t.dense_shape)
    return values
