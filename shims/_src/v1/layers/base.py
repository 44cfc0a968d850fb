"""Define `Layer`, the base class of layers; it creates the variables at the first call."""

from __future__ import annotations

import inspect
import re
from typing import Any

import jax

from shims._src.types.composite import is_composite
from shims._src.types.dtypes import as_dtype, float32
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.shapes import GraphShape
from shims._src.v1.layers.options import activity_loss
from shims._src.v1.variables.get_variable import get_variable
from shims._src.v1.variables.partitioned_variables import PartitionedVariable
from shims._src.v1.variables.variable_scope import VariableScope, variable_scope
from shims._src.v1.variables.variables import GraphKeys, GraphVariable


class Layer:
    """The base class of layers: variables in one scope, and a computation that uses them.

    Args:
      trainable: whether the variables of the layer are added to the collection of trainable
        variables.
      name: the name of the layer; derived from the class name when `None`.
      dtype: the dtype of the layer's variables; the dtype of the first input when `None`.
      activity_regularizer: a function that maps the output to a loss.

    Attributes:
      updates_collection: the collection to which the layer's updates are added; `None` for none.

    Differs from TensorFlow:
      Only variables created by `add_weight` are tracked; nested layers are not searched.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/layers/Layer
    """

    __module__ = "shims.compat.v1.layers"
    updates_collection: Any = GraphKeys.UPDATE_OPS

    def __init__(self, trainable=True, name=None, dtype=None, activity_regularizer=None, **kwargs):
        scope, self._reuse = kwargs.pop("_scope", None), kwargs.pop("_reuse", None)
        if kwargs:
            raise TypeError(f"Keyword argument not understood: {next(iter(kwargs))}")
        self.trainable = trainable
        self.built = False
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._activity_regularizer = activity_regularizer
        self._trainable_weights: list = []
        self._non_trainable_weights: list = []
        self._losses: list = []
        self._updates: list = []
        self._name, self._base_name = self._make_names(name)
        self._scope: VariableScope | None = None
        self._current_scope: VariableScope | None = None
        if scope:
            with variable_scope(scope) as self._scope:
                pass

    def _make_names(self, name) -> tuple[str, str]:
        """Return the layer's name and the default name of its variable scope.

        Without a given name, the layer's name is that of the class with a number appended.
        """
        if isinstance(name, str) and name:
            return name, name
        base = snake_case(type(self).__name__)
        counts = get_default_graph().storage.setdefault("layers by name", {})
        counts[base] = counts.get(base, 0) + 1
        unique = f"{base}_{counts[base]}"
        return unique, name.name if isinstance(name, VariableScope) else base

    # ---- what it is ------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the layer."""
        return self._name

    @property
    def scope_name(self) -> str:
        """The name of the scope of its variables.

        Raises:
          ValueError: the layer was not called yet.
        """
        if self._scope is None:
            raise ValueError(
                "No name available for layer scope because the layer "
                f'"{self._name}" has not been used yet. The scope name  is determined the first '
                "time the layer instance is called. You must therefore call the layer before "
                "querying `scope_name`."
            )
        return self._scope.name

    @property
    def dtype(self):
        """The name of the layer's dtype; `None` before the first call."""
        return None if self._dtype is None else self._dtype.name

    @property
    def activity_regularizer(self):
        """The function that maps the output to a loss."""
        return self._activity_regularizer

    @property
    def trainable_weights(self) -> list:
        """The variables that optimizers update."""
        return list(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list:
        """The variables that optimizers do not update."""
        rest = [] if self.trainable else self._trainable_weights
        return [*rest, *self._non_trainable_weights]

    @property
    def weights(self) -> list:
        """All variables of the layer."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def trainable_variables(self) -> list:
        """The variables that optimizers update."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list:
        """The variables that optimizers do not update."""
        return self.non_trainable_weights

    @property
    def variables(self) -> list:
        """All variables of the layer."""
        return self.weights

    @property
    def losses(self) -> list:
        """The losses added by regularizers and `add_loss`."""
        return list(self._losses)

    @property
    def updates(self) -> list:
        """The operations to run together with a training step, such as updates of moving averages."""
        return list(self._updates) if self.trainable else []

    def get_losses_for(self, inputs) -> list:
        """Return all losses of the layer; `inputs` is ignored."""
        del inputs
        return self.losses

    def get_updates_for(self, inputs) -> list:
        """Return all updates of the layer; `inputs` is ignored."""
        del inputs
        return self.updates

    def count_params(self) -> int:
        """Count the elements of all variables."""
        return sum(v.shape.num_elements() for v in self.weights)

    # ---- what it is made of ----------------------------------------------------------------------

    def add_weight(
        self,
        name,
        shape,
        dtype=None,
        initializer=None,
        regularizer=None,
        trainable=None,
        constraint=None,
        use_resource=None,
        synchronization=None,
        aggregation=None,
        partitioner=None,
    ):
        """Create a variable of the layer, or return the existing variable in later calls.

        Args:
          name: the name of the variable in the layer's scope.
          shape: the shape of the variable.
          dtype: the dtype of the variable; the dtype of the layer when `None`.
          initializer: the initializer of the variable; see `get_variable`.
          regularizer: a function from the variable to a loss.
          trainable: whether optimizers update the variable.
          constraint: a function that optimizers apply after an update.
          use_resource: whether each read is a separate operation.
          synchronization: accepted and ignored.
          aggregation: accepted and ignored.
          partitioner: a function that returns the number of partitions per axis.
        """
        del synchronization, aggregation
        trainable = True if trainable is None else trainable
        graph = get_default_graph()
        there = set(graph.get_collection(GraphKeys.GLOBAL_VARIABLES))
        self._set_scope(None)
        reuse = self.built or self._reuse
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            with graph.name_scope(scope.original_name_scope):
                variable = get_variable(
                    name,
                    shape,
                    dtype=as_dtype(dtype or self._dtype or float32),
                    initializer=initializer,
                    trainable=trainable and self.trainable,
                    constraint=constraint,
                    use_resource=use_resource or scope.use_resource,
                    partitioner=partitioner,
                )
                is_new = not there.intersection(parts_of(variable))
                if regularizer and is_new:
                    self._regularize(name, variable, regularizer)
        # Use sets, which compare by identity first: `==` of tensors would create an operation.
        known = set(graph.get_collection(GraphKeys.TRAINABLE_VARIABLES))
        counts = trainable and known.issuperset(parts_of(variable))
        kept = self._trainable_weights if counts or (trainable and not self.trainable) else None
        (self._non_trainable_weights if kept is None else kept).extend(parts_of(variable))
        return variable

    add_variable = add_weight

    def _regularize(self, name, variable, regularizer) -> None:
        with get_default_graph().name_scope(f"{name}/Regularizer"):
            losses = [regularizer(part) for part in parts_of(variable)]
        for loss in losses:
            self.add_loss(loss)

    def add_loss(self, losses, inputs=None) -> None:
        """Add one or several losses to the layer and to the collection of regularization losses."""
        del inputs
        given = losses if isinstance(losses, (list, tuple)) else [losses]
        found = [loss() if callable(loss) else loss for loss in given]
        found = [loss for loss in found if loss is not None]
        self._losses.extend(found)
        collect(found, GraphKeys.REGULARIZATION_LOSSES)

    def add_update(self, updates, inputs=None) -> None:
        """Add operations to run together with a training step, such as updates of moving averages."""
        del inputs
        given = updates if isinstance(updates, (list, tuple)) else [updates]
        self._updates.extend(u() if callable(u) else u for u in given)

    # ---- calls -----------------------------------------------------------------------------------

    def build(self, input_shape) -> None:
        """Create the variables, given the shape of the inputs; subclasses override it."""
        del input_shape
        self.built = True

    def call(self, inputs, *args, **kwargs):
        """Compute the outputs from the inputs; subclasses implement it."""
        raise NotImplementedError

    def compute_output_shape(self, input_shape):
        """Return the shape of the output for a shape of the inputs; subclasses may implement it."""
        raise NotImplementedError(f"{type(self).__name__} does not define `compute_output_shape`.")

    def apply(self, *args, **kwargs):
        """Call the layer."""
        return self(*args, **kwargs)

    def _set_scope(self, scope) -> None:
        if self._scope is not None:
            return
        if self._reuse:
            opened = variable_scope(self._base_name if scope is None else scope)
        else:
            opened = variable_scope(scope, default_name=self._base_name)
        with opened as self._scope:
            pass

    def __call__(self, inputs, *args, **kwargs):
        """Compute the outputs, after creating the variables at the first call.

        Args:
          inputs: a tensor, or nested lists of tensors.
          *args: further arguments of `call`.
          **kwargs: further arguments of `call`; `scope` is the scope of the variables.

        Raises:
          RuntimeError: eager execution is enabled.
        """
        if executing_eagerly():
            raise RuntimeError(
                f"{type(self).__name__} of tf.layers needs a graph: call tf.disable_v2_behavior() "
                "first, or open `with tf.Graph().as_default():`."
            )
        self._set_scope(kwargs.pop("scope", None))
        reuse = True if self.built else self._reuse
        graph = get_default_graph()
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            if "scope" in inspect.signature(self.call).parameters:
                kwargs["scope"] = scope
            with graph.name_scope(scope.original_name_scope):
                inputs = _convert_inputs(inputs)
                self._prepare(inputs)
                outputs = self.call(inputs, *args, **kwargs)
                if self._activity_regularizer:
                    self._regularize_activity(outputs)
        if self.updates_collection is not None:
            collect(self.updates, self.updates_collection)
        return outputs

    def _prepare(self, inputs) -> None:
        """Check the inputs, and create the variables at the first call."""
        self.check(inputs)
        if self.built:
            return
        if self._dtype is None:
            tensors = [x for x in _leaves(inputs) if isinstance(x, Tensor)]
            self._dtype = tensors[0].dtype if tensors else float32
        self.build(_get_shapes(inputs))
        self.built = True

    def check(self, inputs) -> None:
        """Raise `ValueError` if the layer does not support the inputs."""

    def _check_rank(self, inputs, least=None, exact=None) -> None:
        rank = inputs.shape.rank
        wanted = f"min_ndim={least}" if exact is None else f"ndim={exact}"
        if rank is not None and (rank < least if exact is None else rank != exact):
            raise ValueError(
                f'Input 0 of layer "{self._name}" is incompatible with the layer: expected '
                f"{wanted}, found ndim={rank}. Full shape received: {inputs.shape}"
            )

    def _regularize_activity(self, outputs) -> None:
        graph = get_default_graph()
        with graph.name_scope("ActivityRegularizer"):
            for output in _leaves(outputs):
                self.add_loss(activity_loss(self._activity_regularizer, output))

    def __deepcopy__(self, memo):
        """Copy the layer; the copy shares scopes, tensors and variables with the original layer."""
        import copy

        made = type(self).__new__(type(self))
        memo[id(self)] = made
        shared = (VariableScope, Tensor, GraphVariable, PartitionedVariable)
        for key, value in self.__dict__.items():
            single = isinstance(value, shared)
            made.__dict__[key] = (
                value if single else copy.deepcopy(value, _share_leaves(value, memo))
            )
        return made


def _share_leaves(value, memo):
    """Make a deep copy share the tensors and variables in a list, by adding them to the `memo` dict."""
    for leaf in value if isinstance(value, (list, tuple)) else ():
        if isinstance(leaf, (Tensor, GraphVariable, PartitionedVariable)):
            memo[id(leaf)] = leaf
    return memo


def snake_case(name: str) -> str:
    """Convert a class name to snake case: `"LSTMCell"` becomes `"lstm_cell"`."""
    words = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    found = re.sub(r"([a-z])([A-Z])", r"\1_\2", words).lower()
    return f"private{found}" if found.startswith("_") else found


def parts_of(variable) -> list:
    """Return a list of the parts of a partitioned variable; of any other variable, a list of itself."""
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]


def collect(elements, name) -> None:
    """Add elements to a collection of the default graph, except those that it already contains."""
    collection = get_default_graph().get_collection_ref(name)
    there = {id(x) for x in collection}
    collection.extend(x for x in elements if id(x) not in there)


def _leaves(structure) -> list:
    return jax.tree.leaves(structure, is_leaf=lambda x: isinstance(x, Tensor))


def _convert_inputs(inputs) -> Any:
    """Convert inputs to a tensor; return nested structures, sparse and ragged tensors unchanged."""
    if isinstance(inputs, (list, tuple, dict)) or is_composite(inputs):
        return inputs
    return convert_to_tensor(inputs)


def _get_shapes(inputs) -> Any:
    if isinstance(inputs, (list, tuple)):
        return [_get_shapes(x) for x in inputs]
    return inputs.shape if hasattr(inputs, "shape") else GraphShape(None)
