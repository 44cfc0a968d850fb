"""Describe the arguments of a written module: the values that the program feeds, and the constants."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from tf2jax_port.exporting.module import Module, identifier
from tf2jax_port.exporting.original import statement_of
from tf2jax_port.exporting.step import Step


@dataclasses.dataclass(frozen=True)
class Input:
    """A tensor that the loss needs from outside.

    Args:
      tensor: the tensor.
      name: the name of the argument.
      value: the value that the program fed.
      is_static: whether it is a Python value, known when JAX traces.
      is_number: whether it is a scalar, which gets a default.
    """

    tensor: Any
    name: str
    value: np.ndarray
    is_static: bool
    is_number: bool

    def python_value(self) -> Any:
        """Return the value as a Python number or tuple, for an input that is static."""
        listed = self.value.tolist()
        return tuple(listed) if isinstance(listed, list) else listed


@dataclasses.dataclass(frozen=True)
class Wanted:
    """The tensors that the user chose.

    Args:
      outputs: tensors to compute besides the loss, by their names.
      inputs: the fed tensors that become arguments; all if `None`.
    """

    outputs: dict[str, Any] = dataclasses.field(default_factory=dict)
    inputs: list[Any] | None = None


@dataclasses.dataclass(frozen=True)
class Signature:
    """The arguments of the loss.

    Args:
      inputs: the arguments for the tensors that the program feeds.
      has_state: whether it takes variables that are not trained.
      draws: whether it takes a random key.
    """

    inputs: list[Input]
    has_state: bool
    draws: bool

    def arrays(self) -> list[str]:
        """Return the names of the arguments that have no default, except `params` and `state`."""
        return [i.name for i in self.inputs if not (i.is_number or i.is_static)]

    def options(self) -> list[str]:
        """Return the names of the arguments that have a default."""
        return [i.name for i in self.inputs if i.is_number or i.is_static]

    def static(self) -> list[str]:
        """Return the names of the arguments that are Python values."""
        return [i.name for i in self.inputs if i.is_static]

    def parameters(self, first: Sequence[str] = ("params",)) -> str:
        """Return the source of the parameters of a function that takes them all."""
        names = [*first, *(["state"] if self.has_state else [])]
        return ", ".join([*names, *self.rest(defaults=True)])

    def rest(self, defaults: bool = False) -> list[str]:
        """Return the parameters after `params` and `state`."""
        found = [*self.arrays(), *(["key"] if self.draws else [])]
        for i in self.inputs:
            if i.is_number or i.is_static:
                shown = f"{i.name}={default_of(i)}" if defaults else i.name
                found.append(shown)
        return found


def default_of(one: Input) -> str:
    """Return the source of the value that the program fed, a number or a tuple."""
    value = one.python_value()
    return str(np.float32(value)) if isinstance(value, float) else repr(value)


def inputs_of(step: Step, tensors: Sequence[Any], values: dict[Any, np.ndarray]) -> list[Input]:
    """Return the inputs for tensors from outside: arrays first, then inputs that have a default."""
    module_names = Module().names
    found = []
    for tensor in tensors:
        value = np.asarray(values[tensor])
        name = module_names.new(input_name(tensor))
        static = (value.dtype == bool and value.ndim == 0) or _gives_shapes(step, tensor)
        found.append(Input(tensor, name, value, static, value.ndim == 0))
    return sorted(found, key=lambda i: i.is_static or i.is_number)


def input_name(tensor: Any) -> str:
    """Return the name of an argument: that of the placeholder, or the name in the original."""
    last = tensor.op.name.removeprefix("IteratorGetNext")
    statement = statement_of(tensor.op)
    says_nothing = re.fullmatch(r"(.*/)?(Placeholder(WithDefault)?)?(_\d+)?", last)
    if says_nothing and statement is not None and len(statement.targets) == 1:
        return identifier(statement.targets[0])
    if tensor.op.type.startswith("Placeholder"):
        return identifier(last.replace("/", "_"))
    return identifier(last.rpartition("/")[2]).rstrip("0123456789").rstrip("_")


def _gives_shapes(step: Step, tensor: Any) -> bool:
    """Return whether a fed vector of whole numbers is the shape of something."""
    if tensor.dtype.name not in ("int32", "int64") or tensor.shape.rank not in (0, 1):
        return False
    for op in step.plan.order:
        call = op.attributes.get("call")
        if call is None or tensor not in op.inputs:
            continue
        places = jax.tree.leaves(call[1:2], is_leaf=_is_leaf)
        if any(getattr(v, "dense_shape", None) is tensor for v in places):
            return True
        if getattr(call[0], "__name__", "") in (
            "uniform",
            "normal",
            "truncated_normal",
            "zeros",
            "ones",
            "fill",
        ):
            return call[1][0] is tensor
    return False


def _is_leaf(value: Any) -> bool:
    return hasattr(value, "dense_shape") or hasattr(value, "read_of")
