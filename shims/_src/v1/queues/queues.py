"""Define the queues of a graph, such as `FIFOQueue`; each session has elements of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from shims._src.errors import errors
from shims._src.types.dtypes import as_dtype, bool_, int32, string
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.graph.scope_functions import get_seed
from shims._src.v1.graph.shapes import GraphShape
from shims._src.v1.queues.buffers import Buffer, ShuffledBuffer, SortedBuffer, of_session


class QueueBase:
    """A queue of tuples of tensors, which the threads of a session fill and empty.

    Args:
      dtypes: the dtype of each component.
      shapes: the shape of each component, or `None` if the shapes are not known.
      names: the names of the components, if the elements are dictionaries.
      kind: the name of the class in messages and names.
      name: the name of the queue; the name of the kind when `None`. A name that ends in `/` is the
        name of the open scope.
      make: a function of a name that makes the elements of a session.

    https://www.tensorflow.org/api_docs/python/tf/queue/QueueBase
    """

    __module__ = "shims.compat.v1"

    def __init__(
        self, dtypes, shapes, names, kind: str, name: str | None, make: Callable[[str], Buffer]
    ):
        many = isinstance(dtypes, (list, tuple))
        self._dtypes = [as_dtype(d) for d in (dtypes if many else [dtypes])]
        self._shapes = _shapes_of(shapes, len(self._dtypes))
        self._names = _names_of(names, len(self._dtypes))
        own = name or kind
        self._name = own[:-1] if own.endswith("/") else get_default_graph().unique_name(own)
        self._make = lambda: make(self._name)
        handle = np.array(self._name.encode(), object)
        self._reference = self._operation(kind, self._name, lambda b: [handle], (), [((), string)])

    @property
    def queue_ref(self) -> Tensor:
        """The tensor that names the queue."""
        return self._reference.outputs[0]

    @property
    def name(self) -> str:
        """The name of the queue."""
        return self._name

    @property
    def dtypes(self) -> list:
        """The dtype of each component."""
        return self._dtypes

    @property
    def shapes(self) -> list[GraphShape]:
        """The shape of each component."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components; `None` if the elements are not dictionaries."""
        return self._names

    # ---- elements --------------------------------------------------------------------------------

    def enqueue(self, vals, name=None) -> Operation:
        """Return an operation that adds an element, as soon as there is room."""
        values = self._components(vals, self._shapes)

        def compute(buffer, *arrays):
            buffer.put([tuple(map(_kept, arrays))])
            return []

        return self._operation("QueueEnqueueV2", self._unique(name, "enqueue"), compute, values)

    def enqueue_many(self, vals, name=None) -> Operation:
        """Return an operation that adds the rows of its operands as elements."""
        shapes = [GraphShape(None if s.rank is None else [None, *s]) for s in self._shapes]
        values = self._components(vals, shapes)

        def compute(buffer, *arrays):
            rows, kept = range(len(arrays[0])), list(map(_kept, arrays))
            buffer.put([tuple(a[row, ...] for a in kept) for row in rows])
            return []

        unique = self._unique(name, "EnqueueMany")
        return self._operation("QueueEnqueueManyV2", unique, compute, values)

    def dequeue(self, name=None) -> Any:
        """Return the next element, for which a run waits."""
        outputs = list(zip(self._shapes, self._dtypes, strict=True))
        unique = self._unique(name, "Dequeue")
        op = self._operation("QueueDequeueV2", unique, lambda b: b.take(1)[0], (), outputs)
        return self._structured(op.outputs)

    def dequeue_many(self, n, name=None) -> Any:
        """Return `n` elements, each component stacked."""
        return self._several("QueueDequeueManyV2", n, self._unique(name, "DequeueMany"))

    def dequeue_up_to(self, n, name=None) -> Any:
        """Return `n` elements, or the remaining elements of a closed queue."""
        return self._several("QueueDequeueUpToV2", n, self._unique(name, "DequeueUpTo"))

    def _several(self, kind: str, n, name: str) -> Any:
        count = convert_to_tensor(n, int32)
        fewer = kind == "QueueDequeueUpToV2"
        known = None if fewer else count.op.attributes.get("value")
        size = None if known is None else int(known)
        shapes = [GraphShape(None if s.rank is None else [size, *s]) for s in self._shapes]
        outputs = list(zip(shapes, self._dtypes, strict=True))
        is_known = self._pads or all(s.is_fully_defined() for s in self._shapes)

        def compute(buffer, number):
            if not is_known:
                raise errors.InvalidArgumentError(
                    f"{type(self).__name__}'s DequeueMany and DequeueUpTo require the components to "
                    f"have specified shapes; the queue's are {self._shapes}."
                )
            elements = buffer.take(int(number), fewer)
            columns = zip(*elements, strict=True)
            return [self._stacked(list(column)) for column in columns]

        return self._structured(self._operation(kind, name, compute, [count], outputs).outputs)

    _pads = False

    def _stacked(self, arrays: list[np.ndarray]) -> np.ndarray:
        return np.stack(arrays)

    # ---- the queue -------------------------------------------------------------------------------

    def close(self, cancel_pending_enqueues=False, name=None) -> Operation:
        """Return an operation after which the queue takes no more elements."""

        def compute(buffer):
            buffer.close(cancel_pending_enqueues)
            return []

        return self._operation("QueueCloseV2", self._unique(name, "Close"), compute)

    def size(self, name=None) -> Tensor:
        """Return the number of elements."""
        unique = self._unique(name, "Size")
        measure = lambda buffer: [np.int32(len(buffer))]
        return self._operation("QueueSizeV2", unique, measure, (), [((), int32)]).outputs[0]

    def is_closed(self, name=None) -> Tensor:
        """Return whether the queue is closed."""
        unique = self._unique(name, "Is_Closed")
        ask = lambda buffer: [np.bool_(buffer.closed)]
        return self._operation("QueueIsClosedV2", unique, ask, (), [((), bool_)]).outputs[0]

    # ---- graph -----------------------------------------------------------------------------------

    def buffer_in(self, session) -> Buffer:
        """Return the elements that a session has."""
        found: Buffer = of_session(session, f"queue {self._name}", self._make)
        return found

    def _operation(self, kind: str, name: str, compute, inputs=(), outputs=()) -> Operation:
        graph = get_default_graph()

        def call(session, op, values):
            del op
            return [np.asarray(x) for x in compute(self.buffer_in(session), *values)]

        controls = graph.present_control_inputs()
        op = Operation(graph, kind, name, call, list(inputs), list(outputs), controls)
        op.on_host = True
        op.links = (frozenset(),) * len(outputs)
        return op

    def _unique(self, name: str | None, default: str) -> str:
        """Return the name of an operation; one that ends in `/` is that of the open scope."""
        if name is not None and name.endswith("/"):
            return name[:-1]
        own = self._name.rpartition("/")[2]
        return get_default_graph().unique_name(name or f"{own}_{default}")

    def _components(self, vals, shapes) -> list[Tensor]:
        """Return the tensors of an element, which are checked against the queue's."""
        if isinstance(vals, Mapping):
            if self._names is None or set(vals) != set(self._names):
                raise ValueError(
                    f"Keys in dictionary to enqueue do not match names of Queue. Dictionary: "
                    f"{sorted(vals)}, Queue: {sorted(self._names or ())}"
                )
            vals = [vals[n] for n in self._names]
        elif self._names is not None:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        given = list(vals) if isinstance(vals, (list, tuple)) else [vals]
        if len(given) != len(self._dtypes) and len(self._dtypes) == 1:
            given = [vals]
        pairs = zip(given, self._dtypes, strict=True)
        tensors = [convert_to_tensor(v, d) for v, d in pairs]
        for tensor, shape in zip(tensors, shapes, strict=True):
            tensor.shape.assert_is_compatible_with(shape)
        return tensors

    def _structured(self, outputs) -> Any:
        if self._names is not None:
            return dict(zip(self._names, outputs, strict=True))
        return outputs[0] if len(outputs) == 1 else list(outputs)


