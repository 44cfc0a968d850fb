"""Store TensorFlow's results for the cases of all operators in one small file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tf2jax_port.diff.golden_file.document import FORMAT, Store, read, write
from tf2jax_port.diff.judge.contract import versions
from tf2jax_port.diff.parity.points import Point, arguments
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.vocabulary.lanes import TF_GRAPH, TF_XLA

# Case to its outputs, or to the failure.
Answers = Mapping[str, list[np.ndarray] | Failure]
# Lane to its answers.
Lanes = Mapping[str, Answers]

UNRECORDED = "the result of this operator was not recorded"

_KIND = "parity of operators"
_SAME = "same"


class Recorded:
    """TensorFlow's results for all operators, read from a file.

    Args:
      path: the file.

    Raises:
      DiffError: it cannot be read, or is damaged.
    """

    def __init__(self, path: Path) -> None:
        document, store = read(path)
        self.versions: Mapping[str, str] = document["versions"]
        self._rows: Mapping[str, Any] = document["rows"] if document["kind"] == _KIND else {}
        self._flat = {name: store.get(key) for name, key in document["flat"].items()}

    def lanes(self, points: list[Point]) -> Lanes:
        """Return the recorded results for some cases; a case whose inputs have changed has none."""
        found: dict[str, dict[str, Any]] = {TF_GRAPH.id: {}, TF_XLA.id: {}}
        for point in points:
            kept = self._rows.get(point.row.name, {}).get(point.case.id)
            if kept is None or kept["inputs"] != fingerprint(point):
                stale = Failure("stale", UNRECORDED)
                found[TF_GRAPH.id][point.case.id] = found[TF_XLA.id][point.case.id] = stale
                continue
            for lane in (TF_GRAPH.id, TF_XLA.id):
                entry = kept["tf-graph"] if kept[lane] == _SAME else kept[lane]
                found[lane][point.case.id] = self._unpack_answer(entry)
        return found

    def _unpack_answer(self, entry: Any) -> list[np.ndarray] | Failure:
        if isinstance(entry, str):
            return Failure("recorded", entry)
        return [self._slice_array(*one) for one in entry]

    def _slice_array(self, dtype: str, shape: list[int], begin: int) -> np.ndarray:
        flat = self._flat[dtype]
        assert flat is not None
        return flat[begin : begin + int(np.prod(shape))].reshape(shape)


def store(path: Path, rows: Mapping[str, tuple[list[Point], Lanes]], most: int) -> None:
    """Write the results of TensorFlow's lanes; arrays of the same type are concatenated.

    Args:
      path: the file.
      rows: a dict from operators to their cases and results.
      most: the largest size of the file in bytes.
    """
    parts: dict[str, list[np.ndarray]] = {}
    filled: dict[str, int] = {}

    def put(array: np.ndarray) -> list[Any]:
        name = array.dtype.name
        begin = filled.get(name, 0)
        parts.setdefault(name, []).append(array.reshape(-1))
        filled[name] = begin + array.size
        return [name, list(array.shape), begin]

    document: dict[str, Any] = {"format": FORMAT, "kind": _KIND, "versions": versions()}
    document["rows"] = {
        name: {
            p.case.id: _pack_case(p, lanes, put)
            for p in points
            if _is_numeric(lanes[TF_GRAPH.id][p.case.id])
        }
        for name, (points, lanes) in rows.items()
    }
    arrays = Store()
    document["flat"] = {n: arrays.put(np.concatenate(found)) for n, found in parts.items()}
    write(path, document, arrays, most)


def _pack_case(point: Point, lanes: Lanes, put: Any) -> dict[str, Any]:
    graph, xla = (lanes[lane][point.case.id] for lane in (TF_GRAPH.id, TF_XLA.id))
    return {
        "inputs": fingerprint(point),
        TF_GRAPH.id: _pack_answer(graph, put),
        TF_XLA.id: _SAME if _are_identical(graph, xla) else _pack_answer(xla, put),
    }


def _pack_answer(answer: list[np.ndarray] | Failure, put: Any) -> Any:
    return answer.reason if isinstance(answer, Failure) else [put(array) for array in answer]


def _are_identical(a: list[np.ndarray] | Failure, b: list[np.ndarray] | Failure) -> bool:
    if isinstance(a, Failure) or isinstance(b, Failure) or len(a) != len(b):
        return False
    return all(
        x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes()
        for x, y in zip(a, b)
    )


def _is_numeric(answer: list[np.ndarray] | Failure) -> bool:
    """Return whether a result can be stored: it has no strings or Python objects."""
    return isinstance(answer, Failure) or all(array.dtype.kind in "biufcV" for array in answer)


def fingerprint(point: Point) -> str:
    """Return a fingerprint of a case's arguments, which shows whether they have changed."""
    state = hashlib.sha256()
    for name, value in sorted(arguments(point).items()):
        state.update(name.encode())
        for part in value if isinstance(value, tuple) else (value,):
            is_array = isinstance(part, np.ndarray)
            state.update(part.tobytes() if is_array else repr(part).encode())
            state.update(f"{part.dtype.name}{part.shape}".encode() if is_array else b"")
    return state.hexdigest()[:12]
