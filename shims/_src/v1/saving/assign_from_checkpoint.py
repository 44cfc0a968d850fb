"""Assign variables from checkpoints or arrays (`tf.contrib.framework`, slim).

https://github.com/google-research/tf-slim
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from shims._src.checkpoint.checkpoint_reader import NewCheckpointReader
from shims._src.gradients.tensor_questions import get_logger
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.grouping import group
from shims._src.v1.graph.placeholders import placeholder
from shims._src.v1.saving.saver import Saver
from shims._src.v1.variables.variable_filters import get_variable_full_name
from shims._src.v1.variables.variables import GraphKeys, GraphVariable

_Feeds = dict[Any, np.ndarray]


def assign_from_checkpoint(
    model_path, var_list, ignore_missing_vars=False
) -> tuple[Any, dict[Any, np.ndarray]]:
    """Create an operation that assigns values from a checkpoint to variables.

    The values are passed as feeds; the feed dictionary is returned too.

    Args:
      model_path: the path of the checkpoint, without `.index`.
      var_list: variables, or a dict from names in the checkpoint to a variable or the list of its
        parts.
      ignore_missing_vars: whether the checkpoint may lack some of the variables.

    Raises:
      ValueError: the checkpoint lacks a variable, or has a different shape.
      NotFoundError, DataLossError: the checkpoint does not exist, or is damaged.
    """
    reader = NewCheckpointReader(model_path)
    operations: list[Any] = []
    feeds: _Feeds = {}
    for name, variables in _group_by_name(var_list).items():
        if not reader.has_tensor(name):
            if not ignore_missing_vars:
                raise ValueError(f"Checkpoint is missing variable [{name}]")
            get_logger().warning("Checkpoint is missing variable [%s]", name)
            continue
        value = np.asarray(reader.get_tensor(name))
        for variable in variables:
            _add_assignment(variable, _slice_for(name, variable, value), operations, feeds)
    return group(*operations), feeds


def assign_from_checkpoint_fn(
    model_path, var_list, ignore_missing_vars=False, reshape_variables=False
) -> Callable | None:
    """Return a function of a session that restores variables from a checkpoint.

    Args:
      model_path: the path of the checkpoint, without `.index`.
      var_list: variables, or a dict from names in the checkpoint to variables.
      ignore_missing_vars: whether the checkpoint may lack some of the variables.
      reshape_variables: whether saved values may have a different shape with the same number of elements.

    Returns:
      The function; `None` if `ignore_missing_vars` is set and the checkpoint has none of the
      variables.

    Raises:
      ValueError: `var_list` is empty. The function raises the errors of `Saver.restore`.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    if ignore_missing_vars:
        reader = NewCheckpointReader(model_path)
        if not isinstance(var_list, Mapping):
            var_list = {variable.op.name: variable for variable in var_list}
        for name in var_list:
            if not reader.has_tensor(name):
                get_logger().warning("Variable %s missing in checkpoint %s", name, model_path)
        var_list = {name: v for name, v in var_list.items() if reader.has_tensor(name)}
    if not var_list:
        get_logger().warning("No Variables to restore")
        return None
    saver = Saver(var_list, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)


def assign_from_values(var_names_to_values) -> tuple[Any, dict[Any, np.ndarray]]:
    """Create an operation that assigns arrays to variables; return it and its feed dictionary.

    Args:
      var_names_to_values: a dict from names of global variables, without `:0`, to arrays.

    Raises:
      ValueError: there is no such variable, or an array has a different size.
    """
    operations: list[Any] = []
    feeds: _Feeds = {}
    for name, value in var_names_to_values.items():
        variable = _variable_by_name(name)
        _add_assignment(variable, np.reshape(value, variable.shape.as_list()), operations, feeds)
    return group(*operations), feeds


def assign_from_values_fn(var_names_to_values) -> Callable:
    """Return a function of a session that assigns arrays to variables; see `assign_from_values`."""
    operation, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(operation, feeds)


def _add_assignment(variable, value: np.ndarray, operations: list, feeds: _Feeds) -> None:
    fed = placeholder(variable.dtype, variable.shape, name=f"placeholder/{variable.op.name}")
    operations.append(variable.assign(fed))
    feeds[fed] = value


def _group_by_name(var_list) -> dict[str, list]:
    """Return a dict from names in the checkpoint to lists of variables.

    The parts of a partitioned variable have the same name.
    """
    if isinstance(var_list, Mapping):
        return {k: list(v) if isinstance(v, (list, tuple)) else [v] for k, v in var_list.items()}
    found: dict[str, list] = {}
    for variable in var_list:
        found.setdefault(get_variable_full_name(variable), []).append(variable)
    return found


def _slice_for(name: str, variable: GraphVariable, value: np.ndarray) -> np.ndarray:
    """Return the slice of a saved value that belongs to one part of a partitioned variable.

    For any other variable, check the shape and return the whole value.
    """
    info = variable._save_slice_info
    if info is not None:
        ends = zip(info.var_offset, info.var_shape, strict=True)
        return value[tuple(slice(start, start + size) for start, size in ends)]
    if not variable.shape.is_compatible_with(value.shape):
        raise ValueError(
            f"Total size of new array must be unchanged for {name} lh_shape: [{value.shape}], "
            f"rh_shape: [{variable.shape}]"
        )
    return value


def _variable_by_name(name: str) -> GraphVariable:
    found = get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, name)
    if not found:
        raise ValueError(f"Variable {name} wasn't found")
    exact = [v for v in found if v.op.name == name]
    if len(found) > 1 and not exact:
        raise ValueError(f"Variable {name} doesn't uniquely identify a variable")
    return exact[0] if exact else found[0]
