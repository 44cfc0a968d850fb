"""Copy and pickle functions that compile: the copy has the same function and options, and no programs."""

from __future__ import annotations

import copy
import functools
import pickle
import sys
from collections.abc import Callable
from typing import Any, Self


class Copyable:
    """A callable that wraps `python_function`, made by its class from that function and `options`."""

    python_function: Callable[..., Any]
    options: dict[str, Any]

    def __copy__(self) -> Self:
        make: Any = type(self)
        return make(self.python_function, **self.options)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        new = object.__new__(type(self))
        memo[id(self)] = new  # a method's object may hold this function
        new.__init__(copy.deepcopy(self.python_function, memo), **self.options)  # type: ignore[misc]
        return new

    def __reduce_ex__(self, protocol: object) -> str | tuple[Any, ...]:
        """Return the name of a decorated function, as for any function; otherwise how to make it."""
        is_main = self.__module__ == "__main__"
        if _named(self) is self and not (is_main and _is_saved_by_value(sys._getframe(1))):
            return self.__qualname__
        return functools.partial(type(self), **self.options), (self.python_function,)


def _named(function: Any) -> Any:
    """Return what the module of a function has under the name of the function."""
    found: Any = sys.modules.get(function.__module__)
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    return found


def _is_saved_by_value(frame: Any) -> bool:
    """Return whether the pickler that runs in a frame saves functions of the main program by value.

    Cloudpickle does: the process that loads them has another main program.
    """
    pickler = frame.f_locals.get("self")
    return isinstance(pickler, pickle.Pickler) and hasattr(pickler, "reducer_override")
