"""Replace a file as a whole: even if the process ends at any moment, the file is either the old or the new file."""

from __future__ import annotations

import contextlib
import os
import pathlib
import stat
from collections.abc import Iterator
from typing import BinaryIO

_UNFINISHED = ".tf2jax-new"


class ChangedMeanwhileError(Exception):
    """The error for a file that was changed by something else after it was read."""


def write_whole(path: pathlib.Path, data: bytes, expected: bytes | None = None) -> None:
    """Write data to a file that is replaced as a whole; see `replaced`."""
    with replaced(path, expected) as file:
        file.write(data)


@contextlib.contextmanager
def replaced(path: pathlib.Path, expected: bytes | None = None) -> Iterator[BinaryIO]:
    """Open a file beside another one, which it replaces at the end of the block.

    A link stays, and the file that it names is replaced. If the block raises an error, nothing is replaced.

    Args:
      path: the file; it may exist.
      expected: the content that it must still have at the end; `None` for any.

    Raises:
      ChangedMeanwhileError: it has another content.
      OSError: it cannot be written.
    """
    path = path.resolve() if path.is_symlink() else path
    status = path.stat() if path.exists() else None
    if status is not None and not stat.S_ISREG(status.st_mode):
        with path.open("wb") as file:  # a device or a pipe cannot be replaced
            yield file
        return
    if status is not None and not os.access(path, os.W_OK):
        raise PermissionError(13, "Permission denied", str(path))
    remove_leftovers(path.parent, path.name)
    beside = path.parent / unfinished(path.name)
    try:
        with beside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if status is not None:
            with contextlib.suppress(PermissionError):
                os.chown(beside, status.st_uid, status.st_gid)
            beside.chmod(stat.S_IMODE(status.st_mode))
        if expected is not None and path.read_bytes() != expected:
            raise ChangedMeanwhileError
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def unfinished(name: str) -> str:
    """Return the name of the temporary file of this process that is to replace a file."""
    return f".{name}.{os.getpid()}{_UNFINISHED}"


def remove_leftovers(folder: pathlib.Path | int, name: str) -> None:
    """Remove the temporary files of earlier runs that were killed while writing a file.

    Args:
      folder: the folder of the file, or its descriptor.
      name: the name of the file in that folder.
    """
    start = f".{name}."
    with os.scandir(folder) as entries:
        names = [
            e.name for e in entries if e.name.startswith(start) and e.name.endswith(_UNFINISHED)
        ]
    for left in names:
        number = left.removeprefix(start).removesuffix(_UNFINISHED)
        if number.isdigit() and not _is_running(int(number)):
            with contextlib.suppress(FileNotFoundError):
                if isinstance(folder, int):
                    os.unlink(left, dir_fd=folder)
                else:
                    (folder / left).unlink()


def _is_running(process: int) -> bool:
    """Return whether another process with this id is running."""
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
