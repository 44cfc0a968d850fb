"""Files of the command line: which ones are meant, reading them, and writing them whole or not at all."""

from __future__ import annotations

import os
import pathlib
import stat
import tempfile
from collections.abc import Iterable, Iterator

from tf2jax_port.rewrite.findings import LedgerError
from tf2jax_port.rewrite.ledger import Entry, Ledger, Skipped
from tf2jax_port.rewrite.plan import rewrite
from tf2jax_port.rewrite.sites import TargetName
from tf2jax_port.rewrite.source import UnreadableError

# Folders that hold other people's code, or none.
_PASSED_OVER = ("__pycache__", "node_modules", "site-packages")


class OutsideError(Exception):
    """A symbolic link leads out of the folder that was named."""


def find_files(paths: Iterable[str]) -> Iterator[tuple[pathlib.Path, pathlib.Path]]:
    """`(file, folder that was named)` for each Python file; a named file stands for itself."""
    for name in paths:
        path = pathlib.Path(name)
        if not path.is_dir():
            yield path, path.parent
            continue
        for folder, folders, files in os.walk(path):
            folders[:] = sorted(f for f in folders if _is_walked(pathlib.Path(folder) / f))
            for file in sorted(files):
                if file.endswith(".py"):
                    yield pathlib.Path(folder) / file, path


def _is_walked(folder: pathlib.Path) -> bool:
    """Neither hidden, nor a link, nor an environment of installed packages."""
    if folder.name.startswith(".") or folder.name in _PASSED_OVER or folder.is_symlink():
        return False
    return not (folder / "pyvenv.cfg").exists()


def run_over(paths: Iterable[str], target: TargetName) -> Ledger:
    """Rewrites files in memory.

    Returns:
      What would become of each file, and which were skipped.
    """
    entries, skipped = [], []
    for path, root in find_files(paths):
        try:
            before = _real_file(path, root).read_bytes()
            outcome = rewrite(before, target=target, is_package=path.name == "__init__.py")
            entries.append(Entry(str(path), before, outcome))
        except UnreadableError as error:
            skipped.append(Skipped(str(path), error.code, error.reason))
        except LedgerError as error:
            skipped.append(Skipped(str(path), "TJ905", str(error)))
        except OutsideError as error:
            skipped.append(Skipped(str(path), "TJ906", str(error)))
        except OSError as error:
            skipped.append(Skipped(str(path), "TJ907", error.strerror or str(error)))
    return Ledger(target, tuple(entries), tuple(skipped))


def _real_file(path: pathlib.Path, root: pathlib.Path) -> pathlib.Path:
    """The file behind a path, links followed as long as they stay below `root`.

    Raises:
      OutsideError: it is a link to somewhere else.
    """
    if not path.is_symlink():
        return path
    real = path.resolve()
    if not real.is_relative_to(root.resolve()):
        raise OutsideError(f"the path is a link to {real}, outside of {root}")
    return real


def write_entry(entry: Entry) -> None:
    """Puts the new text of a file in place: whoever reads it sees the old one or the new one.

    Raises:
      OSError: it cannot be written; the old text stands.
    """
    path = (
        pathlib.Path(entry.path).resolve()
        if os.path.islink(entry.path)
        else pathlib.Path(entry.path)
    )
    mode = stat.S_IMODE(path.stat().st_mode)
    if not os.access(path, os.W_OK):
        raise PermissionError(13, "Permission denied", str(path))
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(entry.outcome.data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
