"""Replace the files of a checkpoint so that either the old or the new checkpoint is always readable.

A reader goes from the index to the data, and two files cannot be renamed at once. If data of that name
exists, the new data therefore first gets a name that the old index does not use (a name includes the
number of files), an index that refers to it replaces the old index, and only then is the old data
replaced. At any interruption the existing index refers to data that belongs to it.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from typing import BinaryIO

from shims._src.checkpoint.file_names import data_path, data_paths, index_path
from shims._src.errors import errors


@contextlib.contextmanager
def new_bundle(prefix: str) -> Iterator[tuple[BinaryIO, Callable]]:
    """Yield the data file of a new checkpoint to write to, and a function `commit(index)`.

    `index(count)` must return the bytes of the index for `count` data files, of which the first holds
    all data. Unless `commit` is called, nothing changes.

    Args:
      prefix: the path of the checkpoint, without `.index`; its folder is created, as TensorFlow does.

    Raises:
      NotFoundError: the folder cannot be created because its parent does not exist.
    """
    data = data_path(prefix, 0, 1)
    with contextlib.suppress(OSError):  # opening the file reports the error
        os.mkdir(os.path.dirname(prefix))
    with _temporary_file(data) as (file, temporary):

        def commit(index: Callable[[int], bytes]) -> None:
            _sync_and_close(file)
            if os.path.exists(data):
                shards, aside = _unused_name(prefix)
                os.replace(temporary, aside)
                replace_file(index_path(prefix), index(shards))
                _link_or_copy(aside, data)
            else:
                os.replace(temporary, data)
            replace_file(index_path(prefix), index(1))
            for path in data_paths(prefix):
                if path != data:
                    os.remove(path)

        yield file, commit


def replace_file(path: str, data: bytes) -> None:
    """Replace a file atomically.

    Raises:
      NotFoundError: the folder does not exist.
    """
    with _temporary_file(path) as (file, temporary):
        file.write(data)
        _sync_and_close(file)
        os.replace(temporary, path)


@contextlib.contextmanager
def _temporary_file(path: str) -> Iterator[tuple[BinaryIO, str]]:
    """Yield a new temporary file in the folder of `path`, and its path; remove it if still there."""
    temporary = _temporary_path(path)
    try:
        file = open(temporary, "xb")  # noqa: SIM115, closed by `_sync_and_close` or below
    except FileNotFoundError:
        folder = os.path.dirname(path)
        raise errors.NotFoundError(f"{folder}; No such file or directory") from None
    try:
        with file:
            yield file, temporary
    finally:
        _remove_quietly(temporary)


def _sync_and_close(file: BinaryIO) -> None:
    """Write a file through to disk and close it, before any name or index can refer to it."""
    file.flush()
    os.fsync(file.fileno())
    file.close()


def _unused_name(prefix: str) -> tuple[int, str]:
    """Find a shard count that no data file name contains; return it and a path for a data file."""
    present, shards = data_paths(prefix), 2
    while any(path.endswith(f"-of-{shards:05d}") for path in present):
        shards += 1
    return shards, data_path(prefix, 0, shards)


def _link_or_copy(source: str, target: str) -> None:
    """Hard-link a file to a second name, or copy it if the file system has no links."""
    between = _temporary_path(target)
    try:
        try:
            os.link(source, between)
        except OSError:
            shutil.copyfile(source, between)
        os.replace(between, target)
    finally:
        _remove_quietly(between)


def _temporary_path(path: str) -> str:
    return f"{path}.tempstate{secrets.token_hex(8)}"


def _remove_quietly(path: str) -> None:
    with contextlib.suppress(OSError):
        os.remove(path)
