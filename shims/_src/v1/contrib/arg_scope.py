"""Define `arg_scope`, which sets default arguments of functions inside a `with` block."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator

from shims._src.platform.thread_state import ThreadStack

_SCOPES: ThreadStack[dict[str, dict]] = ThreadStack()
_DECORATED: dict[str, tuple[str, ...]] = {}


def _key(f) -> str:
    return getattr(f, "_key_op", str(f))


def add_arg_scope(func: Callable) -> Callable:
    """Decorate a function so that `arg_scope` can set defaults of its arguments.

    Args:
      func: the function.
    """

    @functools.wraps(func)
    def with_defaults(*args, **kwargs):
        found = current_arg_scope().get(_key(func))
        return func(*args, **({**found, **kwargs} if found else kwargs))

    defaults = inspect.signature(func).parameters.values()
    _DECORATED[_key(func)] = tuple(p.name for p in defaults if p.default is not p.empty)
    with_defaults._key_op = _key(func)  # type: ignore[attr-defined]
    return with_defaults


def has_arg_scope(func: Callable) -> bool:
    """Return whether a function is decorated with `add_arg_scope`."""
    return _key(func) in _DECORATED


def arg_scoped_arguments(func: Callable) -> tuple[str, ...]:
    """Return the names of the arguments whose defaults `arg_scope` can set for a function.

    Raises:
      AssertionError: the function is not decorated with `add_arg_scope`.
    """
    assert has_arg_scope(func), f"{func} is not decorated with @add_arg_scope"
    return _DECORATED[_key(func)]


def current_arg_scope() -> dict:
    """Return the defaults that are in effect, by function key; see `arg_scope_func_key`."""
    return _SCOPES.top or {}


def arg_scope_func_key(op: Callable) -> str:
    """Return the key under which `current_arg_scope` stores the defaults of a function."""
    return _key(op)


@contextlib.contextmanager
def arg_scope(list_ops_or_scope, **kwargs) -> Iterator[dict]:
    """Set default arguments of functions inside a `with` block.

    Args:
      list_ops_or_scope: functions decorated with `add_arg_scope`, or the scope that another
        `arg_scope` yielded.
      **kwargs: the defaults.

    Yields:
      The scope with all defaults, which can be passed to another `arg_scope`.

    Raises:
      TypeError: `list_ops_or_scope` is neither a list nor a scope.
      ValueError: a scope is combined with defaults, or a function is not decorated.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError(
                "When attempting to re-use a scope by suppling a dictionary, kwargs must be empty."
            )
        scope = dict(list_ops_or_scope)
    else:
        if not isinstance(list_ops_or_scope, (list, tuple)):
            raise TypeError(
                "list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)"
            )
        scope = dict(current_arg_scope())
        for op in list_ops_or_scope:
            if not has_arg_scope(op):
                name = f"{op.__module__}.{op.__name__}" if hasattr(op, "__name__") else str(op)
                raise ValueError(f"{name} is not decorated with @add_arg_scope")
            scope[_key(op)] = {**scope.get(_key(op), {}), **kwargs}
    with _SCOPES.pushed(scope):
        yield scope
