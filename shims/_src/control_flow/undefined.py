"""What stands in the place of a variable that has no value yet."""

from __future__ import annotations

import jax.numpy as jnp


class Undefined:
    """A variable that is assigned somewhere in a function, but not on the way to here."""

    __slots__ = ("name",)

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"<undefined {self.name}>"


class UndefinedReturnValue(Undefined):
    """What a converted function returns before it came to a `return`."""

    __slots__ = ()

    def __init__(self, name: str = "return value"):
        super().__init__(name)


class Unwritten:
    """The elements of a `TensorArray` of `count` while their shape is not known."""

    __slots__ = ("count", "name")

    def __init__(self, name: str, count):
        self.name = name
        self.count = count

    def __eq__(self, other) -> bool:
        return isinstance(other, Unwritten) and str(self.count) == str(other.count)

    def __hash__(self) -> int:
        return hash(str(self.count))

    def zeros(self, shape, dtype):
        """The elements, where one of them would give an array of all of that shape."""
        return jnp.zeros((self.count, *shape[1:]), dtype)

    def __repr__(self) -> str:
        return f"<{self.name} without elements>"
