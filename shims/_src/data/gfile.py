"""Provide `tf.io.gfile`, and `tf.gfile` of TensorFlow 1, for local files, with TensorFlow's errors."""

from __future__ import annotations

import contextlib
import glob as _glob
import os
import shutil
from collections.abc import Iterator

import numpy as np

from shims._src.errors import errors

__all__ = [
    "Copy",
    "DeleteRecursively",
    "Exists",
    "FastGFile",
    "GFile",
    "Glob",
    "IsDirectory",
    "ListDirectory",
    "MakeDirs",
    "MkDir",
    "Open",
    "Remove",
    "Rename",
    "Stat",
    "Walk",
    "copy",
    "exists",
    "get_registered_schemes",
    "glob",
    "isdir",
    "join",
    "listdir",
    "makedirs",
    "mkdir",
    "remove",
    "rename",
    "rmtree",
    "stat",
    "walk",
]


@contextlib.contextmanager
def tensorflow_errors(path) -> Iterator[None]:
    """Convert file system errors of a `with` block to TensorFlow's errors."""
    try:
        yield
    except FileNotFoundError as error:
        raise errors.NotFoundError(f"{path}; No such file or directory") from error
    except FileExistsError as error:
        raise errors.AlreadyExistsError(f"{path}; File exists") from error
    except PermissionError as error:
        raise errors.PermissionDeniedError(f"{path}; Permission denied") from error
    except (IsADirectoryError, NotADirectoryError, OSError) as error:
        raise errors.FailedPreconditionError(f"{path}; {error.strerror}") from error


def path_text(path) -> str:
    """Return a path, which may be a scalar string tensor, as text."""
    return os.fsdecode(path.item() if isinstance(path, (np.ndarray, np.generic)) else path)


def _local_path(path) -> str:
    path = path_text(path)
    if "://" in path:
        scheme, _, rest = path.partition("://")
        if scheme != "file":
            raise errors.UnimplementedError(
                errors.message(
                    "tf.gfile",
                    f"File system scheme '{scheme}' not implemented.",
                    received=path,
                    do="copy the files to this machine, or read them with `fsspec`",
                )
            )
        return rest
    return path


