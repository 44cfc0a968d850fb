"""The kinds of files that are damaged."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

import shims
from shims._src.errors import errors
from shims.train import Example, Feature, Features, FloatList, Int64List
from tests.hard_knocks.damage import Kind, plain
from tests.meta import tree
from tf2jax_port import importing
from tf2jax_port.diff.code_bases.call_file import Calls, read_calls
from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.diff.golden_file import document
from tf2jax_port.importing.choosing import NoSuchTensorError
from tf2jax_port.importing.loading import UnsupportedGraphError
from tf2jax_port.importing.schema import BrokenFileError

ARRAYS = {"a": np.arange(60, dtype=np.float32), "b": np.eye(3), "c": np.int64([7])}


def _golden(folder: pathlib.Path) -> list[pathlib.Path]:
    file = folder / "a.golden"
    file.write_bytes((tree.ROOT / "examples/point_clouds/voxels.golden").read_bytes())
    return [file]


def _read_golden(folder: pathlib.Path) -> Any:
    text, store = document.read(folder / "a.golden")
    return text, plain(store.arrays)


def _checkpoint(folder: pathlib.Path) -> list[pathlib.Path]:
    variables = {name: shims.Variable(array) for name, array in ARRAYS.items()}
    shims.train.Checkpoint(**variables).write(str(folder / "x"))
    return [folder / "x.index", folder / "x.data-00000-of-00001"]


def _read_checkpoint(folder: pathlib.Path) -> Any:
    reader = shims.train.load_checkpoint(str(folder / "x"))
    names = reader.get_variable_to_shape_map()
    return plain({name: np.asarray(reader.get_tensor(name)) for name in names})


def _records(folder: pathlib.Path) -> list[pathlib.Path]:
    file = folder / "x.tfrecord"
    with shims.io.TFRecordWriter(str(file)) as writer:
        for n in range(6):
            tokens, score = Int64List(value=range(n)), FloatList(value=[n / 2])
            named = {"tokens": Feature(int64_list=tokens), "score": Feature(float_list=score)}
            writer.write(Example(features=Features(feature=named)).SerializeToString())
    return [file]


def _read_records(folder: pathlib.Path) -> Any:
    return list(shims.data.TFRecordDataset(str(folder / "x.tfrecord")).as_numpy_iterator())


def _graph(folder: pathlib.Path) -> list[pathlib.Path]:
    """Write a frozen graph: the bytes of a few nodes."""
    file = folder / "graph.pb"
    file.write_bytes(GRAPH)
    return [file]


def _read_graph(folder: pathlib.Path) -> Any:
    found = importing.loading.read(folder / "graph.pb", outputs=["y:0"])
    if found.program.problems:
        raise UnsupportedGraphError(found.program.problems)
    return found.text, plain(dict(found.variables()))


def _calls(folder: pathlib.Path) -> list[pathlib.Path]:
    file = folder / "calls.npz"
    Calls((), tuple(ARRAYS.values())).write(file)
    return [file]


def _read_calls(folder: pathlib.Path) -> Any:
    found = read_calls(folder / "calls.npz")
    return found.calls, plain({str(i): a for i, a in enumerate(found.arrays)})


def _message(*fields: tuple[int, bytes | int]) -> bytes:
    """Return a protocol buffer: numbers, and texts or messages, by the numbers of their fields."""
    parts = []
    for number, value in fields:
        if isinstance(value, int):
            parts.append(bytes([number << 3, value]))
        else:
            parts.append(bytes([number << 3 | 2, len(value)]) + value)
    return b"".join(parts)


def _node(name: str, op: str, *inputs: str, **attributes: bytes) -> bytes:
    entries = [(5, _message((1, key.encode()), (2, value))) for key, value in attributes.items()]
    named = ((1, name.encode()), (2, op.encode()), *((3, i.encode()) for i in inputs))
    return _message((1, _message(*named, *entries)))


_FLOAT = _message((6, 1))
_SHAPE = _message((7, _message((2, _message((1, 2))))))
_TWO = _message(
    (8, _message((1, 1), (2, _message((2, _message((1, 2))))), (4, np.float32([2, 3]).tobytes())))
)
GRAPH = (
    _node("x", "Placeholder", dtype=_FLOAT, shape=_SHAPE)
    + _node("two", "Const", dtype=_FLOAT, value=_TWO)
    + _node("m", "Mul", "x", "two", T=_FLOAT)
    + _node("y", "Tanh", "m", T=_FLOAT)
)
_REFUSED = (errors.DataLossError, errors.UnimplementedError, errors.NotFoundError)

KINDS = {
    "golden": Kind(_golden, _read_golden, (DiffError,)),
    "checkpoint": Kind(_checkpoint, _read_checkpoint, _REFUSED),
    "records": Kind(_records, _read_records, (errors.DataLossError,), is_a_row=True),
    "recorded calls": Kind(_calls, _read_calls, (ValueError, OSError)),
    "frozen graph": Kind(
        _graph,
        _read_graph,
        (BrokenFileError, UnsupportedGraphError, NoSuchTensorError),
        has_checksums=False,
    ),
}
