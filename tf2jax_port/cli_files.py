"""Files of the command line: what becomes of them, and writing them whole or not at all."""

from __future__ import annotations

import os
import pathlib
import stat
import tempfile
from collections.abc import Iterable

from tf2jax_port import code_base
from tf2jax_port.rewrite.ledger import Entry, Ledger, collect
from tf2jax_port.rewrite.options import Options


def run_over(paths: Iterable[str], options: Options, *, texts: bool = True) -> Ledger:
    """What would become of the files that are named; see `code_base.run_over`."""
    files = code_base.find_files(paths)
    return collect(code_base.run_over(files, options, texts=texts), options.target)


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
