"""`Composite`: a value made of arrays, which operators of arrays ask for their result."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Mapping
from typing import Any

from shims._src.platform.data_files import read_data


@dataclasses.dataclass(frozen=True, eq=False)
class OperatorCall:
    """A call of an operator of arrays with composites among its arguments.

    Attributes:
      operator: the operator.
      name: its name.
      args: the positional arguments.
      kwargs: the others.
      arguments: all of them by parameter, in the order of the signature; defaults are left out.
    """

    operator: Callable[..., Any]
    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    arguments: Mapping[str, Any]

    @property
    def operands(self) -> tuple[Any, ...]:
        """The arguments in the order of the signature."""
        return tuple(self.arguments.values())

    @property
    def options(self) -> dict[str, Any]:
        """The arguments after the first one."""
        return dict(list(self.arguments.items())[1:])

    def composites(self) -> list[Composite]:
        """The composites among the arguments, and among the elements of lists."""
        each = (x if isinstance(x, (list, tuple)) else (x,) for x in self.operands)
        return [x for x in itertools.chain.from_iterable(each) if isinstance(x, Composite)]


class Composite:
    """A value made of arrays, which is no array itself."""

    __slots__ = ()
    is_composite = True

    def __shims_call__(self, call: OperatorCall) -> Any:
        """Return the result of a call that this value is an argument of, or `NotImplemented`."""
        del call
        return NotImplemented


class Ragged(Composite):
    """The base of `RaggedTensor`, by which files below it tell a ragged tensor."""

    __slots__ = ()


@functools.cache
def operators_taking(kind: str) -> frozenset[str]:
    """Return the operators that take composites of a kind, by name, as the table has them."""
    return frozenset(read_data(__package__, "composites")[kind])
