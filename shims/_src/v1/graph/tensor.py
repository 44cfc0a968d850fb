"""`Tensor`: a value that a session will compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shims._src.errors import errors
from shims._src.v1.graph.shapes import GraphShape

if TYPE_CHECKING:
    from shims._src.v1.graph.operation import Operation


class Tensor:
    """One output of an operation in a graph.

    Differs from TensorFlow:
      `dtype` is never a reference dtype.

    https://www.tensorflow.org/api_docs/python/tf/Tensor
    """

    __module__ = "shims.compat.v1"
    __array_priority__ = 100
    # A variable whose value this tensor is wherever it is used, see `running`.
    read_of: Any = None

    def __init__(self, op: Operation, value_index: int, shape, dtype):
        self._op = op
        self._value_index = value_index
        self._shape = GraphShape(shape)
        self._dtype = dtype

    @property
    def op(self) -> Operation:
        """The operation that gives it."""
        return self._op

    @property
    def graph(self):
        """Its graph."""
        return self._op.graph

    @property
    def name(self) -> str:
        """`"dense/BiasAdd:0"`."""
        return f"{self._op.name}:{self._value_index}"

    @property
    def value_index(self) -> int:
        """Which of the outputs of its operation it is."""
        return self._value_index

    @property
    def device(self) -> str:
        """The device that its operation was made for."""
        return self._op.device

    @property
    def dtype(self):
        """Its dtype."""
        return self._dtype

    @property
    def shape(self) -> GraphShape:
        """What is known of its shape."""
        return self._shape

    @property
    def ndim(self):
        """The number of its dimensions, or `None`."""
        return self._shape.rank

    def get_shape(self) -> GraphShape:
        """What is known of its shape."""
        return self._shape

    def set_shape(self, shape) -> None:
        """Add what is known of its shape.

        Raises:
          ValueError: something else is known already.
        """
        self._shape = self._shape.merge_with(shape)

    def consumers(self) -> list[Operation]:
        """The operations that use it."""
        return [op for op in self.graph.get_operations() if any(t is self for t in op.inputs)]

    def eval(self, feed_dict=None, session=None):
        """Its value in a session, the default one if none is given.

        Raises:
          ValueError: there is no session.
        """
        from shims._src.v1.session.session import session_for

        return session_for(session, self.graph, "evaluate tensor").run(self, feed_dict)

    def ref(self):
        """Something hashable that stands for the tensor."""
        return Reference(self)

    experimental_ref = ref

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self._shape} dtype={self._dtype.name}>"

    def __str__(self) -> str:
        shape = "" if self._shape.rank is None else f", shape={self._shape}"
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name})'

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self):
        raise not_allowed("Using a symbolic `tf.Tensor` as a Python `bool`")

    def __iter__(self):
        raise not_allowed("Iterating over a symbolic `tf.Tensor`")

    def __len__(self):
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` "
            "rather than `len(x)` for shape information."
        )

    def __array__(self, dtype=None, copy=None):
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may "
            "indicate that you're trying to pass a Tensor to a NumPy call, which is not supported."
        )


class Reference:
    """What `Tensor.ref()` gives: equal for one and the same tensor."""

    __slots__ = ("_tensor",)

    def __init__(self, tensor):
        self._tensor = tensor

    def deref(self):
        """The tensor."""
        return self._tensor

    def __eq__(self, other) -> bool:
        return isinstance(other, Reference) and self._tensor is other._tensor

    def __hash__(self) -> int:
        return id(self._tensor)


class OperatorNotAllowedInGraphError(TypeError):
    """Python asked for a value that only a session will know."""


def not_allowed(what: str) -> OperatorNotAllowedInGraphError:
    """The error where Python asks for a value that only a session will know."""
    return OperatorNotAllowedInGraphError(
        errors.message(
            "",
            f"{what} is not allowed: only a session knows its value.",
            do="use `tf.cond`, `tf.while_loop` or `tf.unstack`",
        )
    )
