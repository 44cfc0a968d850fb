"""A `shims.function` of a class, on one instance."""

from __future__ import annotations

from typing import Any


class BoundFunction:
    """What `instance.function` gives: a call, and whatever takes arguments, begins with the instance.

    Everything else is the function's own; all instances share its programs.
    """

    def __init__(self, function, instance):
        self.__func__ = self.__wrapped__ = function
        self.__self__ = instance

    def __call__(self, *args, **kwargs):
        """Call the function on the instance."""
        return self.__func__(self.__self__, *args, **kwargs)

    def get_concrete_function(self, *args, **kwargs):
        """The program of this instance for one kind of arguments."""
        if not args and not kwargs:
            args = tuple(self.__func__.input_signature or ())
        return self.__func__.get_concrete_function(self.__self__, *args, **kwargs)

    def precompile(self, *args, **kwargs):
        """Compile for example arguments of this instance."""
        return self.__func__.precompile(self.__self__, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        """The function's own."""
        return getattr(self.__func__, name)

    def __eq__(self, other) -> bool:
        """As methods are: one function on one instance."""
        if not isinstance(other, BoundFunction):
            return NotImplemented
        return self.__func__ is other.__func__ and self.__self__ is other.__self__

    def __hash__(self) -> int:
        return hash((id(self.__func__), id(self.__self__)))

    def __repr__(self) -> str:
        return f"<{self.__func__!r} of {self.__self__!r}>"
