"""Files of a checkpoint put in the place of older ones, so that one of the two is always readable.

A reader goes from the index to the data, and two files cannot be renamed at once. So where there is
data of that name already, the new data first gets a name that the old index does not know (it names
the number of files), an index that knows it replaces the old one, and only then is the old data
replaced. Whenever this is interrupted, the index that is there names data that belongs to it.
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
    """The file to write the data of a checkpoint to, and a function that then makes it valid.

    That function takes another, which gives the bytes of the index for data in so many files, all
    of which is in the first of them. Without a call of it nothing changes.

    Args:
      prefix: the path of the checkpoint, without `.index`; its folder is made, as TensorFlow does.

    Raises:
      NotFoundError: the folder cannot be made, because the one around it is not there.
    """
    data = data_path(prefix, 0, 1)
    with contextlib.suppress(OSError):  # what is wrong is said when the file is opened
        os.mkdir(os.path.dirname(prefix))
    with _beside(data) as (file, temporary):

        def commit(index: Callable[[int], bytes]) -> None:
            _finish(file)
            if os.path.exists(data):
                shards, aside = _unused_name(prefix)
                os.replace(temporary, aside)
                replace_file(index_path(prefix), index(shards))
                _give_name(aside, data)
            else:
                os.replace(temporary, data)
            replace_file(index_path(prefix), index(1))
            for path in data_paths(prefix):
                if path != data:
                    os.remove(path)

        yield file, commit


def replace_file(path: str, data: bytes) -> None:
    """Writes a file beside its place, and puts it there.

    Raises:
      NotFoundError: there is no such folder.
    """
    with _beside(path) as (file, temporary):
        file.write(data)
        _finish(file)
        os.replace(temporary, path)


@contextlib.contextmanager
def _beside(path: str) -> Iterator[tuple[BinaryIO, str]]:
    """A new file beside `path`, and its path; it is removed if it is still there at the end."""
    temporary = _temporary_path(path)
    try:
        file = open(temporary, "xb")  # noqa: SIM115, closed by `_finish` or below
    except FileNotFoundError:
        folder = os.path.dirname(path)
        raise errors.NotFoundError(f"{folder}; No such file or directory") from None
    try:
        with file:
            yield file, temporary
    finally:
        _remove(temporary)


def _finish(file: BinaryIO) -> None:
    """Closes a file whose bytes are on the disk then, so that no name points to less."""
    file.flush()
    os.fsync(file.fileno())
    file.close()


def _unused_name(prefix: str) -> tuple[int, str]:
    """A number of files that no index here speaks of, and the name of the first of so many."""
    present, shards = data_paths(prefix), 2
    while any(path.endswith(f"-of-{shards:05d}") for path in present):
        shards += 1
    return shards, data_path(prefix, 0, shards)


def _give_name(source: str, target: str) -> None:
    """Gives a file a second name, or copies it where the file system has no such thing."""
    between = _temporary_path(target)
    try:
        try:
            os.link(source, between)
        except OSError:
            shutil.copyfile(source, between)
        os.replace(between, target)
    finally:
        _remove(between)


def _temporary_path(path: str) -> str:
    return f"{path}.tempstate{secrets.token_hex(8)}"


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.remove(path)
