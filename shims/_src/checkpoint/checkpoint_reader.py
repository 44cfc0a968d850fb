"""Inspect checkpoints with TensorFlow's functions."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from shims._src.checkpoint import element_types
from shims._src.checkpoint.opening import open_checkpoint
from shims._src.checkpoint.state_file import latest_checkpoint
from shims._src.checkpoint.tensor_reader import dtype_of
from shims._src.types.dtypes import DType


class CheckpointReader:
    """A reader that returns the tensors of a checkpoint by their names.

    Args:
      filepattern: the path of the checkpoint, without `.index`.

    Raises:
      NotFoundError: the checkpoint does not exist.
      DataLossError: the index is damaged.
      UnimplementedError: it was written on a big-endian machine or in a newer format.

    Differs from TensorFlow:
      Damaged files raise `DataLossError`; TensorFlow's reader raises a plain `OpError`.
    """

    __module__ = "shims.compat.v1.train"

    def __init__(self, filepattern):
        self._bundle = open_checkpoint(os.fsdecode(filepattern))

    def has_tensor(self, tensor_str) -> bool:
        """Return whether a tensor exists."""
        return _as_text(tensor_str) in self._bundle

    def get_tensor(self, tensor_str) -> Any:
        """Return the value of a tensor.

        Args:
          tensor_str: its name, without `:0`.

        Returns:
          A NumPy array, or a Python scalar for a scalar tensor; `bytes` for strings.

        Raises:
          NotFoundError: the tensor or its data file does not exist.
          DataLossError: the data is damaged.
          UnimplementedError: NumPy does not support its dtype.
        """
        return self._bundle.read(_as_text(tensor_str))[()]

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Return a dict from tensor names to shapes; partitioned variables have the full shape."""
        return {name: list(self._bundle.entry(name).shape) for name in self._bundle.names}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """Return a dict from tensor names to dtypes; quantized ones have their integer storage dtypes.

        Raises:
          UnimplementedError: NumPy does not support one of the dtypes.
        """
        names = self._bundle.names
        return {name: _as_dtype(dtype_of(name, self._bundle.entry(name))) for name in names}

    def debug_string(self) -> bytes:
        """Return one line per stored array: its name, dtype and shape."""
        lines = [
            b"%s (%s) [%s]\n"
            % (
                key,
                element_types.proto_name(entry.dtype).encode(),
                ",".join(map(str, entry.shape)).encode(),
            )
            for key, entry in self._bundle.entries.items()
            if not entry.slices
        ]
        return b"".join(lines)


def NewCheckpointReader(filepattern) -> CheckpointReader:
    """Open a checkpoint for reading; see `CheckpointReader`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/NewCheckpointReader
    """
    return CheckpointReader(filepattern)


def load_checkpoint(ckpt_dir_or_file) -> CheckpointReader:
    """Open a checkpoint, or the newest one of a folder, for reading.

    Args:
      ckpt_dir_or_file: the path of a checkpoint, without `.index`, or of a folder with checkpoints.

    Raises:
      ValueError: the folder has no file `checkpoint` that names a checkpoint.
      NotFoundError, DataLossError, UnimplementedError: see `CheckpointReader`.

    https://www.tensorflow.org/api_docs/python/tf/train/load_checkpoint
    """
    return CheckpointReader(checkpoint_path(ckpt_dir_or_file))


def checkpoint_path(ckpt_dir_or_file) -> str:
    """Return the path of a checkpoint, or of the newest one of a folder.

    Raises:
      ValueError: the folder has no file `checkpoint` that names a checkpoint.
    """
    path = os.fspath(ckpt_dir_or_file)
    found = latest_checkpoint(path) if os.path.isdir(path) else path
    if found is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
    return found


def load_variable(ckpt_dir_or_file, name: str) -> Any:
    """Return the value of one variable of a checkpoint.

    Args:
      ckpt_dir_or_file: the path of a checkpoint, without `.index`, or of a folder with checkpoints.
      name: the name of the variable; a trailing `:0` is removed.

    Raises:
      ValueError, NotFoundError, DataLossError, UnimplementedError: see `load_checkpoint`.

    https://www.tensorflow.org/api_docs/python/tf/train/load_variable
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file) -> list[tuple[str, list[int]]]:
    """List the names and shapes of a checkpoint's variables, sorted by name.

    Args:
      ckpt_dir_or_file: the path of a checkpoint, without `.index`, or of a folder with checkpoints.

    Raises:
      ValueError, NotFoundError, DataLossError, UnimplementedError: see `load_checkpoint`.

    https://www.tensorflow.org/api_docs/python/tf/train/list_variables
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def _as_text(name) -> str:
    return name.decode(errors="surrogateescape") if isinstance(name, bytes) else name


def _as_dtype(dtype: np.dtype) -> DType:
    return DType("string" if dtype.hasobject else dtype.name)