def _kept(x):
    """Return a value that stays as it is, although the program may change the array that it has fed."""
    return np.array(x) if isinstance(x, np.ndarray) else x


def _shapes_of(shapes, count: int) -> list[GraphShape]:
    if shapes is None:
        return [GraphShape(None)] * count
    is_one = not isinstance(shapes, (list, tuple)) or all(isinstance(s, int) for s in shapes)
    if is_one and (count == 1 and shapes != [()] and (shapes or shapes == ())):
        shapes = [shapes]
    found = [GraphShape(s) for s in shapes]
    if len(found) != count:
        raise ValueError("Queue shapes must have the same length as dtypes")
    return found


def _names_of(names, count: int) -> list[str] | None:
    if not names:
        return None
    found = [names] if isinstance(names, str) else list(names)
    if len(found) != count:
        raise ValueError("Queue names must have the same length as the number of components.")
    return found


class FIFOQueue(QueueBase):
    """A queue that returns its elements in the order in which they were added.

    Args:
      capacity: the maximum number of elements in the queue.
      dtypes: the dtype of each component.
      shapes: the shape of each component; needed to dequeue several elements at once.
      names: the names of the components, if the elements are dictionaries.
      shared_name: accepted and ignored.
      name: the name of the queue.

    https://www.tensorflow.org/api_docs/python/tf/queue/FIFOQueue
    """

    def __init__(
        self, capacity, dtypes, shapes=None, names=None, shared_name=None, name="fifo_queue"
    ):
        del shared_name
        make = lambda title: Buffer("FIFOQueue", title, capacity)
        super().__init__(dtypes, shapes, names, "FIFOQueueV2", name, make)


