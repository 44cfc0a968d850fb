"""Define `Composite`: a value of several arrays that handles operator calls itself."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Mapping
from typing import Any

from shims._src.platform.data_files import read_data


@dataclasses.dataclass(frozen=True, eq=False)
class OperatorCall:
    """A call of an array operator that has composites among its arguments.

    Attributes:
      operator: the operator, a function.
      name: the name of the operator.
      args: the positional arguments.
      kwargs: the keyword arguments.
      arguments: the passed arguments by parameter name, in the order of the signature.
    """

    operator: Callable[..., Any]
    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    arguments: Mapping[str, Any]

    @property
    def operands(self) -> tuple[Any, ...]:
        """The values of `arguments`, in the order of the signature."""
        return tuple(self.arguments.values())

    @property
    def options(self) -> dict[str, Any]:
        """The entries of `arguments` after the first one."""
        return dict(list(self.arguments.items())[1:])

    def composites(self) -> list[Composite]:
        """Return the composites among the arguments, also those inside lists and tuples."""
        each = (x if isinstance(x, (list, tuple)) else (x,) for x in self.operands)
        return [x for x in itertools.chain.from_iterable(each) if isinstance(x, Composite)]


class Composite:
    """The base class of values that consist of several arrays, such as ragged and sparse tensors."""

    __slots__ = ()
    is_composite = True

    def __shims_call__(self, call: OperatorCall) -> Any:
        """Compute an operator call that has this value among its arguments, or return `NotImplemented`."""
        del call
        return NotImplemented


def is_composite(value) -> bool:
    """Return whether a value is a composite; `IndexedSlices` of a graph count as one."""
    return getattr(value, "is_composite", False) is True


def may_be_composite(value) -> bool:
    """Return whether a value has a class of several arrays, as a quick test before `is_composite`."""
    return hasattr(value, "is_composite")


class Ragged(Composite):
    """The base class of `RaggedTensor`, for `isinstance` tests in packages that cannot import it."""

    __slots__ = ()


@functools.cache
def operators_taking(kind: str) -> frozenset[str]:
    """Return the names of operators that, by the operator table, accept composites of a kind."""
    return frozenset(read_data(__package__, "composites")[kind])
