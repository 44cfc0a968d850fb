"""Create streaming metrics, which consist of local variables, an update operation and a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

import shims
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.variables.training_kernels import assigning
from shims._src.v1.variables.variable_scope import variable_scope
from shims._src.v1.variables.variables import GraphKeys, GraphVariable


def check_graph(name: str) -> None:
    """Raise `RuntimeError` if eager execution is enabled."""
    if executing_eagerly():
        raise RuntimeError(f"tf.metrics.{name} is not supported when eager execution is enabled.")


def metric_variable(shape, dtype: str, name: str) -> GraphVariable:
    """Create a variable for a metric: a local, non-trainable variable that starts at zeros."""
    zeros = np.zeros(shape, dtype)
    return GraphVariable(
        lambda: convert_to_tensor(zeros, name="zeros"),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES],
        name=name,
    )


def streaming(
    scope: tuple[str | None, str],
    variables: Sequence[tuple[str, tuple, str]],
    contribution: Callable,
    operands: Sequence,
    result: Callable,
    collections: tuple = (None, None),
    update: Callable | None = None,
    names: tuple[str, str] = ("value", "update_op"),
) -> tuple[Tensor, Tensor]:
    """Create a metric: a value tensor and an update operation that adds a batch.

    Args:
      scope: the caller's scope name, and the default one.
      variables: names, shapes and dtypes of the metric variables.
      contribution: a function of the operands that returns the increment of each variable.
      operands: the tensors of a batch; `None` is passed on.
      result: a function of the variables that returns the value.
      collections: the collections of the value and of the update.
      update: a function of the variables that returns the value of the update; `result` when `None`.
      names: the names of the value and update operations.

    Returns:
      `(value, update_op)`.
    """
    with variable_scope(scope[0], scope[1], [x for x in operands if x is not None]):
        kept = [metric_variable(shape, dtype, name) for name, shape, dtype in variables]
        return streamed(kept, contribution, operands, result, collections, update, names)


def streamed(
    kept: Sequence[GraphVariable],
    contribution: Callable,
    operands: Sequence,
    result: Callable,
    collections: tuple,
    update: Callable | None,
    names: tuple[str, str],
) -> tuple[Tensor, Tensor]:
    """Create a metric that adds batches to the existing variables `kept`; see `streaming`."""
    graph = get_default_graph()
    added = operation_of(
        contribution, tuple(operands), {}, public="metrics", name="batch", type_="Sum"
    )
    moved = assigning("AssignAdd", None, kept, _add_halves, list(added))
    value = _make_result(result, kept, names[0])
    with graph.control_dependencies([moved]):
        updated = _make_result(update or result, kept, names[1])
    for keys, tensor in zip(collections, (value, updated), strict=True):
        if keys:
            graph.add_to_collections(keys, tensor)
    return value, updated


def _add_halves(*arrays):
    """Add increments to metric variables, and return the sums.

    arrays: the values of the variables, followed by the same number of increments.
    """
    half = len(arrays) // 2
    return [kept + added for kept, added in zip(arrays[:half], arrays[half:], strict=True)]


def _make_result(f: Callable, kept, name: str) -> Tensor:
    return operation_of(f, tuple(kept), {}, public="metrics", name=name, type_="DivNoNan")


def ratio(total, count):
    """Divide `total` by `count`; return 0 if the count is 0."""
    return shims.math.divide_no_nan(total, shims.maximum(count, 0))


def match_ranks(labels, predictions):
    """Squeeze the last axis of `labels` or of `predictions` if it has one axis more than the other.

    Raises:
      ValueError: the shapes differ after that.
    """
    extra = len(predictions.shape) - len(labels.shape)
    if extra == 1:
        predictions = shims.squeeze(predictions, -1)
    elif extra == -1:
        labels = shims.squeeze(labels, -1)
    return labels, same_shape(predictions, labels)


def same_shape(array, other):
    """Check that `array` has the shape of `other`, and return `array`.

    Raises:
      ValueError: the shapes differ.
    """
    fixed = lambda shape: [d if isinstance(d, int) else None for d in shape]
    theirs = fixed(other.shape)
    ours = fixed(array.shape)
    differ = [a for a, b in zip(ours, theirs, strict=False) if None not in (a, b) and a != b]
    if len(ours) != len(theirs) or differ:
        raise ValueError(f"Shapes {tuple(ours)} and {tuple(theirs)} are incompatible")
    return shims.ensure_shape(array, theirs)


def broadcast_weights(weights, values):
    """Broadcast weights to the shape of `values`, as float32.

    Raises:
      ValueError: the ranks differ, or a size is neither 1 nor the size of the values.
    """
    weights = shims.cast(weights, "float32")
    rank, wanted = len(weights.shape), len(values.shape)
    if rank and rank - wanted == 1:
        weights = shims.squeeze(weights, -1)
    elif rank and wanted - rank == 1:
        weights = shims.expand_dims(weights, -1)
    if rank and len(weights.shape) != wanted:
        raise ValueError(
            f"weights can not be broadcast to values. values.rank={wanted}. weights.rank={rank}."
        )
    for have, want in zip(weights.shape, values.shape, strict=False):
        if isinstance(have, int) and isinstance(want, int) and have not in (1, want):
            raise ValueError(
                f"weights can not be broadcast to values. values.shape={tuple(values.shape)}. "
                f"weights.shape={tuple(weights.shape)}."
            )
    return weights * shims.ones_like(values, dtype="float32")
