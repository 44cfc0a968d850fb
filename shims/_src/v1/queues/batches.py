"""Provide `tf.train.batch` and related functions: queues that combine single elements into batches."""

from __future__ import annotations

from typing import Any

import jax

import shims
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import deferred
from shims._src.v1.graph.shapes import GraphShape
from shims._src.v1.queues.producers import fill
from shims._src.v1.queues.queues import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue

_maximum = deferred(shims.maximum, "maximum")


def batch(
    tensors,
    batch_size,
    num_threads=1,
    capacity=32,
    enqueue_many=False,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
) -> Any:
    """Combine elements into batches, in the order in which they come.

    Args:
      tensors: the tensors of an element, in a list or a dictionary.
      batch_size: the number of elements of a batch.
      num_threads: the number of threads that compute elements.
      capacity: the maximum number of waiting elements.
      enqueue_many: whether the tensors contain elements as rows.
      shapes: the shapes of an element, if the shapes of the tensors are not known.
      dynamic_pad: pad the elements of a batch to the same shape.
      allow_smaller_final_batch: whether to return a last batch with fewer elements.
      shared_name: accepted and ignored.
      name: the name of the scope.

    Raises:
      ValueError: a shape is not known.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/batch
    """
    del shared_name
    lists = [tensors] * num_threads
    make = PaddingFIFOQueue if dynamic_pad else FIFOQueue
    return _batched(
        lists,
        batch_size,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        name or "batch",
        (f"fraction_of_{capacity}_full", lambda size: size * (1.0 / capacity)),
        lambda dtypes, sizes: make(capacity, dtypes, sizes),
    )


def batch_join(
    tensors_list,
    batch_size,
    capacity=32,
    enqueue_many=False,
    shapes=None,
    dynamic_pad=False,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
) -> Any:
    """Combine elements of several sources, each with a thread; the arguments are those of `batch`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/batch_join
    """
    del shared_name
    make = PaddingFIFOQueue if dynamic_pad else FIFOQueue
    return _batched(
        list(tensors_list),
        batch_size,
        enqueue_many,
        shapes,
        dynamic_pad,
        allow_smaller_final_batch,
        name or "batch_join",
        (f"fraction_of_{capacity}_full", lambda size: size * (1.0 / capacity)),
        lambda dtypes, sizes: make(capacity, dtypes, sizes),
    )


def shuffle_batch(
    tensors,
    batch_size,
    capacity,
    min_after_dequeue,
    num_threads=1,
    seed=None,
    enqueue_many=False,
    shapes=None,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
) -> Any:
    """Combine elements into batches, in a random order; other arguments are those of `batch`.

    Args:
      tensors: the tensors of an element, in a list or a dictionary.
      batch_size: the number of elements of a batch.
      capacity: the maximum number of waiting elements.
      min_after_dequeue: the minimum number of elements from which the next element is drawn.
      num_threads: the number of threads that compute elements.
      seed: the seed of the order.
      enqueue_many: whether the tensors contain elements as rows.
      shapes: the shapes of an element, if the shapes of the tensors are not known.
      allow_smaller_final_batch: whether to return a last batch with fewer elements.
      shared_name: accepted and ignored.
      name: the name of the scope.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/shuffle_batch
    """
    return shuffle_batch_join(
        [tensors] * num_threads,
        batch_size,
        capacity,
        min_after_dequeue,
        seed,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name or "shuffle_batch",
    )


def shuffle_batch_join(
    tensors_list,
    batch_size,
    capacity,
    min_after_dequeue,
    seed=None,
    enqueue_many=False,
    shapes=None,
    allow_smaller_final_batch=False,
    shared_name=None,
    name=None,
) -> Any:
    """Combine elements of several sources in a random order; see `shuffle_batch` for the arguments.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/shuffle_batch_join
    """
    del shared_name
    spare = max(1, capacity - min_after_dequeue)
    return _batched(
        list(tensors_list),
        batch_size,
        enqueue_many,
        shapes,
        False,
        allow_smaller_final_batch,
        name or "shuffle_batch_join",
        (
            f"fraction_over_{min_after_dequeue}_of_{spare}_full",
            lambda size: _maximum(size - min_after_dequeue, 0.0) * (1.0 / spare),
        ),
        lambda dtypes, sizes: RandomShuffleQueue(
            capacity, min_after_dequeue, dtypes, sizes, seed=seed
        ),
    )


def _batched(sources, size, rows, shapes, pads, fewer, name, summary, make) -> Any:
    """Make a queue, let each source fill it, and return batches in the structure of a source."""
    with get_default_graph().name_scope(name) as scope:
        leaves, tree = jax.tree.flatten(sources[0])
        parts = [[convert_to_tensor(t) for t in jax.tree.leaves(s)] for s in sources]
        sizes = _element_shapes(parts, shapes, rows)
        if not pads and not all(s.is_fully_defined() for s in sizes):
            raise ValueError(f"All shapes must be fully defined: {sizes}")
        queue: QueueBase = make([t.dtype for t in parts[0]], sizes)
        put = queue.enqueue_many if rows else queue.enqueue
        fill(queue, [put(p) for p in parts], *summary)
        taken = (queue.dequeue_up_to if fewer else queue.dequeue_many)(size, scope)
        if len(leaves) > 1:
            return jax.tree.unflatten(tree, taken)
        return jax.tree.unflatten(tree, [taken]) if isinstance(sources[0], dict) else taken


def _element_shapes(parts, shapes, rows: bool) -> list[GraphShape]:
    """Return the shape of each component of an element."""
    if shapes is not None:
        return [GraphShape(s) for s in shapes]
    found = []
    for column in zip(*parts, strict=True):
        shape = column[0].shape
        for tensor in column[1:]:
            if tensor.shape != shape:
                shape = GraphShape([None] * shape.rank) if shape.rank is not None else shape
        found.append(shape[1:] if rows else shape)
    return found
