"""Replace a file below a folder, and never a file outside of it, whatever other programs do to links meanwhile."""

from __future__ import annotations

import contextlib
import os
import pathlib
import stat
from collections.abc import Iterator

from tf2jax_port.paths.whole_files import (
    ChangedMeanwhileError,
    remove_leftovers,
    unfinished,
    write_whole,
)

# Not on Windows.
_CAN_OPEN_BELOW = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


def write_below(root: pathlib.Path, path: pathlib.Path, data: bytes, expected: bytes) -> None:
    """Replace a file as a whole, as `whole_files.replaced` does.

    Every folder on the way is opened in the one before it, and may not be a link.

    Args:
      root: the folder that may be written.
      path: the file, or a link to one in that folder; a link stays.
      data: the new content.
      expected: the content that it must still have.

    Raises:
      ChangedMeanwhileError: it has another content, or is a link that leads out of `root`.
      OSError: it cannot be written.
    """
    real_root, real = pathlib.Path(os.path.realpath(root)), os.path.realpath(path, strict=True)
    if not pathlib.Path(real).is_relative_to(real_root):
        raise ChangedMeanwhileError
    if not _CAN_OPEN_BELOW:
        write_whole(pathlib.Path(real), data, expected)
        return
    *folders, name = pathlib.Path(real).relative_to(real_root).parts
    with _opened(real_root, folders) as folder:
        _replace(folder, name, data, expected)


@contextlib.contextmanager
def _opened(root: pathlib.Path, names: list[str]) -> Iterator[int]:
    """Open a block with the descriptor of a folder below `root`; no name may be that of a link."""
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for name in names:
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
            inner = os.open(name, flags, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def _replace(folder: int, name: str, data: bytes, expected: bytes) -> None:
    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode):
        raise ChangedMeanwhileError
    if not os.access(name, os.W_OK, dir_fd=folder):
        raise PermissionError(13, "Permission denied", name)
    remove_leftovers(folder, name)
    beside = unfinished(name)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    try:
        with open(os.open(beside, flags, dir_fd=folder), "wb") as file:
            file.write(data)
            file.flush()
            with contextlib.suppress(PermissionError):
                os.chown(file.fileno(), status.st_uid, status.st_gid)
            os.chmod(file.fileno(), stat.S_IMODE(status.st_mode))
            os.fsync(file.fileno())
        if _content(folder, name) != expected:
            raise ChangedMeanwhileError
        os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside, dir_fd=folder)


def _content(folder: int, name: str) -> bytes:
    with open(os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder), "rb") as file:
        return file.read()
