"""Write TensorFlow 1's names and signatures, read from TensorFlow: `python -m tools.live_names`.

For each name of `tf.compat.v1` that is in the table, it records where `shims` has it, and its signature in
version 1. The other names are listed, so that an access to one reports that TensorFlow has it. This needs
TensorFlow; the facade is built from the file that it writes.
"""

from __future__ import annotations

import inspect
import types
from typing import Any

import tensorflow as tf
from tensorflow.python.util import tf_decorator, tf_export

from shims._src.v1.names.redefined_operators import VARIANTS
from tf2jax_port.table import ROWS, Native, Row
from tools.data_files import ROOT, render

PATH = "shims/_src/v1/names/live_names.json"
# Modules that are not of this project's kind, or that need a package other than TensorFlow.
_LEFT_OUT = frozenset(
    [
        "audio",
        "autograph",
        "compat",
        "config",
        "data",
        "distribute",
        "estimator",
        "experimental",
        "feature_column",
        "graph_util",
        "inspect",
        "keras",
        "layers",
        "lite",
        "manip",
        "mixed_precision",
        "mlir",
        "mock",
        "profiler",
        "python_io",
        "raw_ops",
        "resource_loader",
        "rnn_cell",
        "saved_model",
        "sysconfig",
        "tf_decorator",
        "tools",
        "tpu",
        "types",
        "user_ops",
        "xla",
    ]
)
# Version 1 means something else by these than the row of that name: they are written by hand, or
# absent.
_OF_THEIR_OWN = frozenset(
    [
        "Assert",
        "constant",
        "convert_to_tensor",
        "nn.dilation2d",
        "nn.dropout",
        "nn.erosion2d",
        "nn.softmax_cross_entropy_with_logits",
        *VARIANTS,
    ]
)


def generate() -> str:
    """Return the text of the data file.

    An operator's entry has its spellings, its place in `shims`, its signature in version 1, and version 2's names
    of those parameters that are named differently there.
    """
    rows = {name: row for row in ROWS for name in row.names}
    operators: dict[str, dict[str, Any]] = {}
    values: dict[str, str] = {}
    others: list[str] = []
    for name, value in sorted(_walk(tf.compat.v1, "", 0).items()):
        spellings = _spellings(name, value)
        row = next((rows[n] for n in _row_names(name, value) if n in rows), None)
        source = None if row is None or not _OF_THEIR_OWN.isdisjoint(spellings) else _source(row)
        if row is None or source is None:
            others.append(name)
        elif row.params is None or isinstance(value, type) or not callable(value):
            values[name] = source
        else:
            key = min(spellings, key=lambda n: (n.count("."), len(n), n))
            entry = {"place": source, "signature": _signature(value), "renames": dict(row.renames)}
            found = operators.setdefault(key, {"spellings": [key], **entry})
            if name != key:
                found["spellings"].append(name)
    return render(
        "tools.live_names",
        version=tf.__version__.rpartition(".")[0],
        operators=dict(sorted(operators.items())),
        values=values,
        others=others,
    )


def _walk(module: types.ModuleType, prefix: str, depth: int) -> dict[str, Any]:
    """Return the public objects of a module by dotted name."""
    found: dict[str, Any] = {}
    for name in dir(module):
        if name.startswith("_") or name in _LEFT_OUT:
            continue
        value = getattr(module, name)
        if not inspect.ismodule(value):
            found[prefix + name] = value
        elif depth < 2:
            found.update(_walk(value, f"{prefix}{name}.", depth + 1))
    return found


def _spellings(name: str, value: Any) -> list[str]:
    """Return version 1's names of an object."""
    return [name, *(n for n in _exported(value, tf_export.get_v1_names) if n != name)]


def _row_names(name: str, value: Any) -> list[str]:
    """Return the possible names of an object's row; a row of version 1 alone comes first."""
    names = [*_spellings(name, value), *_exported(value, tf_export.get_v2_names)]
    return [*(f"v1.{n}" for n in names), *names]


def _exported(value: Any, names_of) -> list[str]:
    if not (inspect.isroutine(value) or inspect.isclass(value)):
        return []
    _, plain = tf_decorator.unwrap(value)
    return list(names_of(plain)) if hasattr(plain, "__dict__") else []


def _source(row: Row) -> str | None:
    """Return `module:function` of the implementation in `shims`, without `shims._src.`."""
    if row.own:
        module, _, function = row.own.partition(":")
        return f"{module}:{function}"
    if isinstance(row.target, Native) and row.params is not None:
        return f"native.operators:{row.name.rpartition('.')[2]}"
    if isinstance(row.target, Native):
        return f"={row.target.expression}"
    return None


def _signature(function: Any) -> str:
    """Format a signature as `x, axis=None`; defaults that are not plain literals become `...`."""
    parts = []
    for p in inspect.signature(function).parameters.values():
        star = "*" * (p.kind is p.VAR_POSITIONAL) or "**" * (p.kind is p.VAR_KEYWORD)
        default = "" if p.default is p.empty else f"={_literal(p.default)}"
        parts.append(f"{star}{p.name}{default}")
    return ", ".join(parts)


def _literal(value: Any) -> str:
    if isinstance(value, tf.DType):
        return repr(value.name)
    if value is None or isinstance(value, (bool, int, float, str)):
        text = repr(value)
        return text if text not in ("inf", "nan", "-inf") else f'float("{text}")'
    if isinstance(value, (tuple, list)):
        return repr(value)
    return "..."


if __name__ == "__main__":
    (ROOT / PATH).write_text(generate())
