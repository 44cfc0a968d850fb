"""Make tensors of strings static: parts of a traced program, as arguments and as results."""

from __future__ import annotations

import jax
import numpy as np

from shims._src.types.host_tensor import HostTensor, host


class StaticText:
    """A leaf that wraps a tensor of strings, compared by its value."""

    def __init__(self, tensor: HostTensor):
        self.tensor = tensor
        self._key = (np.asarray(tensor).shape, tuple(np.asarray(tensor).ravel().tolist()))

    def __eq__(self, other) -> bool:
        return isinstance(other, StaticText) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return repr(self._key)


class _Result:
    """A pytree node without children that holds a tensor of strings as static data.

    Unflattening returns the tensor.
    """

    def __init__(self, text: StaticText):
        self.text = text


jax.tree_util.register_pytree_node(_Result, lambda x: ((), x.text), lambda text, _: text.tensor)


def is_text(x) -> bool:
    """Return whether a value is a tensor of strings."""
    return isinstance(x, HostTensor) and np.asarray(x).dtype.hasobject


def as_static_result(x):
    """Wrap a result that is a string or a tensor of strings; return any other one unchanged."""
    return _Result(StaticText(host(x))) if isinstance(x, (str, bytes)) or is_text(x) else x
