"""Replace variables by tensors, to run a function in a precision other than its variables'."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tf2jax_port.diff.values.attempt import LaneError

_READ = ("value", "_read_variable_op", "read_value", "_dense_var_to_tensor")
_WRITTEN = ("assign", "assign_add", "assign_sub")


@contextlib.contextmanager
def substituted(tf: Any, pairs: Mapping[int, Any], kind: type) -> Iterator[None]:
    """Make variables read as given tensors in graphs that are traced inside the `with` block.

    Writing to such a variable raises `LaneError`. Eager reads are not affected, because they do not
    call Python.

    Args:
      tf: the module `tensorflow`.
      pairs: maps `id(variable)` to the tensor to read instead; other variables are read as usual.
      kind: the class of the variables, whose methods are replaced.
    """
    ways: dict[str, Callable[..., Any]] = {
        "sparse_read": lambda tensor, indices, name=None: tf.gather(tensor, indices),
        "gather_nd": lambda tensor, indices, name=None: tf.gather_nd(tensor, indices),
        **{name: lambda tensor, *args, **kwargs: tf.identity(tensor) for name in _READ},
        **dict.fromkeys(_WRITTEN, _raise_on_write),
    }
    kept = {
        name: (base, vars(base)[name])
        for name in ways
        for base in reversed(kind.__mro__)  # the method of the most derived class is kept last
        if name in vars(base)
    }
    try:
        for name, (base, method) in kept.items():
            setattr(base, name, _make_switch(method, ways[name], pairs))
        yield
    finally:
        for name, (base, method) in kept.items():
            setattr(base, name, method)


def _make_switch(
    method: Callable[..., Any], way: Callable[..., Any], pairs: Mapping[int, Any]
) -> Callable[..., Any]:
    def switched(variable: Any, *args: Any, **kwargs: Any) -> Any:
        tensor = pairs.get(id(variable))
        if tensor is None:
            return method(variable, *args, **kwargs)
        return way(tensor, *args, **kwargs)

    return switched


def _raise_on_write(tensor: Any, *args: Any, **kwargs: Any) -> Any:
    raise LaneError("the function assigns a variable, which is impossible in a different precision")
