"""Hold the strings that a traced program computes: arrays of bytes, since JAX has no arrays of strings."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.types.dtypes import string
from shims._src.types.host_tensor import HostTensor, host
from shims._src.types.tensor_shape import TensorShape

CAPACITY = 1024  # bytes of a string
CODE = np.dtype(np.uint8)


class TracedText:
    """A tensor of strings in a traced program. Outside of it, it becomes a `HostTensor`.

    Args:
      codes: the bytes of each string, filled up to `CAPACITY`.
      sizes: the number of bytes of each string.
    """

    def __init__(self, codes, sizes) -> None:
        self.codes, self.sizes = codes, sizes

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return TensorShape(self.sizes.shape)

    @property
    def dtype(self) -> Any:
        """TensorFlow's dtype of strings."""
        return string

    def get_shape(self) -> TensorShape:
        """Return the shape."""
        return self.shape

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape={tuple(self.sizes.shape)}, dtype=string, traced>"


def encode(text: HostTensor) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes and the sizes of strings.

    Raises:
      ResourceExhaustedError: a string has more than `CAPACITY` bytes.
    """
    words = np.asarray(text)
    codes = np.zeros((words.size, CAPACITY), CODE)
    sizes = np.zeros(words.size, np.int32)
    for number, word in enumerate(words.ravel().tolist()):
        if len(word) > CAPACITY:
            raise errors.ResourceExhaustedError(
                errors.message(
                    "strings",
                    f"a string computed in a traced program has {len(word)} bytes.",
                    required=f"at most {CAPACITY} bytes",
                    do="compute the string outside of the traced function",
                )
            )
        codes[number, : len(word)], sizes[number] = np.frombuffer(word, CODE), len(word)
    return codes.reshape(*words.shape, CAPACITY), sizes.reshape(words.shape)


def _decode(codes: np.ndarray, sizes: np.ndarray) -> HostTensor:
    words = np.empty(sizes.shape, object)
    rows = codes.reshape(-1, CAPACITY)
    words.reshape(-1)[:] = [
        row[:n].tobytes() for row, n in zip(rows, sizes.reshape(-1), strict=True)
    ]
    return host(words)


def _rebuilt(_, children) -> Any:
    if all(isinstance(x, (np.ndarray, jax.Array)) and not jp.is_tracer(x) for x in children):
        return _decode(*map(np.asarray, children))
    return TracedText(*children)


jax.tree_util.register_pytree_node(TracedText, lambda x: ((x.codes, x.sizes), None), _rebuilt)
