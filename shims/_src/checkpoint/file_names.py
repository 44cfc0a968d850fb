"""How the files of a checkpoint are called, which of them are there, and how they are removed."""

from __future__ import annotations

import contextlib
import glob
import os
import re
from collections.abc import Iterable

_DIGITS = "[0-9]" * 5


class SaverDef:
    """TensorFlow's numbers of the two formats of checkpoints (`tf.train.SaverDef`).

    Differs from TensorFlow:
      It holds these numbers and is nothing else.
    """

    __module__ = "shims.compat.v1.train"

    LEGACY = 0
    V1 = 1
    V2 = 2


def index_path(prefix: str) -> str:
    """The file that says what the checkpoint holds."""
    return prefix + ".index"


def data_path(prefix: str, shard: int, shards: int) -> str:
    """One of the files of data."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


def data_paths(prefix: str) -> list[str]:
    """All files of data that are there, of whatever number of files."""
    return sorted(glob.glob(f"{glob.escape(prefix)}.data-{_DIGITS}-of-{_DIGITS}"))


def checkpoint_exists(checkpoint_prefix) -> bool:
    """Whether there is a checkpoint.

    Args:
      checkpoint_prefix: the path of the checkpoint, without `.index`.

    Differs from TensorFlow:
      The path is no pattern: `*` and `[` stand for themselves.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/checkpoint_exists
    """
    return _marker(os.fspath(checkpoint_prefix)) is not None


def get_checkpoint_mtimes(checkpoint_prefixes: Iterable) -> list[float]:
    """When checkpoints were written, in seconds since 1970; those that are not there are left out.

    Args:
      checkpoint_prefixes: paths of checkpoints, without `.index`.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/get_checkpoint_mtimes
    """
    markers = (_marker(os.fspath(prefix)) for prefix in checkpoint_prefixes)
    times = []
    for marker in markers:
        with contextlib.suppress(FileNotFoundError):  # somebody may remove it meanwhile
            times += [] if marker is None else [os.stat(marker).st_mtime]
    return times


def remove_checkpoint(
    checkpoint_prefix, checkpoint_format_version: int = SaverDef.V2, meta_graph_suffix="meta"
) -> None:
    """Remove the files of a checkpoint, those that are there.

    Args:
      checkpoint_prefix: the path of the checkpoint, without `.index`.
      checkpoint_format_version: `SaverDef.V1` for the format of one file without a suffix.
      meta_graph_suffix: what the name of the file of the graph ends in.

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
    """The file of the graph, which TensorFlow writes beside a checkpoint."""
    return re.sub(r"-[\d?]+-of-\d+$", "", prefix) + f".{suffix}"


def _marker(prefix: str) -> str | None:
    """The file that is there if the checkpoint is."""
    return next((p for p in (index_path(prefix), prefix) if os.path.exists(p)), None)
