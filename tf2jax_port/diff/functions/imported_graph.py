"""Compare an imported graph in JAX with the same graph in TensorFlow."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from tf2jax_port.diff.functions.loading import DiffError, require_tensorflow
from tf2jax_port.importing import loading
from tf2jax_port.importing.graph import Node
from tf2jax_port.importing.loading import Imported

_UNKNOWN = 3  # a size that the graph leaves open
_CLOSE = 1e-4  # of the largest number of an output


def compare(path: str, found: Imported, data: str | None = None) -> dict[str, dict[str, Any]]:
    """Run a graph in TensorFlow and in JAX on the same feeds, and compare the outputs.

    Args:
      path: the file or folder of the graph.
      found: the imported graph.
      data: a `.npz` file of feeds; without it random numbers, 0 or 1 for integers.

    Returns:
      For each output, whether it is equal and a sentence about it.

    Raises:
      DiffError: TensorFlow is not installed, or rejects the feeds.
    """
    require_tensorflow()
    feeds = _load_feeds(data, found) if data else _draw_feeds(found)
    expected = _run_tensorflow(path, found, feeds)
    actual = loading.function_of(found)(found.variables(), feeds)
    return {key: _compare_output(np.asarray(actual[key]), expected[key]) for key in expected}


def _load_feeds(data: str, found: Imported) -> dict[str, np.ndarray]:
    with np.load(data) as file:
        feeds = {key: file[key] for key in file}
    missing = [key for key in found.choice.inputs if key not in feeds]
    if missing:
        raise DiffError(f"{data} does not contain {', '.join(missing)}")
    return feeds


def _draw_feeds(found: Imported) -> dict[str, np.ndarray]:
    rng, nodes = np.random.default_rng(0), found.model.graph.nodes
    feeds = {
        key: _draw_array(rng, key, nodes[edge.node]) for key, edge in found.choice.inputs.items()
    }
    return feeds | {"seed": np.zeros(2, np.int32)} if found.program.draws else feeds


def _draw_array(rng: np.random.Generator, key: str, node: Node) -> np.ndarray:
    shape, dtype = node.attribute("shape"), node.attribute("dtype")
    if shape is None or dtype in (None, "string"):
        raise DiffError(f"cannot draw random inputs for {key}; pass them with --data")
    sizes = [_UNKNOWN if size is None else size for size in shape]
    if dtype.startswith(("float", "bfloat", "complex")):
        return rng.normal(size=sizes).astype(np.float32).astype(_numpy_dtype(dtype))
    return rng.integers(0, 2, size=sizes).astype(_numpy_dtype(dtype))


def _numpy_dtype(dtype: str) -> np.dtype:
    from tf2jax_port.importing.tensors import numpy_dtype

    return numpy_dtype(dtype)


def _run_tensorflow(path: str, found: Imported, feeds: Mapping[str, np.ndarray]) -> dict[str, Any]:
    import tensorflow as tf

    v1, folder = tf.compat.v1, pathlib.Path(path)
    fetches = {key: str(edge) for key, edge in found.choice.outputs.items()}
    fed = {str(edge): feeds[key] for key, edge in found.choice.inputs.items()}
    try:
        if found.model.variables is not None:
            return _run_signature(tf, found, feeds)
        with tf.Graph().as_default(), v1.Session() as session:
            tf.graph_util.import_graph_def(_graph_def(v1, folder), name="")
            return session.run(fetches, fed)
    except (tf.errors.OpError, ValueError) as error:
        raise DiffError(f"TensorFlow cannot run the graph: {error}") from error


def _run_signature(tf: Any, found: Imported, feeds: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Run a SavedModel by its signature, since a session would miss some variables of Keras."""
    outputs = {key: str(edge) for key, edge in found.choice.outputs.items()}
    folder = str(found.model.variables.parent.parent) if found.model.variables else ""
    loaded = tf.saved_model.load(folder)
    for name, signature in found.model.signatures.items():
        if dict(signature.outputs) == outputs:
            function = loaded.signatures[name]
            dtypes = function.structured_input_signature[1]
            given = {key: tf.constant(feeds[key], dtypes[key].dtype) for key in signature.inputs}
            return {key: value.numpy() for key, value in function(**given).items()}
    raise DiffError("--check compares the whole signature of a SavedModel: remove --outputs")


def _graph_def(v1: Any, path: pathlib.Path) -> Any:
    from google.protobuf import text_format  # type: ignore[import-untyped]

    graph = v1.GraphDef()
    if path.suffix == ".pb":
        graph.ParseFromString(path.read_bytes())
    else:
        text_format.Merge(path.read_text(encoding="utf-8"), graph)
    return graph


def _compare_output(actual: np.ndarray, expected: np.ndarray) -> dict[str, Any]:
    if actual.shape != expected.shape:
        return {"equal": False, "says": f"shape {actual.shape}, TensorFlow {expected.shape}"}
    if expected.dtype.kind not in "fc":
        unequal = int(np.sum(actual != expected))
        return {"equal": not unequal, "says": f"{unequal} of {expected.size} differ"}
    scale = float(np.max(np.abs(expected), initial=0, where=np.isfinite(expected)))
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    with np.errstate(invalid="ignore"):
        away = np.where(same, 0, np.abs(actual - expected))
    worst = float(np.max(away, initial=0))
    says = f"largest difference {worst:.3g}, largest number {scale:.3g}, shape {actual.shape}"
    return {"equal": bool(worst <= _CLOSE * max(scale, 1e-30)), "says": says}