class PaddingFIFOQueue(QueueBase):
    """A `FIFOQueue` that pads the elements of `dequeue_many` to the same shape.

    https://www.tensorflow.org/api_docs/python/tf/queue/PaddingFIFOQueue
    """

    _pads = True

    def __init__(
        self, capacity, dtypes, shapes, names=None, shared_name=None, name="padding_fifo_queue"
    ):
        del shared_name
        make = lambda title: Buffer("PaddingFIFOQueue", title, capacity)
        super().__init__(dtypes, shapes, names, "PaddingFIFOQueueV2", name, make)

    def _stacked(self, arrays: list[np.ndarray]) -> np.ndarray:
        sizes = np.max([a.shape for a in arrays], axis=0).astype(int)
        fill = b"" if arrays[0].dtype.hasobject else 0
        padded = [
            np.pad(
                a, [(0, n - m) for n, m in zip(sizes, a.shape, strict=True)], constant_values=fill
            )
            for a in arrays
        ]
        return np.stack(padded)


class RandomShuffleQueue(QueueBase):
    """A queue that returns its elements in a random order.

    Args:
      capacity: the maximum number of elements in the queue.
      min_after_dequeue: the minimum number of elements that stay in the queue until it is closed.
      dtypes: the dtype of each component.
      shapes: the shape of each component; needed to dequeue several elements at once.
      names: the names of the components, if the elements are dictionaries.
      seed: the seed of the order.
      shared_name: accepted and ignored.
      name: the name of the queue.

    https://www.tensorflow.org/api_docs/python/tf/queue/RandomShuffleQueue
    """

    def __init__(
        self,
        capacity,
        min_after_dequeue,
        dtypes,
        shapes=None,
        names=None,
        seed=None,
        shared_name=None,
        name="random_shuffle_queue",
    ):
        del shared_name
        found = get_seed(seed)
        seeds = None if found[0] is None else found

        def make(title: str) -> Buffer:
            kind = "RandomShuffleQueue"
            return ShuffledBuffer(kind, title, capacity, min_after_dequeue, seeds)

        super().__init__(dtypes, shapes, names, "RandomShuffleQueueV2", name, make)


class PriorityQueue(QueueBase):
    """A queue that returns the element with the lowest first component, an int64 scalar, first.

    Args:
      capacity: the maximum number of elements in the queue.
      types: the dtypes of the components after the first.
      shapes: their shapes.
      names: the names of the components, if the elements are dictionaries.
      shared_name: accepted and ignored.
      name: the name of the queue.

    https://www.tensorflow.org/api_docs/python/tf/queue/PriorityQueue
    """

    def __init__(
        self, capacity, types, shapes=None, names=None, shared_name=None, name="priority_queue"
    ):
        del shared_name
        make = lambda title: SortedBuffer("PriorityQueue", title, capacity)
        types = list(types) if isinstance(types, (list, tuple)) else [types]
        shapes = None if shapes is None else [(), *shapes]
        super().__init__(["int64", *types], shapes, names, "PriorityQueueV2", name, make)
