"""Keep outcomes in a file, so that a call is not replayed again unless it, the port or a library has changed."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from tf2jax_port.diff.code_bases.call_file import Call, Calls, fingerprint
from tf2jax_port.diff.code_bases.encoding import nodes_in
from tf2jax_port.diff.code_bases.outcomes import Outcome, Replayed
from tf2jax_port.diff.code_bases.port_files import PortFiles

_LIBRARIES = ("jax", "jaxlib", "keras", "numpy")
_MOST = 100_000  # outcomes in a file


class Kept:
    """The outcomes in a file; a line is appended for each new outcome.

    Args:
      path: the file; `None` to keep nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[tuple[str, str], Replayed] = {}
        self._file: IO[str] | None = None

    def __enter__(self) -> Self:
        if self._path is not None:
            lines = self._path.read_text().splitlines()[-_MOST:] if self._path.exists() else []
            for line in lines:
                with contextlib.suppress(
                    ValueError, KeyError, TypeError
                ):  # a line that was not written whole
                    said = json.loads(line)
                    outcome = Outcome(said.pop("outcome"))
                    place = said.pop("key"), said.pop("lane")
                    self._known[place] = Replayed(outcome, **said)
            self._file = self._path.open("a")
            self._file.write("\n" if lines else "")  # after a line that was not written whole
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def get(self, key: str, lane: str) -> Replayed | None:
        """Return the outcome of a call in a lane, `None` if there is none."""
        return self._known.get((key, lane))

    def add(self, key: str, lane: str, replayed: Replayed) -> None:
        """Keep an outcome."""
        self._known[key, lane] = replayed
        if self._file is not None:
            said: dict[str, Any] = {"key": key, "lane": lane, **replayed._asdict()}
            self._file.write(f"{json.dumps(said)}\n")
            self._file.flush()


def keys(calls: Calls, files: PortFiles) -> list[str]:
    """Return a key for each call, which changes with everything on which its outcome depends."""
    libraries = hashlib.sha256("\n".join(_installed()).encode()).hexdigest()
    digests: dict[tuple[str, ...], str] = {}
    found = []
    for call in calls.calls:
        modules = tuple(sorted(_modules(call)))
        if modules not in digests:
            digests[modules] = files.digest(modules)
        parts = (libraries, digests[modules], fingerprint(call, calls.arrays))
        found.append(hashlib.sha256("\n".join(parts).encode()).hexdigest())
    return found


def _modules(call: Call) -> set[str]:
    """Return the modules of a function, and of the objects that it takes."""
    nodes = [node for argument in call.arguments.values() for node in nodes_in(argument)]
    return {call.module, *(str(node["module"]) for node in nodes if "module" in node)}


def _installed() -> Iterator[str]:
    """Yield the versions of the libraries, and the files of this package."""
    yield sys.version
    for name in _LIBRARIES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            yield f"{name} {metadata.version(name)}"
    for package in ("shims", "tf2jax_port"):
        found = importlib.util.find_spec(package)  # importing `shims` would import JAX
        for folder in found.submodule_search_locations or () if found else ():
            for path in sorted(Path(folder).rglob("*.py")):
                about = path.stat()
                yield f"{path} {about.st_size} {about.st_mtime_ns}"
