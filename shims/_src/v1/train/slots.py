"""Create slots: additional variables, such as momentum, that belong to a variable."""

from __future__ import annotations

import numpy as np

from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.standard_operators import zeros_like
from shims._src.v1.variables.get_variable import get_variable
from shims._src.v1.variables.partitioned_variables import SaveSliceInfo
from shims._src.v1.variables.variable_scope import get_variable_scope, variable_scope
from shims._src.v1.variables.variables import GraphVariable


def create_slot(primary, initial_value, name: str, dtype=None) -> GraphVariable:
    """Create a slot with an initial value; it is named, for example, `w/Momentum`.

    Args:
      primary: the variable or tensor to which the slot belongs.
      initial_value: a tensor or numbers.
      name: the last part of the slot's name; a number is appended if the name is taken.
      dtype: the dtype of the slot if `initial_value` holds numbers.

    Returns:
      The variable, a global one that is not trainable.
    """
    value = convert_to_tensor(initial_value, dtype)
    return _slot(primary, name, initializer=value, shape=None, dtype=None)


def create_slot_with_initializer(primary, initializer, shape, dtype, name: str) -> GraphVariable:
    """Create a slot with an initializer function.

    Args:
      primary: the variable or tensor to which the slot belongs.
      initializer: a function of shape and dtype.
      shape: the shape of the slot.
      dtype: the dtype of the slot.
      name: the last part of the slot's name; a number is appended if the name is taken.

    Returns:
      The variable, a global one that is not trainable.
    """
    return _slot(primary, name, initializer=initializer, shape=shape, dtype=dtype)


def create_zeros_slot(primary, name: str, dtype=None) -> GraphVariable:
    """Create a slot of zeros with the shape of its variable."""
    dtype = primary.dtype if dtype is None else dtype
    if primary.shape.is_fully_defined():
        return create_slot_with_initializer(primary, zeros, primary.shape, dtype, name)
    return _slot(primary, name, initializer=zeros_like(primary), shape=None, dtype=dtype)


def zeros(shape, dtype=None, partition_info=None) -> Tensor:
    """Return a tensor of zeros; slots use this function as their initializer."""
    del partition_info
    zeros = np.zeros(tuple(int(d) for d in shape), dtype.dtype)
    return convert_to_tensor(zeros, name="zeros")


def ones(shape, dtype=None, partition_info=None) -> Tensor:
    """Return a tensor of ones; slots use this function as their initializer."""
    del partition_info
    return convert_to_tensor(np.ones(tuple(int(d) for d in shape), dtype.dtype), name="ones")


def filled_with(value):
    """Return an initializer that fills a slot with a constant."""

    def initializer(shape, dtype=None, partition_info=None):
        del partition_info
        array = np.full(tuple(int(d) for d in shape), value, dtype.dtype)
        return convert_to_tensor(array, name="Const")

    return initializer


def _slot(primary, name, **options) -> GraphVariable:
    is_variable = isinstance(primary, GraphVariable)
    prefix = primary._shared_name if is_variable else primary.op.name
    with get_default_graph().colocate_with(primary), variable_scope(None, f"{prefix}/{name}"):
        scope = get_variable_scope()
        scope.set_partitioner(None)
        slot = get_variable(
            "",
            trainable=False,
            use_resource=primary.is_resource if is_variable else None,
            validate_shape=primary.shape.is_fully_defined(),
            **options,
        )
    part = primary._save_slice_info if is_variable else None
    rank = slot.shape.rank
    if part is not None and rank:
        kind = slot.op.name.removeprefix(f"{primary.op.name}/")
        slot._set_save_slice_info(
            SaveSliceInfo(
                f"{part.full_name}/{kind}",
                part.full_shape[:rank],
                part.var_offset[:rank],
                part.var_shape[:rank],
            )
        )
    return slot


class Slots:
    """The slots of an optimizer, accessed by slot name and variable."""

    def __init__(self):
        self._by_kind: dict[str, dict[GraphVariable, GraphVariable]] = {}

    def get(self, variable, kind: str) -> GraphVariable | None:
        """Return the slot of a variable, or `None` if it has no slot with this name."""
        return self._by_kind.get(kind, {}).get(variable)

    def of_kind(self, kind: str) -> dict[GraphVariable, GraphVariable]:
        """Return a dict from variables to their slots with the given name."""
        return self._by_kind.setdefault(kind, {})

    def kinds(self) -> list[str]:
        """Return the slot names in alphabetical order."""
        return sorted(self._by_kind)

    def every(self) -> list[GraphVariable]:
        """Return a list of all slots."""
        return [slot for slots in self._by_kind.values() for slot in slots.values()]
