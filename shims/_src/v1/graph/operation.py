"""`Operation`: one call in a graph, and what it needs to run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax

from shims._src.platform import user_frames
from shims._src.v1.graph.tensor import Tensor

if TYPE_CHECKING:
    from shims._src.v1.graph.graph import Graph


class Operation:
    """One node of a graph.

    Args:
      graph: the graph that it is added to.
      type_: TensorFlow's name of the operator: `MatMul`.
      name: its name, which is unique already.
      compute: `f(run, operation, values)` that gives the values of the outputs.
      inputs: the tensors that it takes.
      outputs: `(shape, dtype)` of what it gives.
      control_inputs: operations that run before it.

    Attributes:
      links: per output the positions of the inputs that it is differentiable by.
      writes: variables that it assigns.
      place: the user's file and line that made it, and its name.
      on_host: whether it runs in Python after the compiled program, or before it.
      attributes: what else TensorFlow calls its attributes.

    Differs from TensorFlow:
      `node_def` and `op_def` do not exist.

    https://www.tensorflow.org/api_docs/python/tf/Operation
    """

    __module__ = "shims.compat.v1"

    def __init__(
        self,
        graph: Graph,
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
        self._inputs = tuple(inputs)
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
        """`"dense/BiasAdd"`."""
        return self._name

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The tensors that it takes."""
        return self._inputs

    @property
    def outputs(self) -> list[Tensor]:
        """The tensors that it gives."""
        return self._outputs

    def values(self) -> tuple[Tensor, ...]:
        """The tensors that it gives."""
        return tuple(self._outputs)

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that run before it."""
        return list(self._control_inputs)

    def _add_control_input(self, op: Operation) -> None:
        if op not in self._control_inputs:
            self._control_inputs.append(op)

    def _add_control_inputs(self, ops) -> None:
        for op in ops:
            self._add_control_input(op)

    def get_attr(self, name: str):
        """An attribute.

        Raises:
          ValueError: it is not known here.
        """
        if name in self.attributes:
            return self.attributes[name]
        if name in ("T", "dtype") and (self._outputs or self._inputs):
            return (self._outputs or self._inputs)[0].dtype
        raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")

    def run(self, feed_dict=None, session=None) -> None:
        """Run it in a session, the default one if none is given."""
        from shims._src.v1.session.session import session_for

        session_for(session, self.graph, "execute operation").run(self, feed_dict)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __str__(self) -> str:
        taken = "".join(f'\ninput: "{t.op.name}"' for t in self._inputs)
        return f'name: "{self.name}"\nop: "{self.type}"{taken}\n'


def capture(graph: Graph, tensor: Tensor) -> None:
    """Take note of a tensor of an outer block in all blocks between."""
    block = graph.block
    while block is not tensor.op.block:
        block.captured[tensor] = None
        if block.outer is None:
            raise ValueError(
                f"Tensor {tensor.name} was made inside of a branch or a loop and is used outside "
                "of it: return it from the branch or the body."
            )
        block = block.outer


def flat_values(values) -> list:
    """The arrays of nested values."""
    return jax.tree.leaves(values)
