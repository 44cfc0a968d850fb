"""Find the files of a code base and rewrite single files."""

from __future__ import annotations

import os
import pathlib
import stat
import traceback
from collections.abc import Iterable, Iterator

from tf2jax_port.messages.near_path import hint
from tf2jax_port.paths.exclusion import Below, Exclusion
from tf2jax_port.rewrite.findings.findings import LedgerError
from tf2jax_port.rewrite.findings.ledger import Entry, Skipped
from tf2jax_port.rewrite.notebooks.notebook import rewrite_notebook
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.plan import rewrite
from tf2jax_port.rewrite.reading.neighbors import ALONE, Neighbors
from tf2jax_port.rewrite.reading.source import UnreadableError

# In bytes. Larger files are generated; parsing one takes gigabytes of memory.
LARGEST = 4_000_000
LARGEST_NOTEBOOK = 64_000_000  # most of a large notebook is image output


class OutsideError(Exception):
    """The error for a symbolic link that leads out of the folder that was named."""


def find_files(
    paths: Iterable[str], exclusion: Exclusion | None = None
) -> Iterator[tuple[pathlib.Path, pathlib.Path]]:
    """Yield each Python file once, with the named folder that contains it.

    A file that is named itself comes with its parent folder.

    Args:
      paths: files and folders.
      exclusion: which files are skipped; `None` for the default.
    """
    exclusion = exclusion or Exclusion.usual()
    seen: set[pathlib.Path] = set()
    for name in paths:
        path = pathlib.Path(name)
        root = path if path.is_dir() else path.parent
        for file in _below(path, exclusion.below(path)) if path.is_dir() else (path,):
            if file not in seen and (file != path or not exclusion.has_named(file)):
                seen.add(file)
                yield file, root


def _below(root: pathlib.Path, asked: Below) -> Iterator[pathlib.Path]:
    locked: list[OSError] = []
    for name, folders, files in os.walk(root, onerror=locked.append):
        folder = pathlib.Path(name)
        asked.enter(folder)
        walked = (f for f in sorted(folders) if _is_walked(folder / f))
        folders[:] = [f for f in walked if not asked.passes_over(folder / f, is_folder=True)]
        for file in sorted(files):
            path = folder / file
            if file.endswith((".py", ".ipynb")) and not asked.passes_over(path, is_folder=False):
                yield path
    # Reading these fails with a reason, so that no folder is skipped silently.
    yield from (pathlib.Path(error.filename) for error in locked)


def _is_walked(folder: pathlib.Path) -> bool:
    """Return whether to search a folder: it is neither a link nor a virtual environment."""
    return not folder.is_symlink() and not (folder / "pyvenv.cfg").exists()


def run_one(
    path: pathlib.Path,
    root: pathlib.Path,
    options: Options,
    texts: bool = True,
    raw: bytes | None = None,
    neighbors: Neighbors = ALONE,
) -> Entry | Skipped:
    """Rewrite one file in memory; return the result, or the reason why the file is skipped.

    Args:
      path: the file.
      root: the folder that was named.
      options: the options of the rewriter.
      texts: whether the new text is needed; it is then parsed again for verification.
      raw: its content if known; the file need not exist then.
      neighbors: the other modules of its project.
    """
    is_package = path.name == "__init__.py"
    try:
        before = _read(_real_file(path, root)) if raw is None else raw
        asked = options.for_file(path)
        if path.suffix == ".ipynb":
            outcome = rewrite_notebook(before, asked, verify=texts, neighbors=neighbors)
        else:
            outcome = rewrite(
                before, asked, is_package=is_package, verify=texts, neighbors=neighbors
            )
        return Entry(str(path), before, outcome, target=options.target, root=str(root))
    except UnreadableError as error:
        return Skipped(str(path), error.code, error.reason)
    except LedgerError as error:
        return Skipped(str(path), "TJ905", str(error))
    except OutsideError as error:
        return Skipped(str(path), "TJ906", str(error))
    except OSError as error:
        return Skipped(str(path), "TJ907", f"{error.strerror or error}{hint(str(path))}")
    except RecursionError:
        return Skipped(str(path), "TJ903", "expressions are nested too deeply")
    except Exception as error:  # noqa: BLE001, one file must not end a run over thousands
        return Skipped(str(path), "TJ905", _fault(error))


def _read(path: pathlib.Path) -> bytes:
    """Return the content of a file; raise an error if it is not a regular file or too large."""
    status = path.stat()
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableError("TJ907", "the folder cannot be read")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableError("TJ907", "the path is a pipe or a device, not a file")
    largest = LARGEST_NOTEBOOK if path.suffix == ".ipynb" else LARGEST
    if status.st_size > largest:
        raise UnreadableError(
            "TJ908",
            f"the file has {status.st_size:,} bytes, but at most {largest:,} bytes are read",
        )
    return path.read_bytes()


def _fault(error: Exception) -> str:
    """Describe an internal error of the rewriter and where it was raised."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(place.filename)}:{place.lineno}"
    return f"this is an error in tf2jax-port: {type(error).__name__} at {where}: {error}"


def _real_file(path: pathlib.Path, root: pathlib.Path) -> pathlib.Path:
    """Resolve the links of a path; they may not lead out of `root`.

    Raises:
      OutsideError: it is a link to a file outside.
    """
    if not path.is_symlink():
        return path
    real = pathlib.Path(os.path.realpath(path, strict=True))  # a cycle of links is an OSError
    if not real.is_relative_to(root.resolve()):
        raise OutsideError(f"the path is a link to {real}, outside of {root}")
    return real
