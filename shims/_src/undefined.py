"""What stands in the place of a variable that has no value yet."""

from __future__ import annotations


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
