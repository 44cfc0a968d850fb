"""Open a checkpoint in either format."""

from __future__ import annotations

import os

from shims._src.checkpoint.bundle_reader import BundleReader
from shims._src.checkpoint.file_names import index_path
from shims._src.checkpoint.first_format import FirstFormatReader
from shims._src.checkpoint.table import is_table
from shims._src.checkpoint.tensor_reader import TensorReader, no_checkpoint
from shims._src.errors import errors


def open_checkpoint(prefix: str) -> TensorReader:
    """Open a checkpoint for reading.

    Args:
      prefix: the path of the checkpoint, without `.index`; the path of the file itself in the V1 format.

    Raises:
      NotFoundError: the checkpoint does not exist.
      DataLossError: the index is damaged, or the file is not a checkpoint.
      UnimplementedError: it was written on a big-endian machine or in a newer format.
    """
    if os.path.isfile(index_path(prefix)):
        return BundleReader(prefix)
    if not os.path.isfile(prefix):
        raise no_checkpoint(prefix)
    with open(prefix, "rb") as file:
        file.seek(max(0, os.path.getsize(prefix) - 48))
        tail = file.read()
    if is_table(tail) and not prefix.endswith(".index"):
        return FirstFormatReader(prefix)
    raise errors.DataLossError(
        errors.message(
            "",
            f"Unable to open table file {prefix}: it is not a checkpoint.",
            required="the path without `.index`, `.meta` and `.data-00000-of-00001`",
            received=prefix,
        )
    )
