"""Provide the queues of `tf.train` that a list of files, a range or tensors fill, epoch after epoch."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

import shims
from shims._src.errors import errors
from shims._src.types.dtypes import float32
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import deferred
from shims._src.v1.graph.host_calls import is_text
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.graph.shapes import GraphShape
from shims._src.v1.queues.queue_runners import QueueRunner, add_queue_runner
from shims._src.v1.queues.queues import FIFOQueue, QueueBase
from shims._src.v1.summary.operators import scalar

_cast = deferred(shims.cast, "cast")
_gather = deferred(shims.gather, "gather")
_range = deferred(shims.range, "range")
_shuffled = deferred(shims.random.shuffle, "random.shuffle")


def fill(queue: QueueBase, operations: list[Operation], summary: str | None, measure=None) -> None:
    """Let threads run the operations that fill a queue, and summarize how full it is.

    Args:
      queue: the queue.
      operations: the operations; each has a thread.
      summary: the name of the summary; none when `None`.
      measure: a function of the number of elements, as a float, that gives the summary.
    """
    add_queue_runner(QueueRunner(queue, operations))
    if summary is not None:
        scalar(summary, measure(_cast(queue.size(), float32)))


def limit_epochs(tensor, num_epochs=None, name=None) -> Tensor:
    """Return a tensor that can be computed `num_epochs` times.

    Args:
      tensor: the tensor.
      num_epochs: the number; without a limit when `None`.
      name: the name of the operation.

    Raises:
      ValueError: the number is not positive.

    Differs from TensorFlow:
      The count is not a local variable: a session counts from its first run.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/limit_epochs
    """
    tensor = convert_to_tensor(tensor)
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    graph = get_default_graph()
    unique = graph.unique_name(name or "limit_epochs")

    def compute(session, op, values):
        done = session.resources.get(f"epochs {unique}", 0)
        if done >= num_epochs:
            raise errors.OutOfRangeError(f"Reached limit of {num_epochs} ({op.name})")
        session.resources[f"epochs {unique}"] = done + 1
        return [np.asarray(values[0])]

    op = Operation(graph, "Identity", unique, compute, [tensor], [(tensor.shape, tensor.dtype)])
    op.on_host, op.links = True, (frozenset(),)
    return op.outputs[0]


def input_producer(
    input_tensor,
    element_shape=None,
    num_epochs=None,
    shuffle=True,
    seed=None,
    capacity=32,
    shared_name=None,
    summary_name=None,
    name=None,
    cancel_op=None,
) -> FIFOQueue:
    """Return a queue of the rows of a tensor, which a thread fills again and again.

    Args:
      input_tensor: the rows.
      element_shape: the shape of a row, if the shape of the tensor is not known.
      num_epochs: how many times the rows are produced; `None` repeats them without end.
      shuffle: whether each epoch has a different order.
      seed: the seed of the orders.
      capacity: the maximum number of elements in the queue.
      shared_name: accepted and ignored.
      summary_name: the name of the summary that records how full the queue is.
      name: the name of the queue.
      cancel_op: accepted and ignored.

    Raises:
      ValueError: the shape of a row is not known.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/input_producer
    """
    del shared_name, cancel_op
    with get_default_graph().name_scope(name or "input_producer"):
        rows = convert_to_tensor(input_tensor, name="input_tensor")
        shape = rows.shape[1:].merge_with(GraphShape(element_shape))
        if not shape.is_fully_defined():
            raise ValueError("Either `input_tensor` must have a fully defined shape or "
                             "`element_shape` must be specified")  # fmt: skip
        if shuffle:
            rows = _in_random_order(rows, seed)
        rows = limit_epochs(rows, num_epochs)
        queue = FIFOQueue(capacity, [rows.dtype], [shape], name=name)
        put = [queue.enqueue_many([rows])]
        fill(queue, put, summary_name, lambda size: size * (1.0 / capacity))
        return queue


def _in_random_order(rows: Tensor, seed) -> Tensor:
    """Shuffle rows; texts by their numbers, as JAX draws no order of texts."""
    if not is_text(rows):
        return _shuffled(rows, seed=seed)
    return _gather(rows, _shuffled(_range(_size_of(rows)), seed=seed))


def _size_of(rows: Tensor) -> Any:
    """Return the number of rows, a tensor if it is not known."""
    known = rows.shape[0].value
    return deferred(shims.shape, "shape")(rows)[0] if known is None else known


def string_input_producer(
    string_tensor,
    num_epochs=None,
    shuffle=True,
    seed=None,
    capacity=32,
    shared_name=None,
    name=None,
    cancel_op=None,
) -> FIFOQueue:
    """Return a queue of strings, such as file names; see `input_producer` for the arguments.

    Raises:
      ValueError: the list is empty.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/string_input_producer
    """
    del shared_name, cancel_op
    if not isinstance(string_tensor, Tensor) and not len(string_tensor):
        raise ValueError("string_input_producer requires a non-null input tensor")
    with get_default_graph().name_scope(name or "input_producer") as scope:
        texts = convert_to_tensor(string_tensor, "string")
        full = f"fraction_of_{capacity}_full"
        return input_producer(texts, [], num_epochs, shuffle, seed, capacity, None, full, scope)


def range_input_producer(
    limit, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None
) -> FIFOQueue:
    """Return a queue of the numbers from 0 to `limit - 1`; see `input_producer` for the arguments.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/range_input_producer
    """
    del shared_name
    with get_default_graph().name_scope(name or "input_producer") as scope:
        full = f"fraction_of_{capacity}_full"
        numbers = _range(limit)
        return input_producer(numbers, [], num_epochs, shuffle, seed, capacity, None, full, scope)


def slice_input_producer(
    tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None
) -> list[Any]:
    """Return rows of several tensors, selected by a queue of row numbers.

    Args:
      tensor_list: tensors with equally many rows.
      num_epochs: how many times the rows are produced; `None` repeats them without end.
      shuffle: whether each epoch has a different order.
      seed: the seed of the orders.
      capacity: the maximum number of elements in the queue.
      shared_name: accepted and ignored.
      name: the name of the scope.

    Raises:
      ValueError: the list is empty.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/slice_input_producer
    """
    if not tensor_list:
        raise ValueError("Expected at least one tensor in slice_input_producer().")
    with get_default_graph().name_scope(name or "input_producer"):
        tensors = [convert_to_tensor(t) for t in jax.tree.leaves(list(tensor_list))]
        size = _size_of(tensors[0])
        queue = range_input_producer(size, num_epochs, shuffle, seed, capacity, shared_name)
        index = queue.dequeue()
        return [_gather(t, index) for t in tensors]
