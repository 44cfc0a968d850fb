"""TensorFlow's functions that look into a checkpoint."""

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
    """The tensors of a checkpoint, by name.

    Args:
      filepattern: the path of the checkpoint, without `.index`.

    Raises:
      NotFoundError: there is no such checkpoint.
      DataLossError: its index is damaged.
      UnimplementedError: it was written on a big-endian machine, or in a later format.

    Differs from TensorFlow:
      Damage is `DataLossError`, which TensorFlow's own reader reports as an `OpError` of no kind.
    """

    __module__ = "shims.compat.v1.train"

    def __init__(self, filepattern):
        self._bundle = open_checkpoint(os.fsdecode(filepattern))

    def has_tensor(self, tensor_str) -> bool:
        """Whether there is a tensor of a name."""
        return _text(tensor_str) in self._bundle

    def get_tensor(self, tensor_str) -> Any:
        """The value of a tensor.

        Args:
          tensor_str: its name, without `:0`.

        Returns:
          An array of NumPy, or a number for a scalar; `bytes` for strings.

        Raises:
          NotFoundError: there is no tensor of this name, or no file with its data.
          DataLossError: its data is damaged.
          UnimplementedError: NumPy has no arrays of its dtype.
        """
        return self._bundle.read(_text(tensor_str))[()]

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shape of each tensor, by name; of a partitioned variable that of the whole."""
        return {name: list(self._bundle.entry(name).shape) for name in self._bundle.names}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """The dtype of each tensor, by name; quantized ones are the integers behind them.

        Raises:
          UnimplementedError: NumPy has no arrays of one of them.
        """
        names = self._bundle.names
        return {name: _dtype(dtype_of(name, self._bundle.entry(name))) for name in names}

    def debug_string(self) -> bytes:
        """A line for each array in the files: its name, dtype and shape."""
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
    """The tensors of a checkpoint, by name; see `CheckpointReader`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/NewCheckpointReader
    """
    return CheckpointReader(filepattern)


def load_checkpoint(ckpt_dir_or_file) -> CheckpointReader:
    """The tensors of a checkpoint, or of the newest one of a folder.

    Args:
      ckpt_dir_or_file: the path of a checkpoint, without `.index`, or of a folder.

    Raises:
      ValueError: it is a folder without a file `checkpoint` that names one.
      NotFoundError, DataLossError, UnimplementedError: see `CheckpointReader`.

    https://www.tensorflow.org/api_docs/python/tf/train/load_checkpoint
    """
    return CheckpointReader(checkpoint_path(ckpt_dir_or_file))


def checkpoint_path(ckpt_dir_or_file) -> str:
    """The path of a checkpoint, or of the newest one of a folder.

    Raises:
      ValueError: it is a folder without a file `checkpoint` that names one.
    """
    path = os.fspath(ckpt_dir_or_file)
    found = latest_checkpoint(path) if os.path.isdir(path) else path
    if found is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
    return found


def load_variable(ckpt_dir_or_file, name: str) -> Any:
    """The value of one variable of a checkpoint.

    Args:
      ckpt_dir_or_file: the path of a checkpoint, without `.index`, or of a folder.
      name: of the variable; a `:0` at its end is taken away.

    Raises:
      ValueError, NotFoundError, DataLossError, UnimplementedError: see `load_checkpoint`.

    https://www.tensorflow.org/api_docs/python/tf/train/load_variable
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file) -> list[tuple[str, list[int]]]:
    """The names and shapes of a checkpoint's variables, sorted by name.

    Args:
      ckpt_dir_or_file: the path of a checkpoint, without `.index`, or of a folder.

    Raises:
      ValueError, NotFoundError, DataLossError, UnimplementedError: see `load_checkpoint`.

    https://www.tensorflow.org/api_docs/python/tf/train/list_variables
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def _text(name) -> str:
    return name.decode(errors="surrogateescape") if isinstance(name, bytes) else name


def _dtype(dtype: np.dtype) -> DType:
    return DType("string" if dtype.hasobject else dtype.name)
