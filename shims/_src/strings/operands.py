"""Convert the arguments of operators on strings to values on the host."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from shims._src.arguments import checks
from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.tracing import graph_operands
from shims._src.tracing.text_operands import elements, holds_text
from shims._src.types.composite import is_composite
from shims._src.types.host_tensor import HostTensor, host


def strings(function: str, value) -> HostTensor:
    """Convert an argument to a tensor of strings.

    Raises:
      DtypeMismatchError: it holds anything else.
    """
    if holds_text(value) and not is_composite(value):
        return elements(value)
    if isinstance(value, (list, tuple, np.ndarray)) and not np.size(value):
        return host(np.zeros(np.shape(value), object))
    graph_operands.check(function, (value,), {})
    raise errors.DtypeMismatchError(
        errors.message(
            function, "an argument is not an array of strings.", received=f"{value!r:.200}"
        )
    )


def scalar(function: str, name: str, value) -> bytes:
    """Convert an argument to one string.

    Raises:
      InvalidArgumentError: it has axes.
      TypeError: it is not a string.
    """
    found = strings(function, value)
    if np.ndim(found):
        raise checks.invalid(
            function, f"`{name}` must be a scalar.", received=f"shape {np.shape(found)}"
        )
    return np.asarray(found).item()


def numbers(function: str, name: str, value) -> np.ndarray:
    """Convert an argument to numbers on the host.

    Raises:
      UnimplementedError: it is traced.
    """
    if any(map(jp.is_tracer, jax.tree.leaves(value))):
        raise errors.UnimplementedError(
            errors.message(
                function,
                f"`{name}` is traced, but strings can be computed only on the host.",
                do="call this operator outside of the traced function",
            )
        )
    return np.asarray(value)


def each(function: Callable[[bytes], Any], texts: HostTensor, dtype: Any = object) -> Any:
    """Apply a function to every string; return a NumPy array of a dtype, a `HostTensor` of strings."""
    found = np.empty(np.shape(texts), dtype)
    found.reshape(-1)[:] = [function(x) for x in np.asarray(texts).ravel().tolist()]
    return host(found) if dtype is object else found


def over_ragged(f: Callable) -> Callable:
    """Make a function of strings accept ragged tensors of them as its first argument."""
    first = next(iter(inspect.signature(f).parameters))

    @functools.wraps(f)
    def call(*args, **kwargs):
        given = args[0] if args else kwargs.get(first)
        if not hasattr(given, "flat_values"):
            return f(*args, **kwargs)
        rest = {k: v for k, v in kwargs.items() if k != first}
        return given.with_flat_values(f(given.flat_values, *args[1:], **rest))

    return call
