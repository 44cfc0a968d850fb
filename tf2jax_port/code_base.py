"""The files of a code base: which there are, and what becomes of each, in order, one at a time."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterable, Iterator

from tf2jax_port.rewrite.findings import LedgerError
from tf2jax_port.rewrite.ledger import Entry, Skipped
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.plan import rewrite
from tf2jax_port.rewrite.source import UnreadableError

# Folders that hold other people's code, or none.
_PASSED_OVER = ("__pycache__", "node_modules", "site-packages")

# Whether a path below a named folder is left out: `(path, folder that was named, is it a folder)`.
Excludes = Callable[[pathlib.Path, pathlib.Path, bool], bool]


class OutsideError(Exception):
    """A symbolic link leads out of the folder that was named."""


def excludes_nothing(path: pathlib.Path, root: pathlib.Path, is_folder: bool) -> bool:
    """The answer where nobody excludes anything."""
    return False


def find_files(
    paths: Iterable[str], excludes: Excludes = excludes_nothing
) -> Iterator[tuple[pathlib.Path, pathlib.Path]]:
    """`(file, folder that was named)` for each Python file, once; a named file stands for itself.

    Args:
      paths: files and folders.
      excludes: what is left out below the folders.
    """
    seen: set[pathlib.Path] = set()
    for name in paths:
        path = pathlib.Path(name)
        found = _below(path, excludes) if path.is_dir() else iter((path,))
        root = path if path.is_dir() else path.parent
        for file in found:
            if file not in seen:
                seen.add(file)
                yield file, root


def _below(root: pathlib.Path, excludes: Excludes) -> Iterator[pathlib.Path]:
    for name, folders, files in os.walk(root):
        folder = pathlib.Path(name)
        walked = (f for f in folders if _is_walked(folder / f))
        folders[:] = sorted(f for f in walked if not excludes(folder / f, root, True))
        for file in sorted(files):
            if file.endswith(".py") and not excludes(folder / file, root, False):
                yield folder / file


def _is_walked(folder: pathlib.Path) -> bool:
    """Neither hidden, nor a link, nor an environment of installed packages."""
    if folder.name.startswith(".") or folder.name in _PASSED_OVER or folder.is_symlink():
        return False
    return not (folder / "pyvenv.cfg").exists()


def run_over(
    files: Iterable[tuple[pathlib.Path, pathlib.Path]], options: Options, *, texts: bool = True
) -> Iterator[Entry | Skipped]:
    """What would become of each file, in the order of `files`; nothing is written.

    Args:
      files: `(file, folder that was named)`, as `find_files` gives them.
      options: what was asked for.
      texts: entries hold the text before and after. Without, they are small.
    """
    for path, root in files:
        result = _run_one(path, root, options)
        yield result if texts or isinstance(result, Skipped) else result.without_texts()


def _run_one(path: pathlib.Path, root: pathlib.Path, options: Options) -> Entry | Skipped:
    try:
        before = _real_file(path, root).read_bytes()
        outcome = rewrite(before, options, is_package=path.name == "__init__.py")
        return Entry(str(path), before, outcome)
    except UnreadableError as error:
        return Skipped(str(path), error.code, error.reason)
    except LedgerError as error:
        return Skipped(str(path), "TJ905", str(error))
    except OutsideError as error:
        return Skipped(str(path), "TJ906", str(error))
    except OSError as error:
        return Skipped(str(path), "TJ907", error.strerror or str(error))


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
