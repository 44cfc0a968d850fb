"""Collect the variables that a `Saver` saves, and their names in the checkpoint."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from shims._src.checkpoint.restoring import Wanted
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.variables.partitioned_variables import PartitionedVariable
from shims._src.v1.variables.variables import GraphKeys, GraphVariable

_READS = ("VariableV2", "VarHandleOp", "ReadVariableOp")


@dataclasses.dataclass(frozen=True)
class Saved:
    """A variable to save, and its name in the checkpoint.

    Args:
      name: the name in the checkpoint.
      variable: the variable.
      is_piece: whether the variable is one part of a partitioned variable with this name.
    """

    name: str
    variable: GraphVariable
    is_piece: bool = False

    @property
    def full_shape(self) -> tuple[int, ...]:
        """The shape of the whole partitioned variable."""
        return tuple(self.variable._save_slice_info.full_shape)

    @property
    def starts(self) -> tuple[int, ...]:
        """The offset of the part in the partitioned variable, along each axis."""
        return tuple(self.variable._save_slice_info.var_offset)

    def wanted(self) -> Wanted:
        """Return what to read from a checkpoint for this variable: name, dtype, shape and slice."""
        shape, place = self.variable.shape, None
        known = tuple(shape.as_list()) if shape.is_fully_defined() else None
        if self.is_piece and known is not None:
            place = tuple(zip(self.starts, known, strict=True))
        return Wanted(self.name, self.variable.dtype.dtype, known, place)


def saved_variables(var_list) -> list[Saved]:
    """Return the variables in a `var_list`, sorted by their names in the checkpoint.

    Args:
      var_list: nested lists of variables, or a dict from names to variables or lists of the parts of
        one variable; all global variables of the default graph when `None`.

    Raises:
      TypeError: `var_list` contains an object that is not a variable.
      ValueError: two variables have the same name, or a variable has two names.
    """
    if var_list is None:
        graph = get_default_graph()
        var_list = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
        var_list += graph.get_collection(GraphKeys.SAVEABLE_OBJECTS)
    by_name = var_list if isinstance(var_list, dict) else _group_by_name(var_list)
    found: list[Saved] = []
    seen = set()
    for name in _sorted_names(by_name):
        for saved in _saved_under(name, by_name[name]):
            if saved.variable in seen:
                raise ValueError(f"The same saveable will be restored with two names: {name}")
            seen.add(saved.variable)
            found.append(saved)
    return found


def _sorted_names(by_name: dict) -> list[str]:
    for name in by_name:
        if not isinstance(name, str):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to trackable operations. "
                f"Name is not a string: {name}"
            )
    return sorted(by_name)


def _group_by_name(var_list) -> dict[str, Any]:
    """Return a dict from names in the checkpoint to variables.

    A partitioned variable is a list of its parts.
    """
    if not isinstance(var_list, (list, tuple, set)):
        raise TypeError(f"Variables to save should be passed in a dict or a list. Got {var_list}")
    found: dict[str, Any] = {}
    value: Any
    for item in sorted(_flatten(var_list), key=lambda item: item.name):
        if isinstance(item, PartitionedVariable):
            name, value = item.name, item
        else:
            value = _as_variable(item)
            if value is None:
                raise TypeError(f"Variable to save is not a Variable: {item}")
            info = value._save_slice_info
            name = value.op.name if info is None else info.full_name
            if info is not None:
                pieces = found.setdefault(name, [])
                if not isinstance(pieces, list):
                    raise ValueError(f"Mixing slices and non-slices with the same name: {name}")
                pieces.append(value)
                continue
        if name in found:
            raise ValueError(f"At least two variables have the same name: {name}")
        found[name] = value
    return found


def _flatten(items) -> Iterator[Any]:
    for item in items:
        if isinstance(item, (list, tuple, set)):
            yield from _flatten(item)
        else:
            yield item


def _saved_under(name: str, value) -> Iterator[Saved]:
    """Yield a `Saved` for the variable with the given name in the checkpoint.

    For the list of the parts of a partitioned variable, yield one for each part.
    """
    if not isinstance(value, (list, tuple, PartitionedVariable)):
        variable = _as_variable(value)
        if variable is None:
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to Tensors/Variables. Not "
                f"a variable: {value}"
            )
        yield Saved(name, variable)
        return
    whole = set()
    for piece in value:
        if not isinstance(piece, GraphVariable):
            raise ValueError(f"Slices must all be Variables: {piece}")
        if piece._save_slice_info is None:
            raise ValueError(f"Slices must all be slices: {piece}")
        whole.add(piece._save_slice_info.full_name)
        if len(whole) > 1:
            raise ValueError(
                f"Slices must all be from the same tensor: {' != '.join(sorted(whole))}"
            )
        yield Saved(name, piece, is_piece=True)


def _as_variable(item) -> GraphVariable | None:
    """Return a variable, or the variable that a tensor was read from; `None` for any other object."""
    if isinstance(item, Tensor) and item.op.type in _READS:
        return item.read_of
    return item if isinstance(item, GraphVariable) else None
