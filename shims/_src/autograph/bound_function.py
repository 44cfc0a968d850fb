"""Let a `shims.function` that is defined in a class work as a method."""

from __future__ import annotations

import inspect
from typing import Any


class BoundFunction:
    """A `shims.function` bound to an instance, which is passed as the first argument.

    Other attributes are looked up on the function; all instances share its compiled programs.
    """

    def __init__(self, function, instance):
        self.__func__ = self.__wrapped__ = function
        self.__self__ = instance

    def __call__(self, *args, **kwargs):
        """Call the function on the instance."""
        return self.__func__(self.__self__, *args, **kwargs)

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters without the instance, as for Python's bound methods."""
        signature = inspect.signature(self.__func__)
        return signature.replace(parameters=list(signature.parameters.values())[1:])

    def get_concrete_function(self, *args, **kwargs):
        """Return the compiled program for one signature, bound to this instance."""
        if not args and not kwargs:
            args = tuple(self.__func__.input_signature or ())
        return self.__func__.get_concrete_function(self.__self__, *args, **kwargs)

    def precompile(self, *args, **kwargs):
        """Compile the function for example arguments, called on this instance."""
        return self.__func__.precompile(self.__self__, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the function."""
        return getattr(self.__func__, name)

    def __eq__(self, other) -> bool:
        """Compare as bound methods: the same function on the same instance."""
        if not isinstance(other, BoundFunction):
            return NotImplemented
        return self.__func__ is other.__func__ and self.__self__ is other.__self__

    def __hash__(self) -> int:
        return hash((id(self.__func__), id(self.__self__)))

    def __repr__(self) -> str:
        return f"<{self.__func__!r} of {self.__self__!r}>"
