"""Name, find and remove the files of a checkpoint."""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Iterable

_DIGITS = "[0-9]" * 5


class SaverDef:
    """The numbers of TensorFlow's two checkpoint formats (`tf.train.SaverDef`).

    Differs from TensorFlow:
      Only these constants are provided.
    """

    __module__ = "shims.compat.v1.train"

    LEGACY = 0
    V1 = 1
    V2 = 2


def index_path(prefix: str) -> str:
    """Return the path of the index file."""
    return prefix + ".index"


def data_path(prefix: str, shard: int, shards: int) -> str:
    """Return the path of the data file with index `shard`, of `shards` data files."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


def data_paths(prefix: str) -> list[str]:
    """List all existing data files of a checkpoint, for any number of shards."""
    return sorted(glob.glob(f"{glob.escape(prefix)}.data-{_DIGITS}-of-{_DIGITS}"))


def checkpoint_exists(checkpoint_prefix) -> bool:
    """Return whether a checkpoint exists.

    Args:
      checkpoint_prefix: the path of the checkpoint, without `.index`.

    Differs from TensorFlow:
      The path is not a pattern: `*` and `[` are literal.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/checkpoint_exists
    """
    return _existing_marker(os.fspath(checkpoint_prefix)) is not None


def get_checkpoint_mtimes(checkpoint_prefixes: Iterable) -> list[float]:
    """Return the write times of checkpoints in Unix seconds, skipping those that do not exist.

    Args:
      checkpoint_prefixes: paths of checkpoints, without `.index`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/get_checkpoint_mtimes
    """
    markers = (_existing_marker(os.fspath(prefix)) for prefix in checkpoint_prefixes)
    times = []
    for marker in markers:
        with contextlib.suppress(FileNotFoundError):  # it may be removed meanwhile
            times += [] if marker is None else [os.stat(marker).st_mtime]
    return times


def remove_checkpoint(
    checkpoint_prefix, checkpoint_format_version: int = SaverDef.V2, meta_graph_suffix="meta"
) -> None:
    """Remove the existing files of a checkpoint.

    Args:
      checkpoint_prefix: the path of the checkpoint, without `.index`.
      checkpoint_format_version: `SaverDef.V1` for the single-file format without a suffix.
      meta_graph_suffix: the suffix of the graph file.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/remove_checkpoint
    """
    prefix = os.fspath(checkpoint_prefix)
    paths = [meta_graph_path(prefix, meta_graph_suffix)]
    if checkpoint_format_version == SaverDef.V2:
        paths += [index_path(prefix), *data_paths(prefix)]
    else:
        paths.append(prefix)
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)


def meta_graph_path(prefix: str, suffix: str) -> str:
    """Return the path of the graph file that TensorFlow writes together with a checkpoint."""
    return re.sub(r"-[\d?]+-of-\d+$", "", prefix) + f".{suffix}"


def _existing_marker(prefix: str) -> str | None:
    """Return the path of the index file, or of the V1 file, that exists; `None` if neither does."""
    return next((p for p in (index_path(prefix), prefix) if os.path.exists(p)), None)
