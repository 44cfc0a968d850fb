"""Define the operators for function scopes, `return` and reads of variables in converted code."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from shims._src.autograph import aliases
from shims._src.control_flow.staging import is_staged
from shims._src.control_flow.undefined import Undefined, UndefinedReturnValue, Unknown
from shims._src.errors import errors


class FunctionScope:
    """The scope of one call of a converted function."""

    __slots__ = ("_choices", "_name")

    def __init__(self, name: str, scope_name: str, options):
        del scope_name, options
        self._name = name
        self._choices = aliases.scope()

    def __enter__(self) -> FunctionScope:
        self._choices.__enter__()
        return self

    def __exit__(self, *error) -> None:
        self._choices.__exit__(*error)

    def ret(self, value, did_return):
        """Return the function's return value.

        Raises:
          ValueError: whether a value is returned depends on traced data.
        """
        if isinstance(value, UndefinedReturnValue):
            return None
        if value is not None and is_staged(did_return):
            raise ValueError(
                errors.message(
                    self._name,
                    "whether the function returns a value depends on traced data.",
                    required="a `return` on every path",
                    received="a path that ends without `return`",
                    do="also return a value at the end of the function.",
                )
            )
        return value


def with_function_scope(thunk: Callable, scope_name: str, options):
    """Run the body of a converted lambda in a scope."""
    with FunctionScope("lambda", scope_name, options) as scope:
        return thunk(scope)


def ld(value):
    """Return the value of a variable that is read; check that it has one.

    Raises:
      UnboundLocalError: the variable has no value yet.
      UnimplementedError: it names a list or dict that may have been changed under another name.
      Exception: a statement gave it values that cannot be combined.
    """
    if isinstance(value, Unknown):
        raise value.error
    if isinstance(value, Undefined):
        raise UnboundLocalError(f"'{value.name}' is used before assignment")
    aliases.check(value)
    return value


def ldu(load: Callable, name: str):
    """Return the value of a compound name such as `self.x`, or `Undefined` if it has none yet."""
    try:
        return load()
    except (KeyError, AttributeError, NameError, IndexError):
        return Undefined(name)


def unread(load: Callable, name: str):
    """Return the value of a variable that nothing reads after this, or a placeholder if it has none yet."""
    value = ldu(load, name)
    return UndefinedReturnValue(name) if isinstance(value, Undefined) else value


def present_item(owner, key):
    """Return an item if it exists; a `defaultdict` does not add it."""
    if isinstance(owner, dict) and hasattr(type(owner), "__missing__") and key not in owner:
        raise KeyError(key)
    return owner[key]


def remove_missing(owner, is_item: bool, key) -> None:
    """Remove an item or an attribute whose value stands for that of a variable that is not assigned."""
    if is_item:
        with contextlib.suppress(LookupError, TypeError):
            if isinstance(owner[key], Undefined):
                del owner[key]
    elif isinstance(getattr(owner, key, None), Undefined):
        delattr(owner, key)
