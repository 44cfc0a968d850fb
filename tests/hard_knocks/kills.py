"""Programs that write one file again and again, in two versions, until they are killed."""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

SIZE = 200_000
# Two versions of what a file holds; every reader gives the number back, and fails for a mixture.
VERSIONS = (1.0, 2.0)


def _array(version: float) -> np.ndarray:
    return np.full(SIZE, version, np.float32)


def _number(array: Any) -> float:
    values = np.unique(np.asarray(array))
    assert np.size(array) == SIZE, "a part of it"
    (value,) = values
    return float(value)


def golden(path: pathlib.Path, version: float) -> None:
    """As `record` writes it."""
    from tf2jax_port.diff.golden_file import document

    store = document.Store()
    key = store.put(_array(version))
    document.write(path, {"format": document.FORMAT, "array": key}, store)


def read_golden(path: pathlib.Path) -> float:
    from tf2jax_port.diff.golden_file import document

    text, store = document.read(path)
    return _number(store.get(text["array"]))


def weights(path: pathlib.Path, version: float) -> None:
    """As `weights --out` writes them."""
    from tf2jax_port.importing.weights import Weights, write_weights

    write_weights(Weights("checkpoint", {"w": _array(version)}), path.with_suffix(".npz"))


def read_weights(path: pathlib.Path) -> float:
    with path.with_suffix(".npz").open("rb") as opened, np.load(opened) as file:
        return _number(file["w"])


def calls(path: pathlib.Path, version: float) -> None:
    """As `capture` writes them."""
    from tf2jax_port.diff.code_bases.call_file import Calls

    Calls((), (_array(version),)).write(path)


def read_calls(path: pathlib.Path) -> float:
    from tf2jax_port.diff.code_bases import call_file

    return _number(call_file.read_calls(path).arrays[0])


def text(path: pathlib.Path, version: float) -> None:
    """As `rewrite --write` and reports are written."""
    from tf2jax_port.paths.whole_files import write_whole

    write_whole(path, f"{version}\n".encode() * SIZE)


def read_text(path: pathlib.Path) -> float:
    return _number([float(line) for line in path.read_text().splitlines()])


def checkpoint(path: pathlib.Path, version: float) -> None:
    """As `train.Checkpoint` writes it, under one name."""
    import shims

    shims.train.Checkpoint(w=shims.Variable(_array(version))).write(str(path))


def read_checkpoint(path: pathlib.Path) -> float:
    import shims

    reader = shims.train.load_checkpoint(str(path))
    return _number(reader.get_tensor("w/.ATTRIBUTES/VARIABLE_VALUE"))


WRITERS: dict[
    str, tuple[Callable[[pathlib.Path, float], None], Callable[[pathlib.Path], float]]
] = {
    "golden": (golden, read_golden),
    "weights": (weights, read_weights),
    "recorded calls": (calls, read_calls),
    "rewritten file, report": (text, read_text),
    "checkpoint": (checkpoint, read_checkpoint),
}


def main() -> None:
    """Write until the end: `python -m tests.hard_knocks.kills NAME PATH`."""
    write, _ = WRITERS[sys.argv[1]]
    path = pathlib.Path(sys.argv[2])
    while True:
        for version in VERSIONS:
            write(path, version)
            sys.stdout.write(".")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
