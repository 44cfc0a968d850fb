"""Run programs of the sweep under TensorFlow, or their new text under JAX: `worker (tf|jax) IN OUT`."""

from __future__ import annotations

import importlib.util
import pathlib
import pickle
import sys
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.harness.flatten import flatten
from tools.rewrite_sweep.programs import LANES


def _load(code: str, path: pathlib.Path) -> Callable:
    path.write_text(code)  # what converts functions reads their source
    spec = importlib.util.spec_from_file_location("program", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


def _plain(value: Any) -> tuple[str, dict[str, Any]]:
    """Return a result as its structure and NumPy arrays by path; Python numbers are JAX's."""
    form, leaves = flatten(value)
    return form, {path: _array(leaf) for path, leaf in leaves.items()}


def _array(leaf: Any) -> np.ndarray:
    array = np.asarray(getattr(leaf, "unpad", lambda: leaf)())
    return array.astype(np.int32) if type(leaf) in (int, np.int64) else array


def _outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:  # noqa: BLE001, any of them is an outcome
        line = (str(error).strip().splitlines() or [""])[0]
        return f"{type(error).__name__}: {line}"[:200]


def of_tensorflow(code: str, arrays: dict[str, np.ndarray], path: pathlib.Path) -> dict[str, Any]:
    """Run a program in TensorFlow: its value and its gradients."""
    import tensorflow as tf

    def gradients() -> Any:
        tensors = {name: tf.constant(a) for name, a in arrays.items()}
        floats = [t for t in tensors.values() if t.dtype == tf.float32]
        with tf.GradientTape() as tape:
            tape.watch(floats)
            leaves = tf.nest.flatten(program(**tensors), expand_composites=True)
            loss = tf.add_n([tf.reduce_sum(tf.square(x)) for x in leaves if x.dtype == tf.float32])
        found = tape.gradient(loss, floats, unconnected_gradients="zero")
        return _plain([tf.convert_to_tensor(gradient) for gradient in found])

    try:
        program = _load(code, path)
    except Exception as error:  # noqa: BLE001
        return {"eager": f"{type(error).__name__}", "gradient": "not loaded"}
    tensors = {name: tf.constant(a) for name, a in arrays.items()}
    value = _outcome(lambda: _plain(program(**tensors)))
    if not arrays.get("keep", np.ones(1)).any() and _contradicts(program, tensors, value):
        value = "TensorFlow's kernel gives an empty result a shape that differs from its graph's"
    return {"eager": value, "gradient": _outcome(gradients)}


def _contradicts(program: Callable, tensors: dict[str, Any], value: Any) -> bool:
    """Return whether the shape that TensorFlow infers differs from the computed one, as for some convolutions."""
    import tensorflow as tf

    if isinstance(value, str):
        return False
    try:
        results = tf.function(program).get_concrete_function(**tensors).structured_outputs
    except Exception:  # noqa: BLE001, some programs run only eagerly
        return False
    shapes = [leaf.shape for leaf in tf.nest.flatten(results, expand_composites=True)]
    return not all(
        s.is_compatible_with(a.shape) for s, a in zip(shapes, value[1].values(), strict=False)
    )


def of_jax(code: str, arrays: dict[str, np.ndarray], path: pathlib.Path) -> dict[str, Any]:
    """Run the new text of a program in all lanes."""
    import jax
    import jax.numpy as jnp

    import shims

    given = {name: jnp.asarray(a) for name, a in arrays.items()}
    floats = {name: a for name, a in given.items() if a.dtype == jnp.float32}
    others = {name: a for name, a in given.items() if name not in floats}

    def loss(floats: dict[str, Any]) -> Any:
        leaves = flatten(program(**floats, **others))[1].values()
        return sum(
            shims.reduce_sum(shims.square(x))
            for x in leaves
            if getattr(x, "dtype", "") == jnp.float32
        )

    try:
        program = _load(code, path)
    except Exception as error:  # noqa: BLE001
        return dict.fromkeys(LANES, f"{type(error).__name__}: {error}"[:200])
    calls = {
        "eager": lambda: _plain(program(**given)),
        "jit": lambda: _plain(jax.jit(program)(**given)),
        "function": lambda: _plain(shims.function(program)(**given)),
        "gradient": lambda: _plain(list(jax.grad(loss)(floats).values())),
    }
    return {lane: _outcome(call) for lane, call in calls.items()}


def main() -> None:
    """Run the programs of a file, and write their results to another one."""
    side, source, target = sys.argv[1:4]
    run = of_tensorflow if side == "tf" else of_jax
    warnings.simplefilter("ignore")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        jobs = pickle.loads(pathlib.Path(source).read_bytes())
        for number, (code, arrays) in enumerate(jobs):
            results.append(run(code, arrays, pathlib.Path(folder) / f"program_{number}.py"))
    pathlib.Path(target).write_bytes(pickle.dumps(results))


if __name__ == "__main__":
    main()
