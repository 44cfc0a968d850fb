"""Record the calls of a running program, to use them as the inputs of a comparison."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.diff.golden_file.document import FORMAT, MOST_BYTES, Store, write
from tf2jax_port.diff.golden_file.golden import pack_call
from tf2jax_port.diff.values.arguments import Arguments, bind
from tf2jax_port.diff.values.attempt import Failure, attempt

F = TypeVar("F", bound=Callable[..., Any])


class Recorder:
    """Stores the first distinct calls of a function in a file.

    Args:
      path: the file; it is rewritten at every call that is kept.
      limit: the number of calls to keep.
      most: the largest size of the file in bytes.
    """

    def __init__(self, path: Path, limit: int, most: int = MOST_BYTES) -> None:
        self._path, self._limit, self._most = path, limit, most
        self._kept: dict[str, Arguments] = {}
        self._warned = False

    def keep(self, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        """Record one call; an error becomes a warning and never stops the program."""
        if len(self._kept) >= self._limit or self._warned:
            return
        found = attempt(self._add, function, args, kwargs)
        if isinstance(found, Failure):
            self._warned = True
            name = getattr(function, "__qualname__", "the function")
            reason = " ".join(found.detail.split()) or found.reason
            warnings.warn(
                f"capture: calls of {name} are no longer captured: {reason}", stacklevel=4
            )

    def _add(self, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        case = bind(len(self._kept), _to_positional(function, args, kwargs), function)
        if case.digest() in self._kept:
            return
        kept = {**self._kept, case.digest(): case}
        store = Store()
        document = {"format": FORMAT, "cases": [pack_call(case, store) for case in kept.values()]}
        write(self._path, document, store, self._most)
        self._kept = kept


def capture(path: str | Path, *, limit: int = 20) -> Callable[[F], F]:
    """Return a decorator that records calls; see `tf2jax_port.diff.capture`."""
    recorder = Recorder(Path(path).resolve(), limit)

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def captured(*args: Any, **kwargs: Any) -> Any:
            recorder.keep(function, args, kwargs)
            return function(*args, **kwargs)

        return captured  # type: ignore[return-value]

    return decorate


def _to_positional(function: Callable[..., Any], args: Any, kwargs: Any) -> tuple[Any, ...]:
    """Convert keyword arguments of a call to positional ones, as a comparison passes them."""
    if not kwargs:
        return tuple(args)
    bound = inspect.signature(function).bind(*args, **kwargs)
    if bound.kwargs:
        bound.apply_defaults()
    parameters = inspect.signature(function).parameters
    given = {
        name
        for name in bound.kwargs
        if name not in parameters or bound.kwargs[name] is not parameters[name].default
    }
    if given:
        raise DiffError(f"{', '.join(sorted(given))}: keyword-only arguments cannot be replayed")
    return tuple(bound.args)