class GFile:
    """A file that is opened when it is first read or written.

    Args:
      name: the path.
      mode: `r`, `rb`, `w`, `wb`, `a`, `ab`, and these with `+`.

    Raises:
      NotFoundError, PermissionDeniedError: at the first use.

    Differs from TensorFlow:
      Only local files are supported.

    https://www.tensorflow.org/api_docs/python/tf/io/gfile/GFile
    """

    __module__ = "shims.compat.v1.gfile"

    def __init__(self, name, mode="r"):
        self._name, self._mode = name, mode
        self._file = None

    def _opened(self):
        if self._file is None:
            kwargs = {} if "b" in self._mode else {"encoding": "utf-8", "newline": ""}
            with tensorflow_errors(self._name):
                self._file = open(_local_path(self._name), self._mode, **kwargs)  # noqa: SIM115
        return self._file

    @property
    def name(self):
        """The path of the file."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode of the file."""
        return self._mode

    def size(self) -> int:
        """Return the size of the file in bytes."""
        return stat(self._name).st_size

    def read(self, n=-1):
        """Read the next `n` characters or bytes; the rest of the file if `n` is negative."""
        return self._opened().read(n)

    def readline(self):
        """Read the next line, without carriage returns; return an empty line at the end of the file."""
        line = self._opened().readline()
        return line.replace(b"\r", b"") if isinstance(line, bytes) else line.replace("\r", "")

    def readlines(self) -> list:
        """Read the remaining lines."""
        return list(self)

    def write(self, file_content) -> None:
        """Write text, or bytes in a binary mode."""
        if "b" in self._mode and isinstance(file_content, str):
            file_content = file_content.encode()
        elif "b" not in self._mode and isinstance(file_content, bytes):
            file_content = file_content.decode()
        self._opened().write(file_content)

    def seek(self, offset=None, whence=0, position=None) -> None:
        """Move to a position in the file."""
        self._opened().seek(position if offset is None else offset, whence)

    def tell(self) -> int:
        """Return the current position."""
        return self._opened().tell()

    def seekable(self) -> bool:
        """Return `True`."""
        return True

    def flush(self) -> None:
        """Flush the buffer to disk."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def next(self):
        """Read the next line; raise `StopIteration` at the end of the file."""
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    __next__ = next

    def __iter__(self):
        return self

    def __del__(self):
        self.close()

    def __enter__(self):
        if self._mode[0] in "wa":
            self._opened()
        return self

    def __exit__(self, *error) -> None:
        self.close()


Open = FastGFile = GFile


def exists(path) -> bool:
    """Return whether a file or folder exists."""
    return os.path.exists(_local_path(path))


def isdir(path) -> bool:
    """Return whether a path is a folder."""
    return os.path.isdir(_local_path(path))


def listdir(path) -> list[str]:
    """List the names in a folder."""
    with tensorflow_errors(path):
        return os.listdir(_local_path(path))


def makedirs(path) -> None:
    """Create a folder and its missing parents."""
    with tensorflow_errors(path):
        os.makedirs(_local_path(path), exist_ok=True)


def mkdir(path) -> None:
    """Create a folder unless it exists."""
    with tensorflow_errors(path), contextlib.suppress(FileExistsError):
        os.mkdir(_local_path(path))


def remove(path) -> None:
    """Remove a file."""
    with tensorflow_errors(path):
        os.remove(_local_path(path))


def rmtree(path) -> None:
    """Remove a folder and its contents."""
    with tensorflow_errors(path):
        shutil.rmtree(_local_path(path))


def rename(src, dst, overwrite=False) -> None:
    """Rename a file."""
    _check_free(dst, overwrite)
    with tensorflow_errors(src):
        os.replace(_local_path(src), _local_path(dst))


def copy(src, dst, overwrite=False) -> None:
    """Copy a file."""
    _check_free(dst, overwrite)
    with tensorflow_errors(src):
        shutil.copyfile(_local_path(src), _local_path(dst))


def _check_free(path, overwrite: bool) -> None:
    if not overwrite and exists(path):
        raise errors.AlreadyExistsError(f"file already exists: {path}")


def glob(pattern) -> list[str]:
    """Return the paths that match a pattern, or one of several patterns."""
    patterns = [pattern] if isinstance(pattern, (str, bytes, os.PathLike, np.generic)) else pattern
    return [path for p in patterns for path in sorted(_glob.glob(_local_path(p)))]


def stat(path):
    """Return the statistics of a file: `length`, `mtime_nsec`, `is_directory`."""
    with tensorflow_errors(path):
        return FileStatistics(os.stat(_local_path(path)))


class FileStatistics:
    """Statistics of a file: size, modification time, and whether it is a folder."""

    def __init__(self, found: os.stat_result):
        self.length = self.st_size = found.st_size
        self.mtime_nsec = found.st_mtime_ns
        self.is_directory = os.path.stat.S_ISDIR(found.st_mode)  # type: ignore[attr-defined]


def walk(top, topdown=True, onerror=None):
    """Walk a folder tree; yield `(folder, subfolders, files)` for each folder."""
    return os.walk(_local_path(top), topdown=topdown, onerror=onerror)


def join(path, *paths) -> str:
    """Join the parts of a path."""
    return os.path.join(_local_path(path), *(path_text(p) for p in paths))


def get_registered_schemes() -> list[str]:
    """Return the supported path schemes."""
    return ["", "file"]


def Walk(top, in_order=True):
    """Walk a folder tree; yield `(folder, subfolders, files)` for each folder."""
    return walk(top, topdown=in_order)


def ListDirectory(dirname) -> list[str]:
    """List the names in a folder."""
    return listdir(dirname)


def Copy(oldpath, newpath, overwrite=False) -> None:
    """Copy a file."""
    copy(oldpath, newpath, overwrite)


def Rename(oldname, newname, overwrite=False) -> None:
    """Rename a file."""
    rename(oldname, newname, overwrite)


Exists = exists
IsDirectory = isdir
MakeDirs = makedirs
MkDir = mkdir
Remove = remove
DeleteRecursively = rmtree
Glob = glob
Stat = stat
