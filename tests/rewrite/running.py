"""Runs a program before and after its rewrite, and compares what it assigns."""

import numpy as np

from tests.harness import compare
from tests.harness.compare import Dtypes, Tolerance

X = np.array([[0.25, -1.5, 2.0], [1.0, 0.75, -0.5]], np.float32)


def run(code, x, file):
    """Executes a program that may read `x`; gives its variables, imports and functions left out."""
    file.write_text(code)  # what converts functions reads their source
    namespace = {"x": x, "__name__": "program"}
    exec(compile(code, str(file), "exec"), namespace)
    found = {}
    for name, value in namespace.items():
        if name.startswith("__") or name == "x" or callable(value) or hasattr(value, "__path__"):
            continue
        found[name] = value
    found = {name: value for name, value in found.items() if type(value).__name__ != "module"}
    return {name: as_jax_takes_it(value) for name, value in found.items()}


def as_jax_takes_it(value):
    """A number that the rewriter leaves to Python or NumPy, with the dtype that JAX gives it."""
    import jax.numpy as jnp

    number = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    whole = isinstance(value, np.ndarray) and value.dtype == np.int64
    return np.asarray(jnp.asarray(value)) if number or whole else value


def assert_same(old, new, tolerance=1e-6):
    """Fail unless both programs assigned the same names, and equal values of equal dtypes to them."""
    assert old, "the program assigns nothing"
    compare.assert_same(new, old, Tolerance(relative=tolerance), Dtypes.SAME, what="assigned")


def both(before, after, folder):
    """What the TensorFlow program and the JAX program assign, for the same `x`."""
    import jax.numpy as jnp
    import tensorflow as tf

    old = run(before, tf.constant(X), folder / "before.py")
    return old, run(after, jnp.asarray(X), folder / "after.py")
