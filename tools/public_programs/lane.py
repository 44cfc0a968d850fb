"""Run a program in one library and keep what it leaves: `python -m tools.public_programs.lane`."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import os
import pathlib
import pickle
import shutil
import signal
import sys
import time
import traceback
import types
import warnings
from typing import Any, NamedTuple

import numpy as np

from tools.public_programs import cells, main_values, one_bit, siblings, stand_ins

SECONDS = 150  # of the processor, for a cell
PROGRAM_SECONDS = 900  # for a program
LARGEST = 2**20  # elements of an array that is kept whole
_TENSORS = frozenset({"EagerTensor", "ArrayImpl", "ResourceVariable", "Variable", "HostTensor"})


class Cell(NamedTuple):
    """What a cell leaves.

    Args:
      error: the class, the message and the line of the error that ended it.
      values: the top-level variables afterwards, as plain data.
      last: the value of its last line.
    """

    error: tuple[str, str, str] | None
    values: dict[str, Any]
    last: Any


def main(library: str, *paths: str) -> None:
    """Import a library once, and run each program in a process of its own.

    Args:
      library: `tensorflow` or `shims`, or `up` or `down`: TensorFlow with its initial variables moved by
        one bit.
      *paths: for each program, the path of a notebook or a Python file, and that of the pickle of its cells.
    """
    warnings.simplefilter("ignore")
    stand_ins.install()
    tf = importlib.import_module("shims" if library == "shims" else "tensorflow")
    if library in one_bit.DIRECTIONS:
        one_bit.move_initial_values(tf, library)
    assert tf.keras.Model
    stand_ins.install_in_library(tf, library)
    for program, result in zip(paths[::2], paths[1::2], strict=True):
        child = os.fork()
        if not child:
            _run_program(tf, library, pathlib.Path(program), pathlib.Path(result))
            os._exit(0)
        _wait(child)


def _wait(child: int) -> None:
    """Wait for a program, and end it when it takes too long: compiled code hears no signal."""
    end = time.monotonic() + PROGRAM_SECONDS
    while not os.waitpid(child, os.WNOHANG)[0]:
        time.sleep(0.1)
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return


def _run_program(tf, library: str, path: pathlib.Path, kept: pathlib.Path) -> None:
    """Run a program in a folder below the one beside the pickle, which is emptied first: it may write to `..`."""
    shutil.rmtree(kept.with_suffix(""), ignore_errors=True)
    folder = kept.with_suffix("") / "program"
    folder.mkdir(parents=True)
    os.chdir(folder)
    sys.argv = [path.name]
    tf.random.set_seed(1)
    stand_ins.seed(sys.modules["keras"])
    signal.signal(signal.SIGPROF, _end_cell)
    checkouts = kept.parent.parent
    root = checkouts / pathlib.Path(*path.relative_to(checkouts).parts[:2])
    siblings.install(path, root, "shims" if library == "shims" else "tensorflow")
    names: dict[str, Any] = {"__name__": "__main__"}
    main_values.watch(folder, names)
    found = [
        _run(source, folder / f"cell_{number:02}.py", names)
        for number, source in enumerate(cells.cells_of(path, library))
    ]
    kept.write_bytes(pickle.dumps([tuple(cell) for cell in found]))


def _end_cell(*event) -> None:
    del event
    raise TimeoutError(f"the cell took more than {SECONDS} s")


def _run(source: str, file: pathlib.Path, names: dict[str, Any]) -> Cell:
    file.write_text(source)
    last = error = None
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            last = _execute(source, file, names)
    except (Exception, SystemExit) as raised:  # noqa: BLE001 - any error is a result
        frames = traceback.extract_tb(raised.__traceback__)
        own = [f.line or "" for f in frames if f.filename == str(file)]
        error = type(raised).__name__, str(raised)[:600], own[-1] if own else ""
    signal.setitimer(signal.ITIMER_PROF, 0)
    kept = {k: plain(v) for k, v in names.items() if not k.startswith("_") and _is_value(v)}
    return Cell(error, kept, plain(last))


def _execute(source: str, file: pathlib.Path, names: dict[str, Any]) -> Any:
    tree = ast.parse(
        source, str(file)
    )  # `dont_inherit`: this module's future imports are not the program's
    if not tree.body or not isinstance(tree.body[-1], ast.Expr):
        exec(compile(tree, str(file), "exec", dont_inherit=True), names)
        return None
    last = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
    exec(compile(tree, str(file), "exec", dont_inherit=True), names)
    return eval(compile(last, str(file), "eval", dont_inherit=True), names)


def _is_value(value) -> bool:
    return not isinstance(value, (types.ModuleType, type, types.FunctionType))


def plain(value, depth: int = 0) -> Any:
    """Return a value as plain data, `None` for what has no numbers."""
    try:
        return _plain(value, depth)
    except Exception as error:  # noqa: BLE001 - such a value is compared by its error
        return f"<{type(error).__name__}>"


def _plain(value, depth: int) -> Any:
    kind = type(value).__name__
    if isinstance(value, (bool, int, float, complex, bytes, np.generic)):
        return value
    if isinstance(value, np.ndarray) or kind in _TENSORS:
        return _part(np.asarray(value))
    if kind == "RaggedTensor":
        return ["ragged", plain(value.flat_values), *map(plain, value.nested_row_splits)]
    if kind == "SparseTensor":
        return ["sparse", *map(plain, (value.indices, value.values, value.dense_shape))]
    if kind == "History":
        return dict(value.history)
    if hasattr(value, "get_weights") and getattr(value, "built", False):
        return [np.asarray(w) for w in value.get_weights()]
    if type(value).__module__ == "__main__" and not hasattr(value, "get_weights"):
        value = {name: v for name, v in vars(value).items() if not name.startswith("_")}
    if depth < 4 and isinstance(value, (list, tuple)):
        return [plain(item, depth + 1) for item in value]
    if depth < 4 and isinstance(value, dict):
        return {str(key): plain(item, depth + 1) for key, item in value.items()}
    return None


def _part(array: np.ndarray) -> Any:
    """Return an array, of a large one its shape and a part of its elements: it is kept after every cell."""
    if array.size <= LARGEST:
        return array
    return [array.shape, array.reshape(-1)[:: array.size // LARGEST + 1]]


if __name__ == "__main__":
    main(*sys.argv[1:])
