"""Define placeholders for values that are not assigned yet."""

from __future__ import annotations

import jax.numpy as jnp


class Undefined:
    """The placeholder for the value of a variable before its first assignment."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"


class UndefinedReturnValue(Undefined):
    """The placeholder for the return value of a converted function before its first `return`."""

    __slots__ = ()

    def __init__(self, name: str = "return value"):
        super().__init__(name)


class Unreached(UndefinedReturnValue):
    """The placeholder for an output of a branch that ends in an error, so that no code reads the output."""

    __slots__ = ()


class LateName(str):
    """The name of a variable that nothing but closures read after a statement, if anything does."""

    __slots__ = ()


class Unknown(Undefined):
    """The placeholder for a variable to which a statement gives values that cannot be combined.

    Attributes:
      error: tells why, and is raised where the variable is read.
    """

    __slots__ = ("error",)

    def __init__(self, name: str, error: Exception):
        super().__init__(name)
        self.error = error


class Unwritten:
    """The placeholder for `count` elements of a `TensorArray` of which none was written.

    The shape of the elements is still unknown.
    """

    __slots__ = ("count", "name")

    def __init__(self, name: str, count):
        self.name = name
        self.count = count

    def __eq__(self, other) -> bool:
        return isinstance(other, Unwritten) and str(self.count) == str(other.count)

    def __hash__(self) -> int:
        return hash(str(self.count))

    def zeros(self, shape, dtype):
        """Return zeros for the elements; `shape` is the shape of all elements stacked in one array."""
        return jnp.zeros((self.count, *shape[1:]), dtype)

    def __repr__(self) -> str:
        return f"<{self.name} without elements>"
