"""`Layer`: variables in a scope of their own, made at the first call and shared by the next ones."""

from __future__ import annotations

import inspect
import re
from typing import Any

import jax

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
    """Something that makes variables and computes with them.

    Args:
      trainable: whether its variables go to the collection of trainable variables.
      name: its name; that of the class if `None`.
      dtype: the dtype of its variables; that of its first input if `None`.
      activity_regularizer: a function of the output that gives a loss.

    Attributes:
      updates_collection: the collection that its updates go to; `None` for none.

    Differs from TensorFlow:
      Layers are not taken apart: only variables made by `add_weight` are found.

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
        self._name, self._base_name = self._names(name)
        self._scope: VariableScope | None = None
        self._current_scope: VariableScope | None = None
        if scope:
            with variable_scope(scope) as self._scope:
                pass

    def _names(self, name) -> tuple[str, str]:
        """The name of the layer, and that of its scope."""
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
        """Its name."""
        return self._name

    @property
    def scope_name(self) -> str:
        """The name of the scope of its variables.

        Raises:
          ValueError: it was not called yet.
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
        """The name of its dtype, `None` before the first call."""
        return None if self._dtype is None else self._dtype.name

    @property
    def activity_regularizer(self):
        """The function of the output that gives a loss."""
        return self._activity_regularizer

    @property
    def trainable_weights(self) -> list:
        """Its variables that optimizers change."""
        return list(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list:
        """Its other variables."""
        rest = [] if self.trainable else self._trainable_weights
        return [*rest, *self._non_trainable_weights]

    @property
    def weights(self) -> list:
        """Its variables."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def trainable_variables(self) -> list:
        """Its variables that optimizers change."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list:
        """Its other variables."""
        return self.non_trainable_weights

    @property
    def variables(self) -> list:
        """Its variables."""
        return self.weights

    @property
    def losses(self) -> list:
        """The losses that regularizers gave."""
        return list(self._losses)

    @property
    def updates(self) -> list:
        """Operations that a training step should run, too."""
        return list(self._updates) if self.trainable else []

    def get_losses_for(self, inputs) -> list:
        """Its losses, whatever the inputs."""
        del inputs
        return self.losses

    def get_updates_for(self, inputs) -> list:
        """Its updates, whatever the inputs."""
        del inputs
        return self.updates

    def count_params(self) -> int:
        """The number of elements of its variables."""
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
        """Make a variable, or find the one that is shared.

        Args:
          name: its name in the layer's scope.
          shape: its shape.
          dtype: its dtype; the layer's if `None`.
          initializer: what it begins with, see `get_variable`.
          regularizer: a function of it that gives a loss.
          trainable: whether optimizers change it.
          constraint: a function that optimizers apply after an update.
          use_resource: whether each read is an operation of its own.
          synchronization: accepted.
          aggregation: accepted.
          partitioner: a function that gives the number of parts per axis.
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
        # A set compares objects first: `==` of tensors and variables is an operation.
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
        """Take note of a loss, or of several; they go to the collection of regularizers, too."""
        del inputs
        given = losses if isinstance(losses, (list, tuple)) else [losses]
        found = [loss() if callable(loss) else loss for loss in given]
        found = [loss for loss in found if loss is not None]
        self._losses.extend(found)
        collect(found, GraphKeys.REGULARIZATION_LOSSES)

    def add_update(self, updates, inputs=None) -> None:
        """Take note of operations that a training step should run, too."""
        del inputs
        given = updates if isinstance(updates, (list, tuple)) else [updates]
        self._updates.extend(u() if callable(u) else u for u in given)

    # ---- calls -----------------------------------------------------------------------------------

    def build(self, input_shape) -> None:
        """Make the variables for inputs of a shape."""
        del input_shape
        self.built = True

    def call(self, inputs, *args, **kwargs):
        """Compute."""
        raise NotImplementedError

    def apply(self, *args, **kwargs):
        """Call it."""
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
        """Compute with inputs, and make the variables before the first time.

        Args:
          inputs: a tensor, or tensors in lists.
          *args: what `call` takes besides.
          **kwargs: the same; `scope` is the scope of the variables.

        Raises:
          RuntimeError: eager execution is on.
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
                inputs = _converted(inputs)
                self._prepare(inputs)
                outputs = self.call(inputs, *args, **kwargs)
                if self._activity_regularizer:
                    self._regularize_activity(outputs)
        if self.updates_collection is not None:
            collect(self.updates, self.updates_collection)
        return outputs

    def _prepare(self, inputs) -> None:
        """Check the inputs, and make the variables if that was not done before."""
        self.check(inputs)
        if self.built:
            return
        if self._dtype is None:
            tensors = [x for x in _leaves(inputs) if isinstance(x, Tensor)]
            self._dtype = tensors[0].dtype if tensors else float32
        self.build(_shapes(inputs))
        self.built = True

    def check(self, inputs) -> None:
        """Raises `ValueError` unless the inputs are such as the layer takes."""

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
        """A copy that shares scopes, tensors and variables."""
        import copy

        made = type(self).__new__(type(self))
        memo[id(self)] = made
        shared = (VariableScope, Tensor, GraphVariable, PartitionedVariable)
        for key, value in self.__dict__.items():
            single = isinstance(value, shared)
            made.__dict__[key] = value if single else copy.deepcopy(value, _sharing(value, memo))
        return made


def _sharing(value, memo):
    """The memo of a copy, with what is not to be copied in it."""
    for leaf in value if isinstance(value, (list, tuple)) else ():
        if isinstance(leaf, (Tensor, GraphVariable, PartitionedVariable)):
            memo[id(leaf)] = leaf
    return memo


def snake_case(name: str) -> str:
    """`"LSTMCell"` becomes `"lstm_cell"`."""
    words = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    found = re.sub(r"([a-z])([A-Z])", r"\1_\2", words).lower()
    return f"private{found}" if found.startswith("_") else found


def parts_of(variable) -> list:
    """The variables behind one that may be in parts."""
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]


def collect(elements, name) -> None:
    """Put into a collection what is not in it."""
    collection = get_default_graph().get_collection_ref(name)
    there = {id(x) for x in collection}
    collection.extend(x for x in elements if id(x) not in there)


def _leaves(structure) -> list:
    return jax.tree.leaves(structure, is_leaf=lambda x: isinstance(x, Tensor))


def _converted(inputs) -> Any:
    """The inputs, with tensors in the place of numbers."""
    if isinstance(inputs, (list, tuple, dict)) or getattr(inputs, "is_composite", False):
        return inputs
    return convert_to_tensor(inputs)


def _shapes(inputs) -> Any:
    if isinstance(inputs, (list, tuple)):
        return [_shapes(x) for x in inputs]
    return inputs.shape if hasattr(inputs, "shape") else GraphShape(None)
