"""Define the elements of a graph: `Operation`s, their output `Tensor`s, and `Block`s."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from shims._src.platform import user_frames
from shims._src.tracing.graph_operands import GraphTensor
from shims._src.v1.graph.lacking_methods import NamesRemedies
from shims._src.v1.graph.shapes import GraphShape
from shims._src.v1.graph.symbolic_values import Reference, not_allowed


class OperationGraph(Protocol):
    """The interface of `Graph` that operations use; it avoids a circular import."""

    root: Block
    block: Block
    seed: int | None
    made: int

    def add(self, operation: Operation) -> None:
        """Register an operation."""

    def input_of(self, tensor: Tensor) -> Tensor:
        """Return the tensor of this graph that stands for an input of an operation."""

    def count(self, operations: int) -> None:
        """Increase the operation count by auxiliary operations that only TensorFlow creates."""

    def next_seed(self) -> int:
        """Return the default seed of the next random operation."""

    def _session_for(self, session, purpose: str) -> Any:
        """Return the given session or, if it is `None`, the default session."""

    def present_device(self) -> str:
        """Return the device that an operation added at this point records."""


class Tensor(GraphTensor):
    """An output of an operation in a graph.

    Differs from TensorFlow:
      `dtype` is never a reference dtype.

    https://www.tensorflow.org/api_docs/python/tf/Tensor
    """

    __module__ = "shims.compat.v1"
    __array_priority__ = 100
    # The variable that this tensor reads where it is used, see `execution_plan.Run.read_by`.
    read_of: Any = None

    def __init__(self, op: Operation, value_index: int, shape, dtype):
        self._op = op
        self._value_index = value_index
        self._shape = GraphShape(shape)
        self._dtype = dtype

    @property
    def op(self) -> Operation:
        """The operation that computes the tensor."""
        return self._op

    @property
    def graph(self):
        """The graph that contains the tensor."""
        return self._op.graph

    @property
    def name(self) -> str:
        """The name, such as `"dense/BiasAdd:0"`."""
        return f"{self._op.name}:{self._value_index}"

    @property
    def value_index(self) -> int:
        """The index of the tensor among the outputs of its operation."""
        return self._value_index

    @property
    def device(self) -> str:
        """The device that the operation of this tensor records."""
        return self._op.device

    @property
    def dtype(self):
        """The dtype."""
        return self._dtype

    @property
    def shape(self) -> GraphShape:
        """The static shape."""
        return self._shape

    @property
    def ndim(self):
        """The rank, or `None` if it is unknown."""
        return self._shape.rank

    def get_shape(self) -> GraphShape:
        """Return the static shape."""
        return self._shape

    def set_shape(self, shape) -> None:
        """Merge a shape into the static shape.

        Raises:
          ValueError: the shapes are incompatible.
        """
        self._shape = self._shape.merge_with(shape)

    def consumers(self) -> list[Operation]:
        """Return the operations that have the tensor as an input."""
        return [op for op in self.graph.get_operations() if any(t is self for t in op.inputs)]

    def eval(self, feed_dict=None, session=None):
        """Evaluate the tensor in a session, by default the default session.

        Raises:
          ValueError: there is no default session.
        """
        return self.graph._session_for(session, "evaluate tensor").run(self, feed_dict)

    def ref(self):
        """Return a hashable reference to the tensor."""
        return Reference(self)

    experimental_ref = ref

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self._shape} dtype={self._dtype.name}>"

    def __str__(self) -> str:
        shape = "" if self._shape.rank is None else f", shape={self._shape}"
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name})'

    __hash__ = object.__hash__

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


class Operation(NamesRemedies):
    """A node of a graph.

    Args:
      graph: the graph that the operation is added to.
      type_: TensorFlow's type of the operation, such as `MatMul`.
      name: the name, which is already unique.
      compute: `f(run, operation, values)`, which returns the values of the outputs.
      inputs: the input tensors.
      outputs: `(shape, dtype)` of each output.
      control_inputs: the operations that must run first.

    Attributes:
      links: for each output, the indices of the inputs with respect to which it is differentiable.
      writes: the variables that the operation assigns.
      place: the user's file and line that created the operation, and the operation's name.
      on_host: whether the operation runs in Python, before or after the compiled program.
      attributes: further attributes by name.

    Differs from TensorFlow:
      `node_def` and `op_def` do not exist.

    https://www.tensorflow.org/api_docs/python/tf/Operation
    """

    __module__ = "shims.compat.v1"

    def __init__(
        self,
        graph: OperationGraph,
        type_: str,
        name: str,
        compute: Callable[[Any, Operation, list], Sequence],
        inputs: Sequence[Tensor] = (),
        outputs: Sequence[tuple] = (),
        control_inputs: Sequence[Operation] = (),
    ):
        self.graph = graph
        self.type = type_
        self._name = name
        self.compute = compute
        self._inputs = tuple(graph.input_of(t) for t in inputs)
        self._control_inputs = list(control_inputs)
        self.block = graph.block
        self.device = graph.present_device()
        self.number = graph.made
        self.links: tuple[frozenset[int], ...] = ()
        self.writes: tuple = ()
        self.on_host = False
        self.attributes: dict[str, Any] = {}
        frame = user_frames.user_frame()
        self.place = None if frame is None else (frame.f_code.co_filename, frame.f_lineno, name)
        graph.count(1)
        self._outputs = [Tensor(self, i, s, d) for i, (s, d) in enumerate(outputs)]
        for tensor in self._inputs:
            capture(graph, tensor)
        graph.add(self)

    @property
    def name(self) -> str:
        """The name, such as `"dense/BiasAdd"`."""
        return self._name

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The input tensors."""
        return self._inputs

    @property
    def outputs(self) -> list[Tensor]:
        """The output tensors."""
        return self._outputs

    def values(self) -> tuple[Tensor, ...]:
        """Return the output tensors."""
        return tuple(self._outputs)

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that must run before this one."""
        return list(self._control_inputs)

    def _add_control_input(self, op: Operation) -> None:
        if op not in self._control_inputs:
            self._control_inputs.append(op)

    def _add_control_inputs(self, ops) -> None:
        for op in ops:
            self._add_control_input(op)

    def get_attr(self, name: str):
        """Return the value of an attribute.

        Raises:
          ValueError: no such attribute is recorded; TensorFlow has more attributes.
        """
        if name in self.attributes:
            return self.attributes[name]
        if name in ("T", "dtype") and (self._outputs or self._inputs):
            return (self._outputs or self._inputs)[0].dtype
        raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")

    def run(self, feed_dict=None, session=None) -> None:
        """Run the operation in a session, by default the default session."""
        self.graph._session_for(session, "execute operation").run(self, feed_dict)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __str__(self) -> str:
        taken = "".join(f'\ninput: "{t.op.name}"' for t in self._inputs)
        return f'name: "{self.name}"\nop: "{self.type}"{taken}\n'


class Block:
    """A group of operations: the top level of a graph, a branch, or the body of a loop.

    Attributes:
      outer: the enclosing block, `None` for the top level of a graph.
      operations: the operations in the order of their creation.
      captured: tensors of outer blocks that the block uses, in the order of first use.
    """

    def __init__(self, outer: Block | None = None):
        self.outer = outer
        self.operations: list[Operation] = []
        self.captured: dict[Tensor, None] = {}
        self.control_inputs: list[tuple[Operation, ...]] = []

    def is_inside(self, other: Block) -> bool:
        """Return whether this block is `other` or nested in it."""
        block: Block | None = self
        while block is not None:
            if block is other:
                return True
            block = block.outer
        return False


def capture(graph: OperationGraph, tensor: Tensor) -> None:
    """Mark a tensor as captured by each block from the current one out to the tensor's own block."""
    block = graph.block
    while block is not tensor.op.block:
        block.captured[tensor] = None
        if block.outer is None:
            raise ValueError(
                f"Tensor {tensor.name} was created inside a branch or a loop and is used outside: return the tensor "
                "from the branch or the loop body."
            )
        block = block.outer


def is_graph_value(value) -> bool:
    """Return whether a value is a tensor or a variable of a graph."""
    return isinstance(value, Tensor) or hasattr(type(value), "graph_value")


def variable_behind(value) -> Any:
    """Return the variable whose reference a tensor is (`v:0` of a graph), and `None` for other values."""
    is_reference = isinstance(value, Tensor) and value.op.type in ("VariableV2", "VarHandleOp")
    return value.read_of if is_reference else None
