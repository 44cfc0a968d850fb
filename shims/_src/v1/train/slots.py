"""Create slots: the variables that an optimizer or an average keeps per variable."""

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
    """Create a slot of a variable, named such as `w/Momentum:0`, with an initial value.

    Args:
      primary: the variable or tensor that it belongs to.
      initial_value: a tensor or numbers.
      name: the last part of its name; a name that is taken gets a number appended.
      dtype: the dtype of the slot if `initial_value` holds numbers.

    Returns:
      The variable, a global one that is not trainable.
    """
    value = convert_to_tensor(initial_value, dtype)
    return _slot(primary, name, initializer=value, shape=None, dtype=None)


def create_slot_with_initializer(primary, initializer, shape, dtype, name: str) -> GraphVariable:
    """Create a slot of a variable with an initializer function.

    Args:
      primary: the variable or tensor that it belongs to.
      initializer: a function of shape and dtype.
      shape: its shape.
      dtype: its dtype.
      name: the last part of its name; a name that is taken gets a number appended.

    Returns:
      The variable, a global one that is not trainable.
    """
    return _slot(primary, name, initializer=initializer, shape=shape, dtype=dtype)


def create_zeros_slot(primary, name: str, dtype=None) -> GraphVariable:
    """Create a slot of zeros with the shape of a variable."""
    dtype = primary.dtype if dtype is None else dtype
    if primary.shape.is_fully_defined():
        return create_slot_with_initializer(primary, zeros, primary.shape, dtype, name)
    return _slot(primary, name, initializer=zeros_like(primary), shape=None, dtype=dtype)


def zeros(shape, dtype=None, partition_info=None) -> Tensor:
    """Initialize a slot with zeros."""
    del partition_info
    zeros = np.zeros(tuple(int(d) for d in shape), dtype.dtype)
    return convert_to_tensor(zeros, name="zeros")


def ones(shape, dtype=None, partition_info=None) -> Tensor:
    """Initialize a slot with ones."""
    del partition_info
    return convert_to_tensor(np.ones(tuple(int(d) for d in shape), dtype.dtype), name="ones")


def filled_with(value):
    """Return an initializer that fills a slot with one value."""

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
    """The slots of all variables, by kind and variable."""

    def __init__(self):
        self._by_kind: dict[str, dict[GraphVariable, GraphVariable]] = {}

    def get(self, variable, kind: str) -> GraphVariable | None:
        """Return the slot of a variable, or `None`."""
        return self._by_kind.get(kind, {}).get(variable)

    def of_kind(self, kind: str) -> dict[GraphVariable, GraphVariable]:
        """Return all slots of a kind, by variable."""
        return self._by_kind.setdefault(kind, {})

    def kinds(self) -> list[str]:
        """Return the kinds in alphabetical order."""
        return sorted(self._by_kind)

    def every(self) -> list[GraphVariable]:
        """Return all slots."""
        return [slot for slots in self._by_kind.values() for slot in slots.values()]
