"""Make compiled functions copyable and picklable: a copy has the same function and options.

Compiled programs are not copied.
"""

from __future__ import annotations

import copy
import functools
import pickle
import sys
from collections.abc import Callable
from typing import Any, Self


class Copyable:
    """A callable that can be copied and pickled; it wraps `python_function`.

    A subclass is constructed as `cls(python_function, **options)`.
    """

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
        """Pickle a decorated function by its name, as any function; otherwise by function and options."""
        is_main = self.__module__ == "__main__"
        if _named(self) is self and not (is_main and _is_saved_by_value(sys._getframe(1))):
            return self.__qualname__
        return functools.partial(type(self), **self.options), (self.python_function,)


def _named(function: Any) -> Any:
    """Return the object that a function's module has under that function's name, or `None`."""
    found: Any = sys.modules.get(function.__module__)
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    return found


def _is_saved_by_value(frame: Any) -> bool:
    """Return whether the pickler running in a stack frame saves functions of `__main__` by value.

    Cloudpickle does, because the process that loads them has another `__main__`.
    """
    pickler = frame.f_locals.get("self")
    return isinstance(pickler, pickle.Pickler) and hasattr(pickler, "reducer_override")
