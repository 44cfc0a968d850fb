"""Define exponential moving averages of variables and tensors."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

import shims
from shims._src.types.dtypes import float32
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.deferred_operators import operation_of
from shims._src.v1.graph.grouping import group
from shims._src.v1.graph.nodes import Operation, Tensor
from shims._src.v1.graph.standard_operators import cast
from shims._src.v1.train.slots import create_slot, create_zeros_slot, zeros
from shims._src.v1.variables.get_variable import get_variable
from shims._src.v1.variables.training_kernels import as_dtype_of, assigning
from shims._src.v1.variables.variable_scope import get_variable_scope, variable_scope
from shims._src.v1.variables.variables import GraphKeys, GraphVariable

_FLOATING = ("bfloat16", "float16", "float32", "float64")


def assign_moving_average(variable, value, decay, zero_debias=True, name=None) -> Tensor:
    """Update a moving average: `variable -= (1 - decay) * (variable - value)`.

    Args:
      variable: the average, a variable of a floating-point dtype.
      value: a tensor of its shape.
      decay: the decay rate of the average, a number or a scalar tensor.
      zero_debias: whether to correct for an initial value of zero, by two more variables,
        `biased` and `local_step`.
      name: the name of the operations.

    Returns:
      The updated average.

    Differs from TensorFlow:
      Nothing.

    https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/training/moving_averages.py
    """
    graph = get_default_graph()
    with graph.name_scope(name or "AssignMovingAvg") as scope:
        rest = convert_to_tensor(1.0 - _graph_value(decay), name="decay")
        rest = as_dtype_of(variable, rest)
        if zero_debias:
            return _update_debiased(variable, convert_to_tensor(value, variable.dtype), rest, scope)
        type_ = "AssignSubVariableOp" if variable.is_resource else "AssignSub"
        inner = f"{scope}{type_}/" if variable.is_resource else scope
        move = lambda average, value, rest: average - (average - value) * rest
        return variable.update(type_, inner, move, value, rest).outputs[0]


def _graph_value(decay):
    return getattr(decay, "graph_value", decay)


def _update_debiased(variable, value, rest, scope: str) -> Tensor:
    """Create the update of a moving average that corrects the bias of its initial value, zero."""
    with variable_scope(variable.name.removesuffix(":0"), values=[variable, value, rest]):
        biased = get_variable(
            _unused_name("biased"),
            initializer=zeros,
            shape=variable.shape,
            dtype=variable.dtype,
            trainable=False,
        )
        count = get_variable(
            _unused_name("local_step"),
            shape=[],
            dtype=variable.dtype,
            initializer=zeros,
            trainable=False,
        )

    def f(average, biased, count, value, rest):
        del average
        biased = biased - (biased - value) * rest
        count = count + 1
        return [biased / (1 - shims.pow(1 - rest, count)), biased, count]

    type_ = "AssignVariableOp" if variable.is_resource else "Assign"
    kept = [variable, biased, count]
    return assigning(type_, scope, kept, f, [value, rest], gives=True).outputs[0]


def _unused_name(name: str) -> str:
    """Return `name`; if a variable of the current scope has this name, a number is appended."""
    scope = get_variable_scope()
    if scope.reuse:
        return name
    taken = {v.op.name for v in scope.global_variables()}
    number, found = 0, name
    while f"{scope.name}/{found}" in taken:
        number += 1
        found = f"{name}_{number}"
    return found


class ExponentialMovingAverage:
    """Exponential moving averages of variables and tensors.

    Args:
      decay: the decay rate of the averages.
      num_updates: a step count, which reduces the decay at the beginning to `min(decay, (1 +
        num_updates) / (10 + num_updates))`.
      zero_debias: whether to correct averages of tensors for their initial value of zero.
      name: the suffix of the names of the averages, as in `w/ExponentialMovingAverage:0`.

    Differs from TensorFlow:
      Nothing in a graph. In eager execution use `shims.train.ExponentialMovingAverage`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/ExponentialMovingAverage
    """

    __module__ = "shims.compat.v1.train"

    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        self._decay = decay
        self._num_updates = num_updates
        self._zero_debias = zero_debias
        self._name = name
        self._averages: dict[Any, GraphVariable] = {}

    @property
    def name(self) -> str:
        """The suffix in the names of the averages."""
        return self._name

    def apply(self, var_list=None) -> Operation | None:
        """Create the operation that updates the averages.

        Args:
          var_list: variables and tensors; the trainable variables when `None`. Averages of variables
            start at their initial values, averages of tensors at zeros.

        Raises:
          TypeError: a dtype is not floating-point.
        """
        graph = get_default_graph()
        if var_list is None:
            var_list = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
        debiased = set()
        for var in var_list:
            if var.dtype.name not in _FLOATING:
                raise TypeError(f"The variables must be half, float, or double: {var.name}")
            if var not in self._averages:
                with graph.control_dependencies(None):
                    self._averages[var] = self._create_average(var)
                if self._zero_debias and not isinstance(var, GraphVariable):
                    debiased.add(var)
        with graph.name_scope(self._name) as scope:
            decay = self._decay_now()
            moves = [
                assign_moving_average(self._averages[var], var, decay, var in debiased)
                for var in var_list
            ]
            return group(*moves, name=scope)

    def _create_average(self, var) -> GraphVariable:
        """Create the variable for the average of a variable or tensor."""
        if not isinstance(var, GraphVariable):
            return create_zeros_slot(var, self._name)
        average = create_slot(var, var.initialized_value(), self._name)
        get_default_graph().add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, var)
        return average

    def _decay_now(self) -> Tensor:
        decay = convert_to_tensor(self._decay, float32, name="decay")
        if self._num_updates is None:
            return decay
        count = cast(convert_to_tensor(self._num_updates), float32, name="num_updates")
        early = lambda decay, count: jnp.minimum(decay, (1 + count) / (10 + count))
        return operation_of(
            early, (decay, count), {}, public="minimum", name="Minimum", type_="Minimum"
        )

    def average(self, var) -> GraphVariable | None:
        """Return the variable that holds the average of `var`, or `None` if there is none."""
        return self._averages.get(var)

    def average_name(self, var) -> str:
        """Return the name that the average of `var` has or would have."""
        if var in self._averages:
            return self._averages[var].name.removesuffix(":0")
        name = f"{var.name.removesuffix(':0')}/{self._name}"
        return get_default_graph().unique_name(name, mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables=None) -> dict[str, GraphVariable]:
        """Return a dict from names in a checkpoint to the variables to restore.

        Args:
          moving_avg_variables: the variables to restore from their saved averages; if `None`, the
            trainable variables and those with averages. Other variables are restored from their own
            saved values.
        """
        graph = get_default_graph()
        if moving_avg_variables is None:
            moving_avg_variables = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
            moving_avg_variables += graph.get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES)
        chosen = dict.fromkeys(moving_avg_variables)
        found = {self.average_name(v): v for v in chosen}
        names = {v.name for v in chosen}
        for v in graph.get_collection(GraphKeys.GLOBAL_VARIABLES):
            if v.name not in names and v.op.name not in found:
                found[v.op.name] = v
        return found
