"""Provide files on the host: whole files, names, folders, and `tf.io.gfile`."""

from __future__ import annotations

import contextlib
import glob as _glob
import os
import shutil
from collections.abc import Iterator
from typing import Any

import numpy as np

from shims._src.data.files import path_text, paths_of
from shims._src.errors import errors
from shims._src.types.host_tensor import HostTensor, host


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    """Raise the errors of the file system as TensorFlow's."""
    try:
        yield
    except FileNotFoundError as error:
        raise errors.NotFoundError(f"{error.filename}; No such file or directory") from None
    except FileExistsError as error:
        raise errors.AlreadyExistsError(f"{error.filename}; file already exists") from None
    except PermissionError as error:
        raise errors.PermissionDeniedError(f"{error.filename}; Permission denied") from None
    except OSError as error:
        raise errors.FailedPreconditionError(f"{error.filename}; {error.strerror}") from None


def read_file(filename, name=None) -> HostTensor:
    """Return the contents of a file as a scalar string.

    https://www.tensorflow.org/api_docs/python/tf/io/read_file
    """
    del name
    with _translated(), open(path_text(filename), "rb") as file:
        return host(file.read())


def write_file(filename, contents, name=None) -> None:
    """Write a scalar string to a file; missing folders are made.

    https://www.tensorflow.org/api_docs/python/tf/io/write_file
    """
    del name
    path = path_text(filename)
    with _translated():
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(host(contents).numpy())


def matching_files(pattern, name=None) -> HostTensor:
    """Return the names of the files that match a pattern or several patterns, in order.

    https://www.tensorflow.org/api_docs/python/tf/io/matching_files
    """
    del name
    found = sorted({f for each in paths_of(pattern) for f in _glob.glob(each)})
    out = np.empty(len(found), object)
    out[:] = [os.fsencode(f) for f in found]
    return host(out)


class GFile:
    """A file: a context manager that reads or writes text, or bytes if the mode has a `b`.

    Args:
      name: the path.
      mode: as that of `open`.

    https://www.tensorflow.org/api_docs/python/tf/io/gfile/GFile
    """

    __module__ = "shims.io.gfile"

    def __init__(self, name, mode="r"):
        self.name, self.mode = name, mode
        with _translated():
            self._file: Any = open(path_text(name), mode)  # noqa: SIM115 - `close` closes it

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, kind, error, trace) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)

    def read(self, n=-1) -> Any:
        """Return the next `n` characters or bytes, or all that are left."""
        return self._file.read(n)

    def size(self) -> int:
        """Return the size in bytes."""
        return os.path.getsize(path_text(self.name))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def exists(path) -> bool:
    """Return whether a path exists."""
    return os.path.exists(path_text(path))


def isdir(path) -> bool:
    """Return whether a path is a folder."""
    return os.path.isdir(path_text(path))


def listdir(path) -> list[str]:
    """Return the names in a folder."""
    with _translated():
        return os.listdir(path_text(path))


def glob(pattern) -> list[str]:
    """Return the paths that match a pattern or several patterns."""
    return [f for each in paths_of(pattern) for f in _glob.glob(each)]


def mkdir(path) -> None:
    """Make a folder."""
    with _translated():
        os.mkdir(path_text(path))


def makedirs(path) -> None:
    """Make a folder and those above it."""
    with _translated():
        os.makedirs(path_text(path), exist_ok=True)


def remove(path) -> None:
    """Remove a file."""
    with _translated():
        os.remove(path_text(path))


def rmtree(path) -> None:
    """Remove a folder and all that is in it."""
    with _translated():
        shutil.rmtree(path_text(path))


def rename(src, dst, overwrite=False) -> None:
    """Rename a file or folder."""
    source, target = path_text(src), path_text(dst)
    with _translated():
        if not overwrite and os.path.exists(target):
            raise FileExistsError(17, "file already exists", target)
        os.replace(source, target)


def copy(src, dst, overwrite=False) -> None:
    """Copy a file."""
    source, target = path_text(src), path_text(dst)
    with _translated():
        if not overwrite and os.path.exists(target):
            raise FileExistsError(17, "file already exists", target)
        shutil.copyfile(source, target)


def stat(path) -> os.stat_result:
    """Return the size and times of a file."""
    with _translated():
        return os.stat(path_text(path))


def walk(top, topdown=True, onerror=None) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each folder below a folder, with the names of the folders and files in it."""
    return os.walk(path_text(top), topdown, onerror)


def join(path, *paths) -> str:
    """Join the parts of a path."""
    return os.path.join(path_text(path), *map(path_text, paths))


def get_registered_schemes() -> list[str]:
    """Return the kinds of paths that are supported: local ones."""
    return [""]
