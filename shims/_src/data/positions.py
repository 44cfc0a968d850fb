"""Encode the positions of iterators as bytes, and decode only the types that a position can contain."""

from __future__ import annotations

import io
import pickle
from typing import Any

from shims._src.errors import errors

# What the bytes may name besides numbers, texts, lists and dictionaries: no code that a file chooses runs.
_ALLOWED = {
    "numpy": {"ndarray", "dtype"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.numeric": {"_frombuffer"},
    "numpy.core.multiarray": {"_reconstruct", "scalar"},
    "collections": {"OrderedDict", "deque"},
    "shims._src.types.host_tensor": {"HostTensor"},
    "shims._src.data.random_numbers": {"Numbers"},
}


class _Decoder(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name not in _ALLOWED.get(module, ()):
            raise pickle.UnpicklingError(f"{module}.{name}")
        return super().find_class(module, name)


def encode(position) -> bytes:
    """Return a position as bytes.

    Raises:
      UnimplementedError: it holds elements other than tensors in tuples, lists and dictionaries.
    """
    try:
        data = pickle.dumps(position)
        decode(data)
    except (pickle.PicklingError, errors.DataLossError, TypeError, AttributeError) as error:
        raise errors.UnimplementedError(
            errors.message(
                "Checkpoint",
                "the position of an iterator cannot be saved, because of a buffered element.",
                required="tensors in tuples, lists and dictionaries",
                received=f"{error}",
                do="create elements of other kinds with `map`, after `shuffle`, `repeat` and `window`",
            )
        ) from None
    return data


def decode(data: bytes) -> Any:
    """Return the position in bytes.

    Raises:
      DataLossError: the bytes are no position.
    """
    try:
        return _Decoder(io.BytesIO(data)).load()
    except (pickle.UnpicklingError, EOFError, ValueError) as error:
        raise errors.DataLossError(
            f"the file does not contain the position of an iterator: {error}"
        ) from None
