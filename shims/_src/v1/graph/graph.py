"""Provide `Graph`: a container of named operations, with scopes, devices and collections."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from shims._src.errors import errors
from shims._src.v1.graph.default_session import session_for
from shims._src.v1.graph.devices import merged
from shims._src.v1.graph.lacking_methods import NamesRemedies
from shims._src.v1.graph.modes import graph_scope
from shims._src.v1.graph.named_collections import Collections
from shims._src.v1.graph.nodes import Block, Operation, Tensor
from shims._src.v1.graph.operator_calls import add_call
from shims._src.v1.graph.output_specs import constant_value_as_shape
from shims._src.v1.graph.shapes import GraphShape

_SCOPE_AT_ROOT = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
_SCOPE = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")


class Graph(Collections, NamesRemedies):
    """A graph of operations that sessions run in parts.

    Differs from TensorFlow:
      Each call of an operator adds one operation. The names of TensorFlow's auxiliary
      operations are counted, so that later names and seeds are TensorFlow's, but most of these
      operations cannot be fetched.

    https://www.tensorflow.org/api_docs/python/tf/Graph
    """

    __module__ = "shims.compat.v1"
    # Converts a graph to a JAX function; set by `names.bind_methods`, which imports this module.
    _export: ClassVar[Callable]

    def __init__(self):
        super().__init__()
        self.root = Block()
        self.block = self.root
        self.seed: int | None = None
        self.made = 0
        self._seeds = 0
        self.storage: dict[str, Any] = {}
        self._by_name: dict[str, Operation] = {}
        self._names: dict[str, int] = {}
        self._scope = ""
        self._devices: list[Any] = []
        self._finalized = False

    # ---- names -----------------------------------------------------------------------------------

    @property
    def _last_id(self) -> int:
        """The number of operations that TensorFlow would have created so far."""
        return self.made

    @property
    def version(self) -> int:
        """The number of operations that TensorFlow would have created so far."""
        return self.made

    def input_of(self, tensor: Tensor) -> Tensor:
        """Return an input of an operation.

        Raises:
          ValueError: it is a tensor of another graph.
        """
        if tensor.graph is not self:
            raise ValueError(f"{tensor} must be from the same graph as the operation that uses it.")
        return tensor

    def count(self, operations: int) -> None:
        """Increase the operation count by auxiliary operations that only TensorFlow creates."""
        self.made += operations

    def next_seed(self) -> int:
        """Return the default seed of a random operation: the number of such operations before it."""
        self._seeds += 1
        return self._seeds - 1

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """Return `name` in the current scope, with a number appended if it is taken.

        Args:
          name: a name without `:0`.
          mark_as_used: whether to mark the name as taken.
        """
        if self._scope:
            name = f"{self._scope}/{name}"
        key = name.lower()
        number = self._names.get(key, 0)
        if mark_as_used:
            self._names[key] = number + 1
        if number == 0:
            return name
        base = key
        while key in self._names:
            key = f"{base}_{number}"
            number += 1
        if mark_as_used:
            self._names[key] = 1
        return f"{name}_{number - 1}"

    def get_name_scope(self) -> str:
        """Return the path of the open name scopes, such as `outer/inner`."""
        return self._scope

    @contextlib.contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Open a block that prefixes the names of its operations.

        Args:
          name: the scope. A name that ends in `/` is an absolute path; `None` and `""` stand for the root.

        Raises:
          ValueError: the name has characters other than letters, digits and `_.-/`.
        """
        if name:
            pattern = _SCOPE if self._scope else _SCOPE_AT_ROOT
            if not isinstance(name, str) or not pattern.match(name):
                raise ValueError(f"'{name}' is not a valid scope name")
        outer = self._scope
        if not name:
            scope = ""
        elif name.endswith("/"):
            scope = name.rstrip("/")
        else:
            scope = self.unique_name(name)
        self._scope = scope
        try:
            yield f"{scope}/" if scope else ""
        finally:
            self._scope = outer

    # ---- operations ------------------------------------------------------------------------------

    def add(self, operation: Operation) -> None:
        """Add an operation to the graph; its name must already be unique."""
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        self._by_name[operation.name] = operation
        self.block.operations.append(operation)

    def get_operations(self) -> list[Operation]:
        """Return all operations in the order of their creation."""
        return list(self._by_name.values())

    def get_operation_by_name(self, name: str) -> Operation:
        """Return the operation called `name`.

        Raises:
          KeyError: there is no such operation.
          TypeError: the name is not a string.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_tensor=False)

    def get_tensor_by_name(self, name: str) -> Tensor:
        """Return the tensor with a name such as `"dense/kernel:0"`.

        Raises:
          KeyError: there is no such tensor.
          ValueError: the name is that of an operation.
          TypeError: the name is not a string.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        return self.as_graph_element(name, allow_operation=False)

    def as_graph_element(self, obj, allow_tensor: bool = True, allow_operation: bool = True):
        """Convert an object or a name to the tensor or operation that it denotes.

        Raises:
          KeyError: no operation or tensor has that name.
          ValueError: the object belongs to another graph, or is of a kind that is not allowed.
          TypeError: the object is neither a tensor nor an operation.
        """
        kinds = " or ".join(
            k for k, ok in (("Tensor", allow_tensor), ("Operation", allow_operation)) if ok
        )
        convert = getattr(obj, "_as_graph_element", None)
        if convert is not None:
            obj = convert()
        if isinstance(obj, str):
            return self._element_by_name(obj, allow_tensor, allow_operation)
        for kind, allowed in ((Tensor, allow_tensor), (Operation, allow_operation)):
            if isinstance(obj, kind) and allowed:
                if obj.graph is not self:
                    raise ValueError(f"{kind.__name__} {obj} is not an element of this graph.")
                return obj
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {kinds}.")

    def _element_by_name(self, name, allow_tensor, allow_operation):
        if ":" in name and allow_tensor:
            head, _, index = name.partition(":")
            if not index.isdigit():
                raise ValueError(
                    f"The name {name!r} looks a like a Tensor name, but is not a valid one. Tensor "
                    'names must be of the form "<op_name>:<output_index>".'
                )
            if head not in self._by_name:
                raise KeyError(
                    f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                    f"{head!r}, does not exist in the graph."
                )
            outputs = self._by_name[head].outputs
            if int(index) >= len(outputs):
                raise KeyError(
                    f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                    f"{head!r}, exists but only has {len(outputs)} outputs."
                )
            return outputs[int(index)]
        if ":" in name:
            raise ValueError(f"The name {name!r} appears to refer to a Tensor, not a Operation.")
        if not allow_operation:
            known = name in self._by_name
            raise ValueError(
                f"The name {name!r} {'refers' if known else 'looks like it refers'} to an "
                'Operation, not a Tensor. Tensor names must be of the form "<op_name>:'
                '<output_index>".'
            )
        if name not in self._by_name:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return self._by_name[name]

    def _add_call(self, f, args, kwargs, *, public: str, name=None, type_: str | None = None):
        """Add the operation for a call of `f`, and return its results; see `operator_calls.add_call`."""
        return add_call(self, f, args, kwargs, public=public, name=name, type_=type_)

    def _constant_value_as_shape(self, tensor) -> GraphShape:
        """Convert a vector tensor to a shape; elements that are not static become unknown sizes."""
        return constant_value_as_shape(tensor)

    def _session_for(self, session, purpose: str):
        """Return the given session or, without one, the default session; it must run this graph."""
        return session_for(session, self, purpose)

    # ---- blocks ----------------------------------------------------------------------------------

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Make this graph the default graph inside a `with` block."""
        with graph_scope(self):
            yield self

    @contextlib.contextmanager
    def nested_block(self) -> Iterator[Block]:
        """Open a branch or loop body: operations added inside the `with` block belong to it."""
        outer = self.block
        self.block = Block(outer)
        try:
            yield self.block
        finally:
            self.block = outer

    @contextlib.contextmanager
    def outermost_block(self) -> Iterator[None]:
        """Open a `with` block whose operations are outside all branches, loops and control dependencies."""
        inner, self.block = self.block, self.root
        try:
            with self.control_dependencies(None):
                yield
        finally:
            self.block = inner

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs) -> Iterator[None]:
        """Make the operations of a `with` block run after the given operations.

        Args:
          control_inputs: operations, tensors and variables; `None` clears the outer control dependencies.
        """
        block = self.block
        if control_inputs is None:
            kept, block.control_inputs = block.control_inputs, []
            try:
                yield
            finally:
                block.control_inputs = kept
            return
        found = tuple(control_operations(self, control_inputs))
        block.control_inputs.append(found)
        try:
            yield
        finally:
            block.control_inputs.pop()

    def present_control_inputs(self) -> list[Operation]:
        """Return the control inputs that an operation added at this point gets."""
        return list(dict.fromkeys(op for ops in self.block.control_inputs for op in ops))

    @contextlib.contextmanager
    def device(self, device_name_or_function) -> Iterator[None]:
        """Record a device for the operations of a `with` block; JAX decides the actual placement."""
        given = device_name_or_function
        if not callable(given):
            given = merged(self.present_device(), given)
        self._devices.append(given)
        try:
            yield
        finally:
            self._devices.pop()

    def present_device(self) -> str:
        """Return the device that an operation added at this point records.

        This is the device of the innermost block that sets one.
        """
        return next((d for d in reversed(self._devices) if isinstance(d, str)), "")

    @contextlib.contextmanager
    def colocate_with(self, op, ignore_existing=False) -> Iterator[None]:
        """Open a block without effect: JAX decides the placement of operations."""
        del op, ignore_existing
        yield

    def gradient_override_map(self, op_type_map):
        """Raise an error: gradients per operation type are not supported, JAX differentiates.

        Raises:
          UnimplementedError: always.
        """
        raise gradients_by_type_unsupported("Graph.gradient_override_map", op_type_map)

    @contextlib.contextmanager
    def container(self, container_name) -> Iterator[str]:
        """Open a block without effect: containers do not exist, the session holds all variables."""
        yield container_name

    # ---- the rest --------------------------------------------------------------------------------

    def finalize(self) -> None:
        """Make the graph read-only."""
        self._finalized = True

    def _unsafe_unfinalize(self) -> None:
        """Make a finalized graph writable again."""
        self._finalized = False

    @property
    def finalized(self) -> bool:
        """Whether the graph is read-only."""
        return self._finalized

    @property
    def building_function(self) -> bool:
        """Whether this is the graph of a function: always false."""
        return False

    def is_feedable(self, tensor) -> bool:
        """Return whether a session can feed a tensor."""
        return self.as_graph_element(tensor, allow_operation=False).op.block is self.root

    def is_fetchable(self, tensor_or_op) -> bool:
        """Return whether a session can fetch a tensor or an operation."""
        found = self.as_graph_element(tensor_or_op)
        operation = found.op if isinstance(found, Tensor) else found
        return operation.block is self.root

    def to_function(self, fetches, feeds=()) -> Callable:
        """Convert the graph to a pure JAX function of its variables and feeds.

        Args:
          fetches: tensors, variables and operations, in pytrees, as `Session.run` takes them.
          feeds: the tensors that become arguments, in order.

        Returns:
          See `shims._src.v1.session.export.to_function`.
        """
        return Graph._export(self, fetches, feeds)


def control_operations(graph: Graph, control_inputs) -> list[Operation]:
    """Convert control inputs (operations, tensors and variables) to operations."""
    if not isinstance(control_inputs, (list, tuple)):
        raise TypeError(
            "Argument `control_inputs` must be a list of Tensors or Operations, not "
            f"{type(control_inputs).__name__}"
        )
    found = []
    for item in control_inputs:
        for leaf in getattr(item, "graph_leaves", lambda item=item: [item])():
            element = graph.as_graph_element(leaf)
            found.append(element.op if isinstance(element, Tensor) else element)
    return found


def gradients_by_type_unsupported(function: str, kinds) -> errors.UnimplementedError:
    """Return the error for registering a gradient per operation type, which is not supported."""
    return errors.UnimplementedError(
        errors.message(
            function,
            "gradients for a type of operation are not supported, because JAX differentiates the computation itself.",
            received=str(kinds),
            do="decorate the function with `tf.custom_gradient` to define its gradient, or use `tf.stop_gradient` "
            "to block the gradient",
        )
    )
