"""Provide the variables of a graph: the operations that hold, initialize and read a value."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

from shims._src.arguments.conversion import as_array
from shims._src.types.dtypes import bool_
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.lacking_methods import NamesRemedies
from shims._src.v1.graph.modes import MODES
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.graph.shapes import GraphShape
from shims._src.v1.graph.symbolic_values import Reference
from shims._src.v1.graph.value_slots import Slot
from shims._src.v1.variables.initial_values import with_initial_values
from shims._src.v1.variables.scatter_methods import Scattering


class GraphKeys:
    """The names of the collections that the library fills.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/GraphKeys
    """

    __module__ = "shims.compat.v1"
    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"
    UPDATE_OPS_KEY = "update_ops"


class GraphVariable(Scattering, NamesRemedies):
    """A variable, whose value a session holds and operations assign.

    Args:
      initial_value: a tensor, numbers, or a function without arguments that returns one of these.
      trainable: whether to add the variable to the collection of trainable variables.
      collections: the collections to add the variable to; the collection of global variables when
        `None`.
      validate_shape: whether the variable has the static shape of its initial value.
      caching_device: accepted and ignored.
      name: the name; a number is appended if the name is taken.
      variable_def: not supported.
      dtype: the dtype that numbers are converted to.
      expected_shape: accepted and ignored.
      import_scope: accepted and ignored.
      constraint: a function that optimizers apply after an update.
      use_resource: whether to create a resource variable, for which each read is an operation; the
        global mode when `None`.
      synchronization: accepted and ignored; there is one copy.
      aggregation: accepted and ignored; there is one copy.
      shape: the static shape, which may have unknown sizes.

    Raises:
      ValueError: there is no initial value, or its shape must be static but is unknown.

    Differs from TensorFlow:
      Reference variables and resource variables differ in their names, and in the values of reads
      that no control dependency orders with the assignments.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/Variable
    """

    __module__ = "shims.compat.v1"
    __array_priority__ = 100

    def __init__(
        self,
        initial_value=None,
        trainable=None,
        collections=None,
        validate_shape=True,
        caching_device=None,
        name=None,
        variable_def=None,
        dtype=None,
        expected_shape=None,
        import_scope=None,
        constraint=None,
        use_resource=None,
        synchronization=None,
        aggregation=None,
        shape=None,
    ):
        del caching_device, variable_def, expected_shape, import_scope, synchronization, aggregation
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        graph = get_default_graph()
        self.is_resource = MODES.resource_variables if use_resource is None else use_resource
        self._trainable = True if trainable is None else bool(trainable)
        self._constraint = constraint
        self._save_slice_info: Any = None
        if collections is None:
            collections = [GraphKeys.GLOBAL_VARIABLES]
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
            collections = [*collections, GraphKeys.TRAINABLE_VARIABLES]
        with graph.outermost_block(), graph.name_scope(name or "Variable") as scope:
            self._create_operations(graph, scope, initial_value, dtype, shape, validate_shape)
        graph.add_to_collections(collections, self)

    def _create_operations(
        self, graph, scope: str, initial_value, dtype, shape, validate_shape
    ) -> None:
        handle = scope.rstrip("/")
        if callable(initial_value):
            with graph.name_scope("Initializer"):
                value = convert_to_tensor(initial_value(), dtype, name="initial_value")
        else:
            value = convert_to_tensor(initial_value, dtype, name="initial_value")
        known = value.shape if shape is None else GraphShape(shape)
        if validate_shape and shape is None and not value.shape.is_fully_defined():
            raise ValueError(
                f"initial_value must have a shape specified: {value}. `validate_shape=False` lets "
                "it be unknown."
            )
        self._initial_value = value
        self._shape = known if validate_shape else GraphShape(None)
        self._dtype = value.dtype
        self.slot = Slot(handle, self._shape, self._dtype.dtype)
        type_ = "VarHandleOp" if self.is_resource else "VariableV2"
        self._op = self._add_operation(graph, type_, handle, _reads_nothing)
        self._handle = self._op.outputs[0]
        if self.is_resource:
            self._add_operation(
                graph,
                "VarIsInitializedOp",
                f"{handle}/IsInitialized/VarIsInitializedOp",
                _is_known,
                outputs=[((), bool_)],
            )
        self._first = with_initial_values(value, handle)
        self.initializer = self._assignment(graph, f"{handle}/Assign", self._first)
        read = f"{handle}/Read/ReadVariableOp" if self.is_resource else f"{handle}/read"
        self._snapshot = self._add_read(graph, read)
        for tensor in (self._handle, self._snapshot):
            tensor.read_of = self

    def _add_operation(self, graph, type_, name, compute, inputs=(), outputs=None) -> Operation:
        if outputs is None:
            outputs = [(self._shape, self._dtype)]
        op = Operation(graph, type_, name, compute, inputs, outputs, graph.present_control_inputs())
        op.attributes["variables"] = (self,)
        return op

    def _assignment(self, graph, name, value: Tensor) -> Operation:
        def compute(run, op, values):
            return [run.write(self, jnp.asarray(values[-1], self.slot.dtype), op)]

        op = self._add_operation(
            graph,
            "AssignVariableOp" if self.is_resource else "Assign",
            name,
            compute,
            [value],
            [(value.shape if self._shape.rank is None else self._shape, self._dtype)],
        )
        return self._mark_assignment(op)

    def _mark_assignment(self, op: Operation) -> Operation:
        """Mark an operation as an assignment of this variable; its output is the new value."""
        op.writes = (self,)
        op.links = (frozenset(),)
        op.outputs[0].read_of = self
        return op

    def _add_read(self, graph, name) -> Tensor:
        type_ = "ReadVariableOp" if self.is_resource else "Identity"
        read = self._add_operation(graph, type_, name, _reads_nothing).outputs[0]
        read.read_of = self
        return read

    # ---- properties ------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name, such as `"dense/kernel:0"`."""
        return self._handle.name

    @property
    def _shared_name(self) -> str:
        return self._op.name

    @property
    def op(self) -> Operation:
        """The operation that represents the variable."""
        return self._op

    @property
    def graph(self):
        """The graph that contains the variable."""
        return self._op.graph

    @property
    def device(self) -> str:
        """The device recorded for the variable."""
        return self._op.device

    @property
    def dtype(self):
        """The dtype."""
        return self._dtype

    @property
    def shape(self) -> GraphShape:
        """The static shape."""
        return self._shape

    def get_shape(self) -> GraphShape:
        """Return the static shape."""
        return self._shape

    @property
    def trainable(self) -> bool:
        """Whether optimizers train the variable by default."""
        return self._trainable

    @property
    def constraint(self):
        """The function that optimizers apply after an update."""
        return self._constraint

    @property
    def initial_value(self) -> Tensor:
        """The tensor that initializes the variable."""
        return self._initial_value

    def _set_save_slice_info(self, save_slice_info) -> None:
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self):
        return self._save_slice_info

    def ref(self) -> Reference:
        """Return a hashable reference to the variable."""
        return Reference(self)

    experimental_ref = ref

    def _as_graph_element(self) -> Tensor:
        return self._snapshot if self.is_resource else self._handle

    @property
    def graph_value(self) -> Tensor:
        """The tensor that operators use in place of the variable."""
        return self.read_value() if self.is_resource else self._snapshot

    # ---- reading ---------------------------------------------------------------------------------

    def value(self) -> Tensor:
        """Return the tensor that operators use in place of the variable."""
        return self.graph_value

    def read_value(self) -> Tensor:
        """Add an operation that reads the value; it runs after the current control dependencies."""
        graph = self.graph
        if self.is_resource:
            return self._add_read(graph, graph.unique_name("ReadVariableOp"))
        with graph.name_scope(f"{self._op.name}/"):
            return self._add_read(graph, graph.unique_name("read"))

    def initialized_value(self) -> Tensor:
        """Return a tensor: the value, or the initial value if the variable is not initialized."""

        def compute(run, op, values):
            return [run.read(self, op) if run.is_seen(self, op) else values[0]]

        graph = self.graph
        op = self._add_operation(graph, "If", graph.unique_name("cond"), compute, [self._first])
        return op.outputs[0]

    def is_initialized(self, name=None) -> Tensor:
        """Return a bool tensor: whether the variable is initialized."""
        graph = self.graph
        name = graph.unique_name(name or "IsVariableInitialized")
        return self._add_operation(
            graph, "IsVariableInitialized", name, _is_known, outputs=[((), bool_)]
        ).outputs[0]

    def eval(self, session=None):
        """Evaluate the variable in a session, by default the default session."""
        return self._snapshot.eval(session=session)

    def load(self, value, session=None) -> None:
        """Assign a value in a session, by default the default session."""
        session = self.graph._session_for(session, "load a variable")
        session.run(self.initializer, {self.initializer.inputs[0]: value})

    # ---- assigning -------------------------------------------------------------------------------

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Assign a value, and return the new value of the variable."""
        del use_locking
        graph = self.graph
        name = graph.unique_name(name or ("AssignVariableOp" if self.is_resource else "Assign"))
        with graph.name_scope(f"{name}/"):
            value = convert_to_tensor(value, self._dtype, name="value")
        self._shape.assert_is_compatible_with(value.shape)
        op = self._assignment(graph, name, value)
        return op.outputs[0] if read_value else op

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        """Add a value to the variable, and return its new value."""
        del use_locking
        op = self._update_by_delta("AssignAdd", name, lambda value, d: value + d, delta)
        return op.outputs[0] if read_value else op

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        """Subtract a value from the variable, and return its new value."""
        del use_locking
        op = self._update_by_delta("AssignSub", name, lambda value, d: value - d, delta)
        return op.outputs[0] if read_value else op

    def _update_by_delta(self, type_, name, f, delta) -> Operation:
        delta = convert_to_tensor(delta, self._dtype)
        self._shape.assert_is_compatible_with(delta.shape)
        return self.update(f"{type_}VariableOp" if self.is_resource else type_, name, f, delta)

    def update(self, type_: str, name: str | None, f, *operands, dtypes=None) -> Operation:
        """Add an operation that assigns `f(value, *operands)`, computed from the current value.

        Args:
          type_: TensorFlow's type of the operation.
          name: the name of the operation, `type_` when `None`.
          f: a function of arrays.
          *operands: tensors or numbers.
          dtypes: for each operand the dtype to which numbers are converted; if `None`, the variable's.
        """
        graph = self.graph
        dtypes = dtypes or [self._dtype] * len(operands)
        name = name or type_
        name = name[:-1] if name.endswith("/") else graph.unique_name(name)
        with graph.name_scope(f"{name}/"):
            given = [convert_to_tensor(x, d) for x, d in zip(operands, dtypes, strict=True)]

        def compute(run, op, values):
            new = f(run.newest(self), *values)
            return [run.write(self, as_array(new), op)]

        op = self._add_operation(graph, type_, name, compute, given)
        op.attributes["formula"] = f
        return self._mark_assignment(op)

    def __repr__(self) -> str:
        kind = "_ref" if not self.is_resource else ""
        return f"<tf.Variable '{self.name}' shape={self._shape} dtype={self._dtype.name}{kind}>"

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self):
        return bool(self._snapshot)

    def __iter__(self):
        raise TypeError("'Variable' object is not iterable.")


def _reads_nothing(run, op, values):
    """Return `[None]` as the output of an operation that reads a variable.

    The value depends on the operation that uses the output; `Run.read_by` returns it.
    """
    del run, op, values
    return [None]


def _is_known(run, op, values):
    del values
    return [jnp.asarray(run.has_value(op.attributes["variables"][0]))]
