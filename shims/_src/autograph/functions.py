"""What surrounds the body of a converted function: its scope, its return, reads of its names."""

from __future__ import annotations

from collections.abc import Callable

from shims._src.control_flow.staging import is_staged
from shims._src.control_flow.undefined import Undefined, UndefinedReturnValue
from shims._src.errors import errors


class FunctionScope:
    """The scope of one call of a converted function."""

    __slots__ = ("_name",)

    def __init__(self, name: str, scope_name: str, options):
        del scope_name, options
        self._name = name

    def __enter__(self) -> FunctionScope:
        return self

    def __exit__(self, *error) -> None:
        pass

    def ret(self, value, did_return):
        """The function's return value.

        Raises:
          ValueError: whether there is one depends on traced data.
        """
        if isinstance(value, UndefinedReturnValue):
            return None
        if value is not None and is_staged(did_return):
            raise ValueError(
                errors.message(
                    self._name,
                    "whether the function returns a value depends on traced data.",
                    required="a `return` on every path",
                    received="a path that ends without one",
                    do="return a value at the end, too.",
                )
            )
        return value


def with_function_scope(thunk: Callable, scope_name: str, options):
    """The body of a converted lambda."""
    return thunk(FunctionScope("lambda", scope_name, options))


def ld(value):
    """The value of a name that is being read.

    Raises:
      UnboundLocalError: it has none yet.
    """
    if isinstance(value, Undefined):
        raise UnboundLocalError(f"'{value.name}' is used before assignment")
    return value


def ldu(load: Callable, name: str):
    """The value of a compound name such as `self.x`, or `Undefined` if it has none yet."""
    try:
        return load()
    except (KeyError, AttributeError, NameError, IndexError):
        return Undefined(name)
